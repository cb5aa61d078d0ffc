"""Systems that retrieve tables their own way and then answer as all others do: by the backbone's program."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from tablehound.answer import Missing
from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.systems.base import Outcome
from tablehound.evaluation.systems.outcomes import guarded, outcome_of
from tablehound.settings import Settings
from tablehound.trail import Step, StepKind, Trail

if TYPE_CHECKING:
    from tablehound.answer import Answer
    from tablehound.backbone import AnswerDecision, Backbone, ProgramDecision, ShownTable
    from tablehound.lake import Lake
    from tablehound.program import View

Decision = TypeVar("Decision")


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

    def retrieve(self, question: BenchQuestion, backbone: Backbone, trail: Trail) -> Retrieval:
        """Tables, best first, and those to answer from. Calls of the backbone are added to the trail."""
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
        from tablehound.steps import unanswered

        # One backbone a question, since budgets of tokens and seconds are per backbone.
        backbone = make_backbone(self._lake, self._settings)
        trail = Trail(question.text, backbone.name)
        try:
            started = time.perf_counter()
            retrieval = self._retriever.retrieve(question, backbone, trail)
            found = {"tables": [{"id": table_id} for table_id in retrieval.ranked]}
            trail.add(Step("search", {}, found, time.perf_counter() - started))
            if not retrieval.views:
                return unanswered(question.text, (Missing("source", "no table was retrieved"),), trail=trail), retrieval
            return answer_from(self._lake, backbone, question, retrieval, self._settings, trail), retrieval
        finally:
            backbone.close()


def answer_from(
    lake: Lake, backbone: Backbone, question: BenchQuestion, retrieval: Retrieval, settings: Settings, trail: Trail
) -> Answer:
    """One answer step over the views; a program that fails or returns nothing goes back for repair, as often as
    ``multitable.max_repairs`` says and never the same one twice."""
    from tablehound.backbone import AnswerRequest, RepairRequest
    from tablehound.execution import run_program
    from tablehound.steps import NO_PROGRAM, build_answer, judge, unanswered

    shown = show(lake, retrieval, settings)
    tried = retrieval.table_ids
    decision: AnswerDecision | ProgramDecision = spend(
        trail,
        backbone,
        "answer",
        lambda: backbone.answer(AnswerRequest(question.text, question.task, shown, joins=retrieval.joins)),
    )
    failed: list[str] = []
    while (program := decision.program) is not None and program.text not in failed:
        started = time.perf_counter()
        result = run_program(lake, program, settings)
        trail.add(Step("execute", {"program": program.text}, {"error": result.error}, time.perf_counter() - started))
        judgement = judge(result, question.task)
        if judgement.strength != "none":
            return build_answer(
                lake, question.text, program, result, judgement, sentence=decision.sentence, unit=decision.unit,
                assumptions=decision.assumptions, tried=tried, trail=trail,
            )  # fmt: skip
        failed.append(program.text)
        if len(failed) > settings.multitable.max_repairs:
            break
        request = RepairRequest(
            question.text, question.task, program, result.error or judgement.reason, shown, retrieval.joins,
            tuple(failed),
        )  # fmt: skip
        decision = spend(trail, backbone, "repair", lambda request=request: backbone.repair(request))  # type: ignore[misc]
    missing = decision.missing or (NO_PROGRAM,)
    return unanswered(question.text, missing, tried=tried, trail=trail)


def show(lake: Lake, retrieval: Retrieval, settings: Settings) -> tuple[ShownTable, ...]:
    """The views as the backbone sees them, under the aliases T1, T2 …"""
    from tablehound.steps import show_view

    rows = retrieval.rows or ((),) * len(retrieval.views)
    return tuple(
        show_view(lake, view, f"T{number}", settings, rows=some, answering=True)
        for number, (view, some) in enumerate(zip(retrieval.views, rows, strict=True), start=1)
    )


def spend(trail: Trail, backbone: Backbone, kind: StepKind, decide: Callable[[], Decision]) -> Decision:
    """One step of the backbone, with its cost added to the trail."""
    before, started = backbone.usage, time.perf_counter()
    decision = decide()
    spent = backbone.usage - before
    decided = {name: getattr(decision, name) for name in ("action", "sufficient") if hasattr(decision, name)}
    trail.add(
        Step(
            kind, {}, decided, time.perf_counter() - started, spent.prompt_tokens, spent.reply_tokens, spent.calls
        )
    )  # fmt: skip
    return decision


def single_views(table_ids: Sequence[str]) -> tuple[View, ...]:
    """One view per table."""
    from tablehound.program import View

    return tuple(View((table_id,)) for table_id in table_ids)
