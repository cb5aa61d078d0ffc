"""Numbers and dates in the words of a question, and the date parts of a cell."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tablehound.language.words import Token, fold, word_list

UNITS = {
    word: number
    for number, word in enumerate(
        word_list(
            """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen"""
        )
    )
}
TENS = {
    word: 10 * number
    for number, word in enumerate(word_list("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
MONTH_NAMES = word_list("january february march april may june july august september october november december")
MONTHS = {name: place for place, full in enumerate(MONTH_NAMES, start=1) for name in (full, full[:3])} | {"sept": 9}
_LEAST_SCALE = 1e3
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_SLASH = re.compile(r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d{2})\b")
_YEAR = re.compile(r"(?<![\d.,$€£])(1[0-9]\d\d|20\d\d)(?![\d,]|\.\d)")
_DAY = re.compile(r"(?<![\d:.])([0-3]?\d)(?:st|nd|rd|th)?(?![\d:])")
_PLAIN = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")

DateParts = tuple[int | None, int | None, int | None]
"""Year, month, day; None where not given."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A number or date in a text. ``start`` and ``end`` are token places."""

    start: int
    end: int
    number: float | None = None
    date: DateParts | None = None
    ordinal: bool = False
    scale: float = 1.0
    """Of the scale word in ``number``: a million for ``5 million``."""
    before: str = ""
    after: str = ""
    """The words next to it, which may be a unit."""

    @property
    def year(self) -> int | None:
        """The year, if that is all that is given."""
        if self.date and self.date[0] is not None and self.date[1] is None:
            return self.date[0]
        return None


def number_of(text: str) -> float | None:
    """A plainly written number: ``1,014``, ``-0.5``, ``12%``, ``$3``."""
    bare = text.strip().strip("%$€£+ ").rstrip("%")
    return float(bare.replace(",", "")) if _PLAIN.fullmatch(bare) else None


@lru_cache(maxsize=65_536)
def date_parts(text: str, day_first: bool = False) -> DateParts | None:
    """Year, month and day as far as a folded text says them; None when it says neither year nor month."""
    if found := _ISO.search(text):
        return int(found[1]), int(found[2]), int(found[3])
    if found := _SLASH.search(text):
        first, second, year = int(found[1]), int(found[2]), int(found[3])
        year += 0 if year > 99 else 2000 if year < 50 else 1900
        if day_first or first > 12:
            first, second = second, first
        if 1 <= first <= 12:
            return year, first, second
    word = next((w for w in re.findall(r"[a-z]+", text) if w in MONTHS), None)
    year_found = _YEAR.search(text)
    if word is None:
        return (int(year_found[1]), None, None) if year_found else None
    rest = text[: year_found.start()] + " " + text[year_found.end() :] if year_found else text
    days = [int(d) for d in _DAY.findall(rest) if 1 <= int(d) <= 31]
    return int(year_found[1]) if year_found else None, MONTHS[word], days[0] if days else None


def _spelled(words: Sequence[str], start: int) -> tuple[float, int] | None:
    """A spelled-out number from ``start``: its value and the place after it."""
    total, current, place, seen = 0.0, 0.0, start, False
    while place < len(words):
        word = words[place]
        if word in UNITS:
            current += UNITS[word]
        elif word in TENS:
            current += TENS[word]
        elif word in SCALES and seen:
            if word == "hundred":
                current *= 100
            else:
                total, current = total + max(current, 1) * SCALES[word], 0.0
        elif word in {"and", "-"} and seen and place + 1 < len(words) and words[place + 1] in UNITS | TENS:
            place += 1
            continue
        else:
            break
        seen = True
        place += 1
    return (total + current, place) if seen else None


def number_said(text: str) -> float | None:
    """A whole folded cell as a number, in digits or in words; None when it is neither."""
    words = text.replace("-", " ").split()
    if len(words) == 1 and words[0].isdecimal():
        return float(words[0])
    spelled = _spelled(words, 0) if words and (words[0] in UNITS or words[0] in TENS) else None
    return spelled[0] if spelled and spelled[1] == len(words) else None


