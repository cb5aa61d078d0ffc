"""Outlines: labels that are indented below the row that adds them up, by spaces or by the format of their cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tablehound.lake.read.totals.groups import slack_of
from tablehound.lake.read.totals.labels import Column
from tablehound.lake.read.totals.subtotals import numbers_of

AGREEING_ONE_IN = 2
"""A row adds up the rows indented below it if one in so many of the columns that can be checked agrees. By hand:
stricter than for labelled subtotals, since no label confirms it."""
_SPACES = " \t\u00a0\u2002\u2003\u2007\u2009\u3000"


def _levels_of(labels: Column, indents: Mapping[int, int]) -> list[int | None]:
    """How far each label is indented: by its leading spaces, and by its cell's format where that is known by row."""
    levels: list[int | None] = []
    for row, text in enumerate(labels):
        spaces = len(text) - len(text.lstrip(_SPACES)) if text else 0
        levels.append(spaces + indents.get(row, 0) if text and text.strip() else None)
    return levels


def outline_subtotals(columns: Sequence[Column], indents: Mapping[int, int], known: Collection[int]) -> list[int]:
    """Rows that are the sums of the rows indented below them.

    Args:
        indents: how far the first column's labels are indented by their cells' formats, by row.
        known: subtotals found by their labels; they are no addends.
    """
    if not columns or not (indents or any(text and text[0] in _SPACES for text in columns[0])):
        return []
    levels = _levels_of(columns[0], indents)
    groups = {row: below for row in range(len(levels)) if (below := _indented_below(levels, row, known))}
    if not groups:
        return []
    tables = [numbers_of(column) for column in columns[1:]]
    sums = [row for row, below in groups.items() if row not in known and _adds_up(tables, row, below)]
    # One number that is equal to one other proves little by itself.
    return sums if any(len(groups[row]) > 1 for row in sums) else []


def _indented_below(levels: Sequence[int | None], row: int, known: Collection[int]) -> list[int]:
    """The rows directly below a row in the outline: of those indented further than it, the least indented."""
    own = levels[row]
    if own is None:
        return []
    below: list[tuple[int, int]] = []
    for other in range(row + 1, len(levels)):
        level = levels[other]
        if level is not None and level <= own:
            break
        if level is not None and other not in known:
            below.append((level, other))
    nearest = min(below, default=(0, 0))[0]
    return [other for level, other in below if level == nearest]


def _adds_up(tables: Sequence[tuple[Mapping[int, float], int]], row: int, below: Sequence[int]) -> bool:
    agreed = judged = 0
    for numbers, decimals in tables:
        addends = [numbers[other] for other in below if other in numbers]
        if row in numbers and addends:
            judged += 1
            agreed += abs(sum(addends) - numbers[row]) <= slack_of(len(addends), numbers[row], decimals)
    return agreed > 0 and AGREEING_ONE_IN * agreed >= judged
