"""Which tables are looked at: those that search ranks for the question, and those that lie between them."""

from __future__ import annotations

from collections.abc import Sequence

from tablehound.errors import PatternError
from tablehound.multitable.needs import Need
from tablehound.retrieval import question_patterns
from tablehound.retrieval.candidate import SearchEngine
from tablehound.retrieval.patterns.types import Pattern
from tablehound.steps import Asked

ALL_BELOW = 120
"""A lake with fewer tables is looked at whole."""
RANKED = 40
PER_NEED = 8


def candidate_tables(asked: Asked, engine: SearchEngine, needs: Sequence[Need], tried: Sequence[str]) -> list[str]:
    """Ids of the tables among which needs are aligned, sorted: the best ranked for the question and for each need by
    itself, and those tried before. Small lakes are taken whole."""
    from tablehound.retrieval import rank

    ids = asked.lake.table_ids()
    if len(ids) < ALL_BELOW:
        return list(ids)
    chosen = {table_id for table_id in tried if table_id in set(ids)}
    rounds = [(asked.question, RANKED), *((need.text, PER_NEED) for need in needs)]
    for text, limit in rounds:
        patterns = question_patterns(text) or (Pattern(text, "literal"),)
        try:
            ranked = rank(asked.lake, engine, patterns, text, settings=asked.settings.ranking, limit=limit)
        except PatternError:
            continue
        chosen.update(candidate.table_id for candidate in ranked)
    return sorted(chosen)
