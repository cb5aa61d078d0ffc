"""Regions: where the tables of a sheet are, with the titles above and the notes below them."""

from __future__ import annotations

import re

from tablehound.lake.read.cell_kinds import EMPTY, NUMBER, TEXT, is_null_token
from tablehound.lake.read.layout.grid import Box, Grid, flags, runs
from tablehound.lake.read.layout.header import header_depth
from tablehound.lake.read.layout.notes import attach_texts, peel_notes, take_titles
from tablehound.lake.read.layout.parts import Part, Region, is_lone, shrink
from tablehound.lake.read.layout.stacked import split_block
from tablehound.lake.read.totals.labels import is_total_label

# What decides, all by hand, checked on the labelled workbooks of SSTQA.
MAX_CUTS = 40
"""Cuts within one another."""
MAX_BLANK_ROWS = 2
"""Blank rows within one table."""
LABEL_SHARE = 0.8
"""Share of the rows that the first column of a table of its own labels."""
MIN_LABELS = 2
"""Least number of its labels."""
LABEL_ROWS = 200
"""Rows in which they are looked for."""
REPEATED_ONE_IN = 2
"""Parts side by side are two tables if one in so many names of the right one is a name of the left one too."""
MIN_AGREEING = 2
"""Columns of numbers that go on below a blank row, so that a stray number in another column does not count."""
TAIL_ROWS = 3
"""Rows at the end of the upper part that show which columns are numbers."""

_KEY = re.compile(r"(?:.*[ _])?(?:id|nr|no|num|number|code|key|rank)\.?[ _]?\d?|#|№", re.IGNORECASE)
"""Names of columns that number the rows."""


def find_regions(grid: Grid) -> list[Region]:
    """All tables of a sheet, in reading order. Every filled cell is in a region, a title or a note."""
    filled = grid.filled.copy()
    defined = [Part(box, depth=min(depth, box.height), defined=True) for box, depth in grid.defined]
    for part in defined:
        grid.filled[part.box.top : part.box.bottom + 1, part.box.left : part.box.right + 1] = False
    for part in defined:
        take_titles(grid, part)
    blocks = _rejoin(grid, _cut(grid, Box(0, 0, grid.n_rows - 1, grid.n_columns - 1)))
    parts = [part for block in blocks for part in split_block(grid, block)]
    parts = attach_texts(grid, [*parts, *defined])
    grid.filled[:] = filled
    regions = []
    for part in parts:
        depth = header_depth(grid, part.box) if part.depth is None else part.depth
        body, notes = (part.box, []) if part.defined else peel_notes(grid, part.box, depth)
        regions.append(Region(body, depth, tuple(part.titles), (*part.notes, *notes)))
    return sorted(regions, key=lambda region: (region.box.top, region.box.left))


def whole_region(grid: Grid, depth: int | None = None, top: int = 0) -> Region:
    """The grid from a row on as one table, such as an HTML table: no cutting, only header and body."""
    box = shrink(grid, Box(top, 0, grid.n_rows - 1, grid.n_columns - 1)) or Box(top, 0, top, 0)
    if depth is not None:
        depth -= box.top - top  # blank rows above the header
    return Region(box, header_depth(grid, box) if depth is None else min(depth, box.height))


def _cut(grid: Grid, box: Box, level: int = 0) -> list[Box]:
    """Cut along blank rows, then along blank columns, until neither is left."""
    shrunk = shrink(grid, box)
    if shrunk is None:
        return []
    box = shrunk
    part = grid.filled[box.top : box.bottom + 1, box.left : box.right + 1]
    if level > MAX_CUTS:
        return [box]
    row_runs = list(runs(flags(part, 1)))
    if len(row_runs) > 1:
        boxes = (Box(box.top + a, box.left, box.top + b, box.right) for a, b in row_runs)
        return [part for each in boxes for part in _cut(grid, each, level + 1)]
    titles = 0
    while titles < box.height - 1 and len(grid.cells(box.top + titles, box.left, box.right)) == 1:
        titles += 1
    below = Box(box.top + titles, box.left, box.bottom, box.right)
    inner = grid.filled[below.top : below.bottom + 1, box.left : box.right + 1]
    column_runs = list(runs(flags(inner, 0)))
    if len(column_runs) > 1:
        strips = (Box(below.top, box.left + a, below.bottom, box.left + b) for a, b in column_runs)
        sides = _join_sides(grid, [side for strip in strips if (side := shrink(grid, strip))])
        if len(sides) > 1:
            above = _cut(grid, Box(box.top, box.left, below.top - 1, box.right), level + 1) if titles else []
            return above + [part for side in sides for part in _cut(grid, side, level + 1)]
    return [box]


def _join_sides(grid: Grid, sides: list[Box]) -> list[Box]:
    """Join parts side by side that are one table with a blank column in it."""
    joined = [sides[0]]
    for side in sides[1:]:
        last = joined[-1]
        gap = side.left - last.right - 1
        apart = _are_apart(grid, last, side)
        if (gap == 1 and not apart and _same_rows(grid, last, side)) or (side.width == 1 and _only_numbers(grid, side)):
            joined[-1] = Box(min(last.top, side.top), last.left, max(last.bottom, side.bottom), side.right)
        else:
            joined.append(side)
    return joined


