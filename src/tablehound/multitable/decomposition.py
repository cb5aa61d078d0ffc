"""Decomposition aligned to tables: needs mapped to columns of a small connected part of the graph, greedily."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tablehound.backbone import NeedGroup
from tablehound.multitable.alignment import Aligned
from tablehound.multitable.needs import Need
from tablehound.relations.graph import JoinEdge, RelationshipGraph

SEEDS = 12
"""First clusters from which a connected set is grown."""
MIN_SIMILARITY = 0.35
JOIN_COST = 0.3
"""What a further table must add to the coverage, in needs."""
UNSURE_COST = 0.4
"""More for a join whose score is low, by how much it lacks to 1."""
MANY_COST = 1.5
"""More for a join in which no side is a key: it multiplies rows."""
KEY = 0.9


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


def edge_cost(edge: JoinEdge) -> float:
    """What a join costs, in needs: the less sure it is and the more it multiplies rows, the more."""
    many = max(edge.uniqueness_left, edge.uniqueness_right) < KEY
    return JOIN_COST + UNSURE_COST * (1.0 - edge.score) + (MANY_COST if many else 0.0)


class Connections:
    """The graph as neighbours of clusters, with the cheapest edge between two."""

    def __init__(self, graph: RelationshipGraph) -> None:
        self.home: Mapping[str, str] = graph.cluster_of
        self._best: dict[tuple[str, str], JoinEdge] = {}
        self._near: dict[str, set[str]] = {}
        for edge in graph.edges:
            a, b = self.home[edge.left.table_id], self.home[edge.right.table_id]
            for pair in ((a, b), (b, a)):
                if pair not in self._best or edge_cost(edge) < edge_cost(self._best[pair]):
                    self._best[pair] = edge
                self._near.setdefault(pair[0], set()).add(pair[1])

    def ways(self, start: Iterable[str], hops: int) -> dict[str, tuple[float, list[str]]]:
        """Every cluster that is reached from ``start`` over at most ``hops`` clusters between, with the cheapest way
        there: its cost, and the clusters on it, the one it starts from first."""
        found: dict[str, tuple[float, list[str]]] = {}
        queue: list[tuple[float, list[str]]] = [(0.0, [place]) for place in sorted(start)]
        begin = {place for _, (place,) in queue}
        while queue:
            cost, way = heapq.heappop(queue)
            here = way[-1]
            if here in found or (here in begin and len(way) > 1):
                continue
            if here not in begin:
                found[here] = (cost, way)
            if len(way) <= hops + 1:
                for step in sorted(self._near.get(here, ())):
                    if step not in begin and step not in found:
                        heapq.heappush(queue, (cost + edge_cost(self._best[here, step]), [*way, step]))
        return found

    def edge(self, a: str, b: str) -> JoinEdge:
        return self._best[a, b]


def mappings(
    needs: Sequence[Need], aligned: Sequence[Aligned], graph: RelationshipGraph, hops: int, limit: int
) -> list[NeedMapping]:
    """The best mappings, the one that covers most at the least cost first.

    From each of the best clusters a connected set is grown: the cluster that adds most to the coverage of the needs,
    less the cost of the joins on the way to it, is taken next, until none adds more than it costs. Each need goes to
    its best column within the set.
    """
    ties = Connections(graph)
    best: dict[str, dict[int, Aligned]] = {}
    for a in aligned:
        if a.similarity < MIN_SIMILARITY:
            continue
        own = best.setdefault(ties.home[a.column.table_id], {})
        if a.need not in own or a.similarity > own[a.need].similarity:
            own[a.need] = a
    firsts = sorted(best, key=lambda c: (-_covered(needs, best[c].values()), c))[:SEEDS]
    found: dict[tuple[str, ...], tuple[float, NeedMapping]] = {}
    for seed in firsts:
        worth, mapping = _grow(seed, needs, best, ties, hops)
        key = tuple(sorted(mapping.clusters))
        if key not in found or worth > found[key][0]:
            found[key] = (worth, mapping)
    ranked = sorted(found.values(), key=lambda pair: (-round(pair[0], 6), pair[1].clusters))
    return [mapping for _, mapping in ranked[:limit]]


def _covered(needs: Sequence[Need], chosen: Iterable[Aligned]) -> float:
    return sum(needs[a.need].weight * a.similarity for a in chosen)


def _grow(
    seed: str, needs: Sequence[Need], best: Mapping[str, Mapping[int, Aligned]], ties: Connections, hops: int
) -> tuple[float, NeedMapping]:
    chosen = dict(best[seed])
    clusters, edges, spent = [seed], [], 0.0
    while True:
        step: tuple[float, str, list[str], float] | None = None
        for cluster, (cost, way) in sorted(ties.ways(clusters, hops).items()):
            gain = sum(
                needs[n].weight * max(0.0, a.similarity - (chosen[n].similarity if n in chosen else 0.0))
                for n, a in best.get(cluster, {}).items()
            )
            if gain > cost and (step is None or gain - cost > step[0]):
                step = (gain - cost, cluster, way, cost)
        if step is None:
            break
        _, _, way, cost = step
        spent += cost
        for before, after in itertools.pairwise(way):
            clusters.append(after)
            edges.append(ties.edge(before, after))
            for n, a in best.get(after, {}).items():
                if n not in chosen or a.similarity > chosen[n].similarity:
                    chosen[n] = a
    weight = sum(need.weight for need in needs)
    coverage = _covered(needs, chosen.values()) / weight if weight else 0.0
    unmapped = tuple(n for n in range(len(needs)) if n not in chosen)
    picks = tuple(chosen[n] for n in sorted(chosen))
    return coverage * weight - spent, NeedMapping(picks, tuple(clusters), tuple(edges), min(1.0, coverage), unmapped)


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
