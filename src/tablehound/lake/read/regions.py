"""Regions: where the tables of a sheet are, with the titles above and the notes below them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from tablehound.lake.read.bands import header_depth
from tablehound.lake.read.cell_kinds import DATE, EMPTY, NUMBER, TEXT, is_null_token, is_year
from tablehound.lake.read.grid import Box, Grid, flags, runs

_NOTE = re.compile(
    r"^\s*(?:notes?\b|source|sources\b|remarks?\s*[:：]|\*|†|‡|\(\d+\)|\[\w\]|注|说明|备注|資料|来源)", re.I
)
_SCAN = 3


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
    blank_above: tuple[int, ...] = ()
    """Blank rows passed between the region before and this one."""


@dataclass(slots=True)
class _Part:
    """A piece of a sheet while it is cut up: a table, or rows of loose text."""

    box: Box
    titles: list[tuple[int, str]] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    depth: int | None = None
    defined: bool = False
    """The source itself declares the table: nothing is cut off its edges."""


def find_regions(grid: Grid) -> list[Region]:
    """All tables of a sheet, in reading order. Every filled cell is in a region, a title or a note."""
    filled = grid.filled.copy()
    defined = [_Part(box, depth=min(depth, box.height), defined=True) for box, depth in grid.defined]
    for part in defined:
        grid.filled[part.box.top : part.box.bottom + 1, part.box.left : part.box.right + 1] = False
    blocks = _rejoin(grid, _cut(grid, Box(0, 0, grid.n_rows - 1, grid.n_columns - 1)))
    parts = [part for block in blocks for part in _split(grid, block)]
    parts = _attach_loose(grid, [*parts, *defined])
    grid.filled[:] = filled
    regions = []
    for part in parts:
        depth = header_depth(grid, part.box) if part.depth is None else part.depth
        body, notes = (part.box, []) if part.defined else _peel_notes(grid, part.box, depth)
        regions.append(Region(body, depth, tuple(part.titles), (*part.notes, *notes)))
    return sorted(regions, key=lambda region: (region.box.top, region.box.left))


def whole_region(grid: Grid, depth: int | None = None, top: int = 0) -> Region:
    """The grid from a row on as one table, such as an HTML table: no cutting, only header and body."""
    box = _shrink(grid, Box(top, 0, grid.n_rows - 1, grid.n_columns - 1)) or Box(top, 0, top, 0)
    if depth is not None:
        depth -= box.top - top  # blank rows above the header
    return Region(box, header_depth(grid, box) if depth is None else min(depth, box.height))


def _shrink(grid: Grid, box: Box) -> Box | None:
    """The box without blank rows and columns at its edges; none if it is blank."""
    import numpy as np

    part = grid.filled[box.top : box.bottom + 1, box.left : box.right + 1]
    rows = np.flatnonzero(part.any(axis=1))
    if not rows.size:
        return None
    columns = np.flatnonzero(part.any(axis=0))
    return Box(box.top + int(rows[0]), box.left + int(columns[0]), box.top + int(rows[-1]), box.left + int(columns[-1]))


def _cut(grid: Grid, box: Box, level: int = 0) -> list[Box]:
    """Cut along blank rows, then along blank columns, until neither is left."""
    shrunk = _shrink(grid, box)
    if shrunk is None:
        return []
    box = shrunk
    part = grid.filled[box.top : box.bottom + 1, box.left : box.right + 1]
    if level > 40:
        return [box]
    bands = list(runs(flags(part, 1)))
    if len(bands) > 1:
        boxes = (Box(box.top + a, box.left, box.top + b, box.right) for a, b in bands)
        return [piece for each in boxes for piece in _cut(grid, each, level + 1)]
    titles = 0
    while titles < box.height - 1 and len(grid.cells(box.top + titles, box.left, box.right)) == 1:
        titles += 1
    below = Box(box.top + titles, box.left, box.bottom, box.right)
    inner = grid.filled[below.top : below.bottom + 1, box.left : box.right + 1]
    strips = list(runs(flags(inner, 0)))
    if len(strips) > 1:
        sides = [
            side for a, b in strips if (side := _shrink(grid, Box(below.top, box.left + a, below.bottom, box.left + b)))
        ]
        sides = _join_sides(grid, sides)
        if len(sides) > 1:
            above = _cut(grid, Box(box.top, box.left, below.top - 1, box.right), level + 1) if titles else []
            return above + [piece for side in sides for piece in _cut(grid, side, level + 1)]
    return [box]


def _join_sides(grid: Grid, sides: list[Box]) -> list[Box]:
    """Put side-by-side pieces together that are one table with a blank column in it."""
    joined = [sides[0]]
    for side in sides[1:]:
        last = joined[-1]
        gap = side.left - last.right - 1
        same_rows = abs(side.top - last.top) <= 0 and side.bottom == last.bottom
        left, right = _names(grid, last), _names(grid, side)
        repeated = len(right) > 1 and len(left & right) * 2 >= len(right)
        if (same_rows and gap == 1 and not repeated) or (side.width == 1 and _only_numbers(grid, side)):
            joined[-1] = Box(min(last.top, side.top), last.left, max(last.bottom, side.bottom), side.right)
        else:
            joined.append(side)
    return joined


def _names(grid: Grid, box: Box) -> set[str]:
    return {(grid.columns[c][r] or "").strip().lower() for r, c in grid.cells(box.top, box.left, box.right)}


def _only_numbers(grid: Grid, box: Box) -> bool:
    kinds = grid.kinds[box.top : box.bottom + 1, box.left]
    return bool((kinds[kinds != EMPTY] >= NUMBER).all())


def _rejoin(grid: Grid, blocks: list[Box]) -> list[Box]:
    """Put pieces together that a blank row cut although the lower one goes on with the upper one's columns."""
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
    if lower.left < upper.left or lower.right > upper.right or lower.top - upper.bottom > 3:
        return False
    cells = grid.cells(lower.top, upper.left, upper.right)
    if len(cells) < 2:
        return False
    texts = all(int(grid.kinds[cell]) == TEXT for cell in cells)
    same = (upper.left, upper.right) == (lower.left, lower.right)
    if upper.height == 1:
        # A header with a blank row below it.
        labels = all(int(grid.kinds[cell]) == TEXT for cell in grid.cells(upper.top, upper.left, upper.right))
        return labels and same and (not texts or lower.height == 1)
    if texts and lower.height > 1:
        return False
    numeric = [
        c
        for c in range(upper.left, upper.right + 1)
        if any(grid.kind(row, c) >= NUMBER for row in range(max(upper.top + 1, upper.bottom - 2), upper.bottom + 1))
    ]
    if texts and not numeric:
        return same and lower.top - upper.bottom == 2
    agree = sum(grid.kind(lower.top, c) >= NUMBER for c in numeric)
    clash = sum(grid.kind(lower.top, c) == TEXT and not is_null_token(grid.text(lower.top, c)) for c in numeric)
    stray = any(grid.kind(lower.top, c) >= NUMBER and c not in numeric for c in range(upper.left, upper.right + 1))
    return agree > clash and not (stray and agree < 2)


