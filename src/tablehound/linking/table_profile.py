"""Profiles of the tables of a question: their columns' words, kinds, values and numbers, read once and kept."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeVar

from tablehound.lake import Column, Reading, TableInfo, Value, bounds_of_cell, factor, measure_of, parse, plain_number
from tablehound.language.lexicon import expand, lexicon
from tablehound.language.literals import MONTH_NAMES, DateParts, cell_date, number_said, parts_of_value
from tablehound.language.words import fold, identifier_words, stem
from tablehound.program import View

if TYPE_CHECKING:
    from tablehound.lake import Lake

T = TypeVar("T")

KEPT_PROFILES = 64
KEPT_CELLS = 1_000_000
"""Cells of tables that are kept with what was derived from them, for a lake."""
KEPT_LAKES = 2
DATABASES = frozenset(("sqlite", "duckdb"))
NUMBER_IN_TEXT = r"-?\d[\d,]*(?:\.\d+)?"
CLOCK = r"^\s*(?:(\d+):)?(\d+):(\d\d(?:\.\d+)?)\s*$"
_NUMBER_IN_TEXT = re.compile(NUMBER_IN_TEXT)
_CLOCK = re.compile(CLOCK)


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of a column's cells, 0 to 1, from which on the column as a whole is taken for something. All by hand."""

    spelled: float = 0.9
    """Numbers in words."""
    clock: float = 0.7
    inner: float = 0.6
    """Numbers within texts."""
    years: float = 0.95
    """Numbers that are years."""
    dates: float = 0.7
    """Texts with a date."""
    spans: float = 0.7
    """Texts with two years."""
    unique: float = 0.95
    """Distinct values, for codes."""
    subject: float = 0.9
    """Distinct values, for the names of what the rows are about."""


SHARES = Shares()
_LEADING_ZERO = re.compile(r"0\d+")
YEARS = r"\b[12]\d{3}\b"
_YEARS = re.compile(YEARS)
_WORD = re.compile(r"[^\W_]+", re.UNICODE)


def of_cells(derive: Callable[[ColumnProfile], T]) -> cached_property[T]:
    """A property of the cells alone: derived once for all aliases of the table."""

    def get(column: ColumnProfile) -> T:
        if column.base is None:
            return derive(column)
        shared: T = getattr(column.base, derive.__name__)
        return shared

    get.__doc__ = derive.__doc__
    return cached_property(get)


