"""What the joins of a program did: rows of both sides, how many found a partner, and whether rows were multiplied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablehound.execution.view import TypedView, quoted
from tablehound.program import JoinReport

if TYPE_CHECKING:
    import pyarrow as pa

MAX_JOINS = 8


@dataclass(frozen=True, slots=True)
class JoinQuery:
    """A query that counts one join of two base tables."""

    left: str
    right: str
    text: str

    def report(self, counted: pa.Table) -> JoinReport:
        """The report from the query's one row."""
        row = counted.to_pylist()[0]
        return JoinReport(self.left, self.right, *(int(row[name]) for name in ("l", "r", "lm", "rm", "n")))


def join_queries(tree: Any, views: Mapping[str, TypedView]) -> list[JoinQuery]:
    """A query for each pair of base tables that a program joins on equal columns, in the order written."""
    from sqlglot import exp

    shadowed = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    pairs: dict[tuple[str, str, str, str], list[tuple[str, str]]] = {}
    for select in tree.find_all(exp.Select):
        sources = _named_sources(select, views, shadowed)
        for left, right in _equalities(select, sources):
            a, b = sorted((left, right), key=lambda side: list(sources).index(side[0]))
            view_a, view_b = sources[a[0]], sources[b[0]]
            pairs.setdefault((a[0], view_a.alias, b[0], view_b.alias), []).append((a[1], b[1]))
    queries = []
    for (_, alias_a, _, alias_b), columns in list(pairs.items())[:MAX_JOINS]:
        base_a, base_b = views[alias_a.lower()].base, views[alias_b.lower()].base
        on = " AND ".join(f"a.{quoted(x)} = b.{quoted(y)}" for x, y in dict.fromkeys(columns))
        text = (
            f"SELECT (SELECT count(*) FROM {quoted(base_a)}) AS l, (SELECT count(*) FROM {quoted(base_b)}) AS r, "
            'count(DISTINCT (a."_table", a."_row")) AS lm, count(DISTINCT (b."_table", b."_row")) AS rm, count(*) AS n '
            f"FROM {quoted(base_a)} a JOIN {quoted(base_b)} b ON {on}"
        )
        x, y = columns[0]
        queries.append(JoinQuery(f"{alias_a}.{quoted(x)}", f"{alias_b}.{quoted(y)}", text))
    return queries


def _named_sources(select: Any, views: Mapping[str, TypedView], shadowed: set[str]) -> dict[str, TypedView]:
    from sqlglot import exp

    from_ = select.args.get("from_") or select.args.get("from")
    entries = ([from_.this] if from_ is not None else []) + [join.this for join in select.args.get("joins") or ()]
    return {
        (entry.alias or entry.name).lower(): views[entry.name.lower()]
        for entry in entries
        if isinstance(entry, exp.Table) and entry.name.lower() in views and entry.name.lower() not in shadowed
    }


def _equalities(select: Any, sources: Mapping[str, TypedView]) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Pairs of columns of two different sources that the SELECT sets equal, in ON, USING or WHERE."""
    from sqlglot import exp

    found = []
    names = list(sources)
    conditions = [join.args.get("on") for join in select.args.get("joins") or ()]
    where = select.args.get("where")
    conditions.append(where.this if where is not None else None)
    for condition in conditions:
        for equal in condition.find_all(exp.EQ) if condition is not None else ():
            if equal.find_ancestor(exp.Select) is not select or equal.find_ancestor(exp.Or, exp.Not) is not None:
                continue
            left, right = _column(equal.this, sources), _column(equal.expression, sources)
            if left is not None and right is not None and left[0] != right[0]:
                found.append((left, right))
    for join in select.args.get("joins") or ():
        right_name = join.this.alias_or_name.lower()
        for using in join.args.get("using") or ():
            left_name = next((n for n in names if n != right_name and _place(sources[n], using.name) is not None), None)
            if left_name is None or right_name not in sources:
                continue
            x, y = _place(sources[left_name], using.name), _place(sources[right_name], using.name)
            if x is not None and y is not None:
                found.append(((left_name, x), (right_name, y)))
    return found


def _column(node: Any, sources: Mapping[str, TypedView]) -> tuple[str, str] | None:
    """Source and name of a bare column (or one in a cast, trim or change of case)."""
    from sqlglot import exp

    while isinstance(node, exp.Paren | exp.Cast | exp.TryCast | exp.Lower | exp.Upper | exp.Trim):
        node = node.this
    if not isinstance(node, exp.Column):
        return None
    if node.table:
        names = [node.table.lower()] if node.table.lower() in sources else []
    else:
        names = [name for name in sources if _place(sources[name], node.name) is not None]
    if len(names) != 1:
        return None
    column = _place(sources[names[0]], node.name)
    return None if column is None else (names[0], column)


def _place(view: TypedView, name: str) -> str | None:
    return next((column for column in view.names if column.lower() == name.lower()), None)
