"""BM25 over the term index (Robertson et al. 1994), with any weights in place of the rarity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.terms.index import TermIndex

K1 = 1.5
"""How soon more occurrences of a term count less: the usual value."""
B = 0.75
"""How much longer tables are marked down, 0 to 1: the usual value."""


def bm25(
    index: TermIndex, numbers: Sequence[int], weights: Sequence[NDArray[Any]], mean_size: float
) -> list[NDArray[Any]]:
    """For each array of term weights (T,), one score per table of the segment (float64).

    Args:
        index: an open segment.
        numbers: (T,) term numbers, -1 for terms that the segment lacks.
        weights: arrays of term weights.
        mean_size: mean tokens per table, over all segments.
    """
    size = index.arrays["sizes"][:, 0].astype(np.float64)
    norm = K1 * (1 - B + B * size / max(mean_size, 1.0))
    scores = [np.zeros(index.n_tables) for _ in weights]
    for i, number in enumerate(numbers):
        if number < 0 or not any(weight[i] for weight in weights):
            continue
        run = index.pairs(number)
        tables = index.arrays["pair_table"][run]
        count = index.arrays["pair_count"][run].astype(np.float64)
        saturated = count * (K1 + 1) / (count + norm[tables])
        for score, weight in zip(scores, weights, strict=True):
            if weight[i]:
                score[tables] += weight[i] * saturated
    return scores
