"""The relationship graph: clusters of unionable tables, joined by edges of joinable columns (DMRAL)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column of a table."""

    table_id: str
    column: int


@dataclass(frozen=True, slots=True)
class UnionCluster:
    """Tables with the same columns, each perhaps in another order and with other names. Single tables are clusters
    of one."""

    id: str
    table_ids: tuple[str, ...]
    header: tuple[str, ...]
    alignment: tuple[tuple[int, ...], ...]
    """Per table, the column index at each place of ``header``."""


@dataclass(frozen=True, slots=True)
class JoinEdge:
    """Two joinable columns with the measures of their join. All shares are 0 to 1."""

    left: ColumnRef
    right: ColumnRef
    score: float
    overlap_left: float
    """Share of the left column's distinct values that occur on the right."""
    overlap_right: float
    uniqueness_left: float
    """Distinct values by non-blank cells."""
    uniqueness_right: float
    match_rate: float
    """Share of the left rows that find a partner."""
    fan_out: float
    """Mean number of partners of a left row that finds one."""
    semantic: float = 0.0
    """Similarity of names or vectors."""


@dataclass(frozen=True, slots=True)
class RelationshipGraph:
    """Clusters as nodes, join edges between their tables."""

    clusters: tuple[UnionCluster, ...]
    edges: tuple[JoinEdge, ...]
    cluster_of: dict[str, str] = field(default_factory=dict)
    """Table id → cluster id."""