@dataclass
class ColumnProfile:
    """One column. ``texts`` are the raw cells; ``alias`` is the view it belongs to in a program."""

    index: int
    column: Column
    texts: list[str | None]
    alias: str = "T1"
    table: str = ""
    """Words of the table it comes from, where several tables meet."""
    base: ColumnProfile | None = field(default=None, repr=False, compare=False)
    """The same column as it was read, under no alias: it keeps what is derived."""
    parts: tuple[tuple[int, Reading], ...] = ()
    """Of a union, rows and reading of the column in each part; empty for a table."""

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def kind(self) -> str:
        return self.column.kind

    @of_cells
    def words(self) -> tuple[str, ...]:
        return identifier_words(" ".join((*self.column.path[:-1], self.column.name)))

    @of_cells
    def stems(self) -> tuple[str, ...]:
        """Stems of the header's words, as written."""
        return tuple(stem(word) for word in self.words)

    @of_cells
    def expanded(self) -> frozenset[str]:
        """Stems of the header's words, with abbreviations written out."""
        return frozenset(stem(word) for word in expand(self.words)) | frozenset(self.stems)

    @of_cells
    def folded(self) -> list[str]:
        return [fold(text) if text else "" for text in self.texts]

    @of_cells
    def distinct(self) -> dict[str, list[int]]:
        """Folded value → row indices."""
        found: dict[str, list[int]] = {}
        for row, text in enumerate(self.folded):
            if text:
                found.setdefault(text, []).append(row)
        return found

    @of_cells
    def values(self) -> list[Value | None]:
        """Typed values; None where blank or where the text does not read as the column's kind."""
        out: list[Value | None] = []
        for n, reading in self.parts or ((len(self.texts), self.column.reading),):
            by = factor(measure_of(reading), measure_of(self.column.reading)) or 1
            known: dict[str | None, Value | None] = {None: None}
            for text in self.texts[len(out) : len(out) + n]:
                if text is not None and text not in known:
                    value = parse(text, reading)
                    typed = None if isinstance(value, str) and reading.kind != "text" else value
                    known[text] = _times(typed, by) if by != 1 else typed
                out.append(known[text])
        return out

    @of_cells
    def bounds(self) -> list[tuple[float, float] | None]:
        """What each cell of a column of numbers is at least and at most; None where it gives neither."""
        reading = self.column.reading
        return [bounds_of_cell(text, reading) for text in self.texts]

    @property
    def censored(self) -> bool:
        """Some cells are bounds in place of numbers (``<5``)."""
        return "censored" in self.column.reading.marks and not self.parts

    @of_cells
    def measure(self) -> str:
        """How the column gives numbers: ``number``, ``date`` and ``time`` (ordered, not summed), ``clock``, ``inner``
        (the one number in texts that are alike but for it), ``spelled`` (numbers in words) or ``none``."""
        if self.kind in ("number", "date", "time"):
            return self.kind
        filled = [text for text in self.texts if text and text.strip(" -–—")]
        if not filled:
            return "none"
        spelled = sum(number_said(text) is not None for text in self.folded if text)
        if spelled >= SHARES.spelled * len(filled) and not all(text.isdigit() for text in self.distinct):
            return "spelled"
        if sum(_CLOCK.match(text) is not None for text in filled) >= SHARES.clock * len(filled):
            return "clock"
        return "inner" if _is_quantity(filled) else "none"

    @of_cells
    def numbers(self) -> list[float | None]:
        """What the column orders by: its numbers, days, seconds, or the first number inside the text."""
        measure = self.measure
        if self.censored:
            return [None if ends is None else _near(ends) for ends in self.bounds]
        out: list[float | None] = []
        for text, value in zip(self.texts, self.values, strict=True):
            if measure == "date":
                out.append(float(value.toordinal()) if hasattr(value, "toordinal") else None)  # type: ignore[union-attr]
            elif measure == "number":
                out.append(float(value) if isinstance(value, int | float | Decimal) else None)
            elif measure == "time":
                out.append(_of_day(value) if isinstance(value, dt.time) else None)
            elif measure == "none" or not text:
                out.append(None)
            elif measure == "clock":
                out.append(_seconds(text))
            elif measure == "spelled":
                out.append(number_said(fold(text)))
            else:
                found = _NUMBER_IN_TEXT.search(text)
                out.append(float(found.group().replace(",", "")) if found else None)
        return out

    @property
    def exact_numbers(self) -> list[float | None]:
        """:attr:`numbers` without those that cells only bound."""
        if not self.censored:
            return self.numbers
        return [ends[0] if ends is not None and ends[0] == ends[1] else None for ends in self.bounds]

    @of_cells
    def dates(self) -> list[DateParts | None]:
        """Date parts of each cell, as far as it says them."""
        if self.kind == "date":
            return [parts_of_value(value) for value in self.values]
        if self.kind == "number":
            return [None] * len(self.texts)
        return [cell_date(text) if text else None for text in self.texts]

    @of_cells
    def datelike(self) -> bool:
        """Most cells say a date or year."""
        if self.kind == "date":
            return True
        if self.kind == "number":
            filled = [n for n in self.numbers if n is not None]
            years = sum(1000 <= n <= 2100 and n == int(n) for n in filled)
            return years >= SHARES.years * len(filled) > 0
        filled_dates = [d for d, t in zip(self.dates, self.texts, strict=True) if t]
        return bool(filled_dates) and sum(d is not None for d in filled_dates) >= SHARES.dates * len(filled_dates)

    @property
    def ordered_in_time(self) -> bool:
        """It orders first and last: it has dates, years or times of day."""
        return self.datelike or self.kind == "time"

    @of_cells
    def years(self) -> list[tuple[int, int] | None]:
        """The two years that each cell says."""
        found = [_YEARS.findall(text) if text else [] for text in self.texts]
        return [(int(pair[0]), int(pair[1])) if len(pair) == 2 else None for pair in found]

    @of_cells
    def spans(self) -> bool:
        """Most cells say two years: a beginning and an end (``1881-1973``)."""
        filled = [text for text in self.texts if text]
        two = sum(pair is not None for pair in self.years)
        return self.kind == "text" and two >= SHARES.spans * len(filled) > 0

    @of_cells
    def identifier(self) -> bool:
        """The header marks the column as keys: its numbers are names, not amounts."""
        if not self.words or self.kind not in ("number", "text"):
            return False
        coded = any(_LEADING_ZERO.fullmatch(text) for text in self.distinct)
        if coded and self.uniqueness >= SHARES.unique and all(text.isdigit() for text in self.distinct):
            return True
        return self.words[-1] in lexicon().key_words or (
            len(self.words) > 1 and self.words[-1] in ("number", "no", "nr") and self.uniqueness >= SHARES.unique
        )

    @of_cells
    def uniqueness(self) -> float:
        filled = sum(bool(text) for text in self.folded)
        return len(self.distinct) / filled if filled else 0.0


