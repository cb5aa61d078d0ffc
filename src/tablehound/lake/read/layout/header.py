"""Header levels: how many rows of a region are header, and the path of names above each column."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from tablehound.lake.read.cell_kinds import DATE, EMPTY, NUMBER, TEXT, is_error, is_null_token, is_year, number_in
from tablehound.lake.read.layout.grid import Box, Grid

# What decides, all by hand, checked on the labelled workbooks of SSTQA.
MAX_LEVELS = 6
"""Rows of a header."""
WINDOW_ROWS = 40
"""Rows of the body that are looked at."""
NUMERIC_ONE_IN = 2
"""A column is numeric if one in so many of its cells in the window is a number or a date."""
LABELS_OVER_NUMBERS = 0.75
"""Share of the numeric columns that a row of labels with a stray number has labels over …"""
MIN_LABELS_OVER_NUMBERS = 3
"""… and their least number."""
MIN_NUMBERS_OF_NAMES = 3
"""Numbers that count up or rise as names of columns do."""
MIN_DATES_OF_NAMES = 2
"""Dates that are names of columns."""
ROWS_UNDER_MARKS = 5
"""Rows below rising numbers that have to be texts."""
NAMED_SHARE = 0.5
"""A header has at least this many names for each cell of the fullest row below it."""
PROSE_CHARS = 60
"""Average length of the texts of a single column that is paragraphs."""

_UNIT = re.compile(
    r"\s*(?:[(\[].*[)\]]|.{1,4}|(?:in )?(?:thousand|million|billion)s?.*|percent|number)\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sample:
    """The first rows of a region, with merges resolved."""

    box: Box
    kinds: tuple[tuple[int, ...], ...]
    numeric: frozenset[int]
    """Columns (grid index) that are mostly numbers or dates below the first row."""


def sample_of(grid: Grid, box: Box) -> Sample:
    """Look at the head of a region."""
    bottom = min(box.bottom, box.top + WINDOW_ROWS)
    columns = range(box.left, box.right + 1)
    kinds = tuple(tuple(grid.kind(row, c) for c in columns) for row in range(box.top, bottom + 1))
    numeric = set()
    for offset, column in enumerate(columns):
        below = [row[offset] for row in kinds[1:] if row[offset] != EMPTY]
        data = sum(kind >= NUMBER for kind in below)
        if data and NUMERIC_ONE_IN * data >= len(below):
            numeric.add(column)
    return Sample(box, kinds, frozenset(numeric))


def header_depth(grid: Grid, box: Box) -> int:
    """Header rows at the top of a region, 0 if its first row is data already."""
    if box.height == 1:
        lone = len(grid.cells(box.top, box.left, box.right)) == 1
        return 1 if _labels_only(grid, box, box.top) and not lone else 0
    sample = sample_of(grid, box)
    if not _can_be_header(grid, sample, box.top) or (box.width == 1 and _is_prose(grid, box)):
        return 0
    depth = _depth_by_merges(grid, box)
    depth = max(depth, _depth_by_kinds(grid, sample, depth))
    depth += _distinguishes(grid, box, depth) or _fills_gaps(grid, box, depth)
    depth = min(depth, MAX_LEVELS, box.height)
    if depth == box.height and depth > 1:
        depth = 1
    return depth if _covers_enough(grid, box, depth) else 0


def _labels_only(grid: Grid, box: Box, row: int) -> bool:
    """Every filled cell of the row is a label: text, or a year among texts."""
    cells = grid.cells(row, box.left, box.right)
    return bool(cells) and all(_is_label(grid, r, c) for r, c in cells)


def _is_label(grid: Grid, row: int, column: int) -> bool:
    """Whether a first cell is a text or a year."""
    return int(grid.kinds[row, column]) == TEXT or is_year(grid.columns[column][row])


def _is_sequence(grid: Grid, box: Box, row: int) -> bool:
    """Labels at the left, then numbers that count up by one: ``Quarter | 1 | 2 | 3 | 4 | Year``."""
    cells = grid.cells(row, box.left, box.right)
    numbers = [grid.columns[c][r] for r, c in cells if int(grid.kinds[r, c]) == NUMBER]
    if len(numbers) < MIN_NUMBERS_OF_NAMES or len(numbers) == len(cells) or int(grid.kinds[cells[0]]) != TEXT:
        return False
    if any(int(grid.kinds[cell]) > NUMBER for cell in cells):
        return False
    whole = [int(text) for text in numbers if text and text.isdecimal() and len(text) < 5]
    return len(whole) == len(numbers) and all(b - a == 1 for a, b in itertools.pairwise(whole))


def _names_dates(grid: Grid, box: Box, row: int) -> bool:
    """Labels and two or more dates, over columns of something else: ``Item | 2024-01-01 | 2024-02-01``."""
    cells = grid.cells(row, box.left, box.right)
    dates = [c for r, c in cells if int(grid.kinds[r, c]) == DATE]
    texts = [c for r, c in cells if int(grid.kinds[r, c]) == TEXT]
    if len(dates) < MIN_DATES_OF_NAMES or len(dates) + len(texts) < len(cells) or not texts or row >= box.bottom:
        return False
    return all(grid.kind(row + 1, c) in (EMPTY, NUMBER) for c in dates)


def _names_heights(grid: Grid, box: Box, row: int) -> bool:
    """Labels and three or more rising numbers over columns of texts: ``Athlete | 2.15 | 2.20 | 2.24`` over marks."""
    cells = grid.cells(row, box.left, box.right)
    numbers = [(c, number_in(grid.columns[c][r])) for r, c in cells if int(grid.kinds[r, c]) == NUMBER]
    if len(numbers) < MIN_NUMBERS_OF_NAMES or int(grid.kinds[cells[0]]) != TEXT:
        return False
    if any(int(grid.kinds[cell]) > NUMBER for cell in cells):
        return False
    if not all(a is not None and b is not None and a < b for (_, a), (_, b) in itertools.pairwise(numbers)):
        return False
    below = [grid.kind(r, c) for r in range(row + 1, min(box.bottom, row + ROWS_UNDER_MARKS) + 1) for c, _ in numbers]
    return TEXT in below and not any(kind >= NUMBER for kind in below)


def _can_be_header(grid: Grid, sample: Sample, row: int) -> bool:
    """Whether a row names columns: labels alone, or numbers and dates that are names among labels."""
    box = sample.box
    cells = grid.cells(row, box.left, box.right)
    # A name that could not be computed is a name all the same.
    named = [cell for cell in cells if not is_error(grid.raw(cell))]
    if named and len(named) >= min(len(cells), 2) and all(_is_label(grid, r, c) for r, c in named):
        years = [c for r, c in named if int(grid.kinds[r, c]) != TEXT]
        # A row of nothing but years is a header only above numbers that are not years themselves.
        if years and not any(int(grid.kinds[cell]) == TEXT for cell in named):
            return not all(is_year(grid.text(row + 1, c)) for c in years if row < box.bottom)
        if len(years) == 1:
            # ``Average | 2000`` is rather a label with its value.
            return box.width > 2 and not is_year(grid.text(row + 1, years[0]))
        return True
    if _is_sequence(grid, box, row) or _names_dates(grid, box, row) or _names_heights(grid, box, row):
        return True
    # Text in nearly all columns of numbers: one stray number does not make a row data.
    inside = [c for c in sample.numeric if grid.filled[row, c]]
    labels = [c for c in inside if grid.kind(row, c) == TEXT]
    return len(labels) >= MIN_LABELS_OVER_NUMBERS and len(labels) >= LABELS_OVER_NUMBERS * len(inside)


def _depth_by_merges(grid: Grid, box: Box) -> int:
    """A merge over several columns is a parent if the row below names its parts; merges down rows go along."""
    depth = 1
    while depth < min(MAX_LEVELS, box.height):
        row = box.top + depth - 1
        cells = grid.cells(row, box.left, box.right)
        boxes = [grid.box_at(r, c) for r, c in cells]
        if boxes and all(b.bottom >= box.top + depth for b in boxes):
            depth += 1
            continue
        own = [(r, c) for r, c in grid.cells(row + 1, box.left, box.right) if r > row]
        along = sum(b.width for b in boxes if b.bottom > row and b.left > box.left)
        if 2 * along > box.width and own and all(_is_label(grid, r, c) for r, c in own):
            depth += 1
            continue
        parents = [b for b in boxes if 1 < b.width < box.width and b.bottom == row]
        if not any(_broken_below(grid, b) for b in parents):
            break
        if not own or not _names_parts(grid, box, row, parents, own):
            break
        depth += 1
    return depth


def _names_parts(grid: Grid, box: Box, row: int, parents: list[Box], own: list[tuple[int, int]]) -> bool:
    """Whether the cells below a row of parents are names of their parts, rather than the first row of data."""
    under = [[grid.text(row + 1, c) for c in range(b.left, b.right + 1)] for b in parents]
    recur = len(under) > 1 and all(part == under[0] for part in under) and None not in under[0]
    others = [b for b in (grid.box_at(*cell) for cell in grid.cells(row, box.left, box.right)) if b not in parents]
    if not all(_is_label(grid, r, c) for r, c in own):
        # Numbers name parts if all other names go down beside them, or if each parent has the same ones.
        return all(b.bottom > row for b in others) if others else recur and not grid.filled[row + 1, box.left]
    stub = grid.box_at(row + 1, box.left)
    if stub.top <= row or not grid.filled[row + 1, box.left] or recur:
        return True
    columns = [c for b in parents for c in range(b.left, b.right + 1)]
    rows = range(row + 2, min(box.bottom, row + WINDOW_ROWS) + 1)
    kinds = {c: [kind for r in rows if (kind := grid.kind(r, c)) != EMPTY] for c in columns}
    if any(below and 2 * sum(kind >= NUMBER for kind in below) > len(below) for below in kinds.values()):
        return True
    if grid.filled[row, box.left]:
        return False  # the first column has its name already
    values = {grid.text(row + 1, c) for c in columns}
    return not any(grid.text(r, c) in values for r in rows for c in columns)


def _broken_below(grid: Grid, parent: Box) -> bool:
    """Whether the row below a parent divides its columns."""
    row = parent.bottom + 1
    return row < grid.n_rows and len(grid.cells(row, parent.left, parent.right)) > 1


def _depth_by_kinds(grid: Grid, sample: Sample, depth: int) -> int:
    """Rows of labels right below, over columns of numbers, are header levels too."""
    box = sample.box
    while depth < min(MAX_LEVELS, box.height - 1):
        row = box.top + depth
        # A label merged from above may end here, but not go on into the body.
        if not _labels_only(grid, box, row) or any(
            r < row and grid.box_at(r, c).bottom != row for r, c in grid.cells(row, box.left, box.right)
        ):
            break
        numeric = [c for c in sample.numeric if grid.filled[row, c]]
        labels = [c for c in numeric if not is_null_token(grid.text(row, c)) and not is_year(grid.text(row, c))]
        if not labels or len(labels) < len(numeric):
            break
        above = {(grid.text(row - 1, c) or "").strip() for c in sample.numeric if grid.filled[row - 1, c]}
        parents = not grid.filled[row, box.left] or len(above) < len(labels)
        many = len(labels) >= MIN_LABELS_OVER_NUMBERS and len(labels) == len(sample.numeric)
        if _repeats_one_text(grid, box, row) or not (parents or many or _are_units(grid, sample, row, labels)):
            break
        depth += 1
    return depth


def _repeats_one_text(grid: Grid, box: Box, row: int) -> bool:
    """The row has the same text in all columns, as a heading of a section, or the texts of the row above."""
    cells = grid.cells(row, box.left, box.right)
    texts = set(map(grid.raw, cells))
    return len(cells) > 1 and (
        (len(texts) == 1 and len(cells) == box.width)
        or all(grid.columns[c][r] == grid.text(row - 1, c) for r, c in cells)
    )


def _are_units(grid: Grid, sample: Sample, row: int, labels: list[int]) -> bool:
    """Units over the numbers, and nothing longer over the texts but for the label of the row."""
    left = sample.box.left
    others = [c for _, c in grid.cells(row, left, sample.box.right) if c not in sample.numeric and c > left]
    units = sum(_UNIT.fullmatch(grid.text(row, c) or "") is not None for c in labels)
    return (
        2 * units > len(labels)
        and any(c > left for c in labels)
        and all(_UNIT.fullmatch(grid.text(row, c) or "") for c in others)
    )


def _distinguishes(grid: Grid, box: Box, depth: int) -> bool:
    """The next row has different texts below some names that are the same, and none elsewhere.

    A row that fills other columns too, the row labels' above all, is the first row of data below names that come twice.
    """
    row = box.top + depth
    if row >= box.bottom:
        return False
    cells = grid.cells(row, box.left, box.right)
    cells = [(r, c) for r, c in cells if r < row or grid.columns[c][r] != grid.text(row - 1, c)]
    own = [(r, c) for r, c in cells if r == row]
    if any(c == box.left for _, c in own):
        return False
    # Quantities may distinguish names as well, but then the labels at their left are merged down to here.
    if len(own) == len(cells) and not all(_is_label(grid, r, c) for r, c in own):
        return False
    names = {grid.text(row - 1, c) for _, c in own}
    values = {grid.columns[c][r] for r, c in own}
    named = [c for c in range(box.left, box.right + 1) if grid.text(row - 1, c) in names]
    return len(own) > 1 and len(names) == 1 and None not in names and len(values) == len(own) == len(named)


def _fills_gaps(grid: Grid, box: Box, depth: int) -> bool:
    """The next row has labels where the last one has gaps: the parts of parents written without merges.

    Gaps may as well be columns without a name. So the row has no label of its own in the first column, which its body
    fills, or it has the same labels under several parents, or the parents leave the first column blank too.
    """
    row = box.top + depth - 1
    if row + 1 >= box.bottom or not _labels_only(grid, box, row) or not _labels_only(grid, box, row + 1):
        return False
    columns = range(box.left, box.right + 1)
    named = [c for c in columns if grid.filled[row, c]]
    under = [c for c in columns if grid.filled[row + 1, c] and grid.anchor(row + 1, c)[0] > row]
    gaps = [c for c in columns if c > named[0] and not grid.filled[row, c]]
    if not gaps or not set(gaps) <= set(under) or any(grid.box_at(row, c).width > 1 for c in named):
        return False
    below = range(row + 2, min(box.bottom, row + WINDOW_ROWS) + 1)
    texts = {grid.text(row + 1, c) for c in under}
    if any(grid.text(r, c) in texts for r in below for c in under):
        return False
    if box.left not in under:
        return box.left in named and 2 * sum(bool(grid.filled[r, box.left]) for r in below) > len(below)
    spans = [range(a, b) for a, b in itertools.pairwise([*named, box.right + 1]) if b - a > 1]
    parts = [[grid.text(row + 1, c) for c in span] for span in spans]
    return box.left not in named and (
        len(under) == box.width or (len(parts) > 1 and all(part == parts[0] for part in parts))
    )


def _is_prose(grid: Grid, box: Box) -> bool:
    """One column of long texts: paragraphs rather than a column with a name."""
    texts = [grid.columns[box.left][row] or "" for row in range(box.top, min(box.bottom, box.top + WINDOW_ROWS) + 1)]
    return sum(map(len, texts)) > PROSE_CHARS * len(texts)


def _covers_enough(grid: Grid, box: Box, depth: int) -> bool:
    """A header names most of the columns that the body fills, or all that have numbers, each group by one name."""
    last = min(box.bottom, box.top + depth + WINDOW_ROWS)
    columns = range(box.left, box.right + 1)
    used = [c for c in columns if grid.filled[box.top + depth : last + 1, c].any()]
    if not used:
        return True
    body = max((len(grid.cells(row, box.left, box.right)) for row in range(box.top + depth, last + 1)), default=0)
    names = {
        c: name
        for c in used
        if (name := tuple(grid.anchor(row, c) for row in range(box.top, box.top + depth) if grid.filled[row, c]))
    }
    if len(set(names.values())) >= NAMED_SHARE * body:
        return True
    if grid.filled[box.top : box.top + depth, box.left].any():
        return False
    # Names over the figures only: the row labels at the left of them need none.
    figures = [c for c in used if grid.kind(box.top + depth, c) >= NUMBER]
    stub = [c for c in used if c < min(names, default=0)]
    named = len(names) == len(used) - len(stub)
    return named and (len(set(names.values())) > 1 or (bool(figures) and set(figures) <= set(names)))


def header_paths(grid: Grid, box: Box, depth: int, columns: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """Names above each column, from the top level to the lowest; blanks and repeats left out."""
    levels: list[dict[int, str]] = []
    for row in range(box.top, box.top + depth):
        level = {c: " ".join((grid.text(row, c) or "").split()) for c in range(box.left, box.right + 1)}
        if row < box.top + depth - 1:
            _spread(grid, box, row, depth, level)
        levels.append(level)
    paths = []
    for column in columns:
        path: list[str] = []
        anchors: set[tuple[int, int]] = set()
        for offset, level in enumerate(levels):
            anchor = grid.anchor(box.top + offset, column)
            if level[column] and anchor not in anchors:
                path.append(level[column])
            anchors.add(anchor)
        paths.append(tuple(path))
    return tuple(paths)


def _spread(grid: Grid, box: Box, row: int, depth: int, level: dict[int, str]) -> None:
    """Carry a parent label over the blanks at its right, as sheets without merges write them."""
    parent = ""
    for column in range(box.left, box.right + 1):
        leaf = any(
            grid.filled[below, column] and grid.anchor(below, column)[0] > row
            for below in range(row + 1, box.top + depth)
        )
        if level[column]:
            merged = grid.box_at(row, column).width > 1
            parent = level[column] if leaf and not merged else ""
        elif leaf and parent:
            level[column] = parent
        else:
            parent = ""
