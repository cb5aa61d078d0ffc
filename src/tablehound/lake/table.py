"""The table: header, rows of raw text cells, an optional title. Where it came from is provenance, not content.

Cells live in Arrow: one string column ``c0 … cN`` per table column (null = the row had no such cell, which is not the
same as the empty text), and a last integer column ``row`` with the 1-based row number in the source. Raw text is never
changed; values are derived from it by the column's :class:`Reading`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["text", "number", "date", "time", "boolean", "empty"]
Mark = Literal["censored", "suppressed", "units", "percent", "clock", "separator"]
"""Why values of a column cannot be added up, or not for certain: some are bounds (``<5``) or hidden (``*``), some have
another unit, bare numbers occur among percentages, it is open whether times of day or durations are
meant, or points may separate thousands in a column of counts."""
ROW = "row"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a table was found. Never shown to a backbone in blind mode."""

    source: str
    """Path or URL. Below a folder that was indexed: the posix path relative to that folder."""
    format: str
    """``csv``, ``xlsx``, ``html`` …"""
    member: str | None = None
    """Path inside an archive."""
    sheet: str | None = None
    """Sheet of a workbook, table of a database, or record path of a JSON document."""
    region: str | None = None
    """Cells of the sheet, such as ``A5:F40``."""
    ordinal: int = 0
    """Which table of the source, counted from 0, in the order found."""

    def label(self) -> str:
        """One line for people: ``sales.zip!q1.xlsx#Sheet1!A5:F40``."""
        text = self.source + (f"!{self.member}" if self.member else "")
        if self.sheet:
            text += f"#{self.sheet}" + (f"!{self.region}" if self.region else "")
        elif self.ordinal:
            text += f"#{self.ordinal + 1}"
        return text


@dataclass(frozen=True, slots=True)
class Reading:
    """How the raw texts of one column become values: decided once per column, from all of them."""

    kind: Kind = "text"
    decimal: str = "."
    thousands: str | None = None
    date_order: Literal["ymd", "dmy", "mdy"] | None = None
    scale: float = 1.0
    """What a value of 1 is in the unit: 1000 for a column in thousands. Values are not multiplied by it."""
    unit: str | None = None
    """Of all values: of the cells, or of the column's name."""
    styles: tuple[str, ...] = ()
    """Writings seen: ``plain``, ``spelled``, ``roman``, ``scientific``, ``percent``, ``currency`` …"""
    ambiguous: bool = False
    """Another reading would fit all values as well, such as day/month against month/day."""
    confidence: float = 1.0
    exceptions: int = 0
    """Non-blank cells that do not read as ``kind``; their value is the text."""
    note: str = ""
    marks: tuple[Mark, ...] = ()
    """Why a sum may be wrong; ``note`` explains each."""
    blanks: int = 0
    """Cells that hold nothing but white space."""
    nulls: int = 0
    """Null tokens (``NULL``, ``\\N``) and, in columns of numbers, dates and booleans, placeholders (``NA``, ``-``)."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``name`` is distinct within its table, case-insensitively; ``original`` is what the source said."""

    name: str
    original: str
    path: tuple[str, ...] = ()
    """Header bands from top to bottom, when there is more than one: ``('2024', 'Q1', 'Sales')``."""
    reading: Reading = field(default_factory=Reading)
    inferred: bool = False
    """The source had no name for it: ``name`` was made up or inferred."""

    @property
    def kind(self) -> Kind:
        return self.reading.kind


@dataclass(frozen=True, slots=True)
class TableInfo:
    """All of a table but its cells."""

    id: str
    """Anonymous, stable: a hash of provenance and content."""
    columns: tuple[Column, ...]
    n_rows: int
    provenance: Provenance
    title: str | None = None
    notes: tuple[str, ...] = ()
    """Text found around the table: caption, footnotes, side notes."""
    content_hash: str = ""
    rollup_rows: tuple[int, ...] = ()
    """0-based indices of rows that add up others (totals); programs leave them out by default."""

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its cells."""

    info: TableInfo
    cells: pa.Table
    """Columns ``c0 … cN`` of strings and ``row`` of 64-bit integers."""

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def header(self) -> tuple[str, ...]:
        return self.info.header

    @property
    def n_rows(self) -> int:
        return self.info.n_rows

    def column(self, index: int) -> list[str | None]:
        """Raw texts of one column."""
        texts: list[str | None] = self.cells.column(index).to_pylist()
        return texts

    def row(self, index: int) -> tuple[str | None, ...]:
        """Raw texts of one row, by 0-based index."""
        return next(self.rows([index]))

    def rows(self, indices: Sequence[int] | None = None) -> Iterator[tuple[str | None, ...]]:
        """Raw texts of the rows at the 0-based indices, or of all rows."""
        width = len(self.info.columns)
        taken = self.cells
        if indices is not None:
            import pyarrow as pa

            # Typed, since Arrow cannot tell what an empty list is a list of.
            taken = self.cells.take(pa.array(indices, pa.int64()))
        columns = [taken.column(i).to_pylist() for i in range(width)]
        if not columns:
            return iter(() for _ in range(taken.num_rows))
        return zip(*columns, strict=True)

    def source_rows(self) -> list[int]:
        """1-based row numbers in the source, of all rows in their order."""
        numbers: list[int] = self.cells.column(ROW).to_pylist()
        return numbers

    def source_row(self, index: int) -> int:
        """1-based row number in the source of the row at a 0-based index."""
        number: int = self.cells.column(ROW)[index].as_py()
        return number
