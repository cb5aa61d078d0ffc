"""Decides what a cell's text looks like, to distinguish headers from data. Values are decided later, per column."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

EMPTY, TEXT, NUMBER, DATE, BOOLEAN = range(5)
"""Codes of a cell's looks, in grids of unsigned bytes. Codes of ``NUMBER`` and above are data rather than labels."""

_CURRENCY = r"(?:[$€£¥₹₩₽]|US\$|(?:USD|EUR|GBP|CNY|JPY|CHF|RMB)\b)"
_NUMBER = re.compile(
    rf"[\s(]*[-+−–]?\s*{_CURRENCY}?\s*[-+−]?(?:\d[\d,.'’\u00a0\u202f ]*|\.\d+)"
    rf"(?:[eE][-+]?\d+)?\s*(?:[%‰]|{_CURRENCY})?[)\s]*"
)
_DATE = re.compile(
    r"\s*(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2}))(?:[ T]\d{1,2}:\d{2}(?::\d{2})?\S*)?\s*"
)
_BOOLEAN = frozenset({"true", "false"})
_NULL = frozenset({"", "-", "–", "—", "−", "n/a", "na", "n.a.", "nan", "null", "none", "nil", "..", "...", "…", "?"})
_STRIP = re.compile(rf"[\s,'’\u00a0\u202f()%‰]|{_CURRENCY}")
_PLAIN_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,19})?")
_ERROR = re.compile(r"#(?:N/A|DIV/0!|REF!|VALUE!|NAME\?|NUM!|NULL!|ERROR!|SPILL!|CALC!|GETTING_DATA)")
_LONGEST = 40
"""Characters of the longest text that is anything but text."""
_CODED = frozenset("UEGCJRH")
"""First letters of currency codes."""


def kind_of(text: str | None) -> int:
    """The code of a text: ``EMPTY`` for none or blank, then ``DATE``, ``NUMBER``, ``BOOLEAN``, else ``TEXT``."""
    if not text:
        return EMPTY
    first = text[0]
    if first.isalpha() and first not in _CODED and len(text) > 5:
        return TEXT
    if len(text) > _LONGEST:
        return EMPTY if text.isspace() else TEXT
    if text.isdigit():
        return NUMBER
    if _DATE.fullmatch(text):
        return DATE
    if _NUMBER.fullmatch(text):
        return NUMBER
    if text.isspace():
        return EMPTY
    return BOOLEAN if text.strip().lower() in _BOOLEAN else TEXT


def kinds_of(texts: Iterable[str | None]) -> list[int]:
    """Codes of many texts; equal texts are looked at once."""
    seen: dict[str | None, int] = {None: EMPTY}
    look_up = seen.get
    codes = []
    for text in texts:
        code = look_up(text)
        if code is None:
            code = seen[text] = kind_of(text)
        codes.append(code)
    return codes


def is_null_token(text: str | None) -> bool:
    """Whether a text means a missing value: ``-``, ``n/a``, ``…``."""
    return text is None or text.strip().lower() in _NULL


def is_error(text: str | None) -> bool:
    """Whether a text is the name of a spreadsheet error: ``#REF!``."""
    return text is not None and text[:1] == "#" and _ERROR.fullmatch(text) is not None


def is_year(text: str | None) -> bool:
    """Whether a text is a year, as in a header ``2019 | 2020 | 2021``."""
    return text is not None and len(text.strip()) == 4 and text.strip().isdecimal() and 1800 <= int(text) <= 2199


def number_in(text: str | None) -> float | None:
    """The number that a text most plainly is, with ``.`` as the decimal mark; none for other texts."""
    return None if text is None or len(text) > _LONGEST else _number_in(text)


@lru_cache(maxsize=1 << 14)
def _number_in(text: str) -> float | None:
    if _PLAIN_NUMBER.fullmatch(text) is not None:
        return float(text)
    if kind_of(text) != NUMBER:
        return None
    bare = _STRIP.sub("", text).replace("−", "-").replace("–", "-")
    try:
        value = float(bare)
    except ValueError:
        return None
    negative = "(" in text and ")" in text and value > 0
    value = -value if negative else value
    return value / 100 if "%" in text else value


def decimals_in(text: str | None) -> int:
    """Digits after the decimal point of a plain number."""
    if not text or "." not in text:
        return 0
    _, point, fraction = _STRIP.sub("", text).partition(".")
    return len(fraction) if point and fraction.isdigit() else 0
