"""What a table has that the other tables of its shortlist lack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.ranking.question_terms import QuestionTerms

Array = NDArray[Any]

PEERS = 50
"""Best tables of the first stage, among which a term or phrase is rare or common."""
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
    "aligned_row",
    "best_column_and_header",
    "row_words",
    "numbers",
    "filled_header",
    "exact_row",
    "exact_row_and_header",
    "exact_three_rows_and_header",
    "local_held",
    "local_filled",
    "local_pair",
    "local_header",
)
"""Features that also enter as their distance to the best table's (``gap_``) and to the best other's (``lead_``)."""
PLACED = ("first", "bm25", "local_held")
"""Features that also enter as the place they would give a table."""
DENSE = ("dense_table", "dense_header", "dense_column", "dense_words", "dense_covered")
"""Features that only a lake with vectors has; they are compared and placed too."""


def add_local(features: dict[str, Array], marks: Mapping[str, Array], question: QuestionTerms) -> None:
    """Terms, cells and phrases weighted by how few of the first stage's best tables contain them too.

    ``marks`` are those of :func:`structure_features`, per table and distinct term (or place of the question).
    """
    peers = np.argsort(-features["first"], kind="stable")[:PEERS]
    need = np.minimum(question.weight, 1.0)
    sequence = list(question.sequence)
    for name, mark in marks.items():
        weight = np.log((len(peers) + 1) / (mark[peers].sum(axis=0) + 0.5))
        by_place = need[sequence] if name in ("filled", "pair") else need
        features[f"local_{name}"] = mark @ (np.maximum(weight, 0.0) * by_place)


def add_comparisons(features: dict[str, Array], question: QuestionTerms) -> None:
    """Places, distances to the best, and what is the same for all tables of the question."""
    n = len(features["first"])
    dense = tuple(name for name in DENSE if name in features)
    for name in (*PLACED, *dense):
        place = np.empty(n)
        place[np.argsort(-features[name], kind="stable")] = np.arange(n)
        features[f"{name}_place"] = place
    for name in (*COMPARED, *dense):
        value = features[name]
        best = float(value.max())
        others = np.sort(value)[-2] if n > 1 else 0.0
        features[f"gap_{name}"] = value - best
        features[f"lead_{name}"] = value - np.where(value == best, others, best)
    features["question_weight"] = np.full(n, question.weight.sum())
    features["question_terms"] = np.full(n, float(len(question.terms)))
    features["question_numbers"] = np.full(n, float(question.numeric.sum()))
