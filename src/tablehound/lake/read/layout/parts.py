"""What the cutting of a sheet works on: parts with their titles and notes."""

from __future__ import annotations

from dataclasses import dataclass, field

from tablehound.lake.read.cell_kinds import NUMBER, TEXT
from tablehound.lake.read.layout.grid import Box, Grid


@dataclass(frozen=True, slots=True)
class Region:
    """One table on a grid: the box of header and body."""

    box: Box
    depth: int
    """Header rows at the top of the box."""
    titles: tuple[tuple[int, str], ...] = ()
    """Rows above the box that are one text, with that text."""
    notes: tuple[tuple[int, str], ...] = ()
    """The same of rows below the box, and of texts beside it."""


@dataclass(slots=True)
class Part:
    """A part of a sheet while it is cut up: a table, or rows of text outside of tables."""

    box: Box
    titles: list[tuple[int, str]] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    depth: int | None = None
    defined: bool = False
    """The source itself declares the table: nothing is cut off its edges."""


def shrink(grid: Grid, box: Box) -> Box | None:
    """The box without blank rows and columns at its edges; none if it is blank."""
    import numpy as np

    part = grid.filled[box.top : box.bottom + 1, box.left : box.right + 1]
    rows = np.flatnonzero(part.any(axis=1))
    if not rows.size:
        return None
    columns = np.flatnonzero(part.any(axis=0))
    return Box(box.top + int(rows[0]), box.left + int(columns[0]), box.top + int(rows[-1]), box.left + int(columns[-1]))


def is_lone(grid: Grid, row: int, block: Box) -> bool:
    """Whether one text is all that a row of several columns contains."""
    cells = grid.cells(row, block.left, block.right)
    return len(cells) == 1 and block.width > 1 and int(grid.kinds[cells[0]]) == TEXT


def names_figures(grid: Grid, row: int, block: Box) -> bool:
    """One text that is the name of what is below it, rather than a title: not at the left edge, over data.

    ``| v`` over ``a | 10``: the row labels have no name. So has a group of columns: ``| Names`` merged over
    ``Item | First | Last``, up to the right edge.
    """
    if row >= block.bottom or not is_lone(grid, row, block):
        return False
    box = grid.box_at(*grid.cells(row, block.left, block.right)[0])
    if box.left == block.left:
        return False
    below = grid.cells(box.bottom + 1, block.left, block.right) if box.bottom < block.bottom else []
    under = [cell for cell in below if box.left <= cell[1] <= box.right]
    if any(int(grid.kinds[cell]) >= NUMBER for cell in under):
        return True
    labels = grid.all_texts(below)
    if box.width > 1:
        return box.right == block.right and len(under) == box.width and len(below) > len(under)
    # A row of nothing but texts may be a header, and the text above it a title.
    return (
        bool(under)
        and (not labels or (block.width == 2 and row == block.top))
        and not _heads(grid, box.bottom + 1, block)
    )


def _heads(grid: Grid, row: int, block: Box) -> bool:
    """The row is texts over data: a header."""
    return row < block.bottom and any(
        int(grid.kinds[r, c]) == TEXT and grid.kind(row + 1, c) >= NUMBER
        for r, c in grid.cells(row, block.left, block.right)
    )


def lone_text(grid: Grid, row: int, block: Box) -> str:
    """The one text of a row; empty in a row that a merge from above covers."""
    (cell,) = grid.cells(row, block.left, block.right)
    return "" if cell[0] < row and row > block.top else grid.raw(cell).strip()
