"""Groups that a grand total adds up: each headed by its own sum, as pivot tables print them, without a label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# What decides, all by hand.
MAX_GROUPED_ROWS = 20_000
"""Rows above a total that are looked at for groups."""
MAX_LEVELS = 5
"""Levels of groups within groups, the total's own included."""
HALF_UNIT = 0.5
"""How far a printed number may be off, in units of its last digit: it is rounded."""
MAX_ROUNDED_ADDENDS = 20
"""Addends whose rounding errors are taken to add up; those of more cancel one another out."""
RELATIVE_ERROR = 1e-9
"""Noise of the last binary digits of a sum."""


def group_levels(total: float, value: float, count: int) -> int:
    """How many times a sum of so many numbers contains a value, as groups add it up once per level; or 0."""
    return next((n for n in range(1, MAX_LEVELS + 1) if _near(count, total, n * value)), 0)


def group_heads(columns: Sequence[Mapping[int, float]], rows: Sequence[int], row: int) -> list[int]:
    """Rows above a total that head groups, if the total is the sum of the heads and each head that of its group.

    Args:
        columns: the numbers of each column by row.
        rows: rows above the total that are not subtotals yet, in order.
        row: the total.

    Returns:
        The heads, none unless most columns in which the total has a number agree on them.
    """
    if not 3 <= len(rows) <= MAX_GROUPED_ROWS:
        return []
    judged = [column for column in columns if row in column and sum(other in column for other in rows) > 2]
    for column in judged:
        heads = _heads(column, rows, column[row])
        if heads:
            agreed = sum(each is column or _agrees(each, rows, heads, row) for each in judged)
            return sorted(heads) if 2 * agreed >= len(judged) else []
    return []


def _heads(column: Mapping[int, float], rows: Sequence[int], total: float) -> dict[int, int]:
    """Heads with their depth, by one column's numbers alone; none if they are no groups."""
    numbered = [(row, column[row]) for row in rows if column.get(row)]
    whole = sum(value for _, value in numbered)
    levels = group_levels(whole, total, len(numbered))
    if levels < 2 or not total:
        return {}
    heads: dict[int, int] = {}
    open_groups: list[tuple[float, float, int]] = []
    leaves = 0
    for row, value in numbered:
        if len(open_groups) < levels - 1:
            heads[row] = len(open_groups)
            open_groups.append((value, 0.0, 0))
            continue
        leaves += 1
        while open_groups:
            head, below, count = open_groups.pop()
            if not _near(count + 1, below + value, head):
                open_groups.append((head, below + value, count + 1))
                break
            value = head
    # As many leaves as heads would be pairs of equal numbers, which prove nothing.
    return heads if not open_groups and leaves > len(heads) else {}


def _agrees(column: Mapping[int, float], rows: Sequence[int], heads: Mapping[int, int], total: int) -> bool:
    """Whether the heads found in another column are the sums of their groups in this one too."""
    open_groups: list[list[float]] = [[column[total], 0.0, 0]]
    deepest = max(heads.values()) + 1

    def closes(depth: int) -> bool:
        while len(open_groups) > depth:
            head, below, count = open_groups.pop()
            if not _near(int(count), below, head):
                return False
        return True

    for row in rows:
        depth = heads.get(row, deepest)
        if not closes(depth + 1):
            return False
        value = column.get(row, 0.0)
        open_groups[-1][1] += value
        open_groups[-1][2] += 1
        if row in heads:
            open_groups.append([value, 0.0, 0])
    return closes(0)


def _near(count: int, total: float, value: float) -> bool:
    """Whether some numbers add up to a value, but for the noise of their last binary digits."""
    return abs(total - value) <= RELATIVE_ERROR * max(abs(value), 1.0) * max(count, 1)


def slack_of(count: int, value: float, decimals: int) -> float:
    """How far a sum of so many may be off: each printed addend by half a unit of its last digit."""
    slack = HALF_UNIT * 10**-decimals * min(count, MAX_ROUNDED_ADDENDS) if decimals else 0.0
    return max(slack, RELATIVE_ERROR * abs(value), RELATIVE_ERROR)


def ends_with_sum(numbers: Sequence[float], value: float, decimals: int) -> bool:
    """Whether two or more numbers at the end add up to a value."""
    import numpy as np

    off = np.abs(np.cumsum(np.array(numbers[::-1])) - value)
    counts = np.flatnonzero(off <= slack_of(len(numbers), value, decimals)) + 1
    return any(count > 1 and off[count - 1] <= slack_of(int(count), value, decimals) for count in counts)


def mean_slack(value: float, decimals: int) -> float:
    """How far a printed mean may be off: half a unit of its last digit."""
    return max(HALF_UNIT * 10.0**-decimals, RELATIVE_ERROR * abs(value), RELATIVE_ERROR)
