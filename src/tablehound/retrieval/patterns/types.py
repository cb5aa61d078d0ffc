"""Patterns: one clue each. All are case-folded unless asked otherwise, and matched within one cell or header."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PatternKind = Literal["regex", "literal", "value", "range"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One clue to look for.

    * ``regex``: Rust ``regex`` syntax, found anywhere in a cell or header (linear time; no look-around).
    * ``literal``: the text, found anywhere in a cell or header.
    * ``value``: the canonical value of ``text`` (number, date, boolean) equals the cell's, however it is written; falls
      back to the whole cell's text when ``text`` is no such value.
    * ``range``: the cell's number or date lies in ``low … high`` (either may be None; ``low_open``/``high_open``
      leave the end out).
    """

    text: str
    kind: PatternKind = "regex"
    columns: tuple[str, ...] = ()
    """Only in columns whose header contains one of these (case-folded). Empty: every column, and headers too."""
    case_sensitive: bool = False
    low: str | None = None
    high: str | None = None
    low_open: bool = False
    high_open: bool = False

    def describe(self) -> str:
        """One line for people and trails."""
        where = f" in {', '.join(self.columns)}" if self.columns else ""
        if self.kind == "range":
            left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
            return f"{left}{self.low or '-inf'}, {self.high or 'inf'}{right}{where}"
        return {"regex": f"/{self.text}/", "literal": repr(self.text), "value": f"={self.text}"}[self.kind] + where
