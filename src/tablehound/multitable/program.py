"""From a mapping to what a program sees: one alias per cluster, and the join conditions between them as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablehound.backbone import ShownTable
from tablehound.lake import Column
from tablehound.multitable.decomposition import NeedMapping
from tablehound.program import View
from tablehound.relations.graph import ColumnRef, JoinEdge, RelationshipGraph, UnionCluster
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake


@dataclass(frozen=True, slots=True)
class Joined:
    """The shown tables with the join conditions between them, in the order of joining."""

    shown: tuple[ShownTable, ...]
    joins: tuple[str, ...]
    table_ids: tuple[str, ...]


def view_of(cluster: UnionCluster) -> View:
    """A cluster as a program sees it."""
    if len(cluster.table_ids) == 1:
        return View(cluster.table_ids)
    return View(cluster.table_ids, cluster.header, cluster.alignment)


def show_mapping(lake: Lake, mapping: NeedMapping, graph: RelationshipGraph, settings: Settings) -> Joined:
    """Aliases for the mapping's clusters and SQL for its join edges."""
    from tablehound.steps import show_view

    clusters = {c.id: c for c in graph.clusters}
    aliases = {cluster_id: f"T{n}" for n, cluster_id in enumerate(mapping.clusters, start=1)}
    shown = tuple(
        show_view(lake, view_of(clusters[cluster_id]), alias, settings, answering=True)
        for cluster_id, alias in aliases.items()
    )
    joins = tuple(join_sql(lake, edge, aliases, clusters, graph) for edge in mapping.edges)
    ids = tuple(table_id for cluster_id in mapping.clusters for table_id in clusters[cluster_id].table_ids)
    return Joined(shown, tuple(dict.fromkeys(joins)), ids)


def join_sql(
    lake: Lake,
    edge: JoinEdge,
    aliases: dict[str, str],
    clusters: dict[str, UnionCluster],
    graph: RelationshipGraph,
) -> str:
    """``T1."city" = T2."name"``; texts are compared without case when their writings differ."""
    left, right = _side(lake, edge.left, clusters, graph), _side(lake, edge.right, clusters, graph)
    a = f"{aliases[graph.cluster_of[edge.left.table_id]]}.{_quote(left[0])}"
    b = f"{aliases[graph.cluster_of[edge.right.table_id]]}.{_quote(right[0])}"
    kinds = {left[1].kind, right[1].kind}
    if kinds == {"text"}:
        if _same_case(lake, edge):
            return f"{a} = {b}"
        return f"lower(trim({a})) = lower(trim({b}))"
    if len(kinds) == 2:
        return f"CAST({a} AS VARCHAR) = CAST({b} AS VARCHAR)"
    return f"{a} = {b}"


def _side(
    lake: Lake, ref: ColumnRef, clusters: dict[str, UnionCluster], graph: RelationshipGraph
) -> tuple[str, Column]:
    """The column's name within its cluster's view, and the column."""
    cluster = clusters[graph.cluster_of[ref.table_id]]
    column = lake.info(ref.table_id).columns[ref.column]
    if len(cluster.table_ids) == 1:
        return column.name, column
    place = cluster.alignment[cluster.table_ids.index(ref.table_id)].index(ref.column)
    return cluster.header[place], column


def _same_case(lake: Lake, edge: JoinEdge) -> bool:
    """Whether all values that meet when case is ignored meet as they are written, too."""
    left = {t for t in lake.table(edge.left.table_id).column(edge.left.column) if t}
    right = {t for t in lake.table(edge.right.table_id).column(edge.right.column) if t}
    folded = {_fold(t) for t in left} & {_fold(t) for t in right}
    return len({_fold(t) for t in left & right}) == len(folded)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def grounded_facts(mapping: NeedMapping, needs: Sequence[str], joined: Joined, graph: RelationshipGraph) -> list[str]:
    """What was found by looking values up, for the backbone: ``"Oslo" is a value of T1."Capital"``."""
    aliases = {c: f"T{n}" for n, c in enumerate(mapping.clusters, start=1)}
    facts = []
    for a in mapping.chosen:
        if a.how in ("exact", "inside", "number", "date", "stem", "fuzzy"):
            alias = aliases[graph.cluster_of[a.column.table_id]]
            facts.append(f'"{needs[a.need]}" is a value of {alias}.{_quote(a.name)}')
    return facts
