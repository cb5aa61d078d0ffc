"""How a column of clock readings reads: as times of day, as durations, or as neither for certain."""

from __future__ import annotations

import re
from typing import Literal

from tablehound.lake.table import Reading
from tablehound.lake.values.column_rules import has_majority, rounded_share, text_reading
from tablehound.lake.values.styles import CLOCK, DURATION
from tablehound.lake.values.tally import Count, Tally

Clocks = Literal["", "times", "durations"]
"""What clock readings are."""
_DURATION_NAME = re.compile(
    r"(?<![^\W_])(?:durations?|lengths?|elapsed|run(?:ning|time)?|playtime|talk|laps?|splits?|finish(?:ing)?|pace|effort|"
    r"hours|minutes|mins?|seconds|secs?|play|call|wait(?:ing)?|hold|travel|took|taken|gap|downtime|uptime)"
    r"(?![^\W_])",
    re.I,
)
_TIME_NAME = re.compile(
    r"(?<![^\W_])(?:starts?|ends?|begins?|open(?:s|ing)?|clos(?:es?|ing)|depart(?:s|ure)?|arriv(?:es?|al)|kick.?off|clock|from|"
    r"until|till|to|at|sunrise|sunset|dawn|dusk|shift|check.?(?:in|out)|due|scheduled?|local|hour|time of day)"
    r"(?![^\W_])",
    re.I,
)
_OTHER_NAME = re.compile(
    r"(?<![^\W_])(?:ratios?|odds|scale|scores?|verses?|aspect|chapter|results?|record)(?![^\W_])", re.I
)
"""Two numbers around a colon that are no clock reading."""
_HOURS_NAME = re.compile(
    r"(?<![^\W_])(?:hours?|hrs?|h[:.]?mm|talk|work(?:ed|ing)?|flight|travel|shift|uptime|downtime)(?![^\W_])", re.I
)


def read_times(tally: Tally, name: str, siblings: Clocks = "") -> Reading | None:
    """The reading of clock readings and durations in words, or None where too few texts are any.

    Args:
        siblings: what the clock readings of the table's other columns are, where these are all alike.
    """
    if tally.durations.distinct:
        reading = _in_words(tally)
        if reading is not None:
            return reading
    clocks = tally.clocks
    if not clocks.distinct or not has_majority(tally, clocks) or _OTHER_NAME.search(name):
        return None
    if tally.halves:
        return _reading(tally, "time", clocks) if tally.times.distinct == clocks.distinct else None
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    longer = tally.times.distinct < clocks.distinct
    if siblings and not (_DURATION_NAME.search(spaced) or _TIME_NAME.search(spaced)):
        return _durations(tally, spaced) if longer or siblings == "durations" else _reading(tally, "time", clocks)
    if longer or (_DURATION_NAME.search(spaced) and not _TIME_NAME.search(spaced)):
        return _durations(tally, spaced)
    if _TIME_NAME.search(spaced):
        return _reading(tally, "time", clocks)
    if tally.padded_clocks == clocks.distinct:
        return _reading(tally, "time", clocks, note="read as times of day; they fit as durations too")
    note = "clock readings fit as times of day and as durations: kept as text"
    return text_reading(tally.blanks, tally.nulls, note, True, ("clock",))


def _in_words(tally: Tally) -> Reading | None:
    """Durations in words, with numbers of minutes and the like beside them (``45m``)."""
    counted = Count(tally.durations.distinct, tally.durations.cells)
    for unit, count in tally.units().items():
        if unit.dimension == "time":
            counted.add(count.distinct, count.cells)
    for (suffixed, _), count in tally.suffixed.items():
        if suffixed.suffix == "m":
            counted.add(count.distinct, count.cells)
    if not has_majority(tally, counted):
        return None
    return _reading(tally, "number", counted, unit="s" if "s" in tally.finest else "min", styles=(DURATION,))


def _durations(tally: Tally, name: str) -> Reading:
    """Clock readings as durations. With two parts they are minutes and seconds, unless the name speaks of hours."""
    three = tally.clock_parts[3] > 0
    hours = bool(_HOURS_NAME.search(name)) and not three
    unit = "min" if hours else "s"
    open_parts = not three and not hours and not re.search(r"min|sec|lap|track|song|length|m:ss|mm:ss", name, re.I)
    note = "two parts read as minutes and seconds; they fit as hours and minutes too" if open_parts else ""
    return _reading(tally, "number", tally.clocks, unit=unit, styles=(CLOCK,), note=note)


def _reading(
    tally: Tally, kind: str, counted: Count, *, unit: str | None = None, styles: tuple[str, ...] = (), note: str = ""
) -> Reading:
    return Reading(
        kind="time" if kind == "time" else "number",
        unit=unit,
        styles=styles or (CLOCK,),
        note=note,
        ambiguous=bool(note),
        confidence=rounded_share(counted.distinct, tally.valued.distinct),
        exceptions=max(0, tally.valued.cells - counted.cells),
        blanks=tally.blanks,
        nulls=tally.nulls + tally.placeholders.cells,
    )
