"""Table-RAG: columns and cells are retrieved for the question, and the model answers from what holds them.

Source: Chen et al., "TableRAG: Million-Token Table Understanding with Language Models" (NeurIPS 2024): the question is
expanded into queries; schema retrieval finds columns by name, cell retrieval finds distinct (column, value) pairs; the
solver sees only those. Over a lake the tables are those whose columns and cells were found most; their previews show
the rows of the cells. Queries here are the information needs of the question (the paper asks a model for them).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.systems.answering import Retrieval, single_views
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.retrieval import SearchEngine
    from tablehound.steps import Recorder

COLUMNS = 20
"""Columns found by name for one query."""
CELLS = 10
"""Distinct values found for one query."""
SHOWN = 2
"""Tables that the answer is tried from."""
_SMOOTHING = 10.0
"""Of reciprocal rank fusion (Cormack et al., SIGIR 2009), for short lists."""
_LEAST = 60.0


class TableRag:
    """The retriever."""

    def __init__(self, lake: Lake, engine: SearchEngine, settings: Settings) -> None:
        self._lake = lake
        self._engine = engine
        self._settings = settings
        self._columns: dict[str, list[str]] = defaultdict(list)
        """Column name → tables that have it."""
        for info in lake.infos():
            for name in dict.fromkeys(" ".join(n.casefold().replace("_", " ").split()) for n in info.header):
                if name:
                    self._columns[name].append(info.id)

    def retrieve(self, question: BenchQuestion, record: Recorder) -> Retrieval:
        """See :class:`Retriever`."""
        from tablehound.multitable import information_needs
        from tablehound.retrieval import question_patterns

        _, needs = information_needs(question.text, question.task)
        scores: dict[str, float] = defaultdict(float)
        for need in needs:
            for found in (self._by_name(need.text), self._by_cell(need.text)):
                for table_id, gain in found.items():
                    scores[table_id] += need.weight * gain
        ranked = sorted(scores, key=lambda table_id: (-scores[table_id], table_id))[:50]
        chosen = ranked[:SHOWN]
        seek = self._settings.seek
        patterns = question_patterns(question.text)
        rows = tuple(
            self._engine.rows(t, patterns, per_pattern=seek.max_rows_per_pattern, limit=seek.max_matched_rows)
            for t in chosen
        )
        return Retrieval(tuple(ranked), single_views(chosen), rows=rows)

    def _by_name(self, query: str) -> dict[str, float]:
        """Schema retrieval. A name that many tables have tells them apart little, so it gives each little."""
        from rapidfuzz import fuzz, process

        gains: dict[str, float] = {}
        names = sorted(self._columns)
        found = process.extract(
            query.casefold(), names, scorer=fuzz.token_set_ratio, limit=COLUMNS, score_cutoff=_LEAST
        )
        for place, (name, likeness, _) in enumerate(found):
            tables = self._columns[name]
            gain = likeness / 100 / (_SMOOTHING + place) / len(tables) ** 0.5
            for table_id in tables:
                gains[table_id] = max(gains.get(table_id, 0.0), gain)
        return gains

    def _by_cell(self, query: str) -> dict[str, float]:
        """Cell retrieval over the lake's distinct values."""
        from tablehound.retrieval import columns_with_values_like

        gains: dict[str, float] = {}
        for place, match in enumerate(columns_with_values_like(self._lake, query, CELLS, engine=self._engine)):
            gain = match.similarity / (_SMOOTHING + place) / max(match.n_columns, 1) ** 0.5
            for table_id, _ in match.columns:
                gains[table_id] = max(gains.get(table_id, 0.0), gain)
        return gains
