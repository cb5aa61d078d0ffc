"""Decomposition aligned to tables: a greedy mapping of needs to columns inside one connected part of the graph."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tablehound.backbone.protocol import NeedGroup
from tablehound.multitable.alignment import Aligned
from tablehound.multitable.needs import Need
from tablehound.relations.graph import JoinEdge, RelationshipGraph, UnionCluster

SEEDS = 8
"""First picks tried before the mapping that covers most is taken."""
STAY = 0.12
"""Bonus of a column in a cluster that is already needed: fewer tables are better."""
AWAY = 0.1
"""Cost of each join between a column and the clusters already needed."""
MIN_SIMILARITY = 0.35


@dataclass(frozen=True, slots=True)
class NeedMapping:
    """Needs mapped to columns of connected clusters. ``coverage`` is the mean similarity over all needs, 0 to 1."""

    chosen: tuple[Aligned, ...]
    clusters: tuple[str, ...]
    """Ids of the clusters that cover needs, and of those that lie between them, in the order they were joined."""
    edges: tuple[JoinEdge, ...]
    coverage: float
    unmapped: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "mapping": [a.to_json() for a in self.chosen],
            "clusters": list(self.clusters),
            "joins": [_edge_json(edge) for edge in self.edges],
            "coverage": round(self.coverage, 3),
            "unmapped": list(self.unmapped),
        }


def _edge_json(edge: JoinEdge) -> dict[str, Any]:
    return {
        "left": [edge.left.table_id, edge.left.column],
        "right": [edge.right.table_id, edge.right.column],
        "score": round(edge.score, 3),
        "match_rate": round(edge.match_rate, 3),
        "fan_out": round(edge.fan_out, 3),
    }


class Connections:
    """The graph as neighbours of clusters, with the best edge between two."""

    def __init__(self, graph: RelationshipGraph) -> None:
        self.home: Mapping[str, str] = graph.cluster_of
        self.clusters: dict[str, UnionCluster] = {c.id: c for c in graph.clusters}
        self._best: dict[tuple[str, str], JoinEdge] = {}
        self._near: dict[str, set[str]] = {}
        for edge in graph.edges:
            a, b = self.home[edge.left.table_id], self.home[edge.right.table_id]
            for pair in ((a, b), (b, a)):
                if pair not in self._best or edge.score > self._best[pair].score:
                    self._best[pair] = edge
                self._near.setdefault(pair[0], set()).add(pair[1])

    def path(self, start: Iterable[str], goal: str, hops: int) -> list[str] | None:
        """The shortest way from any of ``start`` to ``goal`` over at most ``hops`` clusters between; of ways of one
        length, the one by the better edges. It begins with the cluster it starts from."""
        begin = sorted(start)
        if goal in begin:
            return [goal]
        queue: deque[list[str]] = deque([place] for place in begin)
        seen = set(begin)
        while queue:
            way = queue.popleft()
            if len(way) > hops + 1:
                continue
            near = sorted(self._near.get(way[-1], ()), key=lambda n: (-self._best[way[-1], n].score, n))
            if goal in near:
                return [*way, goal]
            for step in near:
                if step not in seen:
                    seen.add(step)
                    queue.append([*way, step])
        return None

    def edge(self, a: str, b: str) -> JoinEdge:
        return self._best[a, b]


def mappings(
    needs: Sequence[Need], aligned: Sequence[Aligned], graph: RelationshipGraph, hops: int, limit: int
) -> list[NeedMapping]:
    """The best mappings, the one that covers most first: from each of the best seeds, needs are taken in the order of
    their best similarity, each to the best column that the clusters so far reach; a need that finds none stays
    unmapped, and the next seed is tried."""
    ties = Connections(graph)
    seeds = sorted(
        (a for a in aligned if a.similarity >= MIN_SIMILARITY), key=lambda a: (-a.similarity, a.need, a.column.table_id)
    )
    found: dict[tuple[str, ...], NeedMapping] = {}
    firsts: list[Aligned] = []
    for seed in seeds:
        if len(firsts) >= SEEDS:
            break
        if all(ties.home[seed.column.table_id] != ties.home[f.column.table_id] for f in firsts):
            firsts.append(seed)
    for seed in firsts:
        mapping = _grow(seed, needs, aligned, ties, hops)
        key = tuple(sorted(mapping.clusters))
        if key not in found or mapping.coverage > found[key].coverage:
            found[key] = mapping
    ranked = sorted(found.values(), key=lambda m: (-_worth(m), m.clusters))
    return ranked[:limit]


def _worth(mapping: NeedMapping) -> float:
    return mapping.coverage - 0.04 * (len(mapping.clusters) - 1)


def _grow(
    seed: Aligned, needs: Sequence[Need], aligned: Sequence[Aligned], ties: Connections, hops: int
) -> NeedMapping:
    by_need: dict[int, list[Aligned]] = {}
    for a in aligned:
        by_need.setdefault(a.need, []).append(a)
    order = sorted((n for n in by_need if n != seed.need), key=lambda n: (-max(a.similarity for a in by_need[n]), n))
    chosen = {seed.need: seed}
    clusters = [ties.home[seed.column.table_id]]
    edges: list[JoinEdge] = []
    for need in order:
        best: tuple[float, Aligned, list[str]] | None = None
        for option in by_need[need]:
            if option.similarity < MIN_SIMILARITY:
                continue
            way = ties.path(clusters, ties.home[option.column.table_id], hops)
            if way is None:
                continue
            worth = option.similarity + (STAY if len(way) == 1 else -AWAY * (len(way) - 1))
            if best is None or worth > best[0]:
                best = (worth, option, way)
        if best is None:
            continue
        chosen[need] = best[1]
        for before, after in itertools.pairwise(best[2]):
            clusters.append(after)
            edges.append(ties.edge(before, after))
    unmapped = tuple(n for n in range(len(needs)) if n not in chosen)
    coverage = sum(a.similarity for a in chosen.values()) / max(1, len(needs))
    picks = tuple(chosen[n] for n in sorted(chosen))
    return NeedMapping(picks, tuple(dict.fromkeys(clusters)), tuple(edges), min(1.0, coverage), unmapped)


def need_groups(needs: Sequence[Need], mapping: NeedMapping, graph: RelationshipGraph) -> list[NeedGroup]:
    """Needs on the same cluster, with the columns they were aligned to; clusters in the order they were joined."""
    by_id = {c.id: c for c in graph.clusters}
    groups = []
    for cluster in mapping.clusters:
        own = [a for a in mapping.chosen if graph.cluster_of[a.column.table_id] == cluster]
        groups.append(
            NeedGroup(
                tuple(needs[a.need].text for a in own),
                by_id[cluster].table_ids,
                tuple(dict.fromkeys(a.name for a in own)),
            )
        )
    return groups
