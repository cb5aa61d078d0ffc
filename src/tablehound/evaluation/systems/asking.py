"""Systems that answer: the product's own loops, and the bounds that the papers compare them with."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablehound.errors import TablehoundError
from tablehound.evaluation.datasets import BenchQuestion, TableKeys
from tablehound.evaluation.systems.base import Outcome
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.answer import Answer
    from tablehound.lake import Lake
    from tablehound.retrieval import CellMatch, Pattern, SearchEngine
    from tablehound.trail import Trail

logger = logging.getLogger(__name__)


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

        started = time.perf_counter()
        settings = dataclasses.replace(settings, task=question.task)
        try:
            answer = ask(question.text, self._lake, settings, engine=engine)
        except Exception as error:  # a fault of one question must not end a long run; it is counted and named
            logger.debug("question %s failed", question.id, exc_info=True)
            said = str(error) if isinstance(error, TablehoundError) else f"{type(error).__name__}: {error}"
            return Outcome(error=said, seconds=time.perf_counter() - started)
        return outcome_of(answer, time.perf_counter() - started, keep_trail=self._keep_trails)


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
        from tablehound.evaluation.systems.answering import RetrieveThenAnswer
        from tablehound.evaluation.systems.clusters import GoldTables

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


def outcome_of(answer: Answer, seconds: float, *, keep_trail: bool) -> Outcome:
    """What an answer and its trail say, as the outcome of a system."""
    trail = answer.trail
    final = tuple(table.table_id for table in answer.evidence)
    if not final and answer.program is not None:
        final = tuple(dict.fromkeys(i for view in answer.program.tables.values() for i in view.table_ids))
    return Outcome(
        ranked=_last_ranking(trail),
        tried=answer.tried,
        final=final or answer.tried[-1:],
        first_by_round=_first_by_round(trail),
        answered=answer.answered,
        values=tuple(str(value) for value in answer.values),
        verdict=answer.verdict,
        counts=trail.counts() if trail else {},
        actions=_actions(trail),
        stage_seconds=_stage_seconds(trail),
        steps=trail.backbone_steps if trail else 0,
        calls=sum(step.calls for step in trail.steps) if trail else 0,
        tokens=trail.tokens if trail else 0,
        seconds=seconds,
        trail=trail.to_json() if trail and keep_trail else None,
    )


def _searches(trail: Trail | None) -> list[list[str]]:
    """The rankings of all searches of a trail."""
    found = [step.decided.get("tables", ()) for step in (trail.steps if trail else []) if step.kind == "search"]
    return [[table["id"] for table in tables] for tables in found if tables]


def _last_ranking(trail: Trail | None) -> tuple[str, ...]:
    found = _searches(trail)
    return tuple(found[-1]) if found else ()


def _first_by_round(trail: Trail | None) -> tuple[str, ...]:
    return tuple(ranking[0] for ranking in _searches(trail))


def _actions(trail: Trail | None) -> dict[str, int]:
    steps = trail.steps if trail else []
    return dict(sorted(Counter(str(step.decided.get("action")) for step in steps if step.kind == "refine").items()))


def _stage_seconds(trail: Trail | None) -> dict[str, float]:
    seconds: dict[str, float] = {}
    for step in trail.steps if trail else []:
        seconds[step.kind] = seconds.get(step.kind, 0.0) + step.seconds
    return dict(sorted(seconds.items()))
