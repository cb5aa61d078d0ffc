"""Metrics of the tables that a seeking loop answered from, and of sibling groups (TCR-Bench).

``tried`` is the trajectory: ids of the tables that an answer was tried from, in order; the last is the final one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


def hit_first(tried: Sequence[str], gold: str) -> bool:
    """R@1 of the loop: the first table that was answered from is the gold table."""
    return bool(tried) and tried[0] == gold


def hit_any(tried: Sequence[str], gold: str) -> bool:
    """R@all: the gold table is among all tables that were answered from."""
    return gold in tried


def hit_final(tried: Sequence[str], gold: str) -> bool:
    """R@final: the table of the final answer is the gold table."""
    return bool(tried) and tried[-1] == gold


@dataclass(frozen=True, slots=True)
class GroupOutcome:
    """One question over a group of sibling tables, of which one (the highlighted one) answers it."""

    tried: tuple[str, ...]
    gold: str
    group: frozenset[str]
    """Ids of all siblings, the gold table among them."""

    @property
    def group_hit(self) -> bool:
        """A trajectory hit (the gold table was tried) counts as a group hit; else the final table decides."""
        return self.gold in self.tried or (bool(self.tried) and self.tried[-1] in self.group)


@dataclass(frozen=True, slots=True)
class GroupScores:
    """Group recall and the discrimination scores, as rates over all questions of a set."""

    gr: float
    ds_first: float
    ds_all: float
    ds_final: float
    count: int
    group_hits: int


def group_scores(outcomes: Collection[GroupOutcome]) -> GroupScores:
    """GR is the share of questions with a group hit; DS is, among those, the share that found the gold table.

    DS@1 by the first table tried, DS@all by any, DS@final by the last. With no group hit DS is 0. Source: TCR-Bench's
    group recall and discrimination score.
    """
    hits = [outcome for outcome in outcomes if outcome.group_hit]

    def share(count: int) -> float:
        return count / len(hits) if hits else 0.0

    return GroupScores(
        gr=len(hits) / len(outcomes) if outcomes else 0.0,
        ds_first=share(sum(hit_first(o.tried, o.gold) for o in hits)),
        ds_all=share(sum(hit_any(o.tried, o.gold) for o in hits)),
        ds_final=share(sum(hit_final(o.tried, o.gold) for o in hits)),
        count=len(outcomes),
        group_hits=len(hits),
    )


def efficiency(answer_f1: float, recall_all: float) -> float:
    """Eff = F1 / R@all: how much of what was found was also answered. 0 when nothing was found."""
    return answer_f1 / recall_all if recall_all else 0.0


def hit_rate_by_round(rounds: Sequence[Sequence[str]], golds: Sequence[str]) -> list[float]:
    """Top-1 hit rate by refinement round.

    Args:
        rounds: per question, the top table after the first search and after each refinement.
        golds: per question, the gold table.

    Returns:
        Share of questions whose top table is the gold one after round 0, 1, …; a question that has stopped keeps its
        last table.
    """
    if not rounds:
        return []
    longest = max(len(tops) for tops in rounds)
    return [
        sum(bool(tops) and tops[min(i, len(tops) - 1)] == gold for tops, gold in zip(rounds, golds, strict=True))
        / len(rounds)
        for i in range(longest)
    ]


def worst_case_drop(scores: Mapping[str, float]) -> float:
    """WCD over table formats: the best format's score less the worst one's, relative to the best."""
    best = max(scores.values(), default=0.0)
    return (best - min(scores.values())) / best if best else 0.0


def format_robustness(scores: Mapping[str, float]) -> float:
    """FRS over table formats: the mean score, lowered by the worst-case drop: mean * (1 - WCD)."""
    if not scores:
        return 0.0
    return sum(scores.values()) / len(scores) * (1 - worst_case_drop(scores))