def _split(grid: Grid, block: Box) -> list[_Part]:
    """Cut a block without gaps into the tables stacked in it."""
    starts = _table_starts(grid, block)
    parts = []
    for start, end in zip(starts, [*starts[1:], block.bottom + 1], strict=True):
        row, titles = start, []
        while row < end - 1 and _is_lone(grid, row, block) and not _one_column(grid, block, row, end):
            titles.append((row, _lone_text(grid, row, block)))
            row += 1
        box = _shrink(grid, Box(row, block.left, end - 1, block.right))
        if box is None:
            continue
        if start == block.top and end <= block.bottom and _is_form(grid, box):
            parts.append(_Part(box, titles, depth=0))
            continue
        bottom = box.bottom
        while bottom > box.top + 2 and _is_form_row(grid, bottom, block):
            bottom -= 1
        parts.append(_Part(_shrink(grid, Box(box.top, box.left, bottom, box.right)) or box, titles))
        if bottom < box.bottom and (form := _shrink(grid, Box(bottom + 1, box.left, box.bottom, box.right))):
            parts.append(_Part(form, depth=0))
    return parts


def _one_column(grid: Grid, block: Box, row: int, end: int) -> bool:
    """All rows from here on hold one text: loose text rather than titles of something."""
    return all(_is_lone(grid, r, block) for r in range(row, min(end, row + 50)))


