"""Dates as people and benchmarks write them: the form of one text, before its column decides the order.

Numbers with any separator, month names, weekdays, ordinals, two-digit years, times and zones; parts spelled out
(``two thousand and fourteen.six.ten``) or Roman (``MMXII-IX-VI``). A form keeps every order that gives a real day; the
column chooses. A month without a day reads as its first day, a year in a column of dates as its first of January.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tablehound.lake.values.dates.names import MONTHS, WEEKDAYS
from tablehound.lake.values.numbers.forms import clean
from tablehound.lake.values.numbers.roman import parse_roman
from tablehound.lake.values.numbers.spelled import SPELLING_WORDS, parse_spelled, starts_spelled

Order = Literal["ymd", "dmy", "mdy"]
ORDERS: tuple[Order, ...] = ("ymd", "dmy", "mdy")

CENTURY_PIVOT = 30
"""Two-digit years below it are 20xx, others 19xx (as spreadsheets read them)."""

_MONTH = r"[^\W\d_]{3,12}"
"""A word, which is looked up among the months: quicker than to try them all."""
_WEEKDAY = re.compile(r"([^\W\d_]+)\.?\s*,?\s*")
_TIME = re.compile(
    r"(?:(?<=\d)[T_]|,?\s+(?:at\s+)?|(?<=\d)\s*[-@]\s*|(?<=\d{4}):(?=\d\d:\d\d:))(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>Z|UTC|GMT|[-+]\d{2}:?(?:\d{2})?)?$",
    re.I,
)
_TIME_BEFORE_YEAR = re.compile(r"\s(\d{1,2}:\d{2}:\d{2})\s+((?:UTC|GMT|Z|[-+]\d{2}:?\d{2})\s+)?(\d{4})$", re.I)
"""``Mon Jan  6 10:20:30 2020``, as programs of Unix write it."""
_COMPACT_TIME = re.compile(r"(\d{8})[Tt](\d{2})(\d{2})(\d{2})?(?:[.,](\d{1,9}))?\s?(Z|[-+]\d{2}:?\d{2})?")
_TRIPLE = re.compile(r"(\d{1,4})(\s*[-/._,:|\\~·]\s*|\s+)(\d{1,2})(?:\2)(\d{1,4})[.]?")
_HAN = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日?")
_COMPACT = re.compile(r"(1[0-9]|20)(\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_YEAR_MONTH = re.compile(r"(\d{4})\s*([-/.])\s*(\d{1,2})|(\d{1,2})\s*([-/.])\s*(\d{4})")
_NAMED = re.compile(
    rf"(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th|er|º)?(?:\.?\s+(?:of|de)\b)?[\s,./_-]*(?P<m1>{_MONTH})\.?(?:\s+del?\s)?[\s,./_'-]*(?P<y1>\d{{4}}|\d{{2}})"
    rf"|(?P<m2>{_MONTH})\.?[\s,./_-]*(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:[\s,./_-]+(?P<y2>\d{{4}})|(?:\s*,\s*'?|\s'|[-/.])(?P<y7>\d{{2}}))"
    rf"|(?P<y3>\d{{4}})[\s,./_-]*(?P<m3>{_MONTH})\.?[\s,./_-]*(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"|(?P<m4>{_MONTH})\.?(?:\s+(?:of|del?))?[\s,./_-]*(?:(?P<y4>\d{{4}})|(?<=\S)[-']\s?(?P<y5>\d{{2}}))"
    rf"|(?P<y6>\d{{4}})[\s,./_-]*(?P<m6>{_MONTH})\.?)",
    re.I,
)
_RUN_OF_LETTERS = re.compile(r"[^\W\d_]+")
_NO_LETTER = re.compile(r"[\x00-@\[-`{-\x7f]*")
_DIGITS = re.compile(r"[0-9]+")
_LETTERS = re.compile(r"[a-z]+")
_PART_WORDS = SPELLING_WORDS | {"st", "nd", "rd", "th"}
"""All words, but Roman numerals, that a part of a date without a month's name can have."""
_LEAD = re.compile(r"(\d+)|[A-Za-z]+")
_NOTE = re.compile(r"\s*(?:\[[^\[\]]{1,12}\]|\([^()]{1,30}\)|[*†‡§])+$")


