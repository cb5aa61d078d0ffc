"""The systems under test, by name, and how each is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tablehound.errors import UsageError
from tablehound.evaluation.systems.base import System

if TYPE_CHECKING:
    from tablehound.evaluation.datasets import TableKeys
    from tablehound.evaluation.systems.answering import Retriever
    from tablehound.lake import Lake
    from tablehound.settings import Settings

SYSTEMS = {
    "ask": "the product: single tables, then several (mode auto)",
    "seek": "the evidence-seeking loop alone; strategies and ablations by settings",
    "multitable": "the multi-table method alone",
    "decompose": "the multi-table method, then each sub-question asked of its own tables (IRR, SR, SAR)",
    "direct": "retrieve, then answer from the first table: no refinement, no fallback",
    "oracle": "answer from the gold tables",
    "no-table": "answer without any table",
    "find": "the product's ranking by the question alone",
    "share": "the built-in backbone's patterns, ranked by the share that occurs (TableSeek's first round)",
    "bm25": "BM25 over the text of tables (bm25s, stemmed)",
    "dense": "cosine of one vector per table (search.embedder, else minilm; extra dense)",
    "splade": "SPLADE over the text of tables (naver/splade-v3 or search.embedder; extra models)",
    "colbert": "ColBERT over the text of tables (colbertv2.0 or search.embedder; extra models)",
    "rerank-3": "BM25's first 3 tables ordered by the backbone, answer from the first",
    "rerank-5": "BM25's first 5 tables ordered by the backbone, answer from the first",
    "find-rerank-3": "the first 3 tables of find ordered by the backbone, answer from the first",
    "find-rerank-5": "the first 5 tables of find ordered by the backbone, answer from the first",
    "jar": "join-aware retrieval with union expansion: an integer program over relevance and compatibility",
    "mmqa": "multi-hop retrieval along joins with union expansion",
    "text-to-sql": "the lake as a database: union clusters merged, keys guessed, one program",
    "table-rag": "columns and cells retrieved for each part of the question, answer from the tables that hold them",
}

EMBEDDING = frozenset(("dense", "splade", "colbert", "jar", "mmqa", "text-to-sql"))
"""Systems that begin with vectors of all tables."""

_ASKING: dict[str, dict[str, object]] = {
    "ask": {"mode": "auto"},
    "seek": {"mode": "seek"},
    "multitable": {"mode": "multitable"},
    "direct": {"mode": "seek", "seek.refine": False, "seek.fallback": False},
}


def make_system(name: str, lake: Lake, keys: TableKeys, settings: Settings, *, keep_trails: bool = False) -> System:
    """The system of that name over an open lake.

    Raises:
        UsageError: there is none.
        MissingExtraError: it needs an extra that is not installed.
    """
    from tablehound.evaluation.systems import asking, ranking
    from tablehound.retrieval import open_engine

    if name not in SYSTEMS:
        raise UsageError(f"there is no system {name!r}", remedy=f"use one of {', '.join(SYSTEMS)}")
    if name == "no-table":
        return asking.NoTable()
    baseline = _baseline(name, lake, settings)
    if baseline is not None:
        return ranking.Ranking(name, lambda text: baseline(text, ranking.DEPTH))
    engine = open_engine(lake, settings)
    if name == "find":
        return ranking.finding(name, lake, engine, settings)
    if name == "share":
        return ranking.by_patterns(name, lake, engine, settings)
    if name == "oracle":
        return asking.Oracle(lake, engine, settings, keys, keep_trails=keep_trails)
    if name == "decompose":
        from tablehound.evaluation.systems.decomposing import Decompose

        return Decompose(lake, engine, settings, keys)
    if name in _ASKING:
        return asking.Asking(name, lake, engine, settings.with_values(**_ASKING[name]), keep_trails=keep_trails)
    from tablehound.evaluation.systems.answering import RetrieveThenAnswer

    return RetrieveThenAnswer(name, lake, settings, _retriever(name, lake, settings), keep_trails=keep_trails)


def _baseline(name: str, lake: Lake, settings: Settings) -> Callable[[str, int], list[str]] | None:
    """The ``rank`` of a baseline that only ranks."""
    if name == "bm25":
        from tablehound.evaluation.systems.bm25 import Bm25

        return Bm25.over(lake).rank
    if name == "dense":
        from tablehound.evaluation.systems.dense import Dense

        return Dense.over(lake, settings).rank
    if name == "splade":
        from tablehound.evaluation.systems.learned import SPLADE_MODEL, Splade

        return Splade.over(lake, settings.search.embedder or SPLADE_MODEL).rank
    if name == "colbert":
        from tablehound.evaluation.systems.learned import COLBERT_MODEL, ColBert

        return ColBert.over(lake, settings.search.embedder or COLBERT_MODEL).rank
    return None


def _retriever(name: str, lake: Lake, settings: Settings) -> Retriever:
    """The retriever of a system that retrieves its own way and answers by the backbone's program."""
    from tablehound.evaluation.systems.bm25 import Bm25
    from tablehound.evaluation.systems.clusters import Neighbourhood
    from tablehound.evaluation.systems.dense import Dense
    from tablehound.evaluation.systems.ranking import DEPTH, found
    from tablehound.retrieval import open_engine

    if "rerank" in name:
        from tablehound.evaluation.systems.reranking import Rerank

        depth = int(name.rpartition("-")[2])
        if name.startswith("find"):
            engine = open_engine(lake, settings)
            return Rerank(lake, settings, lambda text: found(lake, engine, settings, text), depth)
        bm25 = Bm25.over(lake)
        return Rerank(lake, settings, lambda text: bm25.rank(text, DEPTH), depth)
    if name == "table-rag":
        from tablehound.evaluation.systems.table_rag import TableRag

        return TableRag(lake, open_engine(lake, settings), settings)
    near = Neighbourhood(lake, settings, Dense.over(lake, settings).scored)
    if name == "jar":
        from tablehound.evaluation.systems.jar import Jar

        return Jar(near)
    if name == "mmqa":
        from tablehound.evaluation.systems.multihop import MultiHop

        return MultiHop(near)
    from tablehound.evaluation.systems.materialised import Materialised

    return Materialised(near)