def _is_quantity(texts: Sequence[str]) -> bool:
    """Whether texts read as quantities throughout: each has one number, and all are alike but for it."""
    templates = set()
    for text in texts:
        if len(_NUMBER_IN_TEXT.findall(text)) != 1:
            return False
        templates.add(_NUMBER_IN_TEXT.sub("#", fold(text)).strip())
    return len(templates) == 1 and len(texts) > 1


def _near(ends: tuple[float, float]) -> float:
    """One of the numbers that a cell with bounds may mean, to try what a program would give."""
    return next((end for end in ends if math.isfinite(end)), 0.0)


def _of_day(time: dt.time) -> float:
    return 3600 * time.hour + 60 * time.minute + time.second + time.microsecond / 1e6


def _times(value: Value | None, by: Decimal | int) -> Value | None:
    """A number of another part of a union in the first part's scale."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return value
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    return plain_number(exact * by)


def _seconds(text: str) -> float | None:
    found = _CLOCK.match(text)
    if not found:
        return None
    return 3600 * int(found[1] or 0) + 60 * int(found[2]) + float(found[3])


@dataclass
class TableProfile:
    """A table, a union cluster stacked, or several tables joined. ``source`` is what a program reads FROM."""

    info: TableInfo
    columns: list[ColumnProfile]
    n_rows: int
    views: Mapping[str, View]
    source: str = "T1"
    rollups: frozenset[int] = frozenset()
    parts: dict[str, list[int]] = field(default_factory=dict)
    """Joined tables only: alias → row index within the alias's table, per joined row."""
    keys: frozenset[int] = frozenset()
    """Joined tables only: columns that the join compares."""
    bases: dict[str, TableProfile] = field(default_factory=dict)
    """Joined tables only: alias → its table alone."""
    about: list[TableInfo] = field(default_factory=list)
    """Where titles, notes and names of sources may be taken from; empty in blind mode."""
    base: TableProfile | None = field(default=None, repr=False, compare=False)
    """The same table as it was read, under no alias."""
    matches: dict[Hashable, frozenset[int]] = field(default_factory=dict, repr=False, compare=False)
    """Condition → rows, as far as they were looked for (see ``plan.matching``)."""

    @property
    def aliases(self) -> list[str]:
        return list(self.views)

    @cached_property
    def rows(self) -> list[int]:
        """Row indices that programs look at: rows that add up others are left out."""
        return [row for row in range(self.n_rows) if row not in self.rollups]

    @cached_property
    def subjects(self) -> frozenset[int]:
        """Columns that say what each row is: the first text column in which nearly every value occurs once; of a
        join, those of its tables."""
        if self.bases:
            names = {(alias, base.columns[place].name) for alias, base in self.bases.items() for place in base.subjects}
            return frozenset(c.index for c in self.columns if (c.alias, c.name) in names)
        for column in self.columns:
            named = column.kind == "text" and column.uniqueness >= SHARES.subject
            if named and not column.datelike and not column.identifier:
                return frozenset((column.index,))
        return frozenset()

    @cached_property
    def about_stems(self) -> frozenset[str]:
        """Stems of titles, notes, and names of files and sheets."""
        texts: list[str] = []
        for info in self.about:
            place = info.provenance
            names = [name.rsplit("/", 1)[-1].rsplit(".", 1)[0] for name in (place.source, place.member or "")]
            if place.format in DATABASES:  # the file is about all of its tables
                names = []
            texts += [info.title or "", *info.notes, place.sheet or "", *names]
        words = {word for text in texts for word in (*identifier_words(text), *_WORD.findall(fold(text)))}
        months = {full for full in MONTH_NAMES for word in words if word == full[:3]}
        return frozenset(stem(word) for word in words | months)

    @cached_property
    def postings(self) -> dict[str, list[tuple[int, str]]]:
        """Word of a cell → (column, folded value) that contain it."""
        if self.base is not None:
            return self.base.postings
        found: dict[str, list[tuple[int, str]]] = {}
        for column in self.columns:
            for value in column.distinct:
                for word in dict.fromkeys(_WORD.findall(value)):
                    found.setdefault(word, []).append((column.index, value))
        return found

    @cached_property
    def words_by_letter(self) -> dict[str, list[str]]:
        """The words of cells that have four letters or more, by their first."""
        if self.base is not None:
            return self.base.words_by_letter
        found: dict[str, list[str]] = {}
        for word in self.postings:
            if len(word) >= 4:
                found.setdefault(word[0], []).append(word)
        return found


