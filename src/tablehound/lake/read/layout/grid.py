"""A two-dimensional grid of cells with merges, as sheets and HTML tables are read into.

Positions are 0-based and inclusive inside this package; provenance and accounts give 1-based rows and letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.cell_kinds import EMPTY, TEXT, kinds_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_MERGED_CELLS = 2_000_000
"""Merges are followed up to this many covered cells per grid; beyond, a merge counts as its first cell only."""


@dataclass(frozen=True, slots=True, order=True)
class Box:
    """A rectangle of cells: a merge, or the range of a region."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def height(self) -> int:
        return self.bottom - self.top + 1

    @property
    def width(self) -> int:
        return self.right - self.left + 1

    def label(self) -> str:
        """The range as people write it: ``A5:F40``."""
        return f"{cell_label(self.top, self.left)}:{cell_label(self.bottom, self.right)}"


def column_letters(index: int) -> str:
    """``A`` for 0, ``AA`` for 26."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def cell_label(row: int, column: int) -> str:
    return f"{column_letters(column)}{row + 1}"


def column_index(letters: str) -> int:
    """0 for ``A``, 26 for ``AA``."""
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter.upper()) - 64
    return index - 1


_RANGE = re.compile(r"\s*\$?([A-Za-z]{1,3})\$?(\d{1,7})(?::\$?([A-Za-z]{1,3})\$?(\d{1,7}))?\s*")


def parse_range(text: str, where: str = "") -> Box:
    """The box of ``A5:F40``.

    Raises:
        BrokenSourceError: not a range.
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        raise BrokenSourceError(f"{text!r} is not a range of cells", where=where, remedy="write it as A5:F40")
    left, top, right, bottom = match.groups()
    rows = sorted((int(top) - 1, int(bottom or top) - 1))
    columns = sorted((column_index(left), column_index(right or left)))
    return Box(rows[0], columns[0], rows[1], columns[1])


@dataclass(slots=True)
class Grid:
    """Cells column by column: the raw text of each cell, none where there is no cell or it is empty."""

    columns: list[list[str | None]]
    kinds: NDArray[np.uint8]
    """Rows × columns of the codes in ``cell_kinds``."""
    merges: tuple[Box, ...] = ()
    owners: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """The first cell of the merge that covers a cell, for every covered cell but the first."""
    boxes: dict[tuple[int, int], Box] = field(default_factory=dict)
    """The merge by its first cell."""
    filled: NDArray[np.bool_] = field(init=False)
    """Rows × columns: the cell, or the merge that covers it, is not empty."""
    row_numbers: Sequence[int] | None = None
    """1-based source row of each grid row; none means index + 1."""
    column_numbers: Sequence[int] | None = None
    """0-based source column of each grid column; none means the index itself."""

    sum_rows: frozenset[int] = frozenset()
    """Rows that the source itself computes as sums of others."""
    defined: tuple[tuple[Box, int], ...] = ()
    """Tables that the source itself declares: their boxes and header rows."""
    indents: dict[tuple[int, int], int] = field(default_factory=dict)
    """How far the text of a cell is indented by its format."""

    def __post_init__(self) -> None:
        self.filled = self.kinds != EMPTY
        covered = 0
        for box in self.merges:
            self.boxes[box.top, box.left] = box
            area = box.height * box.width
            covered += area
            if covered > MAX_MERGED_CELLS:
                continue
            anchor = (box.top, box.left)
            kind = self.kinds[anchor]
            if kind != EMPTY:
                self.filled[box.top : box.bottom + 1, box.left : box.right + 1] = True
            for row in range(box.top, box.bottom + 1):
                for column in range(box.left, box.right + 1):
                    if (row, column) != anchor:
                        self.owners[row, column] = anchor

    @property
    def n_rows(self) -> int:
        return int(self.kinds.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.kinds.shape[1])

    def anchor(self, row: int, column: int) -> tuple[int, int]:
        """The cell whose content counts for this one: itself, or the first of its merge."""
        return self.owners.get((row, column), (row, column))

    def text(self, row: int, column: int) -> str | None:
        """Raw text, through merges."""
        row, column = self.anchor(row, column)
        return self.columns[column][row]

    def kind(self, row: int, column: int) -> int:
        """Code of the looks, through merges."""
        return int(self.kinds[self.anchor(row, column)])

    def box_at(self, row: int, column: int) -> Box:
        """The merge that covers a cell, or the cell alone."""
        anchor = self.anchor(row, column)
        return self.boxes.get(anchor) or Box(*anchor, *anchor)

    def cells(self, row: int, left: int, right: int) -> list[tuple[int, int]]:
        """First cells of the distinct filled cells of a row, from left to right."""
        found: dict[tuple[int, int], None] = {}
        for column in range(left, right + 1):
            if self.filled[row, column]:
                found[self.anchor(row, column)] = None
        return list(found)

    def raw(self, cell: tuple[int, int]) -> str:
        """Raw text of a first cell; empty where it has none."""
        return self.columns[cell[1]][cell[0]] or ""

    def all_texts(self, cells: Iterable[tuple[int, int]]) -> bool:
        """Whether first cells are nothing but texts."""
        kinds = self.kinds
        return all(int(kinds[cell]) == TEXT for cell in cells)

    def row_number(self, row: int) -> int:
        return row + 1 if self.row_numbers is None else self.row_numbers[row]

    def source_box(self, box: Box) -> Box:
        """The box in the coordinates of the source."""
        rows, columns = self.row_numbers, self.column_numbers
        return Box(
            box.top if rows is None else rows[box.top] - 1,
            box.left if columns is None else columns[box.left],
            box.bottom if rows is None else rows[box.bottom] - 1,
            box.right if columns is None else columns[box.right],
        )


