"""Which cells an answer rests on, derived from the program: for each part of it that reads tables, the rows that
satisfy its conditions and joins and reach its result, and the columns that it uses.

Each SELECT of the program is rewritten to fetch ``_row`` (and ``_table``) of its base rows instead of its result: with
its own order and limit where it neither groups nor aggregates, of the groups returned where it groups, and of the rows
with the extreme where it asks only for a maximum or minimum. A SELECT that depends on an outer row cannot be run
by itself; its outer SELECT names the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablehound.execution.view import RAW_SUFFIX, TypedView
from tablehound.program import CellRef

if TYPE_CHECKING:
    import pyarrow as pa

_OTHER_AGGREGATES = frozenset((
    "product", "histogram", "kurtosis", "skewness", "entropy", "mad", "fsum", "favg", "kahan_sum", "sumkahan",
    "geomean", "geometric_mean", "any_value", "bitstring_agg", "list", "reservoir_quantile", "regr_r2", "sem",
    "count_if",
))  # fmt: skip
"""Aggregates that our parser knows as plain functions."""
MAX_PARTS = 12
"""SELECTs of a program that are looked at."""


@dataclass(frozen=True, slots=True)
class Source:
    """A base table of one SELECT: the name it has there, its view, and the columns that the SELECT uses of it."""

    name: str
    view: TypedView
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvidenceQuery:
    """A query whose result has, per source, ``_row`` and ``_table``."""

    text: str
    sources: tuple[Source, ...]


def evidence_queries(tree: Any, views: Mapping[str, TypedView], max_cells: int) -> list[EvidenceQuery]:
    """Queries for the base rows of a parsed program, the outermost SELECT first. ``views`` by lower-case alias."""
    from sqlglot import exp

    selects = list(tree.find_all(exp.Select, bfs=True))[:MAX_PARTS]
    with_ = tree.args.get("with_") or tree.args.get("with")
    queries = []
    for select in selects:
        sources = _sources(select, views)
        if not sources:
            continue
        rewritten = _rewrite(select, sources, max_cells)
        if with_ is not None and not (rewritten.args.get("with_") or rewritten.args.get("with")):
            rewritten.set("with_", with_.copy())
        for table in rewritten.find_all(exp.Table):
            view = views.get(table.name.lower())
            if view is not None and not table.db:
                alias = table.alias or table.name
                table.set("this", exp.to_identifier(view.base, quoted=True))
                table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        queries.append(EvidenceQuery(rewritten.sql(dialect="duckdb"), tuple(sources)))
    return queries


def _sources(select: Any, views: Mapping[str, TypedView]) -> list[Source]:
    from sqlglot import exp

    from_ = select.args.get("from_") or select.args.get("from")
    entries = [from_.this] if from_ is not None else []
    entries += [join.this for join in select.args.get("joins") or ()]
    shadowed = {cte.alias.lower() for cte in select.root().find_all(exp.CTE)}
    found = []
    for entry in entries:
        if not isinstance(entry, exp.Table) or entry.db or entry.name.lower() in shadowed:
            continue
        view = views.get(entry.name.lower())
        if view is not None:
            found.append((entry.alias or entry.name, view))
    sources = []
    for name, view in found:
        by_lower = {column.lower(): column for column in view.names}
        used: dict[str, None] = {}
        for column in select.find_all(exp.Column):
            if column.table and column.table.lower() != name.lower():
                continue
            plain = column.name.lower().removesuffix(RAW_SUFFIX)
            if plain in by_lower:
                used[by_lower[plain]] = None
        for join in select.args.get("joins") or ():
            for using in join.args.get("using") or ():
                if using.name.lower() in by_lower:
                    used[by_lower[using.name.lower()]] = None
        if any(isinstance(e, exp.Star) or (isinstance(e, exp.Column) and e.is_star) for e in select.expressions):
            used.update(dict.fromkeys(view.names))
        sources.append(Source(name, view, tuple(used) or view.names[:1]))
    return sources


def _aggregates(select: Any) -> list[Any]:
    from sqlglot import exp

    found = []
    for expression in [*select.expressions, select.args.get("having"), select.args.get("order")]:
        if expression is None:
            continue
        for node in expression.find_all(exp.AggFunc, exp.Anonymous):
            if isinstance(node, exp.Anonymous) and node.name.lower() not in _OTHER_AGGREGATES:
                continue
            inside = node.find_ancestor(exp.Select, exp.Window)
            if inside is select:
                found.append(node)
    return found


def _rewrite(select: Any, sources: Sequence[Source], max_cells: int) -> Any:
    from sqlglot import exp

    limit = max_cells + 1
    copy = select.copy()
    aggregates = _aggregates(select)
    group = select.args.get("group")
    wanted = []
    for i, source in enumerate(sources):
        for helper in ("_row", "_table"):
            column = exp.column(helper, table=exp.to_identifier(source.name, quoted=True))
            wanted.append(exp.alias_(column, f"__{helper}{i}", quoted=True))
    if group is None and not aggregates:
        # Its own rows, order and limit. Names of its result may occur in its order, so that they stay.
        copy.set("expressions", [*wanted, *copy.expressions])
        if copy.args.get("distinct"):
            copy.set("distinct", None)
            copy.set("limit", None)
        return copy if copy.args.get("limit") else copy.limit(limit)
    copy.set("expressions", wanted)
    for part in ("group", "having", "order", "limit", "offset", "distinct", "qualify"):
        copy.set(part, None)
    if group is not None and (group.expressions or group.args.get("all")):
        keys = _keys(select, group)
        if keys is not None and (select.args.get("having") or select.args.get("limit")):
            copy = copy.where(_in_groups(select, keys))
    elif aggregates and not select.args.get("having"):
        extremes = [_is_extreme(aggregate) for aggregate in aggregates]
        if None not in extremes:
            copy.set("qualify", exp.Qualify(this=exp.or_(*extremes)))
    return copy.limit(limit)


def _is_extreme(aggregate: Any) -> Any:
    """A condition that a row has the maximum or minimum that is asked for; None for any other aggregate."""
    from sqlglot import exp

    by = aggregate.expression if isinstance(aggregate, exp.ArgMax | exp.ArgMin) else aggregate.this
    if by is None or aggregate.expressions:
        return None
    if isinstance(aggregate, exp.Max | exp.ArgMax):
        return exp.EQ(this=by.copy(), expression=exp.Window(this=exp.Max(this=by.copy())))
    if isinstance(aggregate, exp.Min | exp.ArgMin):
        return exp.EQ(this=by.copy(), expression=exp.Window(this=exp.Min(this=by.copy())))
    return None


def _keys(select: Any, group: Any) -> list[Any] | None:
    """What a SELECT groups by, with positions and names of its result resolved."""
    from sqlglot import exp

    if group.args.get("all"):
        return [e.unalias().copy() for e in select.expressions if e.find(exp.AggFunc) is None]
    named = {e.alias.lower(): e.this for e in select.expressions if isinstance(e, exp.Alias)}
    keys = []
    for key in group.expressions:
        if isinstance(key, exp.Literal) and not key.is_string:
            place = int(key.name) - 1
            if not 0 <= place < len(select.expressions):
                return None
            key = select.expressions[place].unalias()
        elif isinstance(key, exp.Column) and not key.table and key.name.lower() in named:
            key = named[key.name.lower()]
        keys.append(key.copy())
    return keys


def _in_groups(select: Any, keys: Sequence[Any]) -> Any:
    """A condition that a row's group is among those that the SELECT returns."""
    from sqlglot import exp

    groups = select.copy()
    groups.set("with_", None)
    groups.set(
        "expressions",
        [*groups.expressions, *(exp.alias_(key.copy(), f"__key{i}", quoted=True) for i, key in enumerate(keys))],
    )
    same = [
        exp.NullSafeEQ(
            this=exp.column(exp.to_identifier(f"__key{i}", quoted=True), table="__groups"), expression=key.copy()
        )
        for i, key in enumerate(keys)
    ]
    # Only the keys are visible inside, so that the row's own columns are not taken for the groups'.
    visible = exp.select(*(exp.column(exp.to_identifier(f"__key{i}", quoted=True)) for i in range(len(keys))))
    inner = exp.select("1").from_(visible.from_(groups.subquery("__all")).subquery("__groups")).where(exp.and_(*same))
    return exp.Exists(this=inner)


def cells_of(query: EvidenceQuery, rows: pa.Table, max_cells: int, seen: dict[tuple[str, int, int], CellRef]) -> bool:
    """Add the cells that a query's result names to ``seen``; True when some were left out for the limit."""
    at = {source.name: {table.id: i for i, table in enumerate(source.view.tables)} for source in query.sources}
    data = [(rows.column(2 * i).to_pylist(), rows.column(2 * i + 1).to_pylist()) for i in range(len(query.sources))]
    for r in range(rows.num_rows):
        for source, (row_numbers, table_ids) in zip(query.sources, data, strict=True):
            row, table_id = row_numbers[r], table_ids[r]
            if row is None or table_id not in at[source.name]:
                continue
            position = at[source.name][table_id]
            table = source.view.tables[position]
            for name in source.columns:
                place = source.view.places[position][source.view.names.index(name)]
                key = (table_id, row, place)
                if place < 0 or key in seen:
                    continue
                if len(seen) >= max_cells:
                    return True
                text = table.cells.column(place)[row].as_py()
                seen[key] = CellRef(table_id, row, place, text if text is not None else "")
    return False
