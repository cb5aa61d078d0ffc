"""Tables stacked in one block without a blank row between them, and forms above or below them."""

from __future__ import annotations

import re

from tablehound.lake.read.cell_kinds import DATE, EMPTY, NUMBER, TEXT, is_null_token, is_year
from tablehound.lake.read.layout.grid import Box, Grid, flags
from tablehound.lake.read.layout.parts import Part, is_lone, lone_text, names_figures, shrink

# What decides, all by hand, checked on the labelled workbooks of SSTQA.
SCANNED_ROWS = 3
"""Rows below a possible header that are looked at."""
NEAR_ROWS = 20
"""Rows above and below in which a column has to be of one kind."""
WIDTH_ROWS_ABOVE, WIDTH_ROWS_BELOW = 12, 10
"""Rows whose filled columns are compared with those of a possible header."""
TEXT_ROWS = 50
"""Rows that have to be one text each for all of them to be text outside of tables."""
WIDE_SHARE = 0.8
"""Share of the width over which a merged text is a heading inside the block."""
FORM_SHARE, MIN_FORM_WIDTH = 0.6, 3
"""Share of the width, and columns, over which the value of a row of a form is merged."""
MAX_FORM_ROWS = 8
"""Rows of a form of labels and values."""
COLONS_ONE_IN = 2
"""A form has a label with a colon in one of so many rows."""
MAX_NAME_CHARS = 120
"""Characters of the name of a column."""
DISTINCT_SHARE = 0.5
"""Share of different texts among the names of a header."""
NAMED_SHARE = 0.6
"""Share of the columns filled below that a header names."""
MIN_SWITCHED = 2
"""Columns in which a text over numbers is something new, so that the row is a header."""
MAX_SMALL_HEADER = 3
"""Cells of a header for which one such column suffices, if its text breaks a column of numbers."""
ALIKE_PERCENT = 70
"""Similarity of a name to the one that heads its column, for a row that renames them."""
MIN_RENAMED, RENAMED_ONE_IN = 2, 3
"""Names of a row that are such, and their share."""
MIN_HEADED_ROWS = 5
"""Rows after which a table without numbers has data above the next header."""
MANY_ROWS = 2_000
"""Rows of a block in which possible headers are found by arrays first."""

_VALUE = re.compile(
    r"^\W*\d.*\D|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d|^\W*(?:tba|tbd|unknown|none)\W*$|"
    r"^(?:by|c(?:irca)?\.?|about|approx\w*\.?|before|after|over|under) ?\d",
    re.IGNORECASE,
)
"""Not the name of a column: a number among other signs, a date in words, a word for no value."""


def split_block(grid: Grid, block: Box) -> list[Part]:
    """Cut a block without gaps into the tables stacked in it."""
    starts = _table_starts(grid, block)
    parts = []
    for start, end in zip(starts, [*starts[1:], block.bottom + 1], strict=True):
        row, titles = start, []
        while (
            row < end - 1
            and is_lone(grid, row, block)
            and not _one_column(grid, block, row, end)
            and not names_figures(grid, row, block)
        ):
            titles.append((row, lone_text(grid, row, block)))
            row += 1
        box = shrink(grid, Box(row, block.left, end - 1, block.right))
        if box is None:
            continue
        if start == block.top and end <= block.bottom and _is_form(grid, box):
            parts.append(Part(box, titles, depth=0))
            continue
        bottom = box.bottom
        while bottom > box.top + 2 and _is_form_row(grid, bottom, block):
            bottom -= 1
        parts.append(Part(shrink(grid, Box(box.top, box.left, bottom, box.right)) or box, titles))
        if bottom < box.bottom and (form := shrink(grid, Box(bottom + 1, box.left, box.bottom, box.right))):
            parts.append(Part(form, depth=0))
    return parts


def _one_column(grid: Grid, block: Box, row: int, end: int) -> bool:
    """All rows from here on are one text: text outside of tables rather than titles of something."""
    return all(is_lone(grid, r, block) for r in range(row, min(end, row + TEXT_ROWS)))