ViewKey = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[int, ...], ...]]


class Profiles:
    """Profiles of a lake's tables; the most recent ones are kept."""

    def __init__(self, lake: Lake, *, blind: bool = False) -> None:
        self._lake = lake
        self._blind = blind
        self._kept: OrderedDict[tuple[str, ViewKey], TableProfile] = OrderedDict()

    def clear(self) -> None:
        """Forget all profiles."""
        self._kept.clear()

    def get(self, alias: str, view: View) -> TableProfile:
        """The profile of the table or union cluster of an alias.

        Raises:
            TableMissingError: the lake has no such table.
        """
        key = (alias, (view.table_ids, view.header, view.alignment))
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        profile = self._read(alias, view)
        self._kept[key] = profile
        while len(self._kept) > KEPT_PROFILES:
            self._kept.popitem(last=False)
        return profile

    def _read(self, alias: str, view: View) -> TableProfile:
        read = _kept(self._lake, self._lake.generation).get(view)
        columns = [
            ColumnProfile(column.index, column.column, column.texts, alias, base=column, parts=column.parts)
            for column in read.columns
        ]
        about = [] if self._blind else read.about
        return TableProfile(
            read.info, columns, read.n_rows, {alias: view}, alias, read.rollups, about=about, base=read
        )  # fmt: skip


@lru_cache(maxsize=KEPT_LAKES)
def _kept(lake: Lake, _generation: str) -> _Kept:
    return _Kept(lake)


class _Kept:
    """Tables and union clusters of one state of a lake as they were last read, so that many questions over one lake
    derive values, numbers and words once. Those least recently asked for go beyond ``KEPT_CELLS``."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._tables: OrderedDict[ViewKey, TableProfile] = OrderedDict()
        self._cells = 0

    def get(self, view: View) -> TableProfile:
        key = (view.table_ids, view.header, view.alignment)
        known = self._tables.pop(key, None)
        if known is None:
            known = self._read(view)
            self._cells += _size(known)
        self._tables[key] = known
        while self._cells > KEPT_CELLS and len(self._tables) > 1:
            _, oldest = self._tables.popitem(last=False)
            self._cells -= _size(oldest)
        return known

    def _read(self, view: View) -> TableProfile:
        tables = [self._lake.table(table_id) for table_id in view.table_ids]
        first = tables[0].info
        names = view.header or first.header
        places: Sequence[Sequence[int]] = view.alignment or [range(len(names))] * len(tables)
        columns = []
        for index, name in enumerate(names):
            texts: list[str | None] = []
            for table, place in zip(tables, places, strict=True):
                texts.extend(table.column(place[index]) if place[index] >= 0 else [None] * table.n_rows)
            source = first.columns[places[0][index]] if places[0][index] >= 0 else Column(name, name)
            parts = [
                (table.n_rows, table.info.columns[place[index]].reading if place[index] >= 0 else Reading("empty"))
                for table, place in zip(tables, places, strict=True)
            ]
            reading = source.reading if _go_together([reading for _, reading in parts]) else Reading()
            same = source.name == name and reading is source.reading
            column = source if same else Column(name, source.original, (), reading)
            apart = len(tables) > 1 and reading is source.reading
            columns.append(ColumnProfile(index, column, texts, parts=tuple(parts) if apart else ()))
        rollups: set[int] = set()
        offset = 0
        for table in tables:
            rollups.update(offset + row for row in table.info.rollup_rows)
            offset += table.n_rows
        about = [table.info for table in tables]
        return TableProfile(first, columns, offset, {}, "", frozenset(rollups), about=about)


def _go_together(readings: Sequence[Reading]) -> bool:
    """Whether parts of a column have one kind, and numbers units that convert: as the typed view stacks them."""
    filled = [reading for reading in readings if reading.kind != "empty"]
    if len({reading.kind for reading in filled}) > 1:
        return False
    return all(factor(measure_of(reading), measure_of(filled[0])) is not None for reading in filled)


def _size(table: TableProfile) -> int:
    return table.n_rows * len(table.columns)
