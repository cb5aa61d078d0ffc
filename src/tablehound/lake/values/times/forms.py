"""Times of day and durations: the form of one text, before its column decides what a clock reading is.

``9:05 AM`` is a time of day and ``1h 30m`` a duration; ``3:45`` can be either, in hours and minutes or in minutes and
seconds.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import NamedTuple

from tablehound.lake.values.units.known import unit_of

_CLOCK = re.compile(
    r"(?P<a>\d{1,4})(?::(?P<b>[0-5]\d)(?::(?P<c>[0-5]\d))?(?:[.,](?P<f>\d{1,6}))?)?(?:\s?(?P<half>[ap])\.?m\.?)?",
    re.I | re.A,
)
_PART = re.compile(r"(\d+(?:[.,]\d+)?)\s?(d|h|m|s|[a-z]{2,8})\.?(?:\s*(?:,|and\s|,\s*and\s)?\s*|$)", re.I)
_SHORT = {"d": "d", "h": "h", "m": "min", "s": "s", "mins": "min", "secs": "s"}
_ORDER = ("wk", "d", "h", "min", "s")
SECONDS = {"wk": 604_800, "d": 86_400, "h": 3_600, "min": 60, "s": 1}


class ClockForm(NamedTuple):
    """A clock reading. ``parts`` are two or three numbers, or one before AM or PM."""

    parts: tuple[int, ...]
    fraction: str = ""
    """Digits behind the last part."""
    half: str = ""
    """``a`` or ``p`` of AM and PM."""
    padded: bool = False
    """The first part has two digits or more."""

    def time(self) -> dt.time | None:
        """The time of day, where it is one."""
        hour, minute, second = (*self.parts, 0, 0)[:3]
        if self.half:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + 12 * (self.half == "p")
        if hour > 23 or (self.fraction and len(self.parts) < 3):
            return None
        return dt.time(hour, minute, second, int(self.fraction.ljust(6, "0") or 0))

    def amount(self) -> Decimal:
        """The duration in units of the last part: 125 for ``2:05``."""
        total = Decimal(0)
        for part in self.parts:
            total = total * 60 + part
        return total + Decimal(f"0.{self.fraction}") if self.fraction else total


class DurationForm(NamedTuple):
    """A duration in words."""

    seconds: Decimal
    finest: str
    """The smallest unit that is written."""
    several: bool
    """More than one unit is written."""


def clock_form(text: str) -> ClockForm | None:
    """``3:45``, ``2:05:33``, ``9:05 AM``, ``9 am``; None for anything else.

    >>> clock_form("9:05 PM").time(), clock_form("125:10").time(), clock_form("2:05").amount()
    (datetime.time(21, 5), None, Decimal('125'))
    """
    found = _CLOCK.fullmatch(text)
    if found is None or (found["b"] is None and (found["half"] is None or found["f"])):
        return None
    parts = tuple(int(found[name]) for name in "abc" if found[name] is not None)
    return ClockForm(parts, found["f"] or "", (found["half"] or "").lower(), len(found["a"]) > 1)


def duration_form(text: str) -> DurationForm | None:
    """``1h 30m``, ``2 hours 5 minutes``, ``45m``; units from large to small, each once.

    >>> duration_form("1h 30m"), duration_form("3 km")
    (DurationForm(seconds=Decimal('5400'), finest='min', several=True), None)
    """
    total, last, n, place = Decimal(0), -1, 0, 0
    while place < len(text):
        part = _PART.match(text, place)
        if part is None:
            return None
        word = part[2].lower()
        unit = unit_of(word) if word not in _SHORT else None
        name = _SHORT.get(word) or (unit.name if unit is not None and unit.dimension == "time" else "")
        if name not in _ORDER or _ORDER.index(name) <= last:
            return None
        last, n, place = _ORDER.index(name), n + 1, part.end()
        total += Decimal(part[1].replace(",", ".")) * SECONDS[name]
    return DurationForm(total, _ORDER[last], n > 1) if n else None
