"""Plans to SQL (DuckDB dialect) over the typed views. Identifiers are quoted; rows that add up others are left out."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

from tablehound.backbone.rules.plan import Check, Condition, Order, Plan, Rows, own_conditions
from tablehound.language.words import fold
from tablehound.linking.table_profile import CLOCK, NUMBER_IN_TEXT, YEARS, ColumnProfile, TableProfile

MAX_LISTED = 40
"""Cells named one by one in a condition; more are asked for by a pattern."""


class NotExpressible(Exception):  # noqa: N818 - internal: the plan is dropped, no error
    """The typed view does not hold what the plan compares."""


def quote(name: str) -> str:
    """A quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A quoted text literal."""
    return "'" + value.replace("'", "''") + "'"


def ref(column: ColumnProfile) -> str:
    """A column as a program names it."""
    return f"{column.alias}.{quote(column.name)}"


def number(value: float) -> str:
    """A number literal."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def measure(column: ColumnProfile) -> str:
    """The expression that a column is ordered and computed by."""
    name = ref(column)
    match column.measure:
        case "number" | "date" | "time":
            return name
        case "inner":
            return f"TRY_CAST(replace(regexp_extract({name}, '{NUMBER_IN_TEXT}'), ',', '') AS DOUBLE)"
        case "spelled":
            said = {
                t.strip().lower(): n for t, n in zip(column.texts, column.numbers, strict=True) if t and n is not None
            }
            cases = " ".join(f"WHEN {text(word)} THEN {number(n)}" for word, n in sorted(said.items()))
            return f"CASE lower(trim({name})) {cases} END"
        case "clock":
            part = [f"TRY_CAST(regexp_extract({name}, '{CLOCK}', {i}) AS DOUBLE)" for i in (1, 2, 3)]
            return f"(3600 * coalesce({part[0]}, 0) + 60 * {part[1]} + {part[2]})"
        case _:
            raise NotExpressible


def condition_sql(condition: Condition, table: TableProfile) -> str:
    """A boolean expression."""
    column = table.columns[condition.column]
    name = ref(column)
    op = condition.op
    if op in ("in", "not in"):
        return _among(column, condition, negated=op == "not in")
    if op == "filled":
        return f"{name} IS NOT NULL" + (f" AND {name} <> ''" if column.kind == "text" else "")
    if op == "same" and condition.of is not None:
        other = condition_sql(condition.of, table)
        return f"{name} IN (SELECT {name} FROM {table.source} WHERE {_kept(table)} AND {other})"
    if op == "year":
        left = f"year({name})" if column.kind == "date" else _year_inside(name)
    else:
        left = measure(column)
    if column.censored and op in (">", ">=", "<", "<=", "between"):
        return _bounded_sql(column, condition)
    low, high = (_bound(column, op, n) for n in (condition.low, condition.high))
    match op:
        case ">" | ">=":
            return f"{left} {op} {low}"
        case "<" | "<=":
            return f"{left} {op} {high}"
        case _:
            parts = [f"{left} >= {low}" if low else "", f"{left} <= {high}" if high else ""]
            return " AND ".join(p for p in parts if p)


def _bounded_sql(column: ColumnProfile, condition: Condition) -> str:
    """A condition on a column with bounds in place of some numbers: what a cell is at least, or at most, decides."""
    least, most = (f"{column.alias}.{quote(column.name + suffix)}" for suffix in (" (low)", " (high)"))
    op = condition.op
    low, high = (_bound(column, op, n) for n in (condition.low, condition.high))
    if op in (">", ">="):
        return f"{least} {op} {low}"
    if op in ("<", "<="):
        return f"{most} {op} {high}"
    return " AND ".join(p for p in (f"{least} >= {low}" if low else "", f"{most} <= {high}" if high else "") if p)


def _ordered_by(order: Order, table: TableProfile) -> str:
    """What rows are ranked by."""
    assert order.column is not None
    column = table.columns[order.column]
    if not column.censored:
        return measure(column)
    return f"{column.alias}.{quote(column.name + (' (low)' if order.high else ' (high)'))}"


def _bound(column: ColumnProfile, op: str, value: float | None) -> str:
    if value is None:
        return ""
    if column.measure == "time":
        moment = dt.datetime(1, 1, 1) + dt.timedelta(seconds=value)
        return f"TIME '{moment.time().isoformat()}'"
    if column.measure == "date" and op != "year":
        return f"DATE '{dt.date.fromordinal(int(value)).isoformat()}'"
    return number(value)


