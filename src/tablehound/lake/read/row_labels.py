"""Labels of rows: merged ones filled into the rows they cover, and labels that stand once above the rows of a group."""

from __future__ import annotations

from collections import Counter

from tablehound.lake.read.cell_kinds import BOOLEAN, NUMBER, TEXT
from tablehound.lake.read.draft import Account
from tablehound.lake.read.grid import Box, Grid, column_letters
from tablehound.lake.read.rollups import is_total_label

MAX_GROUPED_ROWS = 100_000
"""Larger tables are not looked at for groups: they are exports, not reports."""


def fill_merges(
    grid: Grid, body: Box, texts: dict[int, list[str | None]], repeat_numbers: bool, account: Account
) -> None:
    """Give the cells under a merge its text: labels down and across, numbers across only."""
    held = 0
    for merge in grid.merges:
        top, bottom = max(merge.top, body.top), min(merge.bottom, body.bottom)
        left, right = max(merge.left, body.left), min(merge.right, body.right)
        if top > bottom or left > right or (merge.top, merge.left) not in grid.boxes:
            continue
        text = grid.columns[merge.left][merge.top]
        if text is None:
            continue
        if not repeat_numbers and merge.width > 1 and merge.width >= 0.8 * body.width and merge.height == 1:
            continue  # a heading over the whole width is said once
        down = True
        if not repeat_numbers and merge.height > 1 and grid.kinds[merge.top, merge.left] in (NUMBER, BOOLEAN):
            down = _is_row_label(grid, body, merge)
            held += not down
        for column in range(left, right + 1):
            target = texts[column]
            for row in range(top, bottom + 1):
                if (row, column) in grid.owners and (down or row == merge.top):
                    target[row - body.top] = text
    if held:
        account.repairs.append(f"{held} numbers merged over several rows stand in their first row only")


def _is_row_label(grid: Grid, body: Box, merge: Box) -> bool:
    """A merged number is a row label (a year, a serial number) if all columns at its left are merged along."""
    return all(
        (box := grid.box_at(merge.top, column)).top <= merge.top and box.bottom >= merge.bottom
        for column in range(body.left, merge.left)
    )


def fill_down(grid: Grid, body: Box, texts: dict[int, list[str | None]], account: Account) -> None:
    """Fill the first column down where it names a group once, as pivot tables and reports print it.

    Blank cells may as well be missing values, so this asks for more: all labels differ, each blank cell has a label at
    its right, and either the labels stand alone in their rows, or most rows are blank and the labels at the right come
    again in other groups.
    """
    first = texts[body.left]
    if body.width < 3 or not 3 <= len(first) <= MAX_GROUPED_ROWS:
        return
    inner = texts[body.left + 1]
    others = [texts[column] for column in range(body.left + 1, body.right + 1)]
    blank = [index for index, text in enumerate(first) if not text and any(column[index] for column in others)]
    if 4 * len(blank) < len(first):
        return
    heads = [index for index, text in enumerate(first) if text and not is_total_label(text)]
    if len(heads) < 2 or heads[0] != 0 or len({first[index] for index in heads}) < len(heads):
        return
    if any(grid.kind(body.top + index, body.left) != TEXT for index in heads):
        return
    if not all(inner[index] and grid.kind(body.top + index, body.left + 1) == TEXT for index in blank):
        return
    alone = all(not any(column[index] for column in others) for index in heads) and all(
        not first[index + 1] for index in heads if index + 1 < len(first)
    )
    if not alone and (len(heads) > len(blank) or not _come_again(first, inner)):
        return
    label: str | None = None
    for index, text in enumerate(first):
        if text:
            label = None if is_total_label(text) else text
        elif inner[index]:
            first[index] = label
    account.repairs.append(f"labels of column {column_letters(body.left)} filled down over {len(blank)} blank cells")


def _come_again(first: list[str | None], inner: list[str | None]) -> bool:
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
