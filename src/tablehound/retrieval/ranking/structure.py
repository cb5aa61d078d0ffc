"""``rank=structure`` and ``rank=bm25`` over the term index of a lake."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.candidate import Candidate, SearchEngine
from tablehound.retrieval.patterns.types import Pattern
from tablehound.retrieval.ranking.bm25 import bm25
from tablehound.retrieval.ranking.model import load_model
from tablehound.retrieval.ranking.nearness import open_lake_vectors
from tablehound.retrieval.ranking.question_terms import TermNeed, weigh
from tablehound.retrieval.ranking.shortlist import Wanted, shortlist
from tablehound.retrieval.table_set import best_numbers, masks
from tablehound.retrieval.terms.segments import OpenTerms, open_terms
from tablehound.settings import SearchSettings

if TYPE_CHECKING:
    from tablehound.lake import Lake


@dataclass(frozen=True, slots=True)
class Gains:
    """What is added to the learned score of a table, in its units. Chosen by hand."""

    patterns: float = 3.0
    """When all patterns match, over none."""
    label: float = 8.0
    """When title and file name contain all of the question's weight."""
    vectors: float = 8.0
    """For a cosine of 1 between the question and the table's text, by weights that were trained without vectors."""


GAINS = Gains()
EXPLAINED = 20
"""Tables whose score is explained; for the others the explanation is empty."""


class PatternShares:
    """Which tables match which patterns, and the share of the patterns' rarity that each table matches."""

    def __init__(self, engine: SearchEngine, patterns: Sequence[Pattern], n_tables: int) -> None:
        self._names, self._found = masks(engine.tables(patterns) if patterns else [])
        held = [int(np.count_nonzero(tables)) for tables in self._found]
        rarity = [math.log(1 + n_tables / n) if n else 0.0 for n in held]
        self._share = np.zeros(len(self._names.ids))
        for weight, tables in zip(rarity, self._found, strict=True):
            self._share[tables] += weight / max(sum(rarity), 1e-12)

    def share(self, table_id: str) -> float:
        """The share of the patterns' rarity that a table matches."""
        number = self._names.numbers.get(table_id)
        return 0.0 if number is None else float(self._share[number])

    def matched(self, table_id: str) -> tuple[int, ...]:
        """Indices of the patterns that occur in a table."""
        number = self._names.numbers.get(table_id)
        return () if number is None else tuple(i for i, tables in enumerate(self._found) if tables[number])

    def best(self, size: int) -> list[str]:
        """The tables with the largest shares, ties by id."""
        ids = self._names.ids
        return [ids[number] for number in best_numbers(self._share, ids, size)]