def _is_wide(grid: Grid, row: int, block: Box) -> bool:
    """One merged text over nearly the whole width: a heading inside the block."""
    if not is_lone(grid, row, block):
        return False
    return grid.box_at(*grid.cells(row, block.left, block.right)[0]).width >= max(2, WIDE_SHARE * block.width)


def _is_title(grid: Grid, row: int, block: Box) -> bool:
    """One text at the left edge, right above a header: the title of the table that begins there."""
    return is_lone(grid, row, block) and grid.cells(row, block.left, block.right)[0] == (row, block.left)


def _table_starts(grid: Grid, block: Box) -> list[int]:
    """First rows of the stacked tables, the block's own first."""
    import numpy as np

    part = grid.kinds[block.top : block.bottom + 1, block.left : block.right + 1]
    data = np.array(flags(part >= NUMBER, 1), dtype=np.bool_)
    texts = (part == TEXT).sum(axis=1)
    if block.height > MANY_ROWS and not grid.merges:
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
        if all(is_lone(grid, r, block) for r in range(starts[-1], row)):
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
    texts = list(map(grid.raw, own))
    if len(own) < 2 or len(own) < len(cells) - 1 or not grid.all_texts(own):
        return False
    if any(is_null_token(text) or len(text) > MAX_NAME_CHARS for text in texts):
        return False
    if len(set(texts)) < DISTINCT_SHARE * len(texts):
        return False
    crossing = [c for r, c in cells if r < row and c > block.left]
    if crossing or not _has_data(grid, block, start, row):
        return False
    while is_lone(grid, start, block):
        start += 1
    above = Box(start, block.left, row - 1, block.right)
    form = _is_form(grid, above)
    titled = row - 1 > start and _is_title(grid, row - 1, block)
    if form and all(_label_and_value(grid, r, block) for r in (row, row + 1)):
        return False
    below = list(range(row + 1, min(block.bottom, row + SCANNED_ROWS) + 1))
    filled = {c for r in below for c in range(block.left, block.right + 1) if grid.filled[r, c]}
    named = {c for c in filled if grid.filled[row, c]}
    if len(named) < NAMED_SHARE * len(filled):
        return False
    if _renames(grid, start, own) or (titled and _changes_width(grid, block, start, row)):
        return True
    switched = [
        c
        for r, c in own
        if _first_kind(grid, c, below) >= NUMBER
        and not _VALUE.search(grid.columns[c][r] or "")
        and (form or titled or not _is_mixed(grid, c, range(max(start + 1, row - NEAR_ROWS), row)))
    ]
    stub = grid.box_at(row, block.left)
    if stub.top == row and stub.height > 2 and len(own) == len(cells) >= 3 and not _stub_is_row(grid, block, row):
        body = range(row + 1, min(stub.bottom, block.bottom) + 1)
        return any(_first_kind(grid, c, [r]) >= NUMBER for _, c in own if c > block.left for r in body)
    return len(switched) >= MIN_SWITCHED or (
        len(switched) == 1 and len(own) <= MAX_SMALL_HEADER and _breaks(grid, block, start, row, switched[0])
    )


def _changes_width(grid: Grid, block: Box, start: int, row: int) -> bool:
    """The row fills just the columns that the rows below it fill, and those above it filled others."""

    def used(first: int, last: int) -> list[bool]:
        return flags(grid.filled[first : last + 1, block.left : block.right + 1], 0)

    own = used(row, row)
    above = used(max(start, row - WIDTH_ROWS_ABOVE), row - 2)
    return own == used(row + 1, min(block.bottom, row + WIDTH_ROWS_BELOW)) and own != above


def _is_mixed(grid: Grid, column: int, rows: range) -> bool:
    """The column has numbers and texts in turn, so that one more text is nothing new."""
    kinds = {grid.kind(row, column) for row in rows if not is_null_token(grid.text(row, column))}
    return TEXT in kinds and bool(kinds & {NUMBER, DATE})