def _is_lone(grid: Grid, row: int, block: Box) -> bool:
    cells = grid.cells(row, block.left, block.right)
    return len(cells) == 1 and block.width > 1 and int(grid.kinds[cells[0]]) == TEXT


def _is_wide(grid: Grid, row: int, block: Box) -> bool:
    """One merged text over nearly the whole width: a heading inside the block."""
    if not _is_lone(grid, row, block):
        return False
    return grid.box_at(*grid.cells(row, block.left, block.right)[0]).width >= max(2, 0.8 * block.width)


def _is_title(grid: Grid, row: int, block: Box) -> bool:
    """One text at the left edge, right above a header: the title of the table that begins there."""
    return _is_lone(grid, row, block) and grid.cells(row, block.left, block.right)[0][1] == block.left


def _lone_text(grid: Grid, row: int, block: Box) -> str:
    ((at, column),) = grid.cells(row, block.left, block.right)
    return "" if at < row and row > block.top else (grid.columns[column][at] or "").strip()


def _table_starts(grid: Grid, block: Box) -> list[int]:
    """First rows of the stacked tables, the block's own first."""
    import numpy as np

    part = grid.kinds[block.top : block.bottom + 1, block.left : block.right + 1]
    data = np.array(flags(part >= NUMBER, 1), dtype=np.bool_)
    texts = (part == TEXT).sum(axis=1)
    if block.height > 2_000 and not grid.merges:
        # Vectorised first look: rows of labels only, after and before rows with data.
        after = np.zeros_like(data)
        after[:-1] = data[1:]
        rows = [int(r) for r in np.flatnonzero(~data & after & (texts >= 2))]
    else:
        rows = list(range(block.height))
    starts = [block.top]
    headed = _is_wide(grid, block.top, block)
    for offset in rows:
        row = block.top + offset
        if row <= starts[-1] or row >= block.bottom:
            continue
        if all(_is_lone(grid, r, block) for r in range(starts[-1], row)):
            continue
        if _is_wide(grid, row, block) and not _is_wide(grid, row + 1, block):
            if headed or _starts_table(grid, block, starts[-1], row + 1):
                starts.append(row)
        elif not _is_wide(grid, row - 1, block) and _starts_table(grid, block, starts[-1], row):
            title = row - 1
            starts.append(title if title > starts[-1] + 1 and _is_title(grid, title, block) else row)
    return starts


def _starts_table(grid: Grid, block: Box, start: int, row: int) -> bool:
    """The row is a header in the middle of a block: labels only, with numbers right below where it has labels."""
    if row >= block.bottom:
        return False
    cells = grid.cells(row, block.left, block.right)
    own = [(r, c) for r, c in cells if r == row]
    texts = [grid.columns[c][r] or "" for r, c in own]
    if len(own) < 2 or len(own) < len(cells) - 1 or any(int(grid.kinds[cell]) != TEXT for cell in own):
        return False
    if any(is_null_token(text) or len(text) > 120 for text in texts) or len(set(texts)) < 0.5 * len(texts):
        return False
    crossing = [c for r, c in cells if r < row and c > block.left]
    if crossing or not _has_data(grid, block, start, row):
        return False
    while _is_lone(grid, start, block):
        start += 1
    above = Box(start, block.left, row - 1, block.right)
    if _is_form(grid, above) and all(_label_and_value(grid, r, block) for r in (row, row + 1)):
        return False
    below = list(range(row + 1, min(block.bottom, row + _SCAN) + 1))
    filled = {c for r in below for c in range(block.left, block.right + 1) if grid.filled[r, c]}
    named = {c for c in filled if grid.filled[row, c]}
    if len(named) < 0.6 * len(filled):
        return False
    switched = [c for _, c in own if _first_kind(grid, c, below) >= NUMBER]
    if _renames(grid, block, start, own):
        return True
    stub = grid.box_at(row, block.left)
    if stub.top == row and stub.height > 2 and len(own) == len(cells) >= 3 and not _stub_is_row(grid, block, row):
        body = range(row + 1, min(stub.bottom, block.bottom) + 1)
        return any(_first_kind(grid, c, [r]) >= NUMBER for _, c in own if c > block.left for r in body)
    return len(switched) >= 2 or (
        len(switched) == 1 and len(own) <= 3 and _breaks(grid, block, start, row, switched[0])
    )


