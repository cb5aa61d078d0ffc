"""One attempt to answer from a group of tables: the backbone writes a program, the gate runs it, it is judged."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tablehound.backbone.protocol import AnswerDecision, AnswerRequest, ProgramDecision, RepairRequest, ShownTable
from tablehound.execution.written_numbers import fault_of
from tablehound.program import Program, ProgramResult
from tablehound.retrieval.candidate import Candidate
from tablehound.settings import Settings, Task
from tablehound.steps.judging import Judgement, judge
from tablehound.steps.recorder import Recorder
from tablehound.trail import Step

if TYPE_CHECKING:
    from tablehound.lake import Lake

_TRAIL_ROWS = 5


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

    lake: Lake
    settings: Settings
    record: Recorder
    question: str
    task: Task
    tried: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """What the tables tried so far lack."""

    def take(self, group: Sequence[Candidate], shown: tuple[ShownTable, ...]) -> Attempt:
        """One answer step over the group's tables, with one repair when its program fails."""
        table_ids = tuple(candidate.table_id for candidate in group)
        self.tried += [table_id for table_id in table_ids if table_id not in self.tried]
        matched = len({index for candidate in group for index in candidate.matched})
        request = AnswerRequest(self.question, self.task, shown)
        decision = self.record.call(
            "answer",
            lambda: self.record.backbone.answer(request),
            saw={"tables": list(table_ids)},
            decided=_describe,
        )
        program = decision.program
        if not decision.sufficient or program is None:
            self.missing += decision.missing or ("the tables that were tried lack what is asked",)
            return Attempt(table_ids, Judgement("none", reason="insufficient"), matched=matched)
        result = self._execute(program)
        said: AnswerDecision | ProgramDecision = decision
        if not result.ok and self.record.budget.may_answer():
            repaired = self._repair(program, result, shown)
            if repaired is not None and repaired.program is not None:
                program, said = repaired.program, repaired
                result = self._execute(program)
        judgement = judge(result, self.task)
        if judgement.strength == "none":
            self.missing += decision.missing or (judgement.reason,)
        if self.settings.seek.check_by_execution and judgement.strength != "strong":
            self.record.note("check", judgement.reason, strength=judgement.strength)
        return Attempt(
            table_ids,
            judgement,
            program,
            result,
            said.sentence or decision.sentence,
            said.unit or decision.unit,
            said.assumptions or decision.assumptions,
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

    def _execute(self, program: Program) -> ProgramResult:
        from tablehound.execution import run_program

        started = time.perf_counter()
        fault = fault_of(program, self.task)
        result = ProgramResult(error=fault) if fault else run_program(self.lake, program, self.settings)
        self.record.trail.add(
            Step(
                kind="execute",
                saw={"program": program.text, "tables": {a: list(v.table_ids) for a, v in program.tables.items()}},
                decided={
                    "columns": list(result.columns),
                    "rows": [
                        [None if cell is None else str(cell) for cell in row] for row in result.rows[:_TRAIL_ROWS]
                    ],
                    "n_rows": len(result.rows),
                    "error": result.error,
                },
                seconds=time.perf_counter() - started,
            )
        )
        return result

    def _repair(self, program: Program, result: ProgramResult, shown: tuple[ShownTable, ...]) -> ProgramDecision | None:
        request = RepairRequest(self.question, self.task, program, result.error or "", shown, failed=(program.text,))
        decision = self.record.call(
            "repair",
            lambda: self.record.backbone.repair(request),
            saw={"program": program.text, "error": result.error},
            decided=lambda d: {"program": d.program.text if d.program else None, "missing": list(d.missing)},
        )
        if decision.program is not None and decision.program.text.strip() == program.text.strip():
            return None  # never the same failing program twice
        return decision


def _describe(decision: AnswerDecision) -> dict[str, Any]:
    told: dict[str, Any] = {"sufficient": decision.sufficient}
    if decision.program is not None:
        told["program"] = decision.program.text
    if decision.missing:
        told["missing"] = list(decision.missing)
    if decision.assumptions:
        told["assumptions"] = list(decision.assumptions)
    if decision.unit:
        told["unit"] = decision.unit
    return told
