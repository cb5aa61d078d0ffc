"""Cells that give bounds of a number in place of it: ``<5``, ``>= 64``, ``1-9``, ``100+``."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal, NamedTuple

from tablehound.lake.values.missing import bare

_OPEN = re.compile(r"(<=|>=|[<>≤≥])\s?(\d[\d.,']*)")
_RANGE = re.compile(r"(\d[\d.,']*)\s?[-–]\s?(\d[\d.,']*)")
_UP = re.compile(r"(\d[\d.,']*)\+")


_YEARS = range(1000, 2201)
"""A range of these is a span of years."""


class Bounds(NamedTuple):
    """What a censored cell lies between; None where there is no bound."""

    low: Decimal | None = None
    high: Decimal | None = None
    low_open: bool = False
    high_open: bool = False


def bounds_kind(text: str) -> Literal["open", "range"] | None:
    """Whether a text is a bound to one side, or a range such as statistics put in place of small counts.

    >>> bounds_kind("<5"), bounds_kind("1-9"), bounds_kind("9-1"), bounds_kind("5")
    ('open', 'range', None, None)
    """
    stripped = bare(text)
    if _OPEN.fullmatch(stripped) or _UP.fullmatch(stripped):
        return "open"
    pair = _RANGE.fullmatch(stripped)
    if pair is None or not (pair[1].isdecimal() and pair[2].isdecimal()):
        return None
    low, high = int(pair[1]), int(pair[2])
    years = len(pair[1]) == 4 and low in _YEARS and high in _YEARS
    return "range" if low < high and not years and (pair[1][0] != "0" or not low) else None


def bounds_of(text: str, decimal: str = ".") -> Bounds | None:
    """The bounds that a cell gives, with the decimal separator of its column.

    >>> bounds_of("<5").high_open, bounds_of("1-9")[:2]
    (True, (Decimal('1'), Decimal('9')))
    """
    stripped = bare(text)
    one = _OPEN.fullmatch(stripped)
    if one is not None:
        number = _number(one[2], decimal)
        if number is None:
            return None
        exclusive = one[1] in "<>"
        if one[1][0] in "<≤":
            return Bounds(None, number, high_open=exclusive)
        return Bounds(number, None, low_open=exclusive)
    up = _UP.fullmatch(stripped)
    if up is not None:
        return Bounds(_number(up[1], decimal))
    pair = _RANGE.fullmatch(stripped)
    if pair is None:
        return None
    if bounds_kind(stripped) is None:
        return None
    low, high = _number(pair[1], decimal), _number(pair[2], decimal)
    return Bounds(low, high) if low is not None and high is not None and low < high else None


def _number(digits: str, decimal: str) -> Decimal | None:
    plain = digits.replace("'", "").replace("." if decimal == "," else ",", "").replace(decimal, ".")
    return Decimal(plain) if re.fullmatch(r"\d+(?:\.\d+)?", plain) else None
