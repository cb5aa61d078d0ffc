"""What cells leave open: bounds in place of numbers (``<5``), and numbers that fit a scale in two ways.

A condition, an order or a result that the bounds decide is decided; any other is not answered.
"""

from __future__ import annotations

from dataclasses import replace

from tablehound.backbone.rules.candidates import Candidate
from tablehound.backbone.rules.features import Scored
from tablehound.backbone.rules.plan import Order, Plan, Rows, matching, ordering, select, undecided
from tablehound.language.question import Analysis
from tablehound.linking import ColumnProfile, TableProfile, other_meaning

_COMPUTES = frozenset(("sum", "avg", "min", "max", "median", "diff", "ratio", "share", "range", "group", "per"))


def open_question(analysis: Analysis, candidate: Candidate, table: TableProfile) -> str:
    """What the answer of a candidate depends on and the cells leave open; empty where they decide it."""
    plan = candidate.plan
    for rows in filter(None, (plan.rows, plan.other)):
        found = _open_rows(rows, table)
        if found:
            return found
    return _open_result(plan, table) or _open_number(analysis, candidate, table)


def as_cell(scored: Scored, table: TableProfile) -> Scored:
    """A number computed from one cell with bounds as that cell: ``<5`` for "how many"."""
    plan = scored.candidate.plan
    if plan.kind not in ("sum", "avg", "min", "max", "median") or plan.check is not None or plan.column is None:
        return scored
    column = table.columns[plan.column]
    rows = select(plan.rows, table) if column.censored else []
    if len(rows) != 1 or (ends := column.bounds[rows[0]]) is None or ends[0] == ends[1]:
        return scored
    plan = Plan("values", plan.rows, plan.column)
    return replace(scored, candidate=replace(scored.candidate, plan=plan))


def _open_rows(rows: Rows, table: TableProfile) -> str:
    for place, condition in enumerate(rows.conditions):
        unknown = undecided(condition, table) - table.rollups
        for other in rows.conditions[:place] + rows.conditions[place + 1 :]:
            if not rows.any_of and other.op != "same":
                unknown &= matching(other, table) | undecided(other, table)
        if unknown:
            return _cell(table.columns[condition.column], min(unknown))
    order = rows.order
    if order is not None and order.column is not None and table.columns[order.column].censored:
        return _open_order(rows, order, table)
    return ""


def _open_order(rows: Rows, order: Order, table: TableProfile) -> str:
    """A cell that may be at the rank that is asked for, though it is not taken for it; and one that is taken, and may
    be beyond another."""
    assert order.column is not None
    column = table.columns[order.column]
    chosen = select(Rows(rows.conditions, order, any_of=rows.any_of), table)
    rest = [row for row in select(Rows(rows.conditions, any_of=rows.any_of), table) if row not in set(chosen)]
    keys = ordering(column, high=order.high)
    limits = [key for row in chosen if (key := keys[row]) is not None]
    if not limits:
        return ""
    for row in rest:
        ends = column.bounds[row]
        if ends is None or ends[0] == ends[1]:
            continue
        beyond = ends[1] > min(limits) if order.high else ends[0] < max(limits)
        if beyond:
            return _cell(column, row)
    return ""


def _open_result(plan: Plan, table: TableProfile) -> str:
    """A cell with bounds among those that a number is computed from."""
    if plan.column is None or not table.columns[plan.column].censored:
        return ""
    column = table.columns[plan.column]
    if plan.kind not in _COMPUTES or (
        plan.kind in ("group", "per", "share", "diff", "ratio") and plan.inner == "count"
    ):
        return ""
    for rows in filter(None, (plan.rows, plan.other)):
        for row in select(rows, table):
            ends = column.bounds[row]
            if ends is not None and ends[0] != ends[1]:
                return _cell(column, row)
    return ""


def _open_number(analysis: Analysis, candidate: Candidate, table: TableProfile) -> str:
    """A bare number beside a column with a scale that can only be meant in ones."""
    places = {
        i for item in candidate.conditions for i in range(item.start, item.end) if item.how in ("bound", "number")
    }
    columns = {item.condition.column for item in candidate.conditions if item.how in ("bound", "number")}
    check = candidate.plan.check
    if check is not None and check.number is not None and candidate.plan.column is not None:
        columns.add(candidate.plan.column)
        places |= candidate.spent
    for literal in analysis.numbers:
        for index in sorted(columns):
            other = other_meaning(literal, table.columns[index]) if literal.start in places else None
            if other is not None:
                name = table.columns[index].name
                return f"whether {literal.number:,.0f} or {other:g} is meant of column {name!r}"
    return ""


def _cell(column: ColumnProfile, row: int) -> str:
    return f"the number behind {column.texts[row]!r} in column {column.name!r}"
