"""Plans: what a question asks of one table (or a join), independent of SQL; they can be tried on a profile."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tablehound.linking.table_profile import ColumnProfile, TableProfile

Op = Literal["in", "not in", ">", ">=", "<", "<=", "between", "year", "same", "filled"]
PlanKind = Literal[
    "values", "count", "sum", "avg", "min", "max", "median", "diff", "ratio", "share", "group", "exists", "range", "per"
]


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a column. ``values`` are folded cells; ``low`` and ``high`` are numbers as the column orders."""

    column: int
    op: Op
    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    phrase: str = ""
    """The words that asked for it."""
    of: Condition | None = None
    """``same``: the rows whose value of the column is asked for."""


@dataclass(frozen=True, slots=True)
class Order:
    """The rows at rank ``nth`` (1-based, ties together), or the first ``take`` rows. Column None: the table's order."""

    column: int | None
    high: bool
    nth: int = 1
    take: int = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that satisfy all conditions, then those at the order's rank, then those ``shift`` rows further on (in the
    table's order, or in that of ``along``)."""

    conditions: tuple[Condition, ...] = ()
    order: Order | None = None
    shift: int = 0
    along: int | None = None
    any_of: bool = False
    """The conditions are alternatives."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compute over ``rows`` (and ``other``, for ``diff``, ``ratio`` and ``share``)."""

    kind: PlanKind
    rows: Rows
    column: int | None = None
    other: Rows | None = None
    distinct: bool = False
    group: int | None = None
    inner: PlanKind = "count"
    """What ``group``, ``diff`` and ``ratio`` compute per group or side: ``values``, ``count``, ``sum``, ``avg``…"""
    high: bool = True
    nth: int = 1
    unsigned: bool = False
    scale: float = 1.0
    """The result, or each value, is divided by it."""
    unit: str = ""
    """Joined tables: rows of this alias count once each, however many partners they have."""
    without: bool = False
    """``count`` of the unit's rows that have no partner which satisfies the conditions (its own ones must hold)."""
    piece: int = 0
    """``values`` of a column that says two years: the first (1) or the second (2)."""
    check: Check | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Makes a plan a claim: its result compared with a number, or with folded texts."""

    op: Literal["=", "!=", ">", ">=", "<", "<="]
    number: float | None = None
    texts: tuple[str, ...] = ()
    column: int | None = None
    """Of the texts."""
    only: bool = False
    """No other text may be among the results."""

    @property
    def compares_numbers(self) -> bool:
        return self.number is not None


Result = list[float | str | bool]
KEPT_MATCHES = 256
"""Conditions of which the rows are kept, for a table."""


def holds(condition: Condition, table: TableProfile, row: int) -> bool:
    """Whether a row satisfies a condition (``same`` is resolved before)."""
    column = table.columns[condition.column]
    if condition.op == "in":
        return column.folded[row] in condition.values
    if condition.op == "not in":
        return bool(column.folded[row]) and column.folded[row] not in condition.values
    if condition.op == "filled":
        return bool(column.folded[row])
    if condition.op == "year":
        date = column.dates[row]
        return date is not None and date[0] is not None and _within(float(date[0]), condition)
    if column.censored:
        ends = column.bounds[row]
        return ends is not None and all(_within(end, condition) for end in ends)
    number = column.numbers[row]
    return number is not None and _within(number, condition)


def undecided(condition: Condition, table: TableProfile) -> frozenset[int]:
    """Rows of which it is open whether they satisfy a condition: bounds in place of a number (``<5``) allow both."""
    column = table.columns[condition.column]
    if not column.censored or condition.op in ("in", "not in", "filled", "same"):
        return frozenset()
    return frozenset(
        row for row, ends in enumerate(column.bounds) if ends is not None and _may_be_within(ends, condition)
    ) - matching(condition, table)


def _may_be_within(ends: tuple[float, float], condition: Condition) -> bool:
    """Whether some number between the ends satisfies a condition."""
    low, high = condition.low, condition.high
    match condition.op:
        case ">":
            return low is not None and ends[1] > low
        case ">=":
            return low is not None and ends[1] >= low
        case "<":
            return high is not None and ends[0] < high
        case "<=":
            return high is not None and ends[0] <= high
        case _:
            return (low is None or ends[1] >= low) and (high is None or ends[0] <= high)


def _within(number: float, condition: Condition) -> bool:
    low, high = condition.low, condition.high
    match condition.op:
        case ">":
            return low is not None and number > low
        case ">=":
            return low is not None and number >= low
        case "<":
            return high is not None and number < high
        case "<=":
            return high is not None and number <= high
        case _:
            return (low is None or number >= low) and (high is None or number <= high)


def select(rows: Rows, table: TableProfile) -> list[int]:
    """Row indices that ``rows`` stands for, in the table's order."""
    found = table.rows
    if rows.conditions:
        matches = [matching(_resolve(c, table), table) for c in rows.conditions]
        kept = frozenset().union(*matches) if rows.any_of else matches[0].intersection(*matches[1:])
        found = sorted(kept - table.rollups)
    found = list(found)
    if rows.order is not None:
        found = _ordered(rows.order, table, found)
    if rows.shift and found:
        found = _shifted(rows, table, found)
    return found


