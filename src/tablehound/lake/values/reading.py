"""How a column reads, decided from all its values in a stream.

The kind is the one that most distinct texts read as; a kind other than text needs a clear majority, and what does not
fit is counted as exceptions. A bare four-digit year is a number (``1995``); among full dates it reads as the first of
January, so that one column of dates compares throughout.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from tablehound.lake.table import Kind, Reading
from tablehound.lake.values.booleans import are_boolean
from tablehound.lake.values.column_rules import has_majority, rounded_share, text_reading
from tablehound.lake.values.dates.column import read_dates
from tablehound.lake.values.numbers.column import Convention, read_numbers, shown_separators
from tablehound.lake.values.quick_reject import are_plain_texts
from tablehound.lake.values.tally import SMALL_BATCH, Count, Tally
from tablehound.lake.values.times.column import Clocks, read_times

# When a column is one of truth values. Chosen by hand.
MIN_BOOLEAN_SHARE = 0.95
"""Share of cells, where other texts occur."""
MIN_BOOLEAN_TEXTS = 0.5
"""Share of distinct texts."""


_PLACE = re.compile(
    r"(?<![^\W_])(?:countr(?:y|ies)|nation|geo|state|region|place|location|codes?|iso\d?|abbr\w*|lang(?:uage)?)(?![^\W_])",
    re.I,
)


class ReadingBuilder:
    """Collects the texts of one column, in batches, and decides its :class:`Reading`. Memory is bounded."""

    def __init__(self, name: str = "", *, native: bool = False) -> None:
        """``native``: the source types the column as one of numbers."""
        self._name = name
        self._native = native
        self._tally: Tally | None = None
        self._plain = Count()
        """Texts that cannot be anything else: a column of nothing but names needs no tally."""

    def add(self, texts: Any) -> ReadingBuilder:
        """Take a batch: an Arrow string array, or a sequence of texts and None (no such cell)."""
        if len(texts) < SMALL_BATCH:
            counted = Counter(texts.to_pylist() if hasattr(texts, "to_pylist") else texts)
            counted.pop(None, None)
            if are_plain_texts(counted):
                self._plain.add(len(counted), counted.total())
            else:
                self._tally = self._tally or Tally()
                self._tally.add_counted(counted)
        else:
            self._tally = self._tally or Tally()
            self._tally.add(texts)
        return self

    def separators(self) -> tuple[int, int]:
        """How many texts show for certain that a point, and that a comma, is the decimal separator."""
        return shown_separators(self._tally) if self._tally is not None else (0, 0)

    def finish(self, convention: Convention = "", clocks: Clocks = "") -> Reading:
        """The reading of everything added.

        Args:
            convention: the decimal separator that other columns of the table show.
            clocks: what clock readings of other columns are.
        """
        if self._tally is None:
            return text_reading(0, 0) if self._plain.distinct else Reading(kind="empty")
        self._tally.valued.add(self._plain.distinct, self._plain.cells)
        self._plain = Count()
        self._tally.native = self._native
        return decide(self._tally, self._name, convention, clocks)


def read_column(texts: Any, name: str = "") -> Reading:
    """The reading of a column given whole, as an Arrow string array or a sequence of texts and None."""
    return ReadingBuilder(name).add(texts).finish()


def decide(tally: Tally, name: str, convention: Convention = "", clocks: Clocks = "") -> Reading:
    """The reading that a tally and the column's name lead to."""
    if not tally.valued.distinct:
        kind: Kind = "text" if tally.placeholders.cells else "empty"
        return Reading(kind=kind, blanks=tally.blanks, nulls=tally.nulls)
    if not (
        tally.boolean_tokens
        or tally.dates.distinct
        or tally.compact.distinct
        or tally.forms
        or tally.suffixed
        or tally.roman.distinct
        or tally.clocks.distinct
        or tally.durations.distinct
    ):
        return text_reading(tally.blanks, tally.nulls)
    reading = None if tally.native else _boolean(tally, name)
    reading = reading or read_dates(tally, name)
    if reading is None and not tally.native:
        reading = read_times(tally, name, clocks)
    reading = reading or read_numbers(tally, name, convention)
    return reading or text_reading(tally.blanks, tally.nulls)


def _boolean(tally: Tally, name: str) -> Reading | None:
    if not are_boolean(frozenset(tally.boolean_tokens)):
        return None
    if len(tally.boolean_tokens) == 1 and _PLACE.search(name):
        return None  # NO is Norway
    share = MIN_BOOLEAN_SHARE if tally.valued.distinct > len(tally.boolean_tokens) else 0.0
    if not has_majority(tally, tally.booleans, MIN_BOOLEAN_TEXTS, share):
        return None
    return Reading(
        kind="boolean",
        styles=tuple(sorted(tally.boolean_tokens)),
        confidence=rounded_share(tally.booleans.cells, tally.valued.cells),
        exceptions=tally.valued.cells - tally.booleans.cells,
        blanks=tally.blanks,
        nulls=tally.nulls + tally.placeholders.cells,
    )