def literals(tokens: Sequence[Token]) -> list[Literal]:
    """Numbers and dates, in order, longest first at each place, without overlap."""
    words = [t.norm for t in tokens]
    found: list[Literal] = []
    place = 0
    while place < len(words):
        literal = _date_at(words, place) or _number_at(words, place)
        if literal is None:
            place += 1
            continue
        if literal.number is not None:
            after = words[literal.end] if literal.end < len(words) else ""
            literal = replace(literal, before=words[place - 1] if place else "", after=after)
        found.append(literal)
        place = literal.end
    return found


def _date_at(words: Sequence[str], place: int) -> Literal | None:
    if _ISO.fullmatch(words[place]) or _SLASH.fullmatch(words[place]):
        return Literal(place, place + 1, None, date_parts(words[place]))
    day = re.fullmatch(r"([0-3]?\d)(?:st|nd|rd|th)?", words[place])
    end, month_at = place, None
    if day:
        after = place + 1 + (place + 1 < len(words) and words[place + 1] == "of")
        if after < len(words) and words[after] in MONTHS:
            month_at, end = after, after + 1
    elif words[place] in MONTHS:
        month_at, end = place, place + 1
        following = words[end] if end < len(words) else ""
        if re.fullmatch(r"(?:[0-2]?\d|3[01])(?:st|nd|rd|th)?", following):
            day, end = re.match(r"\d+", following), end + 1
    if month_at is None:
        return None
    if words[month_at] in {"may", "mar", "jan", "sep", "dec"} and day is None:
        # a bare "may" is a month only before a year or after a preposition of time
        before = words[place - 1] if place else ""
        following = words[end] if end < len(words) else ""
        if before not in {"in", "during", "of", "by", "since", "until"} and not _YEAR.fullmatch(following):
            return None
    year = None
    nearby = end + (end < len(words) and words[end] in {"of", "in"})
    if nearby < len(words) and _YEAR.fullmatch(words[nearby]):
        year, end = int(words[nearby]), nearby + 1
    number = int(re.match(r"\d+", day.group())[0]) if day else None  # type: ignore[index]
    return Literal(place, end, None, (year, MONTHS[words[month_at]], number))


def _number_at(words: Sequence[str], place: int) -> Literal | None:
    word = words[place]
    ordinal = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word)
    if ordinal:
        return Literal(place, place + 1, float(ordinal[1]), ordinal=True)
    value = number_of(word) if word[:1].isdigit() or word[:1] in "+-" else None
    if value is None:
        spelled = _spelled(words, place) if word in UNITS or word in TENS else None
        if spelled is None or (word == "one" and spelled[1] == place + 1):
            return None
        named = [SCALES[word] for word in words[place : spelled[1]] if SCALES.get(word, 0) >= _LEAST_SCALE]
        return Literal(place, spelled[1], spelled[0], scale=max(named, default=1.0))
    end = place + 1
    scale = 1.0
    if end < len(words) and words[end] in SCALES:
        scale, end = SCALES[words[end]], end + 1
        value *= scale
    year = (int(value), None, None) if _YEAR.fullmatch(word) and end == place + 1 else None
    return Literal(place, end, value, year, scale=scale if scale >= _LEAST_SCALE else 1.0)


def parts_of_value(value: object) -> DateParts | None:
    """Date parts of a typed value."""
    if isinstance(value, dt.date):
        return value.year, value.month, value.day
    return None


def parts_match(asked: DateParts, cell: DateParts) -> bool:
    """Whether a cell's date says all that is asked."""
    return all(a is None or a == c for a, c in zip(asked, cell, strict=True))


def cell_date(text: str) -> DateParts | None:
    """Date parts of a raw cell."""
    return date_parts(fold(text))