def _breaks(grid: Grid, block: Box, start: int, row: int, column: int) -> bool:
    """The row's text is the only one in a column that is all numbers, or all dates, for rows above and below it."""
    above = [grid.kind(r, column) for r in range(max(start + 1, row - NEAR_ROWS), row)]
    below = [grid.kind(r, column) for r in range(row + 1, min(block.bottom, row + NEAR_ROWS) + 1)]
    kinds = {kind for kind in above + below[:2] if kind != EMPTY}
    return len(above) >= 2 and len(below) >= 2 and len(kinds) == 1 and kinds <= {NUMBER, DATE}


def _renames(grid: Grid, start: int, cells: list[tuple[int, int]]) -> bool:
    """The cells nearly repeat the names that head their columns, over numbers: ``Amount (2023)``, ``Amount (2024)``.

    The very same names are a header that a printed page repeats, not a new table.
    """
    from rapidfuzz import fuzz

    names = [(grid.text(start, cell[1]) or "", grid.raw(cell)) for cell in cells]
    if all(old == new for old, new in names):
        return False
    between = range(start + 1, cells[0][0])
    alike = [
        c
        for (_, c), (old, new) in zip(cells, names, strict=True)
        if fuzz.ratio(old.lower(), new.lower()) >= ALIKE_PERCENT and _first_kind(grid, c, between) >= NUMBER
    ]
    return len(alike) >= MIN_RENAMED and RENAMED_ONE_IN * len(alike) >= len(cells)


def _stub_is_row(grid: Grid, block: Box, row: int) -> bool:
    """Whether a label merged down from this row heads ordinary rows: other merges begin in the row as well."""
    return any(grid.box_at(r, c).height > 1 for r, c in grid.cells(row, block.left + 1, block.right))


def _has_data(grid: Grid, block: Box, start: int, row: int) -> bool:
    """Some row between the start of the current table and this row is not a header level."""
    for above in range(start, row):
        cells = grid.cells(above, block.left, block.right)
        if any(int(grid.kinds[c]) >= NUMBER and not is_year(grid.columns[c[1]][c[0]]) for c in cells):
            return True
        if COLONS_ONE_IN * sum(_ends_in_colon(grid, cell) for cell in cells) >= len(cells) > 1:
            return True
        if above > start and _is_form_row(grid, above, block):
            return True
    return row - start > MIN_HEADED_ROWS


def _is_form_row(grid: Grid, row: int, block: Box) -> bool:
    """A label and one text merged over all the rest: a row of a form, neither a header level nor a record."""
    cells = grid.cells(row, block.left, block.right)
    return len(cells) == 2 and grid.box_at(*cells[1]).width >= max(MIN_FORM_WIDTH, FORM_SHARE * block.width)


def _first_kind(grid: Grid, column: int, rows: list[int] | range) -> int:
    """Kind of the first filled cell of a column in some rows."""
    for row in rows:
        if (kind := grid.kind(row, column)) != EMPTY:
            return kind
    return EMPTY


def _is_form(grid: Grid, box: Box) -> bool:
    """A few rows of label and value in turn, above a table: they have no header."""
    if box.height > MAX_FORM_ROWS:
        return False
    rows = range(box.top, box.bottom + 1)
    for column in range(box.left, box.right + 1):
        below = [grid.kind(row, column) for row in rows[1:]]
        if grid.kind(box.top, column) == TEXT and sum(kind >= NUMBER for kind in below) > 1:
            return False
    colons = sum(any(_ends_in_colon(grid, cell) for cell in grid.cells(row, box.left, box.right)) for row in rows)
    return COLONS_ONE_IN * colons >= box.height or all(_label_and_value(grid, row, box) for row in rows)


def _ends_in_colon(grid: Grid, cell: tuple[int, int]) -> bool:
    return grid.raw(cell).rstrip().endswith((":", "："))


def _label_and_value(grid: Grid, row: int, box: Box) -> bool:
    """Labels in the odd places, whatever in the even ones; a last value may be missing. Stubs do not count."""
    cells = [cell for cell in grid.cells(row, box.left, box.right) if grid.box_at(*cell).height == 1]
    if not cells or not grid.all_texts(cells[::2]):
        return False
    return len(cells) % 2 == 0 or grid.box_at(*cells[-1]).right < box.right
