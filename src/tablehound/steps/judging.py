"""What a program's result says: an answer, nothing, or an answer that no row stands behind.

Answerability by execution rests on this: a table whose rows satisfy every condition gives a *strong* answer; one that
only sounds right gives an empty result, NULL, or a count of nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from tablehound.answer import Verdict
from tablehound.program import ProgramResult
from tablehound.settings import Task

_TRUE = {"true", "t", "yes", "supported", "entailed", "1"}
_FALSE = {"false", "f", "no", "refuted", "0"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """``strength`` ``none``: the result answers nothing. ``weak``: it does, but no row satisfies the conditions."""

    strength: Literal["none", "weak", "strong"]
    values: tuple[str, ...] = ()
    verdict: Verdict | None = None
    reason: str = ""


def judge(result: ProgramResult, task: Task) -> Judgement:
    """Judge the result of a program that was written as the answer."""
    if not result.ok:
        return Judgement("none", reason=f"the program failed: {result.error}")
    rows = [row for row in result.rows if any(not is_blank(cell) for cell in row)]
    if not rows:
        return Judgement("none", reason="the program ran and returned nothing")
    if task == "fact_verification":
        return _judge_claim(rows, result)
    values = tuple(_printed(result))
    if _counted_nothing(rows) and not result.evidence:
        return Judgement("weak", values, reason="no row satisfies the conditions")
    return Judgement("strong", values)


def _printed(result: ProgramResult) -> Iterator[str]:
    """The values of a result: as the cell has them where that is more exact, else in canonical form."""
    for place, row in enumerate(result.rows):
        texts = result.shown[place] if place < len(result.shown) else (None,) * len(row)
        for cell, text in zip(row, texts, strict=True):
            if not is_blank(cell):
                yield render(cell) if text is None else text


def _judge_claim(rows: list[tuple[Any, ...]], result: ProgramResult) -> Judgement:
    cells = [cell for row in rows for cell in row if not is_blank(cell)]
    truths = [_truth(cell) for cell in cells]
    if len(set(truths)) > 1 or truths[0] is None:
        return Judgement("none", reason="the program did not return one truth value")
    verdict: Verdict = "supported" if truths[0] else "refuted"
    if verdict == "refuted" and not result.evidence:
        return Judgement("weak", (verdict,), verdict, "no row stands behind the claim or against it")
    return Judgement("strong", (verdict,), verdict)


def _truth(cell: Any) -> bool | None:
    if isinstance(cell, bool):
        return cell
    word = render(cell).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def _counted_nothing(rows: list[tuple[Any, ...]]) -> bool:
    """One row of zeros only: a count or sum over no rows."""
    cells = [cell for cell in rows[0] if not is_blank(cell)]
    return len(rows) == 1 and all(
        isinstance(cell, int | float | Decimal) and not isinstance(cell, bool) and cell == 0 for cell in cells
    )


def is_blank(cell: Any) -> bool:
    """NULL, not-a-number, or empty text."""
    return cell is None or cell != cell or (isinstance(cell, str) and not cell.strip())


def render(cell: Any) -> str:
    """A result cell in the one written form of its value."""
    from tablehound.lake.values import canonical

    if isinstance(cell, Decimal):
        return canonical(int(cell) if cell == cell.to_integral_value() else cell)
    if isinstance(cell, list | tuple):
        return ", ".join(render(part) for part in cell if not is_blank(part))
    if isinstance(cell, str | bool | int | float | dt.date | dt.time):
        return canonical(cell)
    return str(cell)