def grid_of_rows(rows: Iterable[Sequence[str | None]], merges: Iterable[Box] = ()) -> Grid:
    """A grid of texts whose kinds are taken from their looks. Short rows are filled up with empty cells."""
    listed = list(rows)
    width = max((len(row) for row in listed), default=0)
    columns = [[row[c] if c < len(row) else None for row in listed] for c in range(width)]
    return grid_of_columns(columns, len(listed), merges)


def grid_of_columns(columns: list[list[str | None]], n_rows: int, merges: Iterable[Box] = ()) -> Grid:
    """A grid of text columns of equal length whose kinds are taken from their looks."""
    import numpy as np

    kinds = np.zeros((n_rows, len(columns)), dtype=np.uint8)
    for index, column in enumerate(columns):
        kinds[:, index] = kinds_of(column)
    return Grid(columns, kinds, clip_merges(merges, n_rows, len(columns)))


def clip_merges(merges: Iterable[Box], n_rows: int, n_columns: int) -> tuple[Box, ...]:
    """Merges cut to the grid, in order, those of one cell and those that overlap an earlier one left out."""
    kept: list[Box] = []
    by_row: dict[int, list[Box]] = {}
    for box in sorted(merges):
        cut = Box(box.top, box.left, min(box.bottom, n_rows - 1), min(box.right, n_columns - 1))
        if cut.top >= n_rows or cut.left >= n_columns or cut.height * cut.width < 2:
            continue
        rows = range(cut.top, min(cut.bottom, cut.top + 100_000) + 1)
        if any(cut.left <= other.right and other.left <= cut.right for row in rows for other in by_row.get(row, ())):
            continue
        for row in rows:
            by_row.setdefault(row, []).append(cut)
        kept.append(cut)
    return tuple(kept)


def runs(flags: Iterable[bool]) -> Iterator[tuple[int, int]]:
    """First and last index of each run of true flags."""
    start = None
    last = -1
    for index, flag in enumerate(flags):
        last = index
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            yield start, index - 1
            start = None
    if start is not None:
        yield start, last


def flags(part: NDArray[np.bool_], axis: int) -> list[bool]:
    """Whether any cell is set, per row (axis 1) or per column (axis 0)."""
    import numpy as np

    found: list[bool] = np.logical_or.reduce(part, axis=axis).tolist()
    return found


def row_text(grid: Grid, row: int, left: int, right: int, limit: int = 200) -> str:
    """The distinct cells of a row in one line of readable length, for accounts."""
    texts = map(grid.raw, grid.cells(row, left, right))
    line = " | ".join(" ".join(text.split()) for text in texts)
    return line if len(line) <= limit else line[: limit - 1] + "…"
