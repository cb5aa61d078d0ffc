"""The first stage and the features of its tables: what the learned ranking looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.ranking.bm25 import bm25
from tablehound.retrieval.ranking.features import structure_features
from tablehound.retrieval.ranking.question import QuestionTerms, TermNeed, weigh
from tablehound.retrieval.term_index import TermIndex

Array = NDArray[Any]

COMPARED = (
    "bm25",
    "first",
    "held",
    "best_row_and_header",
    "three_rows_and_header",
    "filled",
    "phrase",
    "words",
    "header",
    "best_column",
    "share_of_cell",
)
"""Features that also enter as their distance to the best table's (``gap_``) and to the best other's (``lead_``)."""
DENSE = ("dense_table", "dense_header")
"""Features that only a lake with vectors has; they are compared too."""


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Tables that the first stage found, with their features."""

    segment: Array
    """(C,) index of the segment."""
    table: Array
    """(C,) local table number within its segment."""
    features: dict[str, Array]
    """Name -> (C,) values."""
    question: QuestionTerms

    def matrix(self, names: Sequence[str]) -> NDArray[np.float32]:
        """(C, F) features in the order of ``names``."""
        return np.stack([np.asarray(self.features[name], np.float32) for name in names], axis=1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Tables that shall be on the shortlist besides those of the first stage: (segment, table) numbers."""

    segment: Array
    table: Array


@dataclass(frozen=True, slots=True)
class DenseScores:
    """Per segment of the term index, how near each table is to the question: cosines of the table's text and of its
    header alone, 0 where a table has no vector."""

    table: Sequence[Array]
    header: Sequence[Array]

    def best(self, size: int) -> Wanted:
        """The nearest tables by their text."""
        every = np.concatenate([np.zeros(0), *self.table])
        best = _best(every, size)
        bounds = np.cumsum([0, *(len(part) for part in self.table)])
        segment = np.searchsorted(bounds, best, side="right") - 1
        return Wanted(segment, best - bounds[segment])


def shortlist(
    indexes: Sequence[TermIndex],
    text: str,
    need: TermNeed,
    *,
    size: int,
    live: Sequence[Array] | None = None,
    also: Sequence[Wanted] = (),
    dense: DenseScores | None = None,
    without: Mapping[str, tuple[int, int]] | None = None,
) -> Shortlist:
    """The best ``size`` tables by weighted terms, and those of ``also``, with structural features.

    Args:
        indexes: open segments.
        text: question or claim.
        need: term necessity.
        size: tables kept by the first stage.
        live: per segment a mask of tables that still exist; None means all.
        also: further tables.
        dense: nearness to the question, for a model that was trained with it.
        without: counts to take away from ``need`` (training only).
    """
    question, numbers = weigh(text, indexes, need, without=without)
    tokens = sum(float(index.arrays["sizes"][:, 0].sum()) for index in indexes)
    mean_size = tokens / max(sum(index.n_tables for index in indexes), 1)
    firsts, plains = [], []
    for i, index in enumerate(indexes):
        first, plain = bm25(index, numbers[i], (question.weight, question.rarity), mean_size)
        if live is not None:
            first = np.where(live[i], first, -1.0)
        firsts.append(first)
        plains.append(plain)
    bounds = np.cumsum([0, *(len(first) for first in firsts)])
    every = np.concatenate(firsts) if firsts else np.zeros(0)
    chosen = _best(every, size)
    for more in also:
        if len(more.table):
            chosen = np.union1d(chosen, bounds[more.segment] + more.table)
    chosen = np.sort(chosen)
    segment = np.searchsorted(bounds, chosen, side="right") - 1
    table = chosen - bounds[segment]
    parts = [
        structure_features(index, table[segment == i], numbers[i], question)
        for i, index in enumerate(indexes)
        if (segment == i).any()
    ]
    features = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}
    if parts:
        features["first"] = every[chosen]
        features["bm25"] = np.concatenate(plains)[chosen]
        compared: tuple[str, ...] = COMPARED
        if dense is not None:
            features["dense_table"] = np.concatenate(dense.table)[chosen]
            features["dense_header"] = np.concatenate(dense.header)[chosen]
            compared = (*COMPARED, *DENSE)
        _add_comparisons(features, question, compared)
    return Shortlist(segment, table, features, question)


def _best(score: Array, size: int) -> Array:
    """Places of the ``size`` best positive scores; ties go to the earlier table."""
    positive = np.flatnonzero(score > 0)
    if len(positive) > size:
        bar = np.partition(score[positive], len(positive) - size)[len(positive) - size]
        positive = positive[score[positive] >= bar]
    order = np.argsort(-score[positive], kind="stable")
    best: Array = positive[order][:size]
    return best


def _add_comparisons(features: dict[str, Array], question: QuestionTerms, compared: Sequence[str]) -> None:
    """Places, distances to the best, and what is the same for all tables of the question."""
    n = len(features["first"])
    for name in ("first", "bm25", *(name for name in DENSE if name in compared)):
        place = np.empty(n)
        place[np.argsort(-features[name], kind="stable")] = np.arange(n)
        features[f"{name}_place"] = place
    for name in compared:
        value = features[name]
        best = float(value.max())
        others = np.sort(value)[-2] if n > 1 else 0.0
        features[f"gap_{name}"] = value - best
        features[f"lead_{name}"] = value - np.where(value == best, others, best)
    features["question_weight"] = np.full(n, question.weight.sum())
    features["question_terms"] = np.full(n, float(len(question.terms)))
    features["question_numbers"] = np.full(n, float(question.numeric.sum()))
