"""Systems that answer: the product's own loops, and the bounds that the papers compare them with."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablehound.evaluation.datasets import BenchQuestion, TableKeys
from tablehound.evaluation.systems.answering import RetrieveThenAnswer
from tablehound.evaluation.systems.base import Outcome
from tablehound.evaluation.systems.clusters import GoldTables
from tablehound.evaluation.systems.outcomes import guarded, outcome_of
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.retrieval import CellMatch, Pattern, SearchEngine


class Asking:
    """``ask`` with the given settings."""

    def __init__(self, name: str, lake: Lake, engine: SearchEngine, settings: Settings, *, keep_trails: bool) -> None:
        self._name = name
        self._lake = lake
        self._engine = engine
        self._settings = settings
        self._keep_trails = keep_trails

    @property
    def name(self) -> str:
        return self._name

    def run(self, question: BenchQuestion) -> Outcome:
        return self._ask(question, self._engine, self._settings)

    def _ask(self, question: BenchQuestion, engine: SearchEngine, settings: Settings) -> Outcome:
        from tablehound.api import ask

        def run() -> Outcome:
            started = time.perf_counter()
            answer = ask(question.text, self._lake, dataclasses.replace(settings, task=question.task), engine=engine)
            return outcome_of(answer, time.perf_counter() - started, keep_trail=self._keep_trails)

        return guarded(question, run)


class Oracle(Asking):
    """Answers from the gold tables: the upper bound that retrieval sets on answering. One table goes through the
    loop's answer step, several are joined (and stacked, where they are parts of one) for one program."""

    def __init__(
        self, lake: Lake, engine: SearchEngine, settings: Settings, keys: TableKeys, *, keep_trails: bool
    ) -> None:
        gold = max(1, settings.seek.max_select_tables)
        bounded = settings.with_values(
            **{
                "mode": "seek", "search.rank": "share", "seek.max_steps": max(2, settings.seek.max_steps),
                "seek.refine": False, "seek.fallback": False, "seek.fallback_tables": gold,
            }
        )  # fmt: skip
        super().__init__("oracle", lake, engine, bounded, keep_trails=keep_trails)
        self._keys = keys
        self._several = RetrieveThenAnswer(
            "oracle", lake, settings, GoldTables(lake, settings, keys), keep_trails=keep_trails
        )

    def run(self, question: BenchQuestion) -> Outcome:
        ids = [self._keys.ids[key] for key in question.tables if key in self._keys.ids]
        if not ids:
            return Outcome(error=f"the lake has no gold table of this question: {', '.join(question.tables)}")
        if len(ids) > 1:
            return self._several.run(question)
        settings = self._settings.with_values(**{"seek.fallback_tables": len(ids)})
        return self._ask(question, _OnlyThese(self._engine, ids), settings)


class NoTable:
    """Answers without any table: the lower bound. The built-in rules know nothing by heart and say nothing."""

    name = "no-table"

    def run(self, question: BenchQuestion) -> Outcome:
        return Outcome()


class _OnlyThese:
    """An engine that finds some given tables, whatever the pattern."""

    def __init__(self, engine: SearchEngine, table_ids: Sequence[str]) -> None:
        self._engine = engine
        self._ids = frozenset(table_ids)

    def tables(self, patterns: Sequence[Pattern]) -> list[frozenset[str]]:
        return [self._ids for _ in self._engine.tables(patterns)]

    def cells(
        self, patterns: Sequence[Pattern], *, table_ids: Sequence[str] | None = None, limit: int | None = None
    ) -> list[CellMatch]:
        wanted = sorted(self._ids if table_ids is None else self._ids & set(table_ids))
        return self._engine.cells(patterns, table_ids=wanted, limit=limit)

    def rows(self, table_id: str, patterns: Sequence[Pattern], *, per_pattern: int, limit: int) -> tuple[int, ...]:
        return self._engine.rows(table_id, patterns, per_pattern=per_pattern, limit=limit)
