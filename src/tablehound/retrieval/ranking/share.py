"""The TableSeek paper's score: the share of patterns that occur in a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tablehound.retrieval.candidate import Candidate, SearchEngine
from tablehound.retrieval.patterns.types import Pattern
from tablehound.retrieval.table_set import best_numbers, masks


def rank_by_share(engine: SearchEngine, patterns: Sequence[Pattern], *, limit: int) -> list[Candidate]:
    """Tables by the share of ``patterns`` that occur in them, best first, ties by table id.

    Tables in which no pattern occurs are left out.

    Raises:
        PatternError: a pattern that the engine refuses.
    """
    if not patterns:
        return []
    names, found = masks(engine.tables(patterns))
    ids = names.ids
    counts = np.zeros(len(ids), np.int64)
    for tables in found:
        counts += tables
    return [
        Candidate(
            table_id=ids[number],
            score=int(counts[number]) / len(patterns),
            matched=tuple(i for i, tables in enumerate(found) if tables[number]),
            explanation={"share_of_patterns": int(counts[number]) / len(patterns)},
        )
        for number in best_numbers(counts, ids, limit)
    ]
