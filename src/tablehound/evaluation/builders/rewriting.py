"""Changes that keep a table's values but not its texts: other writings, scaled columns, other header styles."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Callable, Sequence

from tablehound.evaluation.builders import writings
from tablehound.evaluation.builders.table import PlainTable

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
_ABBREVIATIONS = {
    "number": "no", "quantity": "qty", "population": "pop", "average": "avg", "minimum": "min", "maximum": "max",
    "address": "addr", "department": "dept", "description": "desc", "telephone": "tel", "year": "yr", "date": "dt",
    "amount": "amt", "country": "ctry", "percentage": "pct", "category": "cat", "employee": "emp", "identifier": "id",
    "customer": "cust", "student": "stud", "salary": "sal", "temperature": "temp", "height": "ht", "weight": "wt",
    "first": "fst", "last": "lst", "total": "tot", "manager": "mgr", "organization": "org", "government": "govt",
}  # fmt: skip
_SYNONYMS = {
    "name": "title", "country": "nation", "city": "town", "age": "years old", "year": "calendar year", "price": "cost",
    "salary": "pay", "id": "identifier", "date": "day", "address": "location", "type": "kind",
    "population": "inhabitants", "capacity": "seats", "rank": "position", "gender": "sex", "phone": "telephone",
    "email": "mail", "car": "automobile", "film": "movie", "student": "pupil", "teacher": "instructor",
    "height": "tallness", "weight": "mass", "location": "place", "department": "division", "employee": "staff member",
    "customer": "client", "product": "item", "school": "academy", "company": "firm", "area": "surface",
    "description": "details", "count": "number", "nationality": "citizenship", "amount": "sum",
}  # fmt: skip


def rewrite_values(table: PlainTable, share: float, random_: random.Random) -> PlainTable:
    """Write a share of the number and date columns (at least one, if there is any) in another form, whole columns."""
    able = [place for place in range(len(table.header)) if _forms(table.column(place))]
    if not able:
        return table
    for place in sorted(random_.sample(able, max(1, round(share * len(able))))):
        forms = _forms(table.column(place))
        name = random_.choice(sorted(forms))
        texts, suffix = forms[name](table.column(place))
        table = table.with_column(place, texts, table.header[place] + suffix)
    return table


_Rewrite = Callable[[Sequence[str | None]], tuple[list[str | None], str]]


def _forms(texts: Sequence[str | None]) -> dict[str, _Rewrite]:
    """The other forms that every text of a column can be written in; the second result is a suffix for the header."""
    present = [text for text in texts if text]
    if not present:
        return {}
    dates = [_date(text) for text in present]
    if all(date is not None for date in dates):
        forms = {"spelled": writings.spelled_date, "long": writings.long_date, "american": writings.american_date}
        forms["slashed"] = writings.slashed_date
        if all(date is not None and date.year <= writings.MAX_ROMAN for date in dates):
            forms["roman"] = writings.roman_date
        return {name: _each(lambda text, write=write: write(_date(text))) for name, write in forms.items()}  # type: ignore[misc]
    if not all(_NUMBER.fullmatch(text) and abs(float(text)) < 1e12 for text in present):
        return {}
    # An identifier is a number only by its looks; its writing must stay.
    if any(len(text.partition(".")[0]) > 12 for text in present):
        return {}
    found: dict[str, _Rewrite] = {"spelled": _each(writings.spelled_number)}
    if all(float(text) != 0 for text in present):
        found["scientific"] = _each(writings.scientific)
    whole = all("." not in text for text in present)
    if whole and all(1 <= int(text) <= writings.MAX_ROMAN for text in present):
        found["roman"] = _each(lambda text: writings.roman(int(text)))
    if whole:
        found["divided"] = lambda column: ([None if not t else _plain(int(t) / 10) for t in column], "_div10")
        found["shifted"] = lambda column: ([None if not t else str(int(t) - 10) for t in column], "_sub10")
    return found


def _each(write: Callable[[str], str]) -> _Rewrite:
    return lambda column: ([None if not text else write(text) for text in column], "")


def _date(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def _plain(number: float) -> str:
    return f"{number:.10g}"


def rewrite_headers(table: PlainTable, random_: random.Random) -> PlainTable:
    """Abbreviate, restyle or replace by synonyms: one way for the whole table."""
    way = random_.choice((abbreviated, snake, camel, upper, synonym))
    names: list[str] = []
    taken: set[str] = set()
    for place, name in enumerate(table.header):
        choices = (way(name), name, f"{name} {place + 1}")
        names.append(next(choice for choice in choices if choice.casefold() not in taken))
        taken.add(names[-1].casefold())
    return PlainTable(table.name, tuple(names), table.rows)


def words_of(name: str) -> list[str]:
    """``Song_release_year`` and ``songReleaseYear`` → ``song release year``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", re.sub(r"[_\-./]+", " ", name))
    return spaced.lower().split()


def abbreviated(name: str) -> str:
    return "_".join(_ABBREVIATIONS.get(word, word) for word in words_of(name)) or name


def snake(name: str) -> str:
    return "_".join(words_of(name)) or name


def camel(name: str) -> str:
    first, *rest = words_of(name) or [name]
    return first + "".join(word.capitalize() for word in rest)


def upper(name: str) -> str:
    return " ".join(words_of(name)).upper() or name


def synonym(name: str) -> str:
    plain = " ".join(words_of(name))
    return _SYNONYMS.get(plain) or " ".join(_SYNONYMS.get(word, word) for word in words_of(name)) or name


def misspelt(text: str, random_: random.Random) -> str:
    """One typing error: two letters swapped, one left out, doubled, or replaced by its neighbour in the alphabet."""
    letters = [place for place, character in enumerate(text) if character.isalpha()]
    if len(letters) < 4:
        return text
    place = random_.choice(letters[1:-1])
    kind = random_.choice(("swap", "drop", "double", "replace"))
    if kind == "swap" and text[place] != text[place + 1]:
        return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    if kind == "drop":
        return text[:place] + text[place + 1 :]
    if kind == "double":
        return text[: place + 1] + text[place:]
    other = chr(ord(text[place]) + 1) if text[place].lower() != "z" else chr(ord(text[place]) - 1)
    return text[:place] + other + text[place + 1 :]