def _breaks(grid: Grid, block: Box, start: int, row: int, column: int) -> bool:
    """The row's text stands alone in a column that is all numbers, or all dates, for rows above and below it."""
    above = [grid.kind(r, column) for r in range(max(start + 1, row - 20), row)]
    below = [grid.kind(r, column) for r in range(row + 1, min(block.bottom, row + 20) + 1)]
    kinds = {kind for kind in above + below[:2] if kind != EMPTY}
    return len(above) >= 2 and len(below) >= 2 and len(kinds) == 1 and kinds <= {NUMBER, DATE}


def _renames(grid: Grid, block: Box, start: int, cells: list[tuple[int, int]]) -> bool:
    """The cells say nearly the names again that head their columns, over numbers: ``Amount (2023)``, ``Amount (2024)``.

    The very same names are a header that a printed page repeats, not a new table.
    """
    from rapidfuzz import fuzz

    names = [(grid.text(start, c) or "", grid.columns[c][r] or "") for r, c in cells]
    if all(old == new for old, new in names):
        return False
    between = range(start + 1, cells[0][0])
    alike = [
        c
        for (_, c), (old, new) in zip(cells, names, strict=True)
        if fuzz.ratio(old.lower(), new.lower()) >= 70 and _first_kind(grid, c, between) >= NUMBER
    ]
    return len(alike) >= 2 and 3 * len(alike) >= len(cells)


def _stub_is_row(grid: Grid, block: Box, row: int) -> bool:
    """Whether a label merged down from this row heads ordinary rows: other merges begin in the row as well."""
    return any(grid.box_at(r, c).height > 1 for r, c in grid.cells(row, block.left + 1, block.right))


def _has_data(grid: Grid, block: Box, start: int, row: int) -> bool:
    """Between the start of the current table and the row lies something that is not a header band."""
    for above in range(start, row):
        cells = grid.cells(above, block.left, block.right)
        if any(int(grid.kinds[c]) >= NUMBER and not is_year(grid.columns[c[1]][c[0]]) for c in cells):
            return True
        if sum((grid.columns[c][r] or "").rstrip().endswith((":", "：")) for r, c in cells) * 2 >= len(cells) > 1:
            return True
        if above > start and _is_form_row(grid, above, block):
            return True
    return row - start > 5


def _is_form_row(grid: Grid, row: int, block: Box) -> bool:
    """A label and one text merged over all the rest: a row of a form, neither a band nor a record."""
    cells = grid.cells(row, block.left, block.right)
    return len(cells) == 2 and grid.box_at(*cells[1]).width >= max(3, 0.6 * block.width)


def _first_kind(grid: Grid, column: int, rows: list[int] | range) -> int:
    for row in rows:
        if (kind := grid.kind(row, column)) != EMPTY:
            return kind
    return EMPTY


def _is_form(grid: Grid, box: Box) -> bool:
    """A few rows of label and value in turn, above a table: they have no header."""
    if box.height > 8:
        return False
    rows = range(box.top, box.bottom + 1)
    for column in range(box.left, box.right + 1):
        below = [grid.kind(row, column) for row in rows[1:]]
        if grid.kind(box.top, column) == TEXT and sum(kind >= NUMBER for kind in below) > 1:
            return False
    colons = sum(
        any((grid.columns[c][r] or "").rstrip().endswith((":", "：")) for r, c in grid.cells(row, box.left, box.right))
        for row in rows
    )
    return colons * 2 >= box.height or all(_label_and_value(grid, row, box) for row in rows)


