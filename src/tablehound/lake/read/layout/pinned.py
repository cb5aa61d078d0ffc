"""The tables of a sheet where rows or a range are pinned."""

from __future__ import annotations

from dataclasses import replace

from tablehound.lake.read.contract import Overrides
from tablehound.lake.read.layout.grid import Box, Grid, parse_range, row_text
from tablehound.lake.read.layout.header import header_depth
from tablehound.lake.read.layout.parts import Region
from tablehound.lake.read.layout.regions import find_regions

_WHOLE = 2**31


def pinned_regions(grid: Grid, pins: Overrides, where: str) -> list[Region]:
    """The tables of a sheet, as pinned; rows that are pinned away go with the first one, as its title and notes.

    Raises:
        BrokenSourceError: the pinned range is none.
    """
    first = 0
    if pins.skip_rows:
        first = next((i for i in range(grid.n_rows) if grid.row_number(i) > pins.skip_rows), grid.n_rows)
    if pins.region is not None:
        box = _inside(grid, parse_range(pins.region, where))
        skipped = range(box.top, min(first, box.bottom + 1))
        box = replace(box, top=max(box.top, first))
        found = [Region(box, header_depth(grid, box))] if box.top <= box.bottom and box.left <= box.right else []
    else:
        skipped = range(first)
        found = _below(grid, first)
    if pins.header_rows is not None:
        found = [replace(region, depth=min(pins.header_rows, region.box.height)) for region in found]
    words = tuple((row, text) for row in skipped if (text := row_text(grid, row, 0, grid.n_columns - 1, _WHOLE)))
    if found and words:
        found[0] = replace(found[0], titles=(*words, *found[0].titles))
    return found


def _below(grid: Grid, first: int) -> list[Region]:
    """The tables from a row on."""
    if not first:
        return find_regions(grid)
    filled, defined = grid.filled.copy(), grid.defined
    grid.filled[:first] = False
    grid.defined = tuple((box, depth) for box, depth in defined if box.top >= first)
    try:
        return find_regions(grid)
    finally:
        grid.filled[:], grid.defined = filled, defined


def _inside(grid: Grid, wanted: Box) -> Box:
    """The part of a range of the source that the grid covers."""
    rows = [i for i in range(grid.n_rows) if wanted.top < grid.row_number(i) <= wanted.bottom + 1]
    numbers = grid.column_numbers or range(grid.n_columns)
    columns = [i for i in range(grid.n_columns) if wanted.left <= numbers[i] <= wanted.right]
    return Box(rows[0], columns[0], rows[-1], columns[-1]) if rows and columns else Box(1, 1, 0, 0)
