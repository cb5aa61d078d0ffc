"""Labels of rows: merged ones filled into the rows they cover, and labels that head the rows of a group once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from tablehound.lake.read.cell_kinds import BOOLEAN, DATE, NUMBER, TEXT, is_year
from tablehound.lake.read.contract import Account
from tablehound.lake.read.layout.grid import Box, Grid, column_letters
from tablehound.lake.read.totals.labels import is_total_label

# What decides, all by hand, checked on the labelled workbooks of SSTQA.
MAX_LABEL_COLUMNS = 5
"""Label columns that may be filled down."""
MIN_WIDTH, MIN_ROWS = 3, 3
"""The least table in which labels are filled down: a label, its parts and a figure."""
MAX_GROUPED_ROWS = 100_000
"""Larger tables are not looked at for groups: they are exports, not reports."""
HEADING_SHARE = 0.8
"""Share of the width over which a merged text is a heading, which is not repeated in each column."""
BLANK_ONE_IN = 4
"""One in so many rows has no label of its own where labels are written once per group."""


def fill_merges(
    grid: Grid, body: Box, texts: dict[int, list[str | None]], repeat_numbers: bool, account: Account
) -> None:
    """Give the cells under a merge its text: labels down and across, numbers across only."""
    single = 0
    for merge in grid.merges:
        top, bottom = max(merge.top, body.top), min(merge.bottom, body.bottom)
        left, right = max(merge.left, body.left), min(merge.right, body.right)
        if top > bottom or left > right or (merge.top, merge.left) not in grid.boxes:
            continue
        text = grid.columns[merge.left][merge.top]
        if text is None:
            continue
        if not repeat_numbers and merge.width > 1 and merge.width >= HEADING_SHARE * body.width and merge.height == 1:
            continue  # a heading over the whole width is no label of its columns
        down = True
        if not repeat_numbers and merge.height > 1 and grid.kinds[merge.top, merge.left] in (NUMBER, BOOLEAN):
            down = _is_row_label(grid, body, merge)
            single += not down
        for column in range(left, right + 1):
            target = texts[column]
            for row in range(top, bottom + 1):
                if (row, column) in grid.owners and (down or row == merge.top):
                    target[row - body.top] = text
    if single:
        account.repairs.append(f"{single} numbers merged over several rows stand in their first row only")


def _is_row_label(grid: Grid, body: Box, merge: Box) -> bool:
    """A merged number is a row label (a year, a serial number) if all columns at its left are merged along."""
    return all(
        (box := grid.box_at(merge.top, column)).top <= merge.top and box.bottom >= merge.bottom
        for column in range(body.left, merge.left)
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the body by its label columns."""

    index: int
    first: int
    """The first label column that is filled."""
    head: bool
    """No label follows: the row names a group, with or without figures of it."""


def fill_down(grid: Grid, body: Box, texts: dict[int, list[str | None]], account: Account) -> None:
    """Fill the first columns down where they name a group once, as pivot tables and reports print it.

    Blank cells may as well be missing values, so this asks for more: the first row is filled, the labels of a column
    differ within their group, and no row lacks a label further right. Then either the labels are in rows of their
    own, or most rows lack one, and the labels at the right recur or most labels have rows without one below them.
    What may be such a label and is left blank is reported.
    """
    columns = [texts[column] for column in range(body.left, body.right + 1)]
    if body.width < MIN_WIDTH or not MIN_ROWS <= len(columns[0]) <= MAX_GROUPED_ROWS:
        return
    blank = sum(not text and any(column[index] for column in columns[1:]) for index, text in enumerate(columns[0]))
    if BLANK_ONE_IN * blank < len(columns[0]):
        return
    for depth in range(1, min(MAX_LABEL_COLUMNS, body.width - 1)):
        rows = _label_rows(columns, depth)
        if rows:
            break
    else:
        return
    letters = ", ".join(column_letters(body.left + c) for c in range(depth))
    if not _are_labels(grid, body, columns, rows, depth):
        return
    if not _are_groups(columns, rows, depth):
        if BLANK_ONE_IN * sum(row.first > 0 for row in rows) < len(rows):
            return
        account.ambiguities.append(f"blank cells of column {letters} may continue the label above; they are left blank")
        return
    filled = _fill(columns, depth)
    account.repairs.append(f"labels of column {letters} filled down over {filled} blank cells")


def _label_rows(columns: list[list[str | None]], depth: int) -> list[_Row]:
    """The rows, if in each of them the labels are filled from some column on, or only one is; else none."""
    rows: list[_Row] = []
    for index in range(len(columns[0])):
        cells = [column[index] for column in columns[: depth + 1]]
        first = next((place for place, text in enumerate(cells) if text), None)
        if first is None:
            if any(column[index] for column in columns):
                return []
            continue
        if any(text and is_total_label(text) for text in cells):
            continue
        rest = cells[first + 1 :]
        head = first < depth and not any(rest)
        if not head and not all(rest):
            return []
        rows.append(_Row(index, first, head))
    return rows if rows and rows[0].first == 0 else []


def _are_labels(grid: Grid, body: Box, columns: list[list[str | None]], rows: list[_Row], depth: int) -> bool:
    """The cells are texts, or years and dates, and those of one group differ."""
    seen: set[tuple[str | None, ...]] = set()
    path: list[str | None] = [None] * (depth + 1)
    for row in rows:
        for place in range(row.first, (row.first if row.head else depth) + 1):
            text = path[place] = columns[place][row.index]
            path[place + 1 :] = [None] * (depth - place)
            kind = grid.kind(body.top + row.index, body.left + place)
            if kind not in (TEXT, DATE) and not is_year(text):
                return False
            if place < depth and tuple(path[: place + 1]) in seen:
                return False
            seen.add(tuple(path[: place + 1]))
    return True


def _are_groups(columns: list[list[str | None]], rows: list[_Row], depth: int) -> bool:
    """The blanks continue the label above: labels in rows of their own, or no fewer rows without one than with one."""
    heads = [row for row in rows if row.first == 0]
    if len(heads) < 2:
        return False
    if all(row.head for row in heads):
        return True
    if 2 * len(heads) > len(rows):
        return False
    if depth == 1 and _recur(columns[0], columns[1]):
        return True
    # Labels without rows below them, one after the other, are values of single records.
    places = [place for place, row in enumerate(rows) if row.first == 0]
    followed = sum(b - a > 1 for a, b in pairwise([*places, len(rows)]))
    return followed > 1 and 3 * followed >= 2 * len(heads)


def _fill(columns: list[list[str | None]], depth: int) -> int:
    """Carry labels down until one of the same or of a higher level; how many cells were filled."""
    filled = 0
    path: list[str | None] = [None] * depth
    for index in range(len(columns[0])):
        cells = [column[index] for column in columns[: depth + 1]]
        last = max((place for place, text in enumerate(cells) if text), default=-1)
        for place in range(depth):
            if text := cells[place]:
                path[place:] = [None if is_total_label(text) else text, *[None] * (depth - place - 1)]
            elif place < last and path[place]:
                columns[place][index] = path[place]
                filled += 1
    return filled


def _recur(first: list[str | None], inner: list[str | None]) -> bool:
    """Whether at least half of the labels in the second column belong to more than one group of the first."""
    groups: Counter[str] = Counter()
    seen: set[str] = set()
    for label, under in zip([*first, "end"], [*inner, None], strict=True):
        if label:
            groups.update(seen)
            seen = set()
        if under:
            seen.add(under)
    return 2 * sum(count > 1 for count in groups.values()) >= len(groups) > 0
