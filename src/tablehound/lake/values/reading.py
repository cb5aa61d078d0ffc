"""How a column reads, decided from all its values in a stream."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from typing import Any

from tablehound.lake.table import Reading

_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-+]?\.\d+")
_NULLS = frozenset({"", "-", "na", "n/a", "null", "none", "nan"})


class ReadingBuilder:
    """Collects the texts of one column, in batches, and decides its :class:`Reading`."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._seen = 0
        self._numbers = 0
        self._dates = 0

    def add(self, texts: Any) -> ReadingBuilder:
        """Take a batch: an Arrow string array, or a sequence of texts and None."""
        values: Iterable[str | None] = texts.to_pylist() if hasattr(texts, "to_pylist") else texts
        for text in values:
            if text is None or text.strip().lower() in _NULLS:
                continue
            self._seen += 1
            self._numbers += _NUMBER.fullmatch(text.strip()) is not None
            self._dates += _iso(text.strip())
        return self

    def finish(self) -> Reading:
        """The reading of everything added."""
        if not self._seen:
            return Reading(kind="empty")
        if self._numbers >= 0.8 * self._seen:
            return Reading(kind="number", thousands=",", exceptions=self._seen - self._numbers, styles=("plain",))
        if self._dates >= 0.8 * self._seen:
            return Reading(kind="date", date_order="ymd", exceptions=self._seen - self._dates)
        return Reading(kind="text")


def read_column(texts: Any, name: str = "") -> Reading:
    """The reading of a column given whole, as an Arrow string array or a sequence of texts and None."""
    return ReadingBuilder(name).add(texts).finish()


def _iso(text: str) -> bool:
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True
