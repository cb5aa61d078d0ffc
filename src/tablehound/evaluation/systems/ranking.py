"""Systems that only rank: the product's ``find``, and baselines behind the same call."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.systems.base import Outcome
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.retrieval import SearchEngine

DEPTH = 50
"""Tables ranked per question."""


class Ranking:
    """A function from a question to table ids, best first."""

    def __init__(self, name: str, rank: Callable[[str], list[str]]) -> None:
        self._name = name
        self._rank = rank

    @property
    def name(self) -> str:
        return self._name

    def run(self, question: BenchQuestion) -> Outcome:
        started = time.perf_counter()
        ranked = tuple(self._rank(question.text))
        return Outcome(
            ranked=ranked, tried=ranked[:1], final=ranked[:1], first_by_round=ranked[:1],
            seconds=time.perf_counter() - started,
        )  # fmt: skip


def finding(name: str, lake: Lake, engine: SearchEngine, settings: Settings) -> Ranking:
    """The product's ranking by the question alone (``settings.search.rank``)."""
    return Ranking(name, lambda text: found(lake, engine, settings, text))


def found(lake: Lake, engine: SearchEngine, settings: Settings, text: str) -> list[str]:
    """Ids of the product's ranking, best first."""
    from tablehound.retrieval import find

    return [c.table_id for c in find(lake, text, settings=settings, limit=DEPTH, engine=engine)]


def by_patterns(name: str, lake: Lake, engine: SearchEngine, settings: Settings) -> Ranking:
    """The TableSeek paper's first round: the built-in backbone's patterns, ranked by the share that occurs."""
    from tablehound.backbone import PatternsRequest, make_backbone
    from tablehound.retrieval import rank_by_share

    backbone = make_backbone(lake, settings)

    def rank(text: str) -> list[str]:
        from tablehound.language import decide_task

        patterns = backbone.patterns(PatternsRequest(text, decide_task(text))).patterns
        found = rank_by_share(engine, patterns, limit=DEPTH)
        return [candidate.table_id for candidate in found]

    return Ranking(name, rank)
