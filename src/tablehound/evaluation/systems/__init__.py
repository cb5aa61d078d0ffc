"""Systems under test: one small interface, run by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablehound.errors import UsageError
from tablehound.evaluation.systems.base import Outcome, System

if TYPE_CHECKING:
    from tablehound.evaluation.datasets import TableKeys
    from tablehound.lake import Lake
    from tablehound.settings import Settings

__all__ = ["SYSTEMS", "Outcome", "System", "make_system"]

SYSTEMS = {
    "ask": "the product: single tables, then several (mode auto)",
    "seek": "the evidence-seeking loop alone; strategies and ablations by settings",
    "multitable": "the multi-table method alone",
    "direct": "retrieve, then answer from the first table: no refinement, no fallback",
    "oracle": "answer from the gold tables",
    "no-table": "answer without any table",
    "find": "the product's ranking by the question alone",
    "share": "the built-in backbone's patterns, ranked by the share that occurs (TableSeek's first round)",
    "bm25": "BM25 over the text of tables (bm25s, stemmed)",
}


def make_system(name: str, lake: Lake, keys: TableKeys, settings: Settings, *, keep_trails: bool = False) -> System:
    """The system of that name over an open lake.

    Raises:
        UsageError: there is none.
        MissingExtraError: it needs an extra that is not installed.
    """
    from tablehound.evaluation.systems import asking, ranking
    from tablehound.evaluation.systems.bm25 import Bm25
    from tablehound.retrieval import open_engine

    if name not in SYSTEMS:
        raise UsageError(f"there is no system {name!r}", remedy=f"use one of {', '.join(SYSTEMS)}")
    if name == "no-table":
        return asking.NoTable()
    if name == "bm25":
        index = Bm25.over(lake)
        return ranking.Ranking(name, lambda text: index.rank(text, ranking.DEPTH))
    engine = open_engine(lake, settings)
    if name == "find":
        return ranking.finding(name, lake, engine, settings)
    if name == "share":
        return ranking.by_patterns(name, lake, engine, settings)
    if name == "oracle":
        return asking.Oracle(lake, engine, settings, keys, keep_trails=keep_trails)
    changes: dict[str, dict[str, object]] = {
        "ask": {"mode": "auto"},
        "seek": {"mode": "seek"},
        "multitable": {"mode": "multitable"},
        "direct": {"mode": "seek", "seek.refine": False, "seek.fallback": False},
    }
    return asking.Asking(name, lake, engine, settings.with_values(**changes[name]), keep_trails=keep_trails)
