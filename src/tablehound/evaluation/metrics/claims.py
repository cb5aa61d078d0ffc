"""Metrics of fact verification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClaimScores:
    """Accuracy over all claims, over the supported ones and over the refuted ones. No verdict counts as wrong."""

    acc: float
    acc_sup: float
    acc_ref: float
    decided: float
    """Share of claims with a verdict."""


def claim_scores(predicted: Sequence[str | None], gold: Sequence[str]) -> ClaimScores:
    """Acc, Acc-Sup and Acc-Ref. Verdicts are ``supported``, ``refuted`` or None.

    Source: TabFact (Chen et al., ICLR 2020) reports Acc; the split by label is the TableSeek paper's.
    """

    def accuracy(label: str | None) -> float:
        pairs = [(p, g) for p, g in zip(predicted, gold, strict=True) if label in (None, g)]
        return sum(p == g for p, g in pairs) / len(pairs) if pairs else 0.0

    decided = sum(p is not None for p in predicted) / len(predicted) if predicted else 0.0
    return ClaimScores(accuracy(None), accuracy("supported"), accuracy("refuted"), decided)
