"""Values like a text that may be misspelt: those that share most of its trigrams, then by edit similarity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tablehound.retrieval.arrays import Array
from tablehound.retrieval.value_index.building.trigram_postings import trigrams_of
from tablehound.retrieval.value_index.segment import ValueSegment

MAX_POSTINGS = 2_000_000
"""Postings that are counted; the commonest trigrams of the text are left out beyond."""
COMPARED = 400
"""Values that are compared closely."""


def values_like(segment: ValueSegment, text: str, limit: int, cutoff: float) -> Sequence[tuple[float, int, str]]:
    """The values most like ``text``: similarity (0 to 1), id, raw text; best first."""
    import polars as pl
    import pyarrow as pa
    from rapidfuzz import fuzz, process

    wanted = text.strip().lower()
    keys, _ = trigrams_of(pa.array([wanted]))
    postings = sorted(segment.prefilter.postings(keys), key=len)
    taken: list[Array] = []
    total = 0
    for bitmap in postings:
        total += len(bitmap)
        if taken and total > MAX_POSTINGS:
            break
        taken.append(np.frombuffer(bitmap.to_array(), np.uint32))
    if not taken:
        return []
    counts = np.zeros(segment.n_values, np.uint8)
    for ids in taken[:255]:
        counts[ids] += 1
    candidates = np.flatnonzero(counts)
    shared = counts[candidates]
    # The least number of shared trigrams that leaves no more than a handful of times what is compared.
    for least in range(1, int(shared.max(initial=0)) + 1):
        if (shared >= least).sum() <= 16 * COMPARED:
            break
    candidates = candidates[shared >= least] if len(candidates) else candidates
    texts = pl.Series("", segment.values.take(candidates))
    lengths = texts.str.len_bytes().to_numpy()
    # Share of trigrams in common, were all of the text's counted (Dice).
    dice = 2.0 * counts[candidates] / (len(keys) + np.maximum(lengths, 1))
    best = np.argsort(-dice, kind="stable")[:COMPARED]
    choices = texts.gather(best).to_list()
    found = process.extract(
        wanted,
        [choice.strip().lower() for choice in choices],
        scorer=fuzz.ratio,
        limit=limit,
        score_cutoff=100 * cutoff,
    )
    return [(score / 100, int(candidates[best[place]]), choices[place]) for _, score, place in found]
