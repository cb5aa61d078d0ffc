"""What the systems over several tables share: candidates grown by their unionable tables, and how they are shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablehound.evaluation.datasets import BenchQuestion, TableKeys
from tablehound.evaluation.systems.answering import Retrieval
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.relations import JoinEdge, RelationshipGraph, UnionCluster
    from tablehound.steps import Recorder

CANDIDATES = 20
"""Tables of the first ranking that a method looks at closely."""
MAX_EXPANDED = 60
"""Tables after union expansion; beyond, the later candidates are not grown."""
MAX_ALTERNATIVES = 2
"""Join conditions shown for a pair of clusters."""

ScoredRanking = Callable[[str, int], list[tuple[str, float]]]
"""(question, limit) → (table id, score), best first."""


@dataclass(frozen=True, slots=True)
class Node:
    """A union cluster as a candidate."""

    cluster: UnionCluster
    relevance: float
    """Of its best table, 0 to 1."""


class Neighbourhood:
    """First ranking and union expansion over one lake."""

    def __init__(self, lake: Lake, settings: Settings, ranking: ScoredRanking) -> None:
        self._lake = lake
        self._settings = settings
        self._ranking = ranking
        self._alike: dict[frozenset[str], list[str]] = defaultdict(list)
        self._names: dict[str, frozenset[str]] = {}
        for info in lake.infos():
            names = frozenset(" ".join(name.casefold().split()) for name in info.header)
            self._names[info.id] = names
            self._alike[names].append(info.id)

    @property
    def lake(self) -> Lake:
        return self._lake

    @property
    def settings(self) -> Settings:
        return self._settings

    def around(self, question: str) -> tuple[list[Node], RelationshipGraph, list[str]]:
        """Candidate clusters, best first; the graph over them; and the first ranking itself.

        Union expansion, which DMRAL adds to the published methods so that row-wise parts are not missed: tables with
        the same column names as a candidate are added to it before clusters are formed.
        """
        from tablehound.relations import relationship_graph

        scored = self._ranking(question, 2 * CANDIDATES)
        chosen = dict(scored[:CANDIDATES])
        for table_id in list(chosen):
            for other in sorted(self._alike[self._names[table_id]]):
                if len(chosen) >= MAX_EXPANDED:
                    break
                chosen.setdefault(other, 0.0)
        graph = relationship_graph(self._lake, self._settings, sorted(chosen))
        top = max(chosen.values(), default=0.0) or 1.0
        nodes = [Node(c, max(chosen.get(t, 0.0) for t in c.table_ids) / top) for c in graph.clusters]
        nodes.sort(key=lambda node: (-node.relevance, node.cluster.id))
        return nodes, graph, [table_id for table_id, _ in scored]


def strongest_edges(graph: RelationshipGraph) -> dict[tuple[str, str], list[JoinEdge]]:
    """(cluster, cluster) with the smaller id first → edges between them, best first."""
    found: dict[tuple[str, str], list[JoinEdge]] = defaultdict(list)
    for edge in graph.edges:
        a, b = graph.cluster_of[edge.left.table_id], graph.cluster_of[edge.right.table_id]
        if a != b:
            found[min(a, b), max(a, b)].append(edge)
    for edges in found.values():
        edges.sort(key=lambda e: (-e.score, e.left.table_id, e.left.column, e.right.table_id, e.right.column))
    return dict(found)


def retrieval_of(
    lake: Lake, chosen: Sequence[UnionCluster], graph: RelationshipGraph, ranked: Sequence[str]
) -> Retrieval:
    """The chosen clusters as views with the join conditions between them; their tables lead the ranking."""
    from tablehound.multitable import join_sql, view_of

    clusters = {cluster.id: cluster for cluster in graph.clusters}
    aliases = {cluster.id: f"T{number}" for number, cluster in enumerate(chosen, start=1)}
    joins = [
        join_sql(lake, edge, aliases, clusters, graph)
        for (a, b), edges in sorted(strongest_edges(graph).items())
        if a in aliases and b in aliases
        for edge in edges[:MAX_ALTERNATIVES]
    ]
    first = [table_id for cluster in chosen for table_id in cluster.table_ids]
    return Retrieval(
        tuple(dict.fromkeys([*first, *ranked])), tuple(view_of(cluster) for cluster in chosen),
        tuple(dict.fromkeys(joins)),
    )  # fmt: skip


class GoldTables:
    """The retriever of the oracle for questions over several tables: the gold tables, stacked where they are parts of
    one, with the join conditions between them."""

    def __init__(self, lake: Lake, settings: Settings, keys: TableKeys) -> None:
        self._lake = lake
        self._settings = settings
        self._keys = keys

    def retrieve(self, question: BenchQuestion, record: Recorder) -> Retrieval:
        """See :class:`Retriever`."""
        from tablehound.relations import relationship_graph

        ids = [self._keys.ids[key] for key in question.tables if key in self._keys.ids]
        graph = relationship_graph(self._lake, self._settings, ids)
        return retrieval_of(self._lake, graph.clusters, graph, ids)