def _label_and_value(grid: Grid, row: int, box: Box) -> bool:
    """Labels in the odd places, whatever in the even ones; a last value may be missing. Stubs do not count."""
    cells = [cell for cell in grid.cells(row, box.left, box.right) if grid.box_at(*cell).height == 1]
    if not cells or any(int(grid.kinds[cell]) != TEXT for cell in cells[::2]):
        return False
    return len(cells) % 2 == 0 or grid.box_at(*cells[-1]).right < box.right


def _peel_notes(grid: Grid, box: Box, depth: int) -> tuple[Box, list[tuple[int, str]]]:
    """Take rows of one text off the bottom: footnotes and sources."""
    notes: list[tuple[int, str]] = []
    bottom = box.bottom
    while bottom > box.top + depth and box.width > 1 and depth:
        cells = grid.cells(bottom, box.left, box.right)
        if cells and (not _is_lone(grid, bottom, box) or cells[0][0] < bottom):
            break
        if cells:
            text = (grid.columns[cells[0][1]][bottom] or "").strip()
            wide = grid.box_at(*cells[0]).width > 1
            if not (_NOTE.match(text) or (len(text) > 40 and (wide or box.width > 2) and " " in text)):
                break
            notes.append((bottom, text))
        bottom -= 1
    shrunk = _shrink(grid, Box(box.top, box.left, bottom, box.right)) if notes else box
    return shrunk or box, notes[::-1]


def _attach_loose(grid: Grid, parts: list[_Part]) -> list[_Part]:
    """Give loose text to the table it stands next to: above it a title, below or beside it a note."""
    tables = [part for part in parts if part.box.height > 1 and (part.defined or _has_pairs(grid, part.box))]
    if not tables:
        return parts
    kept = []
    for part in parts:
        lines = None if part.defined else _loose_lines(grid, part)
        owner = _owner(part, tables) if lines is not None else None
        if lines is None or owner is None:
            kept.append(part)
            continue
        if part.box.bottom < owner.box.top:
            owner.titles[:0] = [*part.titles, *lines]
        else:
            owner.notes.extend([*part.titles, *lines])
    return kept


def _has_pairs(grid: Grid, box: Box) -> bool:
    """Some row near the top holds more than one cell."""
    rows = range(box.top, min(box.bottom, box.top + 50) + 1)
    return box.width > 1 and any(len(grid.cells(row, box.left, box.right)) > 1 for row in rows)


def _loose_lines(grid: Grid, part: _Part) -> list[tuple[int, str]] | None:
    """The lines of a part that is text in one column of few rows; none for anything else."""
    box = part.box
    lines = []
    if box.height > 6:
        return None
    for row in range(box.top, box.bottom + 1):
        cells = grid.cells(row, box.left, box.right)
        if len(cells) > 1 or any(int(grid.kinds[cell]) != TEXT for cell in cells):
            return None
        if cells and cells[0][0] == row:
            lines.append((row, (grid.columns[cells[0][1]][row] or "").strip()))
    return lines


def _owner(part: _Part, tables: list[_Part]) -> _Part | None:
    def above(table: _Part) -> bool:
        return table.box.top > part.box.bottom

    def distance(table: _Part) -> tuple[int, int, int]:
        top = min([table.box.top, *(row for row, _ in table.titles)])
        rows = max(top - part.box.bottom, part.box.top - table.box.bottom, 0)
        columns = max(table.box.left - part.box.right, part.box.left - table.box.right, 0)
        return (0 if columns == 0 else 1, rows + columns, 0 if above(table) else 1)

    owner = min((table for table in tables if table is not part), key=distance, default=None)
    if owner is None:
        return None
    beside, far, _ = distance(owner)
    below = owner.box.bottom < part.box.top
    return owner if far <= 12 or (below and not beside) else None


def shift(region: Region, rows: int) -> Region:
    """The region moved down, for a grid that is a part of a larger one."""
    box = replace(region.box, top=region.box.top + rows, bottom=region.box.bottom + rows)
    return replace(region, box=box)
