"""MMQA's multi-table retrieval: hop by hop along joins, with union expansion.

Source: Wu et al., "MMQA: Evaluating LLMs with Multi-Table Multi-Hop Complex Questions" (ICLR 2025), algorithm MTR: the
question is split into sub-questions; the tables of a hop are scored by the relevance to the hop's sub-question times
the relevance of the tables of the hop before with which they join; scores add up over hops. Sub-questions here are the
information needs of the question (the paper asks a model for them), and tables are clusters of unionable tables, as
DMRAL extends it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.systems.answering import Retrieval
from tablehound.evaluation.systems.clusters import Neighbourhood, retrieval_of, strongest_edges

if TYPE_CHECKING:
    from tablehound.steps import Recorder

MAX_HOPS = 4
BEAM = 5
"""Clusters kept after a hop."""
KEPT = 3
"""Clusters that the answer is tried from."""
UNJOINED = 0.1
"""What the relevance of the hop before counts for a cluster that joins with none of it."""


def hop_scores(hops: Sequence[Mapping[str, float]], joinable: Mapping[tuple[str, str], float]) -> dict[str, float]:
    """Cluster → score added up over the hops.

    Args:
        hops: per sub-question, cluster → relevance, 0 to 1.
        joinable: (cluster, cluster), the smaller id first → score of their best join.
    """
    total: dict[str, float] = {}
    before: dict[str, float] = {}
    for relevance in hops:
        now: dict[str, float] = {}
        for cluster, value in relevance.items():
            carried = 1.0
            if before:
                reached = [
                    score * (1.0 if other == cluster else joinable.get((min(cluster, other), max(cluster, other)), 0.0))
                    for other, score in before.items()
                ]
                carried = max(UNJOINED, *reached)
            now[cluster] = value * carried
        kept = sorted(now.items(), key=lambda item: (-item[1], item[0]))[:BEAM]
        top = kept[0][1] if kept and kept[0][1] > 0 else 1.0
        before = {cluster: score / top for cluster, score in kept} or before
        for cluster, score in kept:
            total[cluster] = total.get(cluster, 0.0) + score
    return total


class MultiHop:
    """The retriever."""

    def __init__(self, near: Neighbourhood) -> None:
        self._near = near

    def retrieve(self, question: BenchQuestion, record: Recorder) -> Retrieval:
        """See :class:`Retriever`."""
        from tablehound.linking import Profiles
        from tablehound.multitable import align_needs, information_needs

        nodes, graph, ranked = self._near.around(question.text)
        settings = self._near.settings
        analysis, needs = information_needs(question.text, question.task)
        relevance = {node.cluster.id: node.relevance for node in nodes}
        hops: list[dict[str, float]] = [{} for _ in needs]
        profiles = Profiles(self._near.lake, blind=settings.backbone.blind)
        heads = [node.cluster.table_ids[0] for node in nodes]
        for aligned in align_needs(analysis, needs, profiles, heads, settings.multitable.columns_per_need):
            cluster = graph.cluster_of[aligned.column.table_id]
            score = 0.5 * aligned.similarity + 0.5 * relevance[cluster]
            hops[aligned.need][cluster] = max(hops[aligned.need].get(cluster, 0.0), score)
        weighty = sorted(range(len(needs)), key=lambda number: (-needs[number].weight, number))[:MAX_HOPS]
        joinable = {pair: edges[0].score for pair, edges in strongest_edges(graph).items()}
        total = hop_scores([hops[number] for number in sorted(weighty) if hops[number]] or [relevance], joinable)
        order = sorted(total, key=lambda cluster: (-total[cluster], cluster))[:KEPT]
        clusters = {node.cluster.id: node.cluster for node in nodes}
        return retrieval_of(self._near.lake, [clusters[cluster] for cluster in order], graph, ranked)
