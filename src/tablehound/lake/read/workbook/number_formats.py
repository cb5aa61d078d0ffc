"""Number formats of workbooks: which cells a person sees as percent, money or a code, and exact texts for them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

_BRACKET = re.compile(r"\[(\$([^\]\-]*)[^\]]*|[^\]]*)\]")
_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\*.')
_SYMBOL = re.compile(r"US\$|HK\$|[$€£¥₹₩₽฿₫₺₴₪]|\b(?:USD|EUR|GBP|CNY|RMB|JPY|CHF)\b")
_BUILT_IN = {
    9: "0%",
    10: "0.00%",
    5: '"$"#,##0',
    6: '"$"#,##0',
    7: '"$"#,##0.00',
    8: '"$"#,##0.00',
    42: '_("$"* #,##0_)',
    44: '_("$"* #,##0.00_)',
}
LAST_ODD_DAY = 60
"""The 29th of February 1900: the last number that is no day."""
_ELAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
_BUILT_IN_DATES = {
    **dict.fromkeys((*range(14, 18), 22, *range(27, 37), *range(50, 59)), "yyyy-mm-dd"),
    **dict.fromkeys((*range(18, 22), 45, 47), "hh:mm"),
}


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """What a format adds to the number."""

    kind: Literal["percent", "currency", "code"]
    symbol: str
    """The sign, or the pattern of a code's digits: ``00000``, ``000-00-0000``."""
    after: bool = False
    """The symbol is written after the number."""

    def render(self, number: str) -> str:
        """The exact number with its sign: ``0.1234`` as ``12.34%``, ``-5.5`` as ``-$5.5``."""
        if self.kind == "percent":
            shifted = format((Decimal(number) * 100).normalize(), "f")
            return f"{shifted}%"
        if self.kind == "code":
            return _filled_in(self.symbol, number)
        if self.after:
            return f"{number} {self.symbol}"
        return f"-{self.symbol}{number[1:]}" if number.startswith("-") else f"{self.symbol}{number}"


def _filled_in(pattern: str, number: str) -> str:
    """A whole number's digits in the places of a pattern, from the right; other numbers as they are."""
    if not number.isdecimal():
        return number
    patterns = pattern.split(";")
    pattern = next((each for each in patterns if each.count("0") >= len(number)), patterns[-1])
    digits = list(number)
    shown = [(digits.pop() if digits else "0") if place == "0" else place for place in reversed(pattern)]
    return "".join([*digits, *reversed(shown)])


def date_code(code: str | None, built_in: int = -1) -> str | None:
    """The letters of a format that shows a date or a time of day; none for other formats and for elapsed time."""
    if code is None:
        code = _BUILT_IN_DATES.get(built_in)
    if not code or _ELAPSED.search(code):
        return None
    bare = _QUOTED.sub("", _BRACKET.sub("", code)).lower()
    return bare if re.search(r"[ymdhs]", bare) and "general" not in bare else None


def odd_date(number: float, code: str, *, since_1904: bool = False) -> str | None:
    """The text of a number that has the format of a date but is no day; none for all that are days or times.

    A number below zero and the day 0 are shown as no date by any program; they stay numbers. Day 60 is the 29th of
    February 1900, which did not exist, but workbooks have it.
    """
    if number < 0:
        return format(Decimal(repr(number)).normalize(), "f")
    if since_1904 or not re.search(r"[yd]", code):
        return None
    return {0.0: "0", 60.0: "1900-02-29"}.get(number)


def _code_pattern(section: str) -> str | None:
    """The pattern of a code of digits: nothing but zeros, at least two, and marks between them."""
    bare = _BRACKET.sub("", section).strip()
    plain = re.sub(r'"([^"]*)"|\\(.)', lambda match: match.group(1) or match.group(2) or "", bare)
    if not re.fullmatch(r"[0 ()/:+-]*00[0 ()/:+-]*", re.sub(r'"[^"]*"|\\.', " ", bare)):
        return None
    return plain.strip() if re.fullmatch(r"[0 ()/:+.-]+", plain) else "".join(re.findall("0", bare))


def number_format(code: str | None, built_in: int = -1) -> NumberFormat | None:
    """The percent or currency format or the pattern of digits that a code stands for, or none for any other."""
    if code is None:
        code = _BUILT_IN.get(built_in)
    if not code:
        return None
    first, *others = code.split(";")
    if (pattern := _code_pattern(first)) is not None:
        # Two lengths of one code: ``[<=99999]00000;00000-0000``.
        longer = _code_pattern(others[0]) if others and first.startswith("[<") else None
        return NumberFormat("code", f"{pattern};{longer}" if longer else pattern)
    bracketed = [match.group(2) for match in _BRACKET.finditer(first) if match.group(2)]
    bare = _QUOTED.sub("", _BRACKET.sub("", first))
    if "%" in bare:
        return NumberFormat("percent", "%")
    if not re.search(r"[0#?]", bare) or re.search(r"[ymdhs]", bare, re.IGNORECASE):
        return None
    shown = _BRACKET.sub(lambda match: match.group(2) or "", first).replace('"', "").replace("\\", "")
    symbol = bracketed[0].strip() if bracketed and bracketed[0].strip() else None
    if symbol is None and (match := _SYMBOL.search(shown)):
        symbol = match.group()
    if not symbol:
        return None
    digits = re.search(r"[0#?]", shown)
    return NumberFormat("currency", symbol, digits is not None and shown.find(symbol) > digits.start())


@dataclass(slots=True)
class Styles:
    """What the styles of a workbook's cells add to their numbers and texts, by the index of the style."""

    formats: dict[int, NumberFormat] = field(default_factory=dict)
    dates: dict[int, str] = field(default_factory=dict)
    indents: dict[int, int] = field(default_factory=dict)
    since_1904: bool = False

    def add(self, style: int, code: str | None, built_in: int) -> None:
        """Add a style by the code of its number format, or by the number of a built-in one."""
        if (known := number_format(code, built_in)) is not None:
            self.formats[style] = known
        elif (date := date_code(code, built_in)) is not None:
            self.dates[style] = date

    def odd_date(self, style: int, number: float) -> str | None:
        """The text of a number that has a date format but is no day; see :func:`odd_date`."""
        if number > LAST_ODD_DAY or style not in self.dates:
            return None
        return odd_date(number, self.dates[style], since_1904=self.since_1904)
