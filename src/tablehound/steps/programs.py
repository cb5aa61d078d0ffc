"""Run and judge, and repair: the program of a decision is executed, noted and judged, and goes back with its fault."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tablehound.answer import Missing
from tablehound.backbone.protocol import AnswerDecision, ProgramDecision, RepairRequest, ShownTable
from tablehound.execution import adds_up_rows, fault_of, run_program
from tablehound.program import Program, ProgramResult
from tablehound.steps.judging import Judgement, judge
from tablehound.steps.recorder import Recorder

TRAIL_ROWS = 5
"""Result rows that a trail keeps."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that ran, with the decision that it is of. ``fault`` is what a repair would have to mend."""

    decision: AnswerDecision | ProgramDecision
    program: Program
    result: ProgramResult
    judgement: Judgement
    fault: str | None


@dataclass(slots=True)
class Programs:
    """The programs of one question; none that failed is run again."""

    record: Recorder
    repairs: int
    """Times that a program is given back for repair."""
    checked: bool = False
    """Not only an error is a fault: also a result without an answer, and a join that makes it wrong. Each check is
    noted."""
    failed: list[str] = field(default_factory=list)

    def run(
        self,
        decision: AnswerDecision | ProgramDecision,
        shown: tuple[ShownTable, ...],
        joins: tuple[str, ...] = (),
    ) -> tuple[Ran | None, tuple[Missing, ...]]:
        """Run the program of a decision; while it has a fault, ask for another one, as long as steps remain.

        Returns:
            The program that ran last, if any; and what the backbone named as missing instead of a further program.

        Raises:
            BudgetExhaustedError: tokens or seconds are used up before a repair.
        """
        last: Ran | None = None
        left = self.repairs
        while (program := decision.program) is not None:
            if program.text.strip() in self.failed:
                return last, ()
            result = self.execute(program)
            judgement = judge(result, self.record.asked.task)
            fault = self._check(program, result, judgement) if self.checked else result.error
            last = Ran(decision, program, result, judgement, fault)
            if fault is None:
                return last, ()
            self.failed.append(program.text.strip())
            if left <= 0 or not self.record.budget.may_answer():
                return last, ()
            left -= 1
            decision = self._repair(program, fault, shown, joins)
        return last, decision.missing

    def execute(self, program: Program) -> ProgramResult:
        """Run a program through the gate, and note it. A number that a model wrote into it is no result."""
        asked = self.record.asked
        started = time.perf_counter()
        unfounded = fault_of(program, asked.task)
        result = ProgramResult(error=unfounded) if unfounded else run_program(asked.lake, program, asked.settings)
        self.record.note(
            "execute",
            since=started,
            saw={"program": program.text, "tables": {a: list(v.table_ids) for a, v in program.tables.items()}},
            columns=list(result.columns),
            rows=[[None if cell is None else str(cell) for cell in row] for row in result.rows[:TRAIL_ROWS]],
            n_rows=len(result.rows),
            error=result.error,
        )
        return result

    def _check(self, program: Program, result: ProgramResult, judgement: Judgement) -> str | None:
        started = time.perf_counter()
        exploded = self.record.asked.settings.multitable.exploded_join
        fault = result_fault(program, result, judgement, exploded)
        self.record.note("check", judgement.reason, since=started, strength=judgement.strength, fault=fault)
        return fault

    def _repair(
        self, program: Program, fault: str, shown: tuple[ShownTable, ...], joins: Sequence[str]
    ) -> ProgramDecision:
        asked = self.record.asked
        request = RepairRequest(
            asked.question, asked.task, program, fault, shown, tuple(joins), failed=tuple(self.failed)
        )
        return self.record.call(
            "repair",
            lambda: asked.backbone.repair(request),
            saw={"program": program.text, "error": fault},
            decided=describe_program,
        )


def result_fault(program: Program, result: ProgramResult, judgement: Judgement, exploded: float) -> str | None:
    """The fault of a result that is to be repaired, if any: an error, no answer, or a join that exploded (more than
    ``exploded`` times the rows of its larger side), repeats rows that are added up, or matched none."""
    fault = (result.error or judgement.reason) if judgement.strength == "none" else None
    for join in result.joins:
        sides = f"the join of {join.left} and {join.right}"
        if join.exploded(exploded):
            fault = f"{sides} exploded to {join.result_rows} rows"
        elif join.multiplied and adds_up_rows(program.text):
            fault = fault or (
                f"{sides} repeats rows of both sides, so that what is counted or summed over it is counted several "
                "times: join on a key of one side, or count distinct rows"
            )
        elif join.matched_none:
            fault = fault or f"{sides} matched no rows"
    return fault


def describe_program(decision: ProgramDecision) -> dict[str, Any]:
    """A program step for a trail."""
    return {
        "program": decision.program.text if decision.program else None,
        "missing": [part.text for part in decision.missing],
    }