@dataclass(frozen=True, slots=True)
class DateForm:
    """One text as a date. ``days`` maps each order that gives a real day to it; ``only`` is set where the writing
    leaves no choice (a month name, a four-digit year in front)."""

    days: tuple[tuple[Order, dt.date], ...] = ()
    only: dt.date | None = None
    time: dt.time | None = None
    shift: dt.timedelta = dt.timedelta()
    """To universal time."""
    style: str = "plain"
    short_year: bool = False
    precision: Literal["day", "month", "year"] = "day"
    season: bool = False
    """Also reads as a span of two years (``2004-05``)."""

    def value(self, order: Order | None) -> dt.date | dt.datetime | None:
        """The date by the column's order, or in the only way the text allows."""
        day = self.only
        if day is None:
            by_order = dict(self.days)
            day = by_order.get(order) if order else None
            if day is None and len(set(by_order.values())) == 1:
                day = next(iter(by_order.values()))
        if day is None:
            return None
        if self.time is None:
            return day
        moment = dt.datetime.combine(day, self.time)
        try:
            return moment + self.shift
        except OverflowError:
            return moment

    @property
    def orders(self) -> frozenset[Order]:
        return frozenset(order for order, _ in self.days)


def date_form(text: str) -> DateForm | None:
    """How a text reads as a date, or None. A bare year or eight digits are numbers (see :func:`loose_date`)."""
    stripped = clean(text)
    if not 5 <= len(stripped) <= 120:
        return None
    if stripped[-1] in ")]*†‡§":
        stripped = _NOTE.sub("", stripped)
    if stripped[8:9] in ("T", "t") and stripped[:8].isdecimal():
        return _compact(stripped)
    body, time, shift = _split_time(stripped)
    if time is None and body != stripped:
        return None
    weekday = _WEEKDAY.match(body)
    if weekday and weekday[1].lower() in WEEKDAYS:
        body = body[weekday.end() :]
    form = _day(body)
    if form is None or (time is None and shift == dt.timedelta()):
        return form
    return DateForm(form.days, form.only, time, shift, form.style, form.short_year, form.precision, form.season)


