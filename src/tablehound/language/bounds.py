"""Bounds in a question: ``more than 3``, ``at least 5``, ``between 1990 and 2000``, ``before May 2010``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tablehound.language.lexicon import lexicon
from tablehound.language.literals import Literal as Value


@dataclass(frozen=True, slots=True)
class Comparison:
    """A bound that a number or date must keep. ``start … end`` are its tokens, words and value together."""

    start: int
    end: int
    op: Literal["=", ">", ">=", "<", "<=", "between"]
    low: Value | None
    high: Value | None


def _phrase_before(w: Sequence[str], end: int) -> tuple[str, int] | None:
    """A comparing phrase that ends right before ``end`` (a few small words may lie between)."""
    for gap in (0, 1, 2):
        stop = end - gap
        if gap and not all(x in {"the", "a", "$", "year", "of", "£", "€", "about", "age", "day", "date"} for x in
                           w[stop:end]):  # fmt: skip
            break
        for op, phrases in lexicon().bounds_before.items():
            for words in phrases:
                if stop >= len(words) and tuple(w[stop - len(words) : stop]) == words:
                    return op, stop - len(words)
    return None


def comparisons_of(w: Sequence[str], numbers: Sequence[Value], triggers: set[int]) -> list[Comparison]:
    """All bounds on numbers and dates, in order; their tokens are added to ``triggers``."""
    behind = lexicon().bounds_behind
    found: list[Comparison] = []
    used: set[int] = set()
    for place, value in enumerate(numbers):
        if place in used or value.ordinal:
            continue
        following = numbers[place + 1] if place + 1 < len(numbers) else None
        between = following is not None and following.start - value.end == 1
        joint = w[value.end] if value.end < len(w) else ""
        lead = w[value.start - 1] if value.start else ""
        if between and ((lead == "between" and joint in {"and", "to", "-"}) or (
            lead in {"from", "during", "years", "in"} and joint in {"to", "-", "until", "through", "till"}
        )):  # fmt: skip
            assert following is not None
            found.append(Comparison(value.start - 1, following.end, "between", value, following))
            used.add(place + 1)
            triggers.update(range(value.start - 1, following.end))
            continue
        right = next(
            ((op, len(p)) for op, phrases in behind.items() for p in phrases
             if tuple(w[value.end : value.end + len(p)]) == p
             or tuple(w[value.end + 1 : value.end + 1 + len(p)]) == p),
            None,
        )  # fmt: skip
        left = _phrase_before(w, value.start)
        if right:
            op, n = right
            end = value.end + n + (tuple(w[value.end : value.end + n]) not in behind[op])
            found.append(_bound(op, value, value.start, end))
        elif left:
            op, start = left
            if op in {"since", "until"}:
                if value.date is None or (w[start] in {"from", "by", "through"} and value.year is None):
                    continue
                if w[start] in {"from", "by"} and value.year is not None and w[start] == "from" and joint != "on":
                    continue
                op = ">=" if op == "since" else "<="
            if op == "=" and w[start] == "just":
                continue
            if w[start] in {"after", "before"} and value.date is None and not (
                value.start and w[value.start - 1] in {"age"}
            ):  # fmt: skip
                continue
            found.append(_bound(op, value, start, value.end))
        else:
            continue
        triggers.update(range(found[-1].start, found[-1].end))
    return found


def _bound(op: str, value: Value, start: int, end: int) -> Comparison:
    if op in (">", ">="):
        return Comparison(start, end, op, value, None)  # type: ignore[arg-type]
    if op in ("<", "<="):
        return Comparison(start, end, op, None, value)  # type: ignore[arg-type]
    return Comparison(start, end, "=", value, value)