def _year_inside(name: str) -> str:
    return f"TRY_CAST(regexp_extract({name}, '(1[0-9]\\d\\d|20\\d\\d)') AS INTEGER)"


def _among(column: ColumnProfile, condition: Condition, *, negated: bool) -> str:
    name = ref(column)
    wanted = set(condition.values)
    typed = {
        value
        for folded, value in zip(column.folded, column.values, strict=True)
        if folded in wanted and value is not None
    }
    if not typed:
        raise NotExpressible
    lost = {f for f, v in zip(column.folded, column.values, strict=True) if f in wanted and v is None}
    if lost:
        raise NotExpressible
    phrase = fold(condition.phrase)
    if len(typed) > MAX_LISTED and column.kind == "text" and phrase:
        expression = f"regexp_matches({name}, {text('(?i)' + re.escape(phrase))})"
        return f"NOT {expression}" if negated else expression
    shown = sorted(typed, key=lambda v: (str(type(v)), v))
    items = [_literal(v) for v in shown]
    if len(items) == 1:
        return f"{name} {'<>' if negated else '='} {items[0]}"
    return f"{name} {'NOT IN' if negated else 'IN'} ({', '.join(items)})"


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, dt.time):
        return f"TIME '{value.isoformat()}'"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    return text(str(value))


def _kept(table: TableProfile) -> str:
    return " AND ".join(f"NOT {alias}._rollup" for alias in table.aliases)


def _place(table: TableProfile) -> str:
    """The table's order, as one expression list."""
    return ", ".join(f"{alias}._table, {alias}._row" for alias in table.aliases)


def rows_sql(rows: Rows, table: TableProfile) -> tuple[str, str]:
    """``WHERE …`` and ``QUALIFY …`` (empty when not needed) that pick the rows."""
    if rows.shift:
        return _shift_where(rows, table), ""
    where = _kept(table)
    if rows.conditions:
        parts = [f"({condition_sql(c, table)})" if rows.any_of else condition_sql(c, table) for c in rows.conditions]
        where += f" AND ({' OR '.join(parts)})" if rows.any_of else "".join(f" AND {part}" for part in parts)
    if rows.order is None:
        return f"WHERE {where}", ""
    if rows.order.column is not None:
        where += f" AND {_ordered_by(rows.order, table)} IS NOT NULL"
    return f"WHERE {where}", f"QUALIFY {_rank(rows.order, table)}"


def _rank(order: Order, table: TableProfile) -> str:
    way = "DESC" if order.high else "ASC"
    if order.column is None:
        key = ", ".join(f"{alias}._table {way}, {alias}._row {way}" for alias in table.aliases)
        test = f"<= {order.take}" if order.take else f"= {order.nth}"
        return f"row_number() OVER (ORDER BY {key}) {test}"
    key = f"{_ordered_by(order, table)} {way}"
    if order.take:
        return f"row_number() OVER (ORDER BY {key}, {_place(table)}) <= {order.take}"
    return f"dense_rank() OVER (ORDER BY {key}) = {order.nth}"


def _shift_where(rows: Rows, table: TableProfile) -> str:
    """Rows a few places after (or before) the picked ones."""
    if len(table.aliases) > 1 and rows.along is None:
        raise NotExpressible
    key = measure(table.columns[rows.along]) if rows.along is not None else f"{table.aliases[0]}._row"
    base = Rows(rows.conditions, rows.order, any_of=rows.any_of)
    where, qualify = rows_sql(base, table)
    later = rows.shift > 0
    start = f"SELECT {key} AS k FROM {table.source} {where} {qualify}".rstrip()
    for _ in range(abs(rows.shift)):
        bound = f"(SELECT {'max' if later else 'min'}(k) FROM ({start}))"
        start = (
            f"SELECT {'min' if later else 'max'}({key}) AS k FROM {table.source} "
            f"WHERE {_kept(table)} AND {key} {'>' if later else '<'} {bound}"
        )
    return f"WHERE {_kept(table)} AND {key} = ({start})"


def _from(select: str, rows: Rows, table: TableProfile, tail: str = "") -> str:
    where, qualify = rows_sql(rows, table)
    return " ".join(part for part in (f"SELECT {select} FROM {table.source}", where, tail, qualify) if part)