def matching(condition: Condition, table: TableProfile) -> frozenset[int]:
    """Indices of all rows that satisfy a condition (``same`` is resolved before), rows that add up others too. The
    readings of a question share their conditions, so the last ones are kept with the table."""
    found = table.matches.get(condition)
    if found is None:
        column = table.columns[condition.column]
        if condition.op in ("in", "not in") and "" not in condition.values:
            rows = frozenset(row for value in condition.values for row in column.distinct.get(value, ()))
            filled = (row for row, text in enumerate(column.folded) if text)
            found = rows if condition.op == "in" else frozenset(filled) - rows
        else:
            found = frozenset(row for row in range(table.n_rows) if holds(condition, table, row))
        if len(table.matches) >= KEPT_MATCHES:
            table.matches.clear()
        table.matches[condition] = found
    return found


def _resolve(condition: Condition, table: TableProfile) -> Condition:
    if condition.op != "same" or condition.of is None:
        return condition
    keys = table.columns[condition.column].folded
    values = {keys[row] for row in matching(condition.of, table) - table.rollups} - {""}
    return Condition(condition.column, "in", tuple(sorted(values)))


def _ordered(order: Order, table: TableProfile, found: list[int]) -> list[int]:
    if order.column is None:
        ranked = sorted(found, reverse=order.high)
        return ranked[: order.take] if order.take else ranked[order.nth - 1 : order.nth]
    numbers = ordering(table.columns[order.column], high=order.high)
    keyed = [(number, row) for row in found if (number := numbers[row]) is not None]
    if not keyed:
        return []
    if order.take:
        ranked = [row for _, row in sorted(keyed, key=lambda k: (-k[0] if order.high else k[0], k[1]))]
        return ranked[: order.take]
    levels = sorted({number for number, _ in keyed}, reverse=order.high)
    if order.nth > len(levels):
        return []
    return [row for number, row in keyed if number == levels[order.nth - 1]]


def ordering(column: ColumnProfile, *, high: bool) -> list[float | None]:
    """What a column is ordered by: of a cell with bounds what it is at least, for the highest, or at most."""
    if not column.censored:
        return column.numbers
    return [None if ends is None else ends[not high] for ends in column.bounds]


def _shifted(rows: Rows, table: TableProfile, found: list[int]) -> list[int]:
    if rows.along is None:
        later = rows.shift > 0
        base = max(found) if later else min(found)
        beyond = [r for r in table.rows if (r > base if later else r < base)]
        ranked = sorted(beyond, reverse=not later)
        return ranked[abs(rows.shift) - 1 : abs(rows.shift)]
    numbers = table.columns[rows.along].numbers
    known = [n for r in found if (n := numbers[r]) is not None]
    if not known:
        return []
    later = rows.shift > 0
    base_n = max(known) if later else min(known)
    levels = sorted(
        {n for r in table.rows if (n := numbers[r]) is not None and (n > base_n if later else n < base_n)},
        reverse=not later,
    )
    if len(levels) < abs(rows.shift):
        return []
    return [r for r in table.rows if numbers[r] == levels[abs(rows.shift) - 1]]


def run(plan: Plan, table: TableProfile) -> Result:
    """The plan's result on a profile, as a program over the same table returns it (texts folded)."""
    if plan.check is None:
        return _run(plan, table)
    return [_checked(plan.check, _run(plan, table, as_text=not plan.check.compares_numbers))]


def _checked(check: Check, result: Result) -> bool:
    if check.number is not None:
        values = [v for v in result if isinstance(v, int | float)]
        if not values:
            return False
        return _compare(check.op, values[0], check.number)
    hits = [value in check.texts for value in result]
    hit = all(hits) and bool(hits) if check.only else any(hits)
    return hit if check.op == "=" else not hit


def _compare(op: str, value: float, number: float) -> bool:
    match op:
        case "=":
            return abs(value - number) <= 1e-9 * max(1.0, abs(value)) or round(value, 2) == number
        case "!=":
            return value != number
        case ">":
            return value > number
        case ">=":
            return value >= number
        case "<":
            return value < number
        case _:
            return value <= number