def rank_by_structure(
    lake: Lake, engine: SearchEngine, patterns: Sequence[Pattern], text: str, *, settings: SearchSettings, limit: int
) -> list[Candidate]:
    """Tables by the learned score of how the words of ``text`` meet in them, with the patterns' rarity and, unless
    ``settings.use_titles`` is off, titles and file names added."""
    opened = open_terms(lake)
    embedder = open_lake_vectors(lake, opened, settings)
    model = load_model(settings.ranking_weights, embedder=settings.embedder if embedder is not None else None)
    n_tables = int(sum(live.sum() for live in opened.live))
    shares = PatternShares(engine, patterns, n_tables)
    size = max(settings.first_stage, limit)
    labels = _label_shares(opened, text, model.need) if settings.use_titles else None
    also = [_places(opened, shares.best(size // 3))]
    if labels is not None:
        also.append(_best_labels(labels, size // 3))
    dense = embedder.scores(text) if embedder is not None else None
    if dense is not None:
        also.append(dense.best(size // 3))
    learned = dense if model.uses_vectors else None
    found = shortlist(opened.indexes, text, model.need, size=size, live=opened.live, also=also, dense=learned)
    scores = model.scores(found)
    ids = [opened.indexes[s].table_ids[t] for s, t in zip(found.segment, found.table, strict=True)]
    extra: dict[str, NDArray[Any]] = {
        "patterns": GAINS.patterns * np.array([shares.share(table_id) for table_id in ids])
    }
    if labels is not None:
        held = [labels[s][t] for s, t in zip(found.segment, found.table, strict=True)]
        extra["titles"] = GAINS.label * np.array(held, float)
    if dense is not None and not model.uses_vectors:
        near = [dense.table[s][t] for s, t in zip(found.segment, found.table, strict=True)]
        extra["vectors"] = GAINS.vectors * np.array(near, float)
    for part in extra.values():
        scores = scores + part
    order = sorted(range(len(ids)), key=lambda i: (-scores[i], ids[i]))[:limit]
    if not order:
        return []
    explanations = model.explain(found, order[:EXPLAINED])
    return [
        Candidate(
            ids[i],
            float(scores[i]),
            shares.matched(ids[i]),
            explanation=explanation | {name: float(part[i]) for name, part in extra.items() if part[i]}
            if explanation is not None
            else {},
        )
        for i, explanation in zip_longest(order, explanations)
    ]


def rank_by_bm25(
    lake: Lake, engine: SearchEngine, patterns: Sequence[Pattern], text: str, *, settings: SearchSettings, limit: int
) -> list[Candidate]:
    """Tables by BM25 over cells and headers."""
    opened = open_terms(lake)
    n_tables = int(sum(live.sum() for live in opened.live))
    question, numbers = weigh(text, opened.indexes, load_model(settings.ranking_weights).need)
    tokens = sum(float(index.arrays["sizes"][:, 0].sum()) for index in opened.indexes)
    shares = PatternShares(engine, patterns, n_tables)
    scored: list[tuple[float, str]] = []
    for index, known, live in zip(opened.indexes, numbers, opened.live, strict=True):
        (score,) = bm25(index, known, (question.rarity,), tokens / max(n_tables, 1))
        for i in np.flatnonzero((score > 0) & live):
            scored.append((-float(score[i]), index.table_ids[i]))
    return [
        Candidate(table_id, -score, shares.matched(table_id), explanation={"bm25": -score})
        for score, table_id in sorted(scored)[:limit]
    ]


def _label_shares(opened: OpenTerms, text: str, need: TermNeed) -> list[NDArray[Any]]:
    """Per segment, the share of the question's weight that each table's title and file name contain."""
    question, numbers = weigh(text, opened.indexes, need)
    known_somewhere = np.array([any(known[i] >= 0 for known in numbers) for i in range(len(question.terms))], bool)
    # A term of titles alone has no weight of its own: its rarity is used.
    weight = np.where(question.frequency > 0, question.weight, question.rarity) * known_somewhere
    total = max(float(weight.sum()), 1e-9)
    out = []
    for index, known, live in zip(opened.indexes, numbers, opened.live, strict=True):
        share = np.zeros(index.n_tables)
        for i, number in enumerate(known):
            if number >= 0:
                share[index.labelled(number)] += weight[i] / total
        out.append(share * live)
    return out


def _best_labels(labels: Sequence[NDArray[Any]], size: int) -> Wanted:
    share = np.concatenate(labels) if labels else np.zeros(0)
    segment = np.repeat(np.arange(len(labels)), [len(part) for part in labels])
    table = np.concatenate([np.arange(len(part)) for part in labels]) if labels else np.zeros(0, np.int64)
    best = np.argsort(-share, kind="stable")[:size]
    best = best[share[best] > 0]
    return Wanted(segment[best], table[best])


def _places(opened: OpenTerms, table_ids: Sequence[str]) -> Wanted:
    segment, table = [], []
    for table_id in table_ids:
        for s, t in opened.locate(table_id):
            segment.append(s)
            table.append(t)
    return Wanted(np.array(segment, np.int64), np.array(table, np.int64))
