"""The TableSeek paper's score: the share of patterns that occur in a table."""

from __future__ import annotations

from collections.abc import Sequence

from tablehound.retrieval.candidate import Candidate, SearchEngine
from tablehound.retrieval.pattern import Pattern


def rank_by_share(engine: SearchEngine, patterns: Sequence[Pattern], *, limit: int) -> list[Candidate]:
    """Tables by the share of ``patterns`` that occur in them, best first, ties by table id.

    Tables in which no pattern occurs are left out.

    Raises:
        PatternError: a pattern that the engine refuses.
    """
    if not patterns:
        return []
    matched: dict[str, list[int]] = {}
    for index, tables in enumerate(engine.tables(patterns)):
        for table_id in tables:
            matched.setdefault(table_id, []).append(index)
    ranked = sorted(matched.items(), key=lambda item: (-len(item[1]), item[0]))[:limit]
    return [
        Candidate(
            table_id=table_id,
            score=len(indices) / len(patterns),
            matched=tuple(indices),
            explanation={"share_of_patterns": len(indices) / len(patterns)},
        )
        for table_id, indices in ranked
    ]
