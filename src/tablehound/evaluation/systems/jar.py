"""JAR: join-aware multi-table retrieval, with union expansion.

Source: Chen, Zhang and Roth, "Is Table Retrieval a Solved Problem? Exploring Join-Aware Multi-Table Retrieval" (ACL
2024). A mixed-integer program selects at most K tables that are together relevant (as wholes, and by their columns to
the concepts of the question) and compatible (joinable with each other). Here the nodes are clusters of unionable
tables, as DMRAL extends it. The program is solved exactly by HiGHS through ``scipy.optimize.milp``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablehound.errors import MissingExtraError
from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.systems.answering import Retrieval
from tablehound.evaluation.systems.clusters import Neighbourhood, retrieval_of, strongest_edges

if TYPE_CHECKING:
    from tablehound.steps import Recorder


@dataclass(frozen=True, slots=True)
class JarOptions:
    """Weights of the objective's parts; the paper sets all to 1."""

    tables: int = 3
    """K, the most clusters selected."""
    coarse: float = 1.0
    fine: float = 1.0
    compatible: float = 1.0
    price: float = 0.8
    """What each cluster costs, so that none is taken that adds less. The paper fixes the number instead."""


def select(
    coarse: Sequence[float],
    fine: Sequence[Mapping[int, float]],
    compatible: Mapping[tuple[int, int], float],
    options: JarOptions,
) -> list[int]:
    """The nodes that maximise joint relevance and compatibility, at least one, in order.

    Variables: b_k, node k is selected; d_qk, concept q is covered by node k; c_kl, nodes k and l are joined. Maximise
    ``Σ coarse_k b_k + Σ fine_qk d_qk + Σ compatible_kl c_kl`` subject to ``Σ b ≤ K``; ``d_qk ≤ b_k``; each concept
    covered once; ``c_kl ≤ b_k, b_l``; and ``Σ c ≤ Σ b - 1``, for a tree of joins needs no more.

    Args:
        coarse: (N,) relevance of the nodes, 0 to 1.
        fine: per concept, node → relevance of its best column, 0 to 1.
        compatible: (k, l) → score of the best join.
        options: K and weights.

    Raises:
        MissingExtraError: scipy is not installed.
    """
    try:
        import numpy as np
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import lil_matrix
    except ImportError as error:
        raise MissingExtraError("scipy is not installed", remedy="pip install 'tablehound[bench]'") from error

    n = len(coarse)
    if not n:
        return []
    covers = [(q, k) for q, nodes in enumerate(fine) for k in sorted(nodes)]
    joins = sorted(compatible)
    size = n + len(covers) + len(joins)
    gain = np.zeros(size)
    # Ties go to the earlier node, so that the same input has the same solution.
    gain[:n] = [options.coarse * value - options.price - 1e-6 * k for k, value in enumerate(coarse)]
    gain[n : n + len(covers)] = [options.fine * fine[q][k] for q, k in covers]
    gain[n + len(covers) :] = [options.compatible * compatible[pair] for pair in joins]
    rows: list[tuple[dict[int, float], float, float]] = [(dict.fromkeys(range(n), 1.0), 1.0, float(options.tables))]
    for place, (_, k) in enumerate(covers, start=n):
        rows.append(({place: 1.0, k: -1.0}, -np.inf, 0.0))
    for q in range(len(fine)):
        own = {place: 1.0 for place, (other, _) in enumerate(covers, start=n) if other == q}
        if own:
            rows.append((own, -np.inf, 1.0))
    for place, (k, other) in enumerate(joins, start=n + len(covers)):
        rows += [({place: 1.0, k: -1.0}, -np.inf, 0.0), ({place: 1.0, other: -1.0}, -np.inf, 0.0)]
    if joins:
        tree = dict.fromkeys(range(n + len(covers), size), 1.0) | dict.fromkeys(range(n), -1.0)
        rows.append((tree, -np.inf, -1.0))
    matrix = lil_matrix((len(rows), size))
    for number, (entries, _, _) in enumerate(rows):
        for column, value in entries.items():
            matrix[number, column] = value
    solved = milp(
        -gain,
        constraints=LinearConstraint(matrix.tocsr(), [row[1] for row in rows], [row[2] for row in rows]),
        integrality=np.ones(size),
        bounds=Bounds(0, 1),
    )
    # The first node alone is always a solution, so none is missing but for a limit of the solver.
    chosen = [0] if solved.x is None else [k for k in range(n) if solved.x[k] > 0.5]
    return sorted(chosen, key=lambda k: (-coarse[k], k))


class Jar:
    """The retriever: concepts are the information needs of the question."""

    def __init__(self, near: Neighbourhood, options: JarOptions | None = None) -> None:
        self._near = near
        self._options = options or JarOptions()

    def retrieve(self, question: BenchQuestion, record: Recorder) -> Retrieval:
        """See :class:`Retriever`."""
        from tablehound.linking import Profiles
        from tablehound.multitable import align_needs, information_needs

        nodes, graph, ranked = self._near.around(question.text)
        settings = self._near.settings
        analysis, needs = information_needs(question.text, question.task)
        place = {node.cluster.id: number for number, node in enumerate(nodes)}
        profiles = Profiles(self._near.lake, blind=settings.backbone.blind)
        heads = [node.cluster.table_ids[0] for node in nodes]
        fine: list[dict[int, float]] = [{} for _ in needs]
        for aligned in align_needs(analysis, needs, profiles, heads, settings.multitable.columns_per_need):
            node = place[graph.cluster_of[aligned.column.table_id]]
            fine[aligned.need][node] = max(fine[aligned.need].get(node, 0.0), aligned.similarity)
        compatible: dict[tuple[int, int], float] = {}
        for (a, b), edges in strongest_edges(graph).items():
            if a in place and b in place:
                compatible[min(place[a], place[b]), max(place[a], place[b])] = edges[0].score
        chosen = select([node.relevance for node in nodes], fine, compatible, self._options)
        return retrieval_of(self._near.lake, [nodes[k].cluster for k in chosen], graph, ranked)
