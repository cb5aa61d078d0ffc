"""Nearness of a lake's tables to a question, by the vectors that the lake was indexed with."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.dense import Embedder, VectorIndex, open_embedder, open_vectors
from tablehound.retrieval.dense.vectors import similarities
from tablehound.retrieval.ranking.shortlist import DenseScores
from tablehound.retrieval.terms.segments import OpenTerms
from tablehound.settings import SearchSettings

if TYPE_CHECKING:
    from tablehound.lake import Lake

NEAREST = 200
"""Nearest tables taken from a segment that has a search graph."""


@dataclass(frozen=True, slots=True)
class LakeVectors:
    """The vectors of a lake with the embedder that made them."""

    embedder: Embedder
    indexes: tuple[VectorIndex, ...]
    places: tuple[NDArray[Any], ...]
    """Per vector segment, its tables' places in the term index, counted over all segments; -1 for none."""
    bounds: tuple[int, ...]
    """Where each segment of the term index begins in that count, and its end."""

    def scores(self, text: str) -> DenseScores:
        """Cosines for the tables of the term index. In a segment with a search graph only the nearest have one."""
        words = self.embedder.embed_words(text)
        query = words[0]
        table = np.zeros(self.bounds[-1])
        header = np.zeros(self.bounds[-1])
        for vectors, places in zip(self.indexes, self.places, strict=True):
            chosen: NDArray[Any] = np.flatnonzero(places >= 0)
            if vectors.graph is not None:
                chosen = np.intersect1d(chosen, vectors.nearest_tables(query, NEAREST)[0])
            table[places[chosen]] = similarities(vectors.tables, query, chosen)
            header[places[chosen]] = similarities(vectors.headers, query, chosen)
        inner = list(self.bounds[1:-1])
        return DenseScores(np.split(table, inner), np.split(header, inner), lambda tables: self._columns(words, tables))

    def _columns(self, words: NDArray[np.float32], tables: NDArray[Any]) -> NDArray[np.float32]:
        out = np.zeros((len(tables), len(words)), np.float32)
        for vectors, places in zip(self.indexes, self.places, strict=True):
            local = np.full(self.bounds[-1], -1)
            held = np.flatnonzero(places >= 0)
            local[places[held]] = held
            mine = np.flatnonzero(local[tables] >= 0)
            out[mine] = vectors.word_columns(words, local[tables[mine]])
        return out


_opened: weakref.WeakKeyDictionary[Lake, tuple[str, LakeVectors | None]] = weakref.WeakKeyDictionary()


def open_lake_vectors(lake: Lake, opened: OpenTerms, settings: SearchSettings) -> LakeVectors | None:
    """The lake's vectors, kept as long as the lake object lives; None without ``search.embedder``, or when the lake was
    not indexed with it.

    Raises:
        MissingExtraError: a package of the embedder is missing.
    """
    if settings.embedder is None:
        return None
    known = _opened.get(lake)
    if known is not None and known[0] == settings.embedder:
        return known[1]
    indexes = tuple(index for index in open_vectors(lake) if index.embedder == settings.embedder)
    found = None
    if indexes:
        bounds = tuple(np.cumsum([0, *(index.n_tables for index in opened.indexes)]).tolist())
        place = {
            table_id: bounds[segment] + local
            for segment, (index, live) in enumerate(zip(opened.indexes, opened.live, strict=True))
            for local, table_id in enumerate(index.table_ids)
            if live[local]
        }
        places = tuple(np.array([place.get(i, -1) for i in index.table_ids], np.int64) for index in indexes)
        found = LakeVectors(open_embedder(settings.embedder), indexes, places, bounds)
    _opened[lake] = (settings.embedder, found)
    return found
