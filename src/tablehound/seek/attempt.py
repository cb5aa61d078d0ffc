"""One attempt to answer from a group of tables: the backbone writes a program, the gate runs it, it is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tablehound.answer import Missing
from tablehound.backbone.protocol import AnswerRequest, ShownTable
from tablehound.program import Program, ProgramResult
from tablehound.retrieval.candidate import Candidate
from tablehound.steps.judging import Judgement
from tablehound.steps.missing import INSUFFICIENT
from tablehound.steps.programs import Programs
from tablehound.steps.recorder import Recorder, describe_answer

REPAIRS = 1
"""Times that a program over single tables that fails is given back."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of a group of tables."""

    table_ids: tuple[str, ...]
    judgement: Judgement
    program: Program | None = None
    result: ProgramResult | None = None
    sentence: str = ""
    unit: str | None = None
    assumptions: tuple[str, ...] = ()
    matched: int = 0
    """Patterns that occur in the group's tables."""


@dataclass(slots=True)
class Attempts:
    """The attempts of one question."""

    record: Recorder
    tried: list[str] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    """What the tables tried so far lack."""

    def take(self, group: Sequence[Candidate], shown: tuple[ShownTable, ...]) -> Attempt:
        """One answer step over the group's tables, with one repair when its program fails."""
        asked = self.record.asked
        table_ids = tuple(candidate.table_id for candidate in group)
        self.tried += [table_id for table_id in table_ids if table_id not in self.tried]
        matched = len({index for candidate in group for index in candidate.matched})
        request = AnswerRequest(asked.question, asked.task, shown)
        decision = self.record.call(
            "answer",
            lambda: asked.backbone.answer(request),
            saw={"tables": list(table_ids)},
            decided=describe_answer,
        )
        ran = None
        if decision.sufficient:
            ran, _ = Programs(self.record, REPAIRS).run(decision, shown)
        if ran is None:
            self.missing += decision.missing or (INSUFFICIENT,)
            return Attempt(table_ids, Judgement("none", reason="insufficient"), matched=matched)
        judgement = ran.judgement
        if judgement.strength == "none":
            self.missing += decision.missing or (Missing("result", judgement.reason),)
        if asked.settings.seek.check_by_execution and judgement.strength != "strong":
            self.record.note("check", judgement.reason, strength=judgement.strength)
        return Attempt(
            table_ids,
            judgement,
            ran.program,
            ran.result,
            ran.decision.sentence or decision.sentence,
            ran.decision.unit or decision.unit,
            ran.decision.assumptions or decision.assumptions,
            matched,
        )

    def better(self, best: Attempt | None, new: Attempt) -> Attempt | None:
        """The one to answer from. A table whose rows satisfy the conditions beats one that only sounds right, unless
        it has fewer of the clues."""
        if new.judgement.strength == "none":
            return best
        if best is None:
            return new
        if new.judgement.strength == "strong" and new.matched >= best.matched:
            return new
        return best
