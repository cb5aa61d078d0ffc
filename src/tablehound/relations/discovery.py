"""The relationship graph of a lake, or of some of its tables."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablehound.relations.facts import TableFacts, table_facts
from tablehound.relations.graph import JoinEdge, RelationshipGraph, UnionCluster
from tablehound.relations.joins import edges_between
from tablehound.relations.unions import clusters_of

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.settings import Settings

KEPT_GRAPHS = 32
KEPT_TABLES = 512


def join_edges(lake: Lake, settings: Settings, table_ids: Sequence[str] | None = None) -> list[JoinEdge]:
    """Joinable column pairs between the tables (default: all of the lake), best first.

    Raises:
        TableMissingError: the lake has no such table.
    """
    return edges_between(_facts(lake, table_ids), settings.multitable.join_threshold)


def union_clusters(lake: Lake, settings: Settings, table_ids: Sequence[str] | None = None) -> list[UnionCluster]:
    """Clusters of unionable tables; a table that goes with no other is a cluster of one.

    Raises:
        TableMissingError: the lake has no such table.
    """
    return clusters_of(_facts(lake, table_ids), settings.multitable.union_threshold)


def relationship_graph(lake: Lake, settings: Settings, table_ids: Sequence[str] | None = None) -> RelationshipGraph:
    """Clusters as nodes and join edges between tables of different clusters. The graphs last asked for are kept for
    the state (generation) of the lake that they were made of.

    Raises:
        TableMissingError: the lake has no such table.
    """
    ids = tuple(sorted(lake.table_ids() if table_ids is None else set(table_ids)))
    limits = (settings.multitable.union_threshold, settings.multitable.join_threshold)
    return _graph(lake, lake.generation, ids, limits)


@functools.lru_cache(maxsize=KEPT_GRAPHS)
def _graph(lake: Lake, generation: str, ids: tuple[str, ...], limits: tuple[float, float]) -> RelationshipGraph:
    facts = [_table(lake, generation, table_id) for table_id in ids]
    clusters = clusters_of(facts, limits[0])
    home = {table_id: cluster.id for cluster in clusters for table_id in cluster.table_ids}
    edges = [edge for edge in edges_between(facts, limits[1]) if home[edge.left.table_id] != home[edge.right.table_id]]
    return RelationshipGraph(tuple(clusters), tuple(edges), home)


@functools.lru_cache(maxsize=KEPT_TABLES)
def _table(lake: Lake, _generation: str, table_id: str) -> TableFacts:
    return table_facts(lake, table_id)


def _facts(lake: Lake, table_ids: Sequence[str] | None) -> list[TableFacts]:
    ids = sorted(lake.table_ids() if table_ids is None else set(table_ids))
    return [_table(lake, lake.generation, table_id) for table_id in ids]
