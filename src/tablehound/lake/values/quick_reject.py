"""Quick reject: texts that are certainly no values, recognized by their beginning. Most cells are names and scores.

Each test is True only where the parser that it saves would find nothing; False decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING

from tablehound.lake.values.booleans import FALSE, NUMERIC, TRUE
from tablehound.lake.values.dates.names import MONTHS, WEEKDAYS
from tablehound.lake.values.missing import NULL_TOKENS, PLACEHOLDERS
from tablehound.lake.values.numbers.spelled import STARTERS
from tablehound.lake.values.units.known import currency_words

if TYPE_CHECKING:
    import polars as pl

_RUN = re.compile(r"(?:[Tt]he +)?([A-Za-z]+)(?![^\x00-\x7f])")
_PLAIN_TEXTS = re.compile(rf"^(?:{_RUN.pattern}|[0-9]{{1,3}} ?(?:-|:(?![0-9]{{2}}$)) ?[0-9]{{1,3}}$)", re.M)
_SCORE = re.compile(r"\d(?:[\d.,'_]|\s(?=\d))*(?<=\d)\s*[-/:+=]\s*\w", re.A)
"""Digits, then a mark that no unit, exponent or footnote begins with, then more."""
_SEPARATOR = r"\s*[-/:.,;|_\\~]\s*|\s+"
_TWO_PARTS = re.compile(
    rf"(\d+)(?:st|nd|rd|th)?({_SEPARATOR})(?:(\d+)(?:st|nd|rd|th)?({_SEPARATOR})?|([A-Za-z]+))?", re.A
)
_MONTH = re.compile("|".join(sorted({month[:3] for month in MONTHS if month.isascii()})))
_ROMAN = "ivxlcdm"


@lru_cache(maxsize=1)
def _first_words() -> frozenset[str]:
    """What the first letters of a value are, in lower case: number words, months, currencies, truth, placeholders."""
    days = (word for word in (*WEEKDAYS, *MONTHS) if word.isascii())
    words = {*STARTERS, *days, *TRUE, *FALSE, *NUMERIC, *NULL_TOKENS, *PLACEHOLDERS, *currency_words()}
    found = (re.match("[a-z]+", word.lower()) for word in words)
    return frozenset(run.group() for run in found if run) | {
        "the",
        "c",
        "ca",
        "circa",
        "approx",
        "about",
        "t",
        "ad",
        "a",
    }


@lru_cache(maxsize=1)
def _calendar() -> frozenset[str]:
    return frozenset({*MONTHS, *WEEKDAYS}).difference(STARTERS, (word.lower() for word in currency_words()))


def is_plain_text(text: str) -> bool:
    """Whether a text begins with a letter and with no word that a number, date, truth value or placeholder begins with.

    >>> is_plain_text("texas 3"), is_plain_text("May 3"), is_plain_text("3 km"), is_plain_text("The Who")
    (True, False, False, True)
    """
    run = _RUN.match(text)
    return run is not None and not _can_start_value(run[1].lower())


def _can_start_value(word: str) -> bool:
    return word in _first_words() or not word.strip(_ROMAN) or word.startswith("about")


def mask_plain_texts(texts: pl.Series) -> pl.Series:
    """:func:`is_plain_text` of each text."""
    import polars as pl

    # The engine has no look-ahead: what follows the run is matched, beside it.
    word = texts.str.extract(r"^(?:[Tt]he +)?([A-Za-z]+)(?:[\x00-\x7f]|$)").str.to_lowercase()
    may_lead = word.is_in(pl.Series(sorted(_first_words()))) | word.str.contains(rf"^(?:about|[{_ROMAN}]+$)")
    return word.is_not_null() & ~may_lead.fill_null(True)


def are_plain_texts(texts: Collection[str]) -> bool:
    """Whether each of the texts begins as :func:`is_plain_text` says, or is a plain score, by one look at all of them.

    >>> are_plain_texts(["texas 3", "The Who"]), are_plain_texts(["2 - 1", "10 - 0"]), are_plain_texts(["texas 3", "3"])
    (True, True, False)
    """
    if not texts:
        return True
    joined = "\n".join(texts)
    begun = _PLAIN_TEXTS.findall(joined)
    if len(begun) != len(texts) or joined.count("\n") != len(texts) - 1:
        return False
    words = set(map(str.lower, begun))
    words.discard("")
    return not any(map(_can_start_value, words))


def is_score(text: str) -> bool:
    """Whether a text is a score, a span, a time or the like, and as such no number: digits, then more behind a mark.

    >>> is_score("2 - 1"), is_score("10:30"), is_score("2 km"), is_score("2-")
    (True, True, False, False)
    """
    return text[:1].isdigit() and _SCORE.match(text) is not None and text.isascii()


def starts_with_calendar_word(text: str) -> bool:
    """Whether a text begins with a month or a weekday, and is no number as such.

    >>> starts_with_calendar_word("May 3"), starts_with_calendar_word("sunday"), starts_with_calendar_word("mayor 3")
    (True, True, False)
    """
    run = _RUN.match(text)
    return run is not None and run[1].lower() in _calendar()


def cannot_be_date(text: str) -> bool:
    """Whether a text begins with digits, names no month, and does not go on as three parts or a year and month would.

    >>> cannot_be_date("2 - 1"), cannot_be_date("1999 games"), cannot_be_date("1-2-2014"), cannot_be_date("2014-05")
    (True, True, False, False)
    """
    if not text[:1].isdigit() or not text.isascii():
        return False
    if text[8:9] in ("T", "t") and text[:8].isdigit():
        return False
    parts = _TWO_PARTS.match(text)
    if parts is not None:
        first, mark, second, next_mark, word = parts.groups()
        mark = mark.strip()
        if word is not None:
            word = word.lower()
            if word in _first_words() or not word.strip(_ROMAN):
                return False
        elif second is not None:
            if next_mark is not None and next_mark.strip() == mark:
                return False
            if mark in ("-", "/", ".") and 4 in (len(first), len(second)) and min(len(first), len(second)) <= 2:
                return False
    return _MONTH.search(text.lower()) is None