def _run(plan: Plan, table: TableProfile, *, as_text: bool = False) -> Result:
    if plan.without:
        return [float(len(_partnerless(plan, table)))]
    rows = select(plan.rows, table)
    if plan.unit:
        rows = once_each(rows, table, plan.unit)
    column = table.columns[plan.column] if plan.column is not None else None
    if plan.kind == "exists":
        return [bool(rows)]
    if plan.kind == "group":
        return _grouped(plan, table, rows)
    if plan.kind == "per":
        return [part for pair in group_scores(plan, table, rows).items() for part in pair]
    if plan.kind in ("diff", "ratio"):
        left = _scalar(plan.inner, column, rows, plan.distinct)
        right = _scalar(plan.inner, column, select(plan.other or Rows(), table), plan.distinct)
        if left is None or right is None or (plan.kind == "ratio" and right == 0):
            return []
        if plan.kind == "ratio":
            return [left / right]
        return [abs(left - right) if plan.unsigned else left - right]
    if plan.kind == "range":
        numbers = [n for r in rows if column and (n := column.numbers[r]) is not None]
        return [max(numbers) - min(numbers)] if numbers else []
    if plan.kind == "share":
        whole = select(plan.other or Rows(), table)
        part = _scalar(plan.inner, column, rows, False)
        total = _scalar(plan.inner, column, whole, False)
        return [100.0 * part / total] if part is not None and total else []
    if plan.kind == "values" and column is not None:
        if plan.piece:
            years = [column.years[r] for r in rows]
            return list(dict.fromkeys(float(pair[plan.piece - 1]) for pair in years if pair))
        values = _values(column, rows, plan.distinct, as_text)
        return [v / plan.scale if isinstance(v, float) else v for v in values]
    scalar = _scalar(plan.kind, column, rows, plan.distinct)
    return [] if scalar is None else [scalar / plan.scale]


def own_conditions(plan: Plan, table: TableProfile) -> list[Condition]:
    """Conditions on the unit's own columns, by their places in the unit's table."""
    base = table.bases[plan.unit]
    places = {column.name: column.index for column in base.columns}
    return [
        replace(c, column=places[table.columns[c.column].name])
        for c in plan.rows.conditions
        if table.columns[c.column].alias == plan.unit and c.op != "same"
    ]


def _partnerless(plan: Plan, table: TableProfile) -> list[int]:
    base = table.bases[plan.unit]
    own = own_conditions(plan, table)
    joined = {table.parts[plan.unit][row] for row in select(plan.rows, table)}
    return [row for row in base.rows if row not in joined and all(holds(c, base, row) for c in own)]


def once_each(rows: Sequence[int], table: TableProfile, alias: str) -> list[int]:
    """The first joined row of each row of an alias."""
    part = table.parts[alias]
    seen: dict[int, int] = {}
    for row in rows:
        seen.setdefault(part[row], row)
    return list(seen.values())


def _values(column: ColumnProfile, rows: Sequence[int], distinct: bool, as_text: bool) -> Result:
    if column.kind == "number" and not as_text:
        out: Result = [n for r in rows if (n := column.numbers[r]) is not None]
    else:
        out = [column.folded[r] for r in rows if column.folded[r]]
    return list(dict.fromkeys(out)) if distinct else out


def _scalar(kind: PlanKind, column: ColumnProfile | None, rows: Sequence[int], distinct: bool) -> float | None:
    if kind == "count":
        if column is not None and distinct:
            return float(len({column.folded[r] for r in rows if column.folded[r]}))
        return float(len(rows))
    if column is None:
        return None
    numbers = [n for r in rows if (n := column.numbers[r]) is not None]
    if not numbers:
        return None
    match kind:
        case "sum":
            return sum(numbers)
        case "avg":
            return sum(numbers) / len(numbers)
        case "min":
            return min(numbers)
        case "max":
            return max(numbers)
        case "median":
            return statistics.median(numbers)
        case _:
            return numbers[0]


def group_scores(plan: Plan, table: TableProfile, rows: Sequence[int]) -> dict[str, float]:
    """Group value → what is computed for it."""
    assert plan.group is not None
    keys = table.columns[plan.group].folded
    if plan.inner == "count":
        if plan.column is not None and plan.distinct:
            seen: dict[str, set[str]] = {}
            for r in rows:
                if keys[r]:
                    seen.setdefault(keys[r], set()).add(table.columns[plan.column].folded[r])
            return {key: float(len(values - {""})) for key, values in seen.items()}
        return {k: float(n) for k, n in Counter(keys[r] for r in rows if keys[r]).items()}
    members: dict[str, list[int]] = {}
    for r in rows:
        if keys[r]:
            members.setdefault(keys[r], []).append(r)
    column = table.columns[plan.column] if plan.column is not None else None
    scores = {key: _scalar(plan.inner, column, group, False) for key, group in members.items()}
    return {key: score for key, score in scores.items() if score is not None}


def _grouped(plan: Plan, table: TableProfile, rows: Sequence[int]) -> Result:
    scores = group_scores(plan, table, rows)
    levels = sorted(set(scores.values()), reverse=plan.high)
    if plan.nth > len(levels):
        return []
    return [key for key, score in scores.items() if score == levels[plan.nth - 1]]
