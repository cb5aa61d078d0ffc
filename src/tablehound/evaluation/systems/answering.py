"""Systems that retrieve tables their own way and then answer as all others do: by the backbone's program."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tablehound.answer import Missing
from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.systems.base import Outcome
from tablehound.evaluation.systems.outcomes import guarded, outcome_of
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.answer import Answer
    from tablehound.backbone import ShownTable
    from tablehound.lake import Lake
    from tablehound.program import View
    from tablehound.steps import Recorder


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a retriever hands to the answer step."""

    ranked: tuple[str, ...]
    """Table ids, best first."""
    views: tuple[View, ...]
    """What the answer step sees as T1, T2 …: tables, or union clusters stacked."""
    joins: tuple[str, ...] = ()
    """Join conditions between them as SQL."""
    rows: tuple[tuple[int, ...], ...] = ()
    """Per view the rows that its preview shows, where the retriever found some."""

    @property
    def table_ids(self) -> tuple[str, ...]:
        """All tables of the views."""
        return tuple(dict.fromkeys(table_id for view in self.views for table_id in view.table_ids))


class Retriever(Protocol):
    """Chooses tables for a question."""

    def retrieve(self, question: BenchQuestion, record: Recorder) -> Retrieval:
        """Tables, best first, and those to answer from. Calls of the backbone go through ``record``."""
        ...


class RetrieveThenAnswer:
    """A retriever, then one answer step over what it chose, with repairs of a program that fails."""

    def __init__(self, name: str, lake: Lake, settings: Settings, retriever: Retriever, *, keep_trails: bool) -> None:
        self._name = name
        self._lake = lake
        self._settings = settings
        self._retriever = retriever
        self._keep_trails = keep_trails

    @property
    def name(self) -> str:
        return self._name

    def run(self, question: BenchQuestion) -> Outcome:
        return guarded(question, lambda: self._run(question))

    def _run(self, question: BenchQuestion) -> Outcome:
        started = time.perf_counter()
        answer, retrieval = self._answer(question)
        outcome = outcome_of(answer, time.perf_counter() - started, keep_trail=self._keep_trails)
        chosen = retrieval.table_ids
        return dataclasses.replace(
            outcome,
            ranked=retrieval.ranked,
            tried=chosen,
            final=outcome.final if answer.answered else chosen,
            first_by_round=retrieval.ranked[:1],
        )

    def _answer(self, question: BenchQuestion) -> tuple[Answer, Retrieval]:
        from tablehound.backbone import make_backbone
        from tablehound.steps import Asked, Recorder, unanswered

        # One backbone a question, since budgets of tokens and seconds are per backbone.
        with contextlib.closing(make_backbone(self._lake, self._settings)) as backbone:
            record = Recorder(Asked(question.text, question.task, self._lake, backbone, self._settings))
            started = time.perf_counter()
            retrieval = self._retriever.retrieve(question, record)
            record.note("search", since=started, tables=[{"id": table_id} for table_id in retrieval.ranked])
            if not retrieval.views:
                missing = Missing("source", "no table was retrieved")
                return unanswered(question.text, (missing,), trail=record.trail), retrieval
            return answer_from(record, retrieval), retrieval


def answer_from(record: Recorder, retrieval: Retrieval) -> Answer:
    """One answer step over the views. A program that fails, returns nothing, states a number of its own or is spoilt by
    a join goes back for repair, as often as ``multitable.max_repairs`` says and never the same one twice."""
    from tablehound.backbone import AnswerRequest
    from tablehound.steps import NO_PROGRAM, Programs, build_answer, describe_answer, unanswered

    asked, tried = record.asked, retrieval.table_ids
    shown = show(asked.lake, retrieval, asked.settings)
    request = AnswerRequest(asked.question, asked.task, shown, joins=retrieval.joins)
    decision = record.call(
        "answer", lambda: asked.backbone.answer(request), saw={"tables": list(tried)}, decided=describe_answer
    )
    programs = Programs(record, asked.settings.multitable.max_repairs, checked=True)
    ran, missing = programs.run(decision, shown, retrieval.joins)
    if ran is None or ran.fault is not None:
        return unanswered(asked.question, missing or (NO_PROGRAM,), tried=tried, trail=record.trail)
    return build_answer(
        asked.lake, asked.question, ran.program, ran.result, ran.judgement, sentence=ran.decision.sentence,
        unit=ran.decision.unit, assumptions=ran.decision.assumptions, tried=tried, trail=record.trail,
    )  # fmt: skip


def show(lake: Lake, retrieval: Retrieval, settings: Settings) -> tuple[ShownTable, ...]:
    """The views as the backbone sees them, under the aliases T1, T2 …"""
    from tablehound.steps import show_view

    rows = retrieval.rows or ((),) * len(retrieval.views)
    return tuple(
        show_view(lake, view, f"T{number}", settings, rows=some, answering=True)
        for number, (view, some) in enumerate(zip(retrieval.views, rows, strict=True), start=1)
    )


def single_views(table_ids: Sequence[str]) -> tuple[View, ...]:
    """One view per table."""
    from tablehound.program import View

    return tuple(View((table_id,)) for table_id in table_ids)