def _compact(text: str) -> DateForm | None:
    """``20140610T134500``"""
    found = _COMPACT_TIME.fullmatch(text)
    day = loose_date(found[1]) if found else None
    if found is None or day is None or day.only is None:
        return None
    hour, minute, second = int(found[2]), int(found[3]), int(found[4] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return DateForm(day.days, day.only, dt.time(hour, minute, second, _micro(found[5])), _zone(found[6]))


def loose_date(text: str) -> DateForm | None:
    """What reads as a date only among other dates: a bare year, or eight digits (``20140610``)."""
    stripped = clean(text)
    if len(stripped) == 8 and (found := _COMPACT.fullmatch(stripped)):
        day = _valid_day(int(found[1] + found[2]), int(found[3]), int(found[4]))
        return None if day is None else DateForm((("ymd", day),), day, style="compact")
    if len(stripped) == 4 and stripped.isdecimal() and 1000 <= int(stripped) <= 2200:
        return DateForm(only=dt.date(int(stripped), 1, 1), style="year", precision="year")
    return None


def _split_time(text: str) -> tuple[str, dt.time | None, dt.timedelta]:
    if ":" not in text:
        return text, None, dt.timedelta()
    inner = _TIME_BEFORE_YEAR.search(text)
    if inner is not None:
        text = f"{text[: inner.start()]}, {inner[3]} {inner[1]} {inner[2] or ''}".rstrip()
    found = _TIME.search(text)
    if found is None:
        return text, None, dt.timedelta()
    hour, minute, second = int(found["h"]), int(found["m"]), int(found["s"] or 0)
    half = (found["half"] or "").lower()[:1]
    if half:
        if not 1 <= hour <= 12:
            return "", None, dt.timedelta()
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return "", None, dt.timedelta()
    return text[: found.start()], dt.time(hour, minute, second, _micro(found["f"])), _zone(found["zone"])


def _micro(fraction: str | None) -> int:
    return int((fraction or "").ljust(6, "0")[:6])


def _zone(zone: str | None) -> dt.timedelta:
    if not zone or zone[0] not in "+-":
        return dt.timedelta()
    digits = zone[1:].replace(":", "").ljust(4, "0")
    away = dt.timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -away if zone[0] == "+" else away


def _day(body: str) -> DateForm | None:
    if body[:1].isdecimal():
        triple = _TRIPLE.fullmatch(body)
        if triple:
            return _numeric(triple)
        han = _HAN.fullmatch(body)
        if han:
            day = _valid_day(int(han[1]), int(han[2]), int(han[3]))
            return None if day is None else DateForm((("ymd", day),), day)
        pair = _YEAR_MONTH.fullmatch(body)
        if pair:
            return _month_of_year(pair)
    named = _NAMED.fullmatch(body)
    if named and (named["m1"] or named["m2"] or named["m3"] or named["m4"] or named["m6"]).lower() in MONTHS:
        return _named(named)
    return _worded(body)


def _numeric(triple: re.Match[str]) -> DateForm | None:
    first, separator, middle, last = triple[1], triple[2].strip(), triple[3], triple[4]
    lengths = (len(first), len(last))
    if 3 in lengths or lengths == (4, 4):
        return None
    if 4 not in lengths:
        # Without a four-digit year, blanks, commas and colons separate other things: lists, times, grouped numbers.
        if separator in {"", ",", ":", "|", "~", "\\", "_"} or (len(last) == 1 and len(first) == 1):
            return None
        return _short_year(first, middle, last)
    if len(first) == 4:
        year, month, day = int(first), int(middle), int(last)
        found = _valid_day(year, month, day)
        if found is None:
            found = _valid_day(year, day, month)
            return None if found is None else DateForm(only=found)
        return DateForm((("ymd", found),), found)
    return _choices(int(last), int(first), int(middle))


def _choices(year: int, first: int, second: int, *, short: bool = False, style: str = "plain") -> DateForm | None:
    """Day and month in either order before a year."""
    days: list[tuple[Order, dt.date]] = []
    if (day := _valid_day(year, second, first)) is not None:
        days.append(("dmy", day))
    if (day := _valid_day(year, first, second)) is not None:
        days.append(("mdy", day))
    return DateForm(tuple(days), style=style, short_year=short) if days else None


def _short_year(first: str, middle: str, last: str) -> DateForm | None:
    days: list[tuple[Order, dt.date]] = []
    if len(last) == 2:
        form = _choices(full_year(int(last)), int(first), int(middle))
        days.extend(form.days if form else ())
    # Two-digit years in front come with two-digit months and days; ``29-12-1`` is rather a record of games.
    if (
        len(first) == len(middle) == len(last) == 2
        and (day := _valid_day(full_year(int(first)), int(middle), int(last))) is not None
    ):
        days.append(("ymd", day))
    return DateForm(tuple(days), short_year=True) if days else None


def _month_of_year(pair: re.Match[str]) -> DateForm | None:
    year, month = (int(pair[1]), int(pair[3])) if pair[1] else (int(pair[6]), int(pair[4]))
    if (pair[2] or pair[5]) == "." and pair[1] is None:
        return None
    if pair[2] == ".":
        return None
    day = _valid_day(year, month, 1)
    if day is None or not 1000 <= year <= 2200:
        return None
    season = bool(pair[1]) and len(pair[3]) == 2 and month == (year + 1) % 100
    return DateForm(only=day, style="month", precision="month", season=season)


def _named(named: re.Match[str]) -> DateForm | None:
    for suffix in "123":
        if named[f"m{suffix}"]:
            year = named[f"y{suffix}"] or named["y7"]
            day = _valid_day(
                int(year) if len(year) == 4 else full_year(int(year)),
                _month(named[f"m{suffix}"]),
                int(named[f"d{suffix}"]),
            )
            return None if day is None else DateForm(only=day, style="named", short_year=len(year) == 2)
    month = named["m4"] or named["m6"]
    year = named["y4"] or named["y6"]
    day = _valid_day(int(year) if year else full_year(int(named["y5"])), _month(month), 1)
    return None if day is None else DateForm(only=day, style="named", precision="month", short_year=not year)


def _worded(body: str) -> DateForm | None:
    """Parts spelled out or Roman, perhaps beside digits or a month's name."""
    if _NO_LETTER.fullmatch(body) and len(_DIGITS.findall(body)) != 3:
        return None  # scores, times and the like
    lowered = body.lower()
    month = next((word for word in _RUN_OF_LETTERS.finditer(lowered) if word.group() in MONTHS), None)
    # ``may`` and ``march`` are words, but no spelled-out number has them.
    if month:
        return _worded_named(lowered, month)
    lead = _LEAD.match(body)
    if lead is None or not (lead[1] or starts_spelled(lowered) or parse_roman(lead.group()) is not None):
        return None
    if not all(word in _PART_WORDS or not word.strip("ivxlcdm") for word in _LETTERS.findall(lowered)):
        return None
    for parts in _three_parts(body):
        numbers = [_part(part) for part in parts]
        if None in numbers:
            continue
        first, middle, last = (n for n in numbers if n is not None)
        style = "roman" if any(parse_roman(part) for part in parts) else "spelled"
        if first > 31 or (first >= 1000):
            day = _valid_day(first if first > 99 else full_year(first), middle, last)
            if day is not None:
                return DateForm((("ymd", day),), day, style=style)
        elif last > 31:
            form = _choices(last if last > 99 else full_year(last), first, middle, style=style)
            if form is not None:
                return form
    return None


def _worded_named(lowered: str, month: re.Match[str]) -> DateForm | None:
    before = lowered[: month.start()].strip(" ,./-_")
    after = lowered[month.end() :].strip(" ,./-_")
    before = before.removesuffix(" of").removeprefix("the ").strip()
    sides = [_part(before) if before else None, _part(after) if after else None]
    number = _month(month.group())
    if before and after and None not in sides:
        first, last = (n for n in sides if n is not None)
        year, day_of = (first, last) if first > 31 else (last, first)
        day = _valid_day(year if year > 99 else full_year(year), number, day_of)
        return None if day is None else DateForm(only=day, style="spelled")
    if not before and after:
        if sides[1] is not None and sides[1] >= 1000:
            day = _valid_day(sides[1], number, 1)
            return None if day is None else DateForm(only=day, style="spelled", precision="month")
        for comma in re.finditer(r"\s*,\s*|\s+", after):
            left, right = _part(after[: comma.start()]), _part(after[comma.end() :])
            if left is not None and right is not None and left <= 31 and right >= 1000:
                day = _valid_day(right, number, left)
                if day is not None:
                    return DateForm(only=day, style="spelled")
    return None


def _three_parts(body: str) -> Iterator[tuple[str, str, str]]:
    """Ways to cut a text in three at one separator. A hyphen also joins ``twenty-one``, so every pair is tried."""
    for separator in (".", "/", "|", "_", ":", ";", ",", "-", " "):
        places = [i for i, c in enumerate(body) if c == separator]
        if not 2 <= len(places) <= 8:
            continue
        for i, a in enumerate(places):
            for b in places[i + 1 :]:
                yield body[:a].strip(), body[a + 1 : b].strip(), body[b + 1 :].strip()


def _part(text: str) -> int | None:
    if not text:
        return None
    if text.isdecimal():
        return int(text) if len(text) in (1, 2, 4) else None
    ordinal = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)", text)
    if ordinal:
        return int(ordinal[1])
    roman = parse_roman(text)
    if roman is not None:
        return roman
    spelled = parse_spelled(text)
    return int(spelled[0]) if spelled is not None and spelled[0] == int(spelled[0]) and spelled[0] >= 0 else None


def full_year(year: int) -> int:
    """A two-digit year with its century."""
    return year + (2000 if year < CENTURY_PIVOT else 1900)


def _month(name: str) -> int:
    return MONTHS[name.rstrip(".").lower()]


def _valid_day(year: int, month: int, day: int) -> dt.date | None:
    if not (1 <= month <= 12 and 1 <= day <= 31 and 1 <= year <= 9999):
        return None
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None
