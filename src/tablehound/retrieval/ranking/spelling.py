"""Words that occur in no table, read as the nearest word that does."""

from __future__ import annotations

from collections.abc import Sequence

from tablehound.retrieval.terms.index import TermIndex

MIN_CHARS = 5
"""Shorter words have too many neighbours."""
PREFIX = 3
"""Letters that are taken to be right."""
MAX_LOOKED_AT = 20_000
"""Words compared at most per segment."""


def nearest_term(term: str, indexes: Sequence[TermIndex]) -> str | None:
    """The indexed word within one edit (two from eight letters on) that starts with the same three letters and is
    of most tables; ties by alphabet. None when there is none, or ``term`` is a number or short."""
    from rapidfuzz.distance import OSA

    if len(term) < MIN_CHARS or term[0].isdigit():
        return None
    allowed = 1 if len(term) < 8 else 2
    best: tuple[int, int, str] | None = None
    for index in indexes:
        for number in index.starting_with(term[:PREFIX])[:MAX_LOOKED_AT]:
            other = index.term(number)
            if abs(len(other) - len(term)) > allowed:
                continue
            distance = OSA.distance(term, other, score_cutoff=allowed)
            if distance <= allowed:
                run = index.pairs(number)
                found = (distance, run.start - run.stop, other)
                if best is None or found < best:
                    best = found
    return best[2] if best else None
