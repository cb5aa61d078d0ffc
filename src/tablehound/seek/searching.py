"""Ranking by patterns that a backbone wrote: those that the engine refuses are set aside and told back."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from tablehound.errors import PatternError
from tablehound.retrieval import rank
from tablehound.retrieval.candidate import Candidate, SearchEngine
from tablehound.retrieval.lake_vocabulary import Vocabulary
from tablehound.retrieval.patterns.types import Pattern
from tablehound.seek.strategies import resolve_plan
from tablehound.steps.recorder import Recorder, describe_patterns

_WORD = re.compile(r"\w+")
_BEGINNING = 4
"""Letters by which words are compared: enough for inflected forms to meet."""


class Search:
    """All searches of one question."""

    def __init__(self, record: Recorder, engine: SearchEngine) -> None:
        self._record = record
        self._asked = record.asked
        self._settings = record.asked.settings
        self._engine = engine
        self.refused: tuple[str, ...] = ()
        """Messages about patterns of the last search that the engine refused."""
        self.patterns: tuple[Pattern, ...] = ()
        """Patterns of the last search that found something to rank by."""

    def vocabulary(self, limit: int) -> Vocabulary:
        """The lake's own words nearest to the question; empty when they are not offered."""
        from tablehound.retrieval import vocabulary

        if not self._settings.seek.offer_vocabulary:
            return Vocabulary()
        found = vocabulary(self._asked.lake, self._asked.question, limit=5 * limit)
        telling = telling_words(self._asked.question)
        kept = [
            tuple(text for text in texts if telling & _beginnings(text))[:limit]
            for texts in (found.headers, found.values)
        ]
        return Vocabulary(*kept)

    def run(self, patterns: Sequence[Pattern]) -> tuple[list[Candidate], tuple[Pattern, ...]]:
        """Rank all tables by the patterns that the engine takes; also returns those."""
        started = time.perf_counter()
        usable, refused = list(patterns[: self._settings.search.max_patterns]), []
        if over := len(patterns) - len(usable):
            refused.append(f"{over} patterns were left out: at most {self._settings.search.max_patterns} are searched")
        ranked: list[Candidate] = []
        while True:
            try:
                ranked = self._rank(usable)
                break
            except PatternError as error:
                bad = [pattern for pattern in usable if pattern.text == error.pattern] or self._unusable(usable)
                if not bad:
                    raise
                refused += [f"{pattern.describe()}: {error}" for pattern in bad]
                usable = [pattern for pattern in usable if pattern not in bad]
        self.refused = tuple(refused)
        if ranked:
            self.patterns = tuple(usable)
        self._record.note(
            "search",
            since=started,
            saw=describe_patterns(usable) | {"refused": refused},
            tables=[{"id": c.table_id, "score": round(c.score, 4)} for c in ranked[:10]],
        )
        return ranked, tuple(usable)

    def _rank(self, patterns: Sequence[Pattern]) -> list[Candidate]:
        seek = self._settings.seek
        limit = max(50, resolve_plan(seek).n_candidates + seek.max_steps)
        return rank(
            self._asked.lake, self._engine, patterns, self._asked.question, settings=self._settings.ranking, limit=limit
        )

    def _unusable(self, patterns: Sequence[Pattern]) -> list[Pattern]:
        bad = []
        for pattern in patterns:
            try:
                self._engine.tables([pattern])
            except PatternError:
                bad.append(pattern)
        return bad

    def rows(self, table_id: str, patterns: Sequence[Pattern]) -> tuple[int, ...]:
        """Matched rows of a table for its preview."""
        seek = self._settings.seek
        if not patterns:
            return ()
        return self._engine.rows(table_id, patterns, per_pattern=seek.max_rows_per_pattern, limit=seek.max_matched_rows)


def telling_words(question: str) -> frozenset[str]:
    """Beginnings of the question's words that tell one thing from another: names, numbers, and longer words. What
    shares only ``the`` with a question would mislead a backbone."""
    words = _WORD.findall(question)
    names = {word.casefold()[:_BEGINNING] for word in words[1:] if word[0].isupper()}
    longer = {word.casefold()[:_BEGINNING] for word in words if len(word) >= _BEGINNING or word[0].isdigit()}
    return frozenset(names | longer)


def _beginnings(text: str) -> set[str]:
    return {word.casefold()[:_BEGINNING] for word in _WORD.findall(text)}
