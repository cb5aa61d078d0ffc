"""Text-to-SQL over a materialised lake: unionable tables merged, keys guessed, then schema linking and one program.

The baseline of DMRAL's experiments: the lake is made to look like a database, by stacking union clusters and declaring
as foreign keys the joinable pairs of which one side is unique; the question is put to a text-to-SQL model with the part
of the schema that is retrieved for it, in the manner of RESDSQL (Li et al., AAAI 2023) and DIN-SQL (Pourreza and
Rafiei, NeurIPS 2023): tables by relevance, grown along the keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.systems.answering import Retrieval
from tablehound.evaluation.systems.clusters import Neighbourhood, retrieval_of

if TYPE_CHECKING:
    from tablehound.relations import JoinEdge, RelationshipGraph
    from tablehound.steps import Recorder

KEY = 0.95
"""Uniqueness from which a column may be a primary key."""
CONTAINED = 0.8
"""Share of the other side's values that a primary key must hold."""
SHOWN = 4
"""Clusters whose schema the model sees."""


def guessed_keys(graph: RelationshipGraph) -> list[JoinEdge]:
    """The edges that read as foreign keys: one side is unique and holds nearly all values of the other; for a column
    the best key only."""
    best: dict[tuple[str, int], JoinEdge] = {}
    for edge in sorted(graph.edges, key=lambda e: (-e.score, e.left.table_id, e.left.column, e.right.table_id)):
        if edge.uniqueness_right >= KEY and edge.overlap_left >= CONTAINED:
            best.setdefault((edge.left.table_id, edge.left.column), edge)
        elif edge.uniqueness_left >= KEY and edge.overlap_right >= CONTAINED:
            best.setdefault((edge.right.table_id, edge.right.column), edge)
    kept = {id(edge): edge for edge in best.values()}
    return sorted(kept.values(), key=lambda e: (-e.score, e.left.table_id, e.left.column, e.right.table_id))


class Materialised:
    """The retriever: the schema around the most relevant cluster, along guessed keys."""

    def __init__(self, near: Neighbourhood) -> None:
        self._near = near

    def retrieve(self, question: BenchQuestion, record: Recorder) -> Retrieval:
        """See :class:`Retriever`."""
        from dataclasses import replace

        nodes, graph, ranked = self._near.around(question.text)
        if not nodes:
            return Retrieval(tuple(ranked), ())
        graph = replace(graph, edges=tuple(guessed_keys(graph)))
        neighbours: dict[str, set[str]] = {}
        for edge in graph.edges:
            a, b = graph.cluster_of[edge.left.table_id], graph.cluster_of[edge.right.table_id]
            neighbours.setdefault(a, set()).add(b)
            neighbours.setdefault(b, set()).add(a)
        chosen = [nodes[0]]
        while len(chosen) < SHOWN:
            there = {node.cluster.id for node in chosen}
            near = set().union(*(neighbours.get(name, set()) for name in there)) - there
            connected = [node for node in nodes if node.cluster.id in near]
            if not connected:
                break
            chosen.append(connected[0])  # nodes come most relevant first
        return retrieval_of(self._near.lake, [node.cluster for node in chosen], graph, ranked)