def _scalar_sql(
    kind: str, column: ColumnProfile | None, rows: Rows, table: TableProfile, distinct: bool, unit: str = ""
) -> str:
    if unit and not distinct:
        value = measure(column) if column is not None else "1"
        inner = _from(f"DISTINCT {unit}._table, {unit}._row, {value} AS v", rows, table)
        return f"SELECT {'count(*)' if kind == 'count' else f'{kind}(v)'} FROM ({inner})"
    if kind == "count":
        counted = column if distinct else None
        if rows.order is not None:  # QUALIFY comes before the count
            return f"SELECT count({'DISTINCT v' if counted else '*'}) FROM ({_inner(counted, rows, table)})"
        return _from(f"count({f'DISTINCT {ref(counted)}' if counted else '*'})", rows, table)
    if column is None:
        raise NotExpressible
    function = {"sum": "sum", "avg": "avg", "min": "min", "max": "max", "median": "median"}.get(kind, "first")
    if rows.order is not None:
        return f"SELECT {function}(v) FROM ({_inner(column, rows, table, measured=True)})"
    return _from(f"{function}({measure(column)})", rows, table)


def _inner(column: ColumnProfile | None, rows: Rows, table: TableProfile, measured: bool = False) -> str:
    value = "1" if column is None else measure(column) if measured else ref(column)
    return _from(f"{value} AS v", rows, table)


def plan_sql(plan: Plan, table: TableProfile) -> str:
    """The plan as one SELECT statement.

    Raises:
        NotExpressible: the typed view does not hold what the plan compares.
    """
    if plan.check is not None:
        return _check_sql(plan, plan.check, table)
    if plan.without:
        return _absent_sql(plan, table)
    column = table.columns[plan.column] if plan.column is not None else None
    name = quote(column.name) if column is not None else "n"
    match plan.kind:
        case "values":
            if column is None:
                raise NotExpressible
            rows = plan.rows
            where, qualify = rows_sql(rows, table)
            filled = f" AND {ref(column)} IS NOT NULL" if not rows.order else ""
            if column.kind == "text" and not rows.order:
                filled += f" AND trim({ref(column)}) <> ''"
            if plan.piece:
                year = f"TRY_CAST(regexp_extract_all({ref(column)}, '{YEARS}')[{plan.piece}] AS INTEGER)"
                return _from(f"DISTINCT {year} AS year", plan.rows, table)
            if column.censored:
                return _cells_sql(column, plan, table)
            shown = ref(column) if plan.scale == 1 else f"{ref(column)} / {number(plan.scale)}"
            if plan.distinct:
                tail = f"GROUP BY {ref(column)} ORDER BY {_first_place(table)}"
                inner = f"SELECT {shown} AS {name} FROM {table.source} {where}{filled}"
                return f"{inner} {tail}" if not qualify else f"SELECT DISTINCT {name} FROM ({inner} {qualify})"
            order = f" ORDER BY {_place(table)}"
            return f"SELECT {shown} AS {name} FROM {table.source} {where}{filled} {qualify}".rstrip() + order
        case "exists":
            return f"SELECT count(*) > 0 AS found FROM ({_inner(None, plan.rows, table)})"
        case "group":
            return _group_sql(plan, table)
        case "per":
            return _per_sql(plan, table)
        case "diff" | "ratio":
            other = plan.other or Rows()
            left = _scalar_sql(plan.inner, column, plan.rows, table, plan.distinct)
            right = _scalar_sql(plan.inner, column, other, table, plan.distinct)
            if plan.kind == "ratio":
                return f"SELECT ({left}) / nullif(({right}), 0) AS ratio"
            difference = f"({left}) - ({right})"
            return f"SELECT {f'abs({difference})' if plan.unsigned else difference} AS difference"
        case "range":
            if column is None:
                raise NotExpressible
            return f"SELECT max(v) - min(v) AS difference FROM ({_inner(column, plan.rows, table, measured=True)})"
        case "share":
            part = _scalar_sql(plan.inner, column, plan.rows, table, False)
            whole = _scalar_sql(plan.inner, column, plan.other or Rows(), table, False)
            return f"SELECT 100.0 * ({part}) / nullif(({whole}), 0) AS percent"
        case _:
            scalar = _scalar_sql(plan.kind, column, plan.rows, table, plan.distinct, plan.unit)
            return scalar if plan.scale == 1 else f"SELECT ({scalar}) / {number(plan.scale)} AS {plan.kind}"