def _are_apart(grid: Grid, left: Box, right: Box) -> bool:
    """Each part is a table of its own: by its names, by its key, or by its title."""
    ours, theirs = _names(grid, left), _names(grid, right)
    repeated = len(theirs) > 1 and len(ours & theirs) * REPEATED_ONE_IN >= len(theirs)
    if repeated or (_has_title(grid, left) and _has_title(grid, right)):
        return True
    return _has_key_and_figures(grid, left) and _has_key_and_figures(grid, right)


def _same_rows(grid: Grid, left: Box, right: Box) -> bool:
    """The parts lie in the same rows, but for remarks on some rows only and for a last total."""
    if left.top != right.top:
        return False
    if left.bottom == right.bottom:
        return True
    long, short = (left, right) if left.bottom > right.bottom else (right, left)
    if short.height < 2 or long.width < 2:
        return False
    if short.width == 1 and short is right:
        return True
    # The rows that only one of them has are totals.
    rest = [
        row for row in range(short.bottom + 1, long.bottom + 1) if grid.filled[row, long.left : long.right + 1].any()
    ]
    return all(is_total_label(grid.text(row, long.left) or "") for row in rest)


def _has_title(grid: Grid, box: Box) -> bool:
    """One text at the left edge above a row of names."""
    if box.height < 3 or box.width < 2 or not is_lone(grid, box.top, box):
        return False
    names = grid.cells(box.top + 1, box.left, box.right)
    return (
        grid.cells(box.top, box.left, box.right) == [(box.top, box.left)]
        and len(names) == box.width
        and grid.all_texts(names)
    )


def _has_key_and_figures(grid: Grid, box: Box) -> bool:
    """The part has a key and figures of its own: different labels in its first column, numbers in another."""
    rows = range(box.top + 1, min(box.bottom, box.top + LABEL_ROWS) + 1)
    key = _KEY.fullmatch((grid.text(box.top, box.left) or "").strip()) is not None
    wanted = (TEXT, NUMBER) if key else (TEXT,)
    labels = [grid.text(row, box.left) for row in rows if grid.kind(row, box.left) in wanted]
    if len(labels) < MIN_LABELS or len(labels) < LABEL_SHARE * len(rows) or len(set(labels)) < len(labels):
        return False
    kinds = grid.kinds[box.top + 1 : box.bottom + 1, box.left + 1 : box.right + 1]
    return bool((kinds == NUMBER).any())


def _names(grid: Grid, box: Box) -> set[str]:
    return {grid.raw(cell).strip().lower() for cell in grid.cells(box.top, box.left, box.right)}


def _only_numbers(grid: Grid, box: Box) -> bool:
    kinds = grid.kinds[box.top : box.bottom + 1, box.left]
    return bool((kinds[kinds != EMPTY] >= NUMBER).all())


def _rejoin(grid: Grid, blocks: list[Box]) -> list[Box]:
    """Join parts that a blank row cut although the lower one continues the upper one's columns."""
    joined: list[Box] = []
    for block in blocks:
        for index in range(len(joined) - 1, -1, -1):
            upper = joined[index]
            if upper.left <= block.right and block.left <= upper.right:
                if _continues(grid, upper, block):
                    left, right = min(upper.left, block.left), max(upper.right, block.right)
                    joined[index] = Box(upper.top, left, block.bottom, right)
                    break
                joined.append(block)
                break
        else:
            joined.append(block)
    return joined


def _continues(grid: Grid, upper: Box, lower: Box) -> bool:
    """Whether the rows of the lower part go on with the columns of the upper one."""
    if lower.left < upper.left or lower.right > upper.right or lower.top - upper.bottom > MAX_BLANK_ROWS + 1:
        return False
    cells = grid.cells(lower.top, upper.left, upper.right)
    if len(cells) < 2:
        return False
    texts = grid.all_texts(cells)
    same = (upper.left, upper.right) == (lower.left, lower.right)
    if upper.height == 1:
        # A header with a blank row below it.
        labels = grid.all_texts(grid.cells(upper.top, upper.left, upper.right))
        return labels and same and (not texts or lower.height == 1)
    if texts and lower.height > 1:
        return False
    columns = range(upper.left, upper.right + 1)
    tail = range(max(upper.top, upper.bottom - TAIL_ROWS) + 1, upper.bottom + 1)
    numeric = [c for c in columns if any(grid.kind(row, c) >= NUMBER for row in tail)]
    if texts and not numeric:
        return same and lower.top - upper.bottom == 2
    agree = sum(grid.kind(lower.top, c) >= NUMBER for c in numeric)
    clash = sum(grid.kind(lower.top, c) == TEXT and not is_null_token(grid.text(lower.top, c)) for c in numeric)
    stray = any(grid.kind(lower.top, c) >= NUMBER and c not in numeric for c in columns)
    return agree > clash and not (stray and agree < MIN_AGREEING)
