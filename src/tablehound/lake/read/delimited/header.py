"""How many of a table's first rows are its header, and what the columns are called by it.

A row is a header as far as it differs from what lies below: a word over numbers, another shape over codes. Where all is
text there is nothing to see, and the first row is the header unless it looks like one of the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tablehound.lake.read.delimited.cell_shapes import (
    NUMERIC,
    ColumnShape,
    alike,
    kind_of,
    outline_of,
    profile,
    shape_of,
)
from tablehound.lake.read.delimited.repair import Misfit

MAX_BANDS = 5
BODY_SAMPLE = 100
STEADY_ROWS = 3
BY_HABIT = "first row taken as the header; nothing tells it from the others"
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d(?:[/\-]\d{2,4})?")
_STANDINS = frozenset({"na", "n/a", "n.a.", "nan", "null", "none", "nil", "nd", "inf", "-inf", "tba", "tbd", "#n/a"})
_NAMED_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("date", re.compile(r"date|day|datum|fecha|data", re.IGNORECASE)),
    ("time", re.compile(r"time|hour|uhrzeit|hora|heure", re.IGNORECASE)),
    ("link", re.compile(r"url|link|website|e-?mail|homepage", re.IGNORECASE)),
    ("money", re.compile(r"price|cost|amount|value|total|usd|eur|preis|betrag", re.IGNORECASE)),
    ("number", re.compile(r"qty|quantity|count|number|num|year|age|size|population|rank|menge|anzahl", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class HeaderChoice:
    """How many rows, and how sure."""

    rows: int
    evidence: float
    """Positive: columns that differ below it. 0: a guess."""
    note: str = ""


def choose(rows: Sequence[Sequence[str | None]], width: int) -> HeaderChoice:
    """How many leading rows of a table are its header. ``rows`` start at the table's first row."""
    if not rows:
        return HeaderChoice(0, 0.0)
    if len(rows) == 1:
        alone = sum(kind_of(text or "") not in ("text", "empty") for text in rows[0])
        named = sum(kind_of(text or "") == "text" for text in rows[0])
        if alone == 0 and named and _distinct(rows[0]):
            return HeaderChoice(1, 0.5, "a single row of names, taken as a header without rows")
        return HeaderChoice(0, 0.0, "a single row, taken as data")
    again = _repeats(rows)
    if again and (once := choose(rows[again:], width)).rows:
        # A first row that comes twice is a header twice, if it is one at all: as data it would speak against itself.
        return replace(once, rows=once.rows + again)
    below = _body(rows, width)
    series = _series(rows[0], rows[1:])
    evidence, against = _evidence(rows[0], below, rows[1:], width, series=series)
    nameable = _nameable(rows[0]) or bool(series)
    if width > 1 and nameable and all(kind_of(text or "") in ("text", "empty") for text in rows[0]) and against < 1:
        # Most files have a header: one name that comes back as a value does not make the first row data.
        against = max(0.0, against - 0.7)
    if _is_label_band(rows, below, width):
        return HeaderChoice(2, 0.5, "two rows of words taken as the header: the first one's gaps are filled below")
    depth = _spanning(rows, below, width)
    if evidence <= against and not (depth and _has_gap_over(rows[0], rows[depth])):
        if evidence < against or not nameable:
            return HeaderChoice(0, -against)
        return HeaderChoice(1, 0.0, BY_HABIT)
    if not nameable and evidence < 2 and not depth:
        return HeaderChoice(0, 0.0)
    bands = max(1, depth)
    while bands < min(MAX_BANDS, len(rows) - 1, max(2, len(rows) // 3, depth + 1)):
        more, less = _evidence(rows[bands], below, rows[bands + 1 :], width, typed_only=True)
        filled = sum(bool(text) for text in rows[bands])
        if filled > 1 and len({text for text in rows[bands] if text}) == 1:
            break
        if not (more > 0 and less == 0 and (more >= 2 or more >= 0.5 * _typed(below)) and filled >= 0.3 * width):
            break
        bands += 1
    return HeaderChoice(bands, evidence - against)


def _repeats(rows: Sequence[Sequence[str | None]]) -> int:
    """How many rows at the top are the first one again; 0 where they are too many, or all."""
    more = next((number for number, row in enumerate(rows) if row != rows[0]), len(rows)) - 1
    return more if more < min(MAX_BANDS, len(rows) - 1) else 0


def _body(rows: Sequence[Sequence[str | None]], width: int) -> list[ColumnShape]:
    skipped = 1 if len(rows) <= 3 else 2 if len(rows) <= 6 else min(MAX_BANDS, len(rows) // 3)
    columns = profile(rows[skipped : skipped + BODY_SAMPLE], width)
    return columns + [ColumnShape() for _ in range(width - len(columns))]


def _typed(columns: Sequence[ColumnShape]) -> int:
    return sum(column.dominant() not in ("text", "empty") for column in columns)


def _nameable(row: Sequence[str | None]) -> bool:
    """Mostly filled and mostly distinct: what names are."""
    filled = [text.strip() for text in row if text and not text.isspace()]
    if len(filled) > 1 and len(set(filled)) == 1:
        return False
    named = sum(kind_of(text) == "text" for text in filled)
    return len(filled) > 0.5 * len(row) and len(set(filled)) >= 0.6 * len(filled) and named >= 0.5 * len(filled)


def _distinct(row: Sequence[str | None]) -> bool:
    filled = [text.strip() for text in row if text]
    return len(filled) == len(set(filled))


def _spanning(rows: Sequence[Sequence[str | None]], below: Sequence[ColumnShape], width: int) -> int:
    """How many sparse rows stand over a full one that is a header: labels that span columns."""
    for depth, row in enumerate(rows[1:MAX_BANDS], start=1):
        filled = [text for text in row if text and not text.isspace()]
        if len(filled) <= 0.5 * width and len(rows) > 2 * depth + 2:
            continue
        named = sum(kind_of(text) == "text" for text in filled)
        clear = len(set(filled)) > 1 and len(filled) > 0.5 * width and named > 0.5 * len(filled)
        return depth if clear and _evidence(row, below, rows[depth + 1 :], width)[0] >= 1 else 0
    return 0


def _has_gap_over(row: Sequence[str | None], below: Sequence[str | None]) -> bool:
    """A row that leaves out a column which the one below it names: a label to the left spans it."""
    return any(name and name.strip() and not (text and text.strip()) for text, name in zip(row, below, strict=False))


def _is_label_band(rows: Sequence[Sequence[str | None]], below: Sequence[ColumnShape], width: int) -> bool:
    """Words with gaps over a full row of words and no gaps below: labels over names in a table without figures."""
    if len(rows) < STEADY_ROWS + 2 or width < 3 or _typed(below):
        return False
    gaps = [index for index in range(width) if index >= len(rows[0]) or not (rows[0][index] or "").strip()]
    names = [(text or "").strip() for text in rows[1][:width]]
    if not width / 3 <= len(gaps) < width or len(set(names)) < width or "" in names:
        return False
    body = rows[2:BODY_SAMPLE]
    whole = sum(all(index < len(row) and row[index] for index in gaps) for row in body)
    recurring = any(names[index] == row[index] for row in body for index in range(min(width, len(row))))
    return whole >= 0.95 * len(body) and not recurring


def _series(row: Sequence[str | None], others: Sequence[Sequence[str | None]]) -> frozenset[int]:
    """Columns that a row names by years or numbers that count on, or by dates, where the rows below do neither."""
    cells = {index: text.strip() for index, text in enumerate(row) if text and not text.isspace()}
    kinds = {index: kind_of(text) for index, text in cells.items()}
    counted = [index for index, kind in kinds.items() if kind == "int" and cells[index].isdecimal()]
    dates = [index for index, kind in kinds.items() if kind == "date"]
    found = dates or counted
    if len(found) < 2 or len(found) == len(cells) or found[0] == min(cells):
        return frozenset()
    if any(kinds[index] != "text" for index in cells if index not in found):
        return frozenset()
    if dates:
        if len({cells[index] for index in dates}) < len(dates):
            return frozenset()
    elif not _counts_on(cells, counted) or (len(counted) == 2 and not all(_YEAR.fullmatch(cells[i]) for i in counted)):
        return frozenset()
    sample = others[:BODY_SAMPLE]
    alike_rows = sum(_is_alike(other, found, dates=bool(dates)) for other in sample)
    return frozenset(found) if sample and alike_rows <= 0.3 * len(sample) else frozenset()


def _counts_on(cells: Mapping[int, str], indices: Sequence[int]) -> bool:
    steps = {int(cells[after]) - int(cells[before]) for before, after in pairwise(indices)}
    return steps in ({1}, {-1})


def _is_alike(row: Sequence[str | None], indices: Sequence[int], *, dates: bool) -> bool:
    texts = {index: (row[index] or "").strip() for index in indices if index < len(row)}
    if dates:
        return any(kind_of(text) == "date" for text in texts.values())
    return len(texts) == len(indices) and all(map(str.isdecimal, texts.values())) and _counts_on(texts, indices)


def _evidence(
    row: Sequence[str | None],
    below: Sequence[ColumnShape],
    others: Sequence[Sequence[str | None]],
    width: int,
    *,
    typed_only: bool = False,
    series: frozenset[int] = frozenset(),
) -> tuple[float, float]:
    """For and against a row being a header: columns in which it differs from, or looks like, what is below."""
    differs = same = 0.0
    years = [text for text in row if text and _YEAR.fullmatch(text.strip())]
    year_names = len(years) >= 2 and len(set(years)) == len(years)
    if typed_only and sum(kind_of(text) in NUMERIC for text in row if text) > len(years):
        year_names = False
    for index in range(min(width, len(row))):
        if typed_only and same:
            # One column that goes on is enough against a further band.
            break
        text = row[index] or ""
        column = below[index]
        kind, own = kind_of(text), column.dominant()
        if kind == "empty" or own == "empty":
            continue
        if index in series:
            differs += 0.5
            continue
        if own != "text":
            if kind == "text":
                # NA, "-" and the like stand in for a number and say little.
                said = any(char.isalpha() for char in text) and text.strip().lower() not in _STANDINS
                if typed_only and len(text) > 4 and any(char.isdigit() for char in text):
                    # A long text with figures in it is a value that was written another way.
                    same += 0.5
                    continue
                differs += 1.0 if said and len(text) > 1 else 0.4
            elif typed_only and own == "date" and _YEAR.fullmatch(text.strip()):
                # A bare year among full dates is a date.
                same += 1.0
            elif alike(kind, own):
                if year_names and kind in NUMERIC and not _all_years(column):
                    differs += 0.5
                elif kind in NUMERIC and (typed_only or not (year_names and text in years)):
                    # Below the first row, years over years go on with them.
                    same += 1.0
                elif kind not in NUMERIC:
                    same += 1.5
            continue
        if typed_only:
            if kind != "text":
                same += 1.0
            continue
        if kind != "text" and column.kinds["text"] >= 0.8 * column.filled:
            same += 0.4 if not year_names else 0.0
            continue
        if column.code() is not None:
            if column.outlines[outline_of(shape_of(text))]:
                same += 1.0
            else:
                differs += 0.7
        elif (
            column.filled >= 3
            and len(column.texts) > 1
            and text in {other[index] for other in others[:BODY_SAMPLE] if index < len(other)}
        ):
            same += 0.6
        elif column.longest > 60 and len(text) > 60:
            same += 0.7
    return differs, same


def _all_years(column: ColumnShape) -> bool:
    return column.filled > 0 and column.shapes["9999"] == column.filled


def name_misfit(columns: Sequence[ColumnShape]) -> Misfit:
    """Prices for names over columns: a name that says what its column holds fits, one that says otherwise does not."""

    def misfit(index: int, text: str) -> float:
        if not text:
            return 0.3
        if kind_of(text) != "text":
            return 0.6
        own = columns[index].dominant() if index < len(columns) else "text"
        for kind, pattern in _NAMED_KINDS:
            if pattern.search(text):
                fits = kind == own or (kind in ("money", "number") and (own in NUMERIC))
                whole = pattern.fullmatch(text) is not None
                return (0.0 if fits and whole else 0.15 if fits else 0.9) if own != "empty" else 0.3
        return 0.3

    return misfit


def single(names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The same for a header of one row."""
    if all(map(str.strip, names)):
        return tuple(zip(names, strict=True))
    return tuple([(text,) if text and not text.isspace() else () for text in names])


def bands(rows: Sequence[Sequence[str | None]], width: int) -> tuple[tuple[str, ...], ...]:
    """Per column its names from top to bottom; a label above spans the columns to its right that have a name below."""
    if len(rows) == 1 and len(rows[0]) == width:
        return single([text or "" for text in rows[0]])
    filled: list[list[str]] = []
    for level in range(len(rows) - 1, -1, -1):
        row = rows[level]
        texts = [(row[i] or "") if i < len(row) else "" for i in range(width)]
        if filled:
            # What a label below spans is spanned by the label above it too.
            below = filled[0]
            label = ""
            for i, text in enumerate(texts):
                if text.strip():
                    label = text
                elif label and below[i].strip():
                    texts[i] = label
        filled.insert(0, texts)
    return tuple(tuple(row[i] for row in filled if row[i].strip()) for i in range(width))