def _cells_sql(column: ColumnProfile, plan: Plan, table: TableProfile) -> str:
    """The cells of a column with bounds in place of some numbers, as they are written."""
    raw = f"{column.alias}.{quote(column.name + ' (raw)')}"
    where, qualify = rows_sql(plan.rows, table)
    select = f"SELECT {raw} AS {quote(column.name)} FROM {table.source} {where} AND {raw} IS NOT NULL {qualify}"
    return f"{select.rstrip()} ORDER BY {_place(table)}"


def _absent_sql(plan: Plan, table: TableProfile) -> str:
    """Rows of the unit that are not among the joined rows which satisfy the conditions."""
    base = table.bases[plan.unit]
    where, _ = rows_sql(Rows(plan.rows.conditions), table)
    own = "".join(f" AND {condition_sql(c, base)}" for c in own_conditions(plan, table))
    unit = plan.unit
    inner = f"SELECT {unit}._table, {unit}._row FROM {table.source} {where}"
    return (
        f"SELECT count(*) FROM {unit} WHERE NOT {unit}._rollup{own} AND ({unit}._table, {unit}._row) NOT IN ({inner})"
    )


def _first_place(table: TableProfile) -> str:
    return ", ".join(f"min({alias}._table), min({alias}._row)" for alias in table.aliases)


def _group_parts(plan: Plan, table: TableProfile) -> tuple[ColumnProfile, str, str]:
    """The column of the groups, what is computed for each, and ``WHERE …``."""
    assert plan.group is not None
    key = table.columns[plan.group]
    column = table.columns[plan.column] if plan.column is not None else None
    if plan.inner == "count":
        score = f"count(DISTINCT {ref(column)})" if column is not None and plan.distinct else "count(*)"
    elif column is None:
        raise NotExpressible
    else:
        score = f"{plan.inner}({measure(column)})"
    where, _ = rows_sql(Rows(plan.rows.conditions, any_of=plan.rows.any_of), table)
    blank = f" AND trim({ref(key)}) <> ''" if key.kind == "text" else ""
    return key, score, f"{where} AND {ref(key)} IS NOT NULL{blank}"


def _per_sql(plan: Plan, table: TableProfile) -> str:
    key, score, where = _group_parts(plan, table)
    having = "" if plan.inner == "count" else f" HAVING {score} IS NOT NULL"
    return (
        f"SELECT {ref(key)} AS {quote(key.name)}, {score} AS {quote(plan.inner)} FROM {table.source} {where} "
        f"GROUP BY {ref(key)}{having} ORDER BY {_first_place(table)}"
    )


def _group_sql(plan: Plan, table: TableProfile) -> str:
    key, score, where = _group_parts(plan, table)
    return (
        f"SELECT {ref(key)} FROM {table.source} {where} GROUP BY {ref(key)} "
        f"QUALIFY dense_rank() OVER (ORDER BY {score} {'DESC' if plan.high else 'ASC'} NULLS LAST) = {plan.nth} "
        f"ORDER BY {_first_place(table)}"
    )


def _check_sql(plan: Plan, check: Check, table: TableProfile) -> str:
    bare = Plan(
        plan.kind, plan.rows, plan.column, plan.other, plan.distinct, plan.group, plan.inner, plan.high, plan.nth,
        plan.unsigned, plan.scale, plan.unit,
    )  # fmt: skip
    inner = plan_sql(bare, table)
    if check.number is not None:
        value = number(check.number)
        if check.op == "=":
            return (
                f"SELECT coalesce(abs(v - {value}) <= 1e-9 * greatest(1, abs(v)) OR round(v, 2) = {value}, false) "
                f"AS holds FROM ({inner}) AS r(v) LIMIT 1"
            )
        return f"SELECT coalesce(v {check.op} {value}, false) AS holds FROM ({inner}) AS r(v) LIMIT 1"
    column = table.columns[check.column if check.column is not None else plan.column or 0]
    listed = _among(column, Condition(column.index, "in", check.texts), negated=False).replace(ref(column), "v")
    test = f"count(*) FILTER (WHERE {listed}) > 0"
    if check.only:
        test = f"count(*) > 0 AND bool_and({listed})"
    return f"SELECT {test if check.op == '=' else f'NOT ({test})'} AS holds FROM ({inner}) AS r(v)"
