"""What the parts of a workbook show of a sheet beyond the values of its cells: one form for all formats."""

from __future__ import annotations

from dataclasses import dataclass, field

from tablehound.lake.read.layout.grid import Box
from tablehound.lake.read.workbook.number_formats import NumberFormat

Place = tuple[int, int]
"""0-based row and column of a sheet."""


@dataclass(frozen=True, slots=True)
class DefinedTable:
    """A range that the workbook itself declares to be a table."""

    box: Box
    header_rows: int
    total_rows: int


@dataclass(slots=True)
class SheetFacts:
    """Found in one pass over a sheet. Positions are 0-based."""

    rows: int = 0
    columns: int = 0
    """Extent of the cells; for XLSX an upper bound, exact for sheets wider than column Z."""
    cells: int = 0
    merges: list[Box] = field(default_factory=list)
    """Of ODS only; for the other formats the reader of values knows them."""
    formats: dict[Place, NumberFormat] = field(default_factory=dict)
    uncached: dict[Place, str] = field(default_factory=dict)
    """Formulas that have no stored value."""
    errors: dict[Place, str] = field(default_factory=dict)
    """Cells whose value is an error, with its name: ``#N/A``."""
    indents: dict[Place, int] = field(default_factory=dict)
    """How far the text of a cell is indented by its format, where it is."""
    exact: dict[Place, str] = field(default_factory=dict)
    """Texts of cells that the reader of values gets wrong: dates before the first day, durations."""
    sum_rows: set[int] = field(default_factory=set)
    """Rows with a formula that adds up several cells of its own column."""
    tables: list[DefinedTable] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)

    def extend(self, row: int, column: int) -> None:
        """Make the extent cover a cell."""
        self.rows, self.columns = max(self.rows, row + 1), max(self.columns, column + 1)
