"""Ranking the tables of a lake for a question, for patterns, or for both."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tablehound.retrieval.candidate import Candidate, SearchEngine
from tablehound.retrieval.pattern import Pattern
from tablehound.retrieval.ranking.share import rank_by_share
from tablehound.retrieval.terms import terms
from tablehound.settings import SearchSettings

if TYPE_CHECKING:
    from tablehound.lake import Lake

ROWS_SHOWN = 10


def rank(
    lake: Lake,
    engine: SearchEngine,
    patterns: Sequence[Pattern],
    question: str,
    *,
    settings: SearchSettings,
    limit: int,
) -> list[Candidate]:
    """The best ``limit`` tables, best first, ties by table id.

    ``settings.rank`` chooses the score: ``share`` (the TableSeek paper's: share of patterns that occur), ``bm25`` over
    the question's terms, or ``structure``. Works with patterns alone, a question alone, or both.

    Raises:
        PatternError: a pattern that the engine refuses.
    """
    if settings.rank == "share" or not question.strip():
        ranked = rank_by_share(engine, patterns, limit=limit)
    else:
        ranked = _rank_by_terms(lake, engine, patterns, question, limit)
    return [
        replace(c, rows=engine.rows(c.table_id, [patterns[i] for i in c.matched], per_pattern=1, limit=ROWS_SHOWN))
        if c.matched and place < ROWS_SHOWN
        else c
        for place, c in enumerate(ranked)
    ]


def _rank_by_terms(
    lake: Lake, engine: SearchEngine, patterns: Sequence[Pattern], question: str, limit: int
) -> list[Candidate]:
    wanted = set(terms(question))
    frequency: Counter[str] = Counter()
    found: dict[str, set[str]] = {}
    for table_id in lake.table_ids():
        table = lake.table(table_id)
        present = set(terms("\n".join(table.header)))
        for column in range(len(table.header)):
            present |= set(terms("\n".join({text for text in table.column(column) if text})))
        found[table_id] = present & wanted
        frequency.update(found[table_id])
    rarity = {term: math.log(1 + len(found) / count) for term, count in frequency.items()}
    total = sum(rarity.values()) or 1.0
    share = {c.table_id: c for c in rank_by_share(engine, patterns, limit=len(found))}
    candidates = []
    for table_id, present in found.items():
        by_terms = sum(rarity[term] for term in sorted(present)) / total
        by_share = share.get(table_id)
        score = by_terms + (by_share.score if by_share else 0.0)
        if score > 0:
            explanation = {"terms": by_terms, "share_of_patterns": by_share.score if by_share else 0.0}
            candidates.append(Candidate(table_id, score, by_share.matched if by_share else (), (), explanation))
    return sorted(candidates, key=lambda c: (-c.score, c.table_id))[:limit]
