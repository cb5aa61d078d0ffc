"""Stage 5, header: how many of a table's first rows are its header, and the names of the columns in it.

A row is a header as far as it differs from the rows below: a word over numbers, another shape over codes. Where all is
text there is nothing to compare, and the first row is the header unless it looks like one of the others.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

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

MAX_LEVELS = 5
SAMPLE_ROWS = 100
"""Rows that a header is compared with."""
BY_HABIT = "first row taken as the header; nothing tells it from the others"


@dataclass(frozen=True, slots=True)
class Weights:
    """What a column counts for and against a row being a header, and thresholds on it. All were chosen by hand."""

    name_over_type: float = 1.0
    """For: a word over cells with a type."""
    stand_in_over_type: float = 0.4
    """For: a text such as NA, or a single character, over cells with a type."""
    series: float = 0.5
    """For: a year, number or date of a series over cells that are none."""
    year_over_numbers: float = 0.5
    """For: one of several years over numbers."""
    other_shape: float = 0.7
    """For: another outline than that of the codes below."""
    long_text_with_figures: float = 0.5
    """Against: over cells with a type, below the first row."""
    same_type: float = 1.0
    """Against: a number over numbers, a bare year over dates, any type over text below the first row."""
    same_rare_type: float = 1.5
    """Against: a date, time or link over the like."""
    type_over_text: float = 0.4
    """Against: a cell with a type over words."""
    same_shape: float = 1.0
    """Against: the outline of the codes below."""
    recurring: float = 0.6
    """Against: a text that comes back below."""
    long_over_long: float = 0.7
    """Against: a text of more than ``long_chars`` over such texts."""
    long_chars: int = 60
    forgiven: float = 0.7
    """Evidence against a first row of words that is not counted: most files have a header."""
    sure: float = 2
    """Evidence that makes a header of a row unlike names, and a header level of any row."""
    spanning: float = 1
    """Evidence of a full row that makes header levels of the sparse rows above it."""
    lone_row: float = 0.5
    """Evidence of a single row of names, and of a row of labels over one of names."""
    level_share: float = 0.5
    """Share of the columns with a type that is evidence enough of a further level."""
    level_filled: float = 0.3
    """Share of the columns that a further level names at least."""
    neutral_name: float = 0.3
    """Price of a name that promises nothing, or of none, where a broken header is repaired; the next ones too."""
    partial_name: float = 0.15
    """Price of a name of which a part promises what the column has; a whole one is free."""
    typed_name: float = 0.6
    wrong_name: float = 0.9


WEIGHTS = Weights()
_STEADY_ROWS = 3
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d(?:[/\-]\d{2,4})?")


@dataclass(frozen=True, slots=True)
class HeaderChoice:
    """How many rows, and how sure."""

    rows: int
    evidence: float
    """Positive: columns that differ below it. 0: a guess."""
    note: str = ""


def header_choice(rows: Sequence[Sequence[str | None]], width: int) -> HeaderChoice:
    """How many leading rows of a table are its header. ``rows`` start at the table's first row."""
    if not rows:
        return HeaderChoice(0, 0.0)
    if len(rows) == 1:
        alone = sum(kind_of(text or "") not in ("text", "empty") for text in rows[0])
        named = sum(kind_of(text or "") == "text" for text in rows[0])
        if alone == 0 and named and _distinct(rows[0]):
            return HeaderChoice(1, WEIGHTS.lone_row, "a single row of names, taken as a header without rows")
        return HeaderChoice(0, 0.0, "a single row, taken as data")
    again = _repeats(rows)
    if again and (once := header_choice(rows[again:], width)).rows:
        # A first row that comes twice is a header twice, if it is one at all: as data it would count against itself.
        return replace(once, rows=once.rows + again)
    below = _body(rows, width)
    series = _series(rows[0], rows[1:])
    evidence, against = _evidence(rows[0], below, rows[1:], width, series=series)
    nameable = _nameable(rows[0]) or bool(series)
    if width > 1 and nameable and all(kind_of(text or "") in ("text", "empty") for text in rows[0]) and against < 1:
        # Most files have a header: one name that comes back as a value does not make the first row data.
        against = max(0.0, against - WEIGHTS.forgiven)
    if _is_label_level(rows, below, width):
        note = "two rows of words taken as the header: the first one's gaps are filled below"
        return HeaderChoice(2, WEIGHTS.lone_row, note)
    depth = _spanning(rows, below, width)
    if evidence <= against and not (depth and _has_gap_over(rows[0], rows[depth])):
        if evidence < against or not nameable:
            return HeaderChoice(0, -against)
        return HeaderChoice(1, 0.0, BY_HABIT)
    if not nameable and evidence < WEIGHTS.sure and not depth:
        return HeaderChoice(0, 0.0)
    levels = max(1, depth)
    while levels < min(MAX_LEVELS, len(rows) - 1, max(2, len(rows) // 3, depth + 1)):
        more, less = _evidence(rows[levels], below, rows[levels + 1 :], width, first=False)
        filled = sum(bool(text) for text in rows[levels])
        if filled > 1 and len({text for text in rows[levels] if text}) == 1:
            break
        enough = more > 0 and (more >= WEIGHTS.sure or more >= WEIGHTS.level_share * _typed(below))
        if less != 0 or not enough or filled < WEIGHTS.level_filled * width:
            break
        levels += 1
    return HeaderChoice(levels, evidence - against)


def _repeats(rows: Sequence[Sequence[str | None]]) -> int:
    """How many rows at the top are the first one again; 0 where they are too many, or all."""
    more = next((number for number, row in enumerate(rows) if row != rows[0]), len(rows)) - 1
    return more if more < min(MAX_LEVELS, len(rows) - 1) else 0


def _body(rows: Sequence[Sequence[str | None]], width: int) -> list[ColumnShape]:
    skipped = 1 if len(rows) <= 3 else 2 if len(rows) <= 6 else min(MAX_LEVELS, len(rows) // 3)
    columns = profile(rows[skipped : skipped + SAMPLE_ROWS], width)
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
    """How many sparse rows there are above a full one that is a header: labels that span columns."""
    for depth, row in enumerate(rows[1:MAX_LEVELS], start=1):
        filled = [text for text in row if text and not text.isspace()]
        if len(filled) <= 0.5 * width and len(rows) > 2 * depth + 2:
            continue
        named = sum(kind_of(text) == "text" for text in filled)
        clear = len(set(filled)) > 1 and len(filled) > 0.5 * width and named > 0.5 * len(filled)
        return depth if clear and _evidence(row, below, rows[depth + 1 :], width)[0] >= WEIGHTS.spanning else 0
    return 0


def _has_gap_over(row: Sequence[str | None], below: Sequence[str | None]) -> bool:
    """A row that leaves out a column which the one below it names: a label to the left spans it."""
    return any(name and name.strip() and not (text and text.strip()) for text, name in zip(row, below, strict=False))


def _is_label_level(rows: Sequence[Sequence[str | None]], below: Sequence[ColumnShape], width: int) -> bool:
    """Words with gaps over a full row of words and no gaps below: labels over names in a table without figures."""
    if len(rows) < _STEADY_ROWS + 2 or width < 3 or _typed(below):
        return False
    gaps = [index for index in range(width) if index >= len(rows[0]) or not (rows[0][index] or "").strip()]
    names = [(text or "").strip() for text in rows[1][:width]]
    if not width / 3 <= len(gaps) < width or len(set(names)) < width or "" in names:
        return False
    body = rows[2:SAMPLE_ROWS]
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
    sample = others[:SAMPLE_ROWS]
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
    first: bool = True,
    series: frozenset[int] = frozenset(),
) -> tuple[float, float]:
    """For and against a row being a header: columns in which it differs from, or looks like, what is below.

    Below the ``first`` row only columns with a type count.
    """
    differs = same = 0.0
    years = [text for text in row if text and _YEAR.fullmatch(text.strip())]
    year_names = len(years) >= 2 and len(set(years)) == len(years)
    if not first and sum(kind_of(text) in NUMERIC for text in row if text) > len(years):
        year_names = False
    for index in range(min(width, len(row))):
        if not first and same:
            # One column that goes on is enough against a further level.
            break
        text = row[index] or ""
        column = below[index]
        kind, own = kind_of(text), column.dominant()
        if kind == "empty" or own == "empty":
            continue
        if index in series:
            differs += WEIGHTS.series
            continue
        if own != "text":
            if kind == "text":
                # NA, "-" and the like stand in for a number and are little evidence.
                telling = any(char.isalpha() for char in text) and text.strip().lower() not in _stand_ins()
                if not first and len(text) > 4 and any(char.isdigit() for char in text):
                    # A long text with figures in it is a value that was written another way.
                    same += WEIGHTS.long_text_with_figures
                    continue
                differs += WEIGHTS.name_over_type if telling and len(text) > 1 else WEIGHTS.stand_in_over_type
            elif not first and own == "date" and _YEAR.fullmatch(text.strip()):
                # A bare year among full dates is a date.
                same += WEIGHTS.same_type
            elif alike(kind, own):
                if year_names and kind in NUMERIC and not _all_years(column):
                    differs += WEIGHTS.year_over_numbers
                elif kind in NUMERIC and (not first or not (year_names and text in years)):
                    # Below the first row, years over years go on with them.
                    same += WEIGHTS.same_type
                elif kind not in NUMERIC:
                    same += WEIGHTS.same_rare_type
            continue
        if not first:
            if kind != "text":
                same += WEIGHTS.same_type
            continue
        if kind != "text" and column.kinds["text"] >= 0.8 * column.filled:
            same += WEIGHTS.type_over_text if not year_names else 0.0
            continue
        if column.code() is not None:
            if column.outlines[outline_of(shape_of(text))]:
                same += WEIGHTS.same_shape
            else:
                differs += WEIGHTS.other_shape
        elif (
            column.filled >= 3
            and len(column.texts) > 1
            and text in {other[index] for other in others[:SAMPLE_ROWS] if index < len(other)}
        ):
            same += WEIGHTS.recurring
        elif column.longest > WEIGHTS.long_chars and len(text) > WEIGHTS.long_chars:
            same += WEIGHTS.long_over_long
    return differs, same


def _all_years(column: ColumnShape) -> bool:
    return column.filled > 0 and column.shapes["9999"] == column.filled


def name_misfit(columns: Sequence[ColumnShape]) -> Misfit:
    """Prices for names over columns: a name that promises what its column has fits, another promise does not."""

    def misfit(index: int, text: str) -> float:
        if not text:
            return WEIGHTS.neutral_name
        if kind_of(text) != "text":
            return WEIGHTS.typed_name
        own = columns[index].dominant() if index < len(columns) else "text"
        for kind, pattern in _named_kinds():
            if pattern.search(text) is None:
                continue
            if own == "empty":
                return WEIGHTS.neutral_name
            if kind != own and not (kind in ("money", "number") and own in NUMERIC):
                return WEIGHTS.wrong_name
            return WEIGHTS.partial_name if pattern.fullmatch(text) is None else 0.0
        return WEIGHTS.neutral_name

    return misfit


def names_of_row(names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Per column its name in a header of one row, if it has one."""
    if all(map(str.strip, names)):
        return tuple(zip(names, strict=True))
    return tuple([(text,) if text and not text.isspace() else () for text in names])


def names_of_rows(rows: Sequence[Sequence[str | None]], width: int) -> tuple[tuple[str, ...], ...]:
    """Per column its names from top to bottom; a label above spans the columns to its right that have a name below."""
    if len(rows) == 1 and len(rows[0]) == width:
        return names_of_row([text or "" for text in rows[0]])
    filled: list[list[str]] = []
    for level in range(len(rows) - 1, -1, -1):
        row = rows[level]
        texts = [(row[i] or "") if i < len(row) else "" for i in range(width)]
        if filled:
            # What a label spans is spanned by the label above it too.
            below = filled[0]
            label = ""
            for i, text in enumerate(texts):
                if text.strip():
                    label = text
                elif label and below[i].strip():
                    texts[i] = label
        filled.insert(0, texts)
    return tuple(tuple(row[i] for row in filled if row[i].strip()) for i in range(width))


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("header_words.toml").read_text(encoding="utf-8"))


@cache
def _stand_ins() -> frozenset[str]:
    return frozenset(_words()["data"]["stand_ins"])


@cache
def _named_kinds() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Kinds of cells with the names that promise them, in the order in which they are tried."""
    kinds: dict[str, list[str]] = _words()["kinds"]
    return tuple((kind, re.compile("|".join(words), re.IGNORECASE)) for kind, words in kinds.items())
