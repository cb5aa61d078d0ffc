"""Dense retrieval: one vector per table, cosine with the question's (Karpukhin et al., EMNLP 2020, DPR).

A table is its header and first rows, as table retrievers linearise it (Herzig et al., NAACL 2021). The embedder is
``search.embedder``: the small model of the extra ``dense``, a folder, or a sentence-transformers name such as
``BAAI/bge-m3``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.retrieval import Embedder, VectorIndex

DEFAULT = "minilm"
ROWS = 6
"""Rows read for the vector of a table."""


class Dense:
    """Ranks the tables of a lake by the cosine of their vector with the question's."""

    def __init__(self, embedder: Embedder, index: VectorIndex) -> None:
        self._embedder = embedder
        self._index = index

    @classmethod
    def over(cls, lake: Lake, settings: Settings) -> Self:
        """An index over all tables of a lake.

        Raises:
            MissingExtraError: the embedder's packages are not installed.
        """
        from tablehound.retrieval import TableText, VectorIndex, open_embedder

        embedder = open_embedder(settings.search.embedder or DEFAULT)
        ids = lake.table_ids()
        texts = []
        for table_id in ids:
            table = lake.table(table_id)
            texts.append(TableText(table.header, tuple(table.rows(range(min(table.n_rows, ROWS))))))
        return cls(embedder, VectorIndex.build(embedder, ids, texts, columns=False))

    def rank(self, question: str, limit: int) -> list[str]:
        """Ids of the best tables, best first; equal cosines in the order of ids."""
        (query,) = self._embedder.embed([question])
        numbers, _ = self._index.nearest_tables(query, limit)
        return [self._index.table_ids[number] for number in numbers]
