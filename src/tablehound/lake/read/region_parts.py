"""What the cutting of a sheet works on: pieces with their titles and notes."""

from __future__ import annotations

from dataclasses import dataclass, field

from tablehound.lake.read.cell_kinds import TEXT
from tablehound.lake.read.grid import Box, Grid


@dataclass(frozen=True, slots=True)
class Region:
    """One table on a grid: the box of header and body."""

    box: Box
    depth: int
    """Header rows at the top of the box."""
    titles: tuple[tuple[int, str], ...] = ()
    """Rows above the box that hold one text, with it."""
    notes: tuple[tuple[int, str], ...] = ()
    """Rows below, or text beside the box."""


@dataclass(slots=True)
class Part:
    """A piece of a sheet while it is cut up: a table, or rows of loose text."""

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
    cells = grid.cells(row, block.left, block.right)
    return len(cells) == 1 and block.width > 1 and int(grid.kinds[cells[0]]) == TEXT


def lone_text(grid: Grid, row: int, block: Box) -> str:
    ((at, column),) = grid.cells(row, block.left, block.right)
    return "" if at < row and row > block.top else (grid.columns[column][at] or "").strip()
