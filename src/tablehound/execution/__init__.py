"""Programs: the one gate that runs them, value grounding, checks of a result."""

from __future__ import annotations

from tablehound.execution.checks import adds_up_rows, check_result
from tablehound.execution.gate import run_program
from tablehound.execution.ground import Grounded, ground_value
from tablehound.execution.program import CellRef, JoinReport, Program, ProgramResult, View

__all__ = [
    "CellRef",
    "Grounded",
    "JoinReport",
    "Program",
    "ProgramResult",
    "View",
    "adds_up_rows",
    "check_result",
    "ground_value",
    "run_program",
]
