"""How tables relate: unionable tables, joinable columns, and headers carried over between them."""

from tablehound.relations.discovery import join_edges, relationship_graph, union_clusters
from tablehound.relations.facts import TableFacts, table_facts
from tablehound.relations.graph import ColumnRef, JoinEdge, RelationshipGraph, UnionCluster
from tablehound.relations.headers import HeaderGroup, carried_headers, header_groups
from tablehound.relations.unions import align_columns

__all__ = [
    "ColumnRef",
    "HeaderGroup",
    "JoinEdge",
    "RelationshipGraph",
    "TableFacts",
    "UnionCluster",
    "align_columns",
    "carried_headers",
    "header_groups",
    "join_edges",
    "relationship_graph",
    "table_facts",
    "union_clusters",
]
