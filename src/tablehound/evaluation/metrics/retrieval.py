"""Metrics of ranked lists of tables against the set of relevant ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def precision_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the first ``k`` places that hold a relevant table; places that are not filled count as misses."""
    return len(set(ranked[:k]) & set(relevant)) / k


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant tables among the first ``k``. 1 when there are none to be found.

    With one relevant table this is the hit rate that the TableSeek paper and TARGET call R@k.
    """
    wanted = set(relevant)
    return len(wanted & set(ranked[:k])) / len(wanted) if wanted else 1.0


def f1_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Harmonic mean of precision and recall of the first ``k`` tables that there are.

    As in join-aware retrieval (Chen et al., ACL 2024): a list shorter than ``k`` is not punished for being short.
    """
    first = list(dict.fromkeys(ranked[:k]))
    hits = len(set(first) & set(relevant))
    return 2 * hits / (len(first) + len(set(relevant))) if hits else 0.0


def full_recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> bool:
    """Whether all relevant tables are among the first ``k``."""
    return set(relevant) <= set(ranked[:k])


def selection_accuracy(selected: Collection[str], relevant: Collection[str]) -> bool:
    """Table selection accuracy of one question: exactly the relevant tables were selected."""
    return set(selected) == set(relevant)


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """One over the place of the first relevant table, 0 when there is none."""
    return next((1 / place for place, table in enumerate(ranked, 1) if table in relevant), 0.0)
