"""The first stage and the features of its tables: what the learned ranking looks at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.ranking.bm25 import bm25
from tablehound.retrieval.ranking.features import structure_features
from tablehound.retrieval.ranking.question_terms import QuestionTerms, TermNeed, weigh
from tablehound.retrieval.ranking.relative import add_comparisons, add_local
from tablehound.retrieval.terms.index import TermIndex

Array = NDArray[Any]


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
    columns: Callable[[Array], Array] | None = None
    """Tables, counted over all segments, to (C, 1 + W): the nearest column's cosine with the whole question and with
    each of its words; 0 for tables without vectors."""

    def features(self, chosen: Array, question: QuestionTerms, held: Array) -> dict[str, Array]:
        """Name -> one value for each chosen table, counted over all segments; ``held`` marks the question's terms."""
        near = self.columns(chosen) if self.columns is not None else np.zeros((len(chosen), 1))
        of_words = near[:, 1:] if near.shape[1] > 1 else near
        out = {
            "dense_table": np.concatenate(self.table)[chosen],
            "dense_header": np.concatenate(self.header)[chosen],
            "dense_column": near[:, 0],
            "dense_words": of_words.mean(axis=1),
        }
        places = list(question.sequence)
        covered, unheld = out["dense_words"], np.zeros(len(chosen))
        if len(places) == of_words.shape[1]:
            # A word that occurs in no table may still mean a column.
            weight = np.where(question.frequency > 0, question.weight, 1.0)[places]
            total = max(float(weight.sum()), 1e-9)
            covered = np.maximum(of_words, held[:, places]) @ weight / total
            unheld = (of_words * ~held[:, places]) @ weight / total
        return out | {"dense_covered": covered, "dense_unheld": unheld}

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
    features = {name: np.concatenate([part[name] for part, _ in parts]) for name in parts[0][0]} if parts else {}
    if parts:
        features["first"] = every[chosen]
        features["bm25"] = np.concatenate(plains)[chosen]
        marks = {name: np.concatenate([part[name] for _, part in parts]) for name in parts[0][1]}
        if dense is not None:
            features.update(dense.features(chosen, question, marks["held"]))
        add_local(features, marks, question)
        add_comparisons(features, question)
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
