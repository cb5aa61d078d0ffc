"""Tables of a lake in the order of the ranking that the settings choose: for a question, for patterns, or for both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tablehound.retrieval.candidate import Candidate, SearchEngine
from tablehound.retrieval.patterns.types import Pattern
from tablehound.retrieval.ranking.share import rank_by_share
from tablehound.retrieval.terms.tokenizer import terms
from tablehound.settings import SearchSettings

if TYPE_CHECKING:
    from tablehound.lake import Lake

ROWS_SHOWN = 10
"""Tables whose matched rows are filled in, and rows of each."""
_NO_WORDS = re.compile(r"\\[pP]\{[^}]*\}|\\x[0-9a-fA-F]{2}|\\.|\[(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|\(\?[a-zA-Z-]*[:)]")


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
    the words of the question and the patterns, or ``structure`` (learned, from how these words and patterns meet in a
    table). Works with patterns alone, a question alone, or both; without any word, structure falls back to the share.

    Raises:
        PatternError: a pattern that the engine refuses.
    """
    text = question_with_patterns(question, patterns)
    if settings.rank == "share" or not terms(text):
        ranked = rank_by_share(engine, patterns, limit=limit)
    else:
        from tablehound.retrieval.ranking.structure import rank_by_bm25, rank_by_structure

        by_terms = rank_by_bm25 if settings.rank == "bm25" else rank_by_structure
        ranked = by_terms(lake, engine, patterns, text, settings=settings, limit=limit)
    return [
        replace(
            found,
            rows=engine.rows(found.table_id, [patterns[i] for i in found.matched], per_pattern=1, limit=ROWS_SHOWN),
        )
        if found.matched and place < ROWS_SHOWN
        else found
        for place, found in enumerate(ranked)
    ]


def question_with_patterns(question: str, patterns: Sequence[Pattern]) -> str:
    """The question, followed by those words of the patterns that it does not have.

    >>> question_with_patterns("who won in 2001", [Pattern(r"(?i)win(ner)?s?|2001")])
    'who won in 2001 win ner s'
    """
    known = set(terms(question))
    more = []
    for pattern in patterns:
        words = _NO_WORDS.sub(" ", pattern.text) if pattern.kind == "regex" else pattern.text
        for word in re.findall(r"\w+(?:[.,]\d+)*", words):
            if not known.issuperset(terms(word)):
                more.append(word)
                known.update(terms(word))
    return " ".join([question, *more]).strip()
