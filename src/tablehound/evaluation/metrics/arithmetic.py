"""Exact match of numeric answers (DMRAL)."""

from __future__ import annotations

import math
from collections.abc import Sequence


def arithmetic_match(predicted: Sequence[str], gold: Sequence[float], *, relative: float | None = None) -> bool:
    """Arithmetic exact match of one question: as many numbers as gold, in any order, each equal.

    Args:
        predicted: answer values as text; one that is no number never matches.
        gold: the gold numbers.
        relative: tolerance relative to the gold number; None compares both rounded to two decimals, as the paper does.
    """
    numbers = []
    for text in predicted:
        number = as_number(text)
        if number is None:
            return False
        numbers.append(number)
    if len(numbers) != len(gold):
        return False
    return all(
        math.isclose(p, g, rel_tol=relative, abs_tol=1e-12) if relative is not None else round(p, 2) == round(g, 2)
        for p, g in zip(sorted(numbers), sorted(gold), strict=True)
    )


def as_number(text: str) -> float | None:
    """The finite number that a text writes, in any form that the lake reads."""
    from tablehound.lake import canonical_of_text

    try:
        number = float(canonical_of_text(text.strip()) or "nan")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
