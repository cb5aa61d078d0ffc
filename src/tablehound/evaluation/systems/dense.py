"""Dense retrieval: one vector per table, cosine with the question's (Karpukhin et al., EMNLP 2020, DPR).

A table is its header and first rows, as table retrievers linearise it (Herzig et al., NAACL 2021). The embedder is
``search.embedder``: the small model of the extra ``dense``, a folder, or a sentence-transformers name such as
``BAAI/bge-m3``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from tablehound.evaluation.systems.kept import kept_arrays
from tablehound.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tablehound.lake import Lake
    from tablehound.retrieval import Embedder

DEFAULT = "minilm"
ROWS = 3
"""Rows of a table in its vector."""


class Dense:
    """Ranks the tables of a lake by the cosine of their vector with the question's."""

    def __init__(self, embedder: Embedder, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._embedder = embedder
        self._ids = list(ids)
        self._vectors = vectors

    @classmethod
    def over(cls, lake: Lake, settings: Settings) -> Self:
        """Vectors of all tables of a lake, made once for all processes.

        Raises:
            MissingExtraError: the embedder's packages are not installed.
        """
        from tablehound.retrieval import TableText, open_embedder

        name = settings.search.embedder or DEFAULT
        embedder = open_embedder(name)
        ids = lake.table_ids()
        texts = []
        for table_id in ids:
            table = lake.table(table_id)
            texts.append(TableText(table.header, tuple(table.rows(range(min(table.n_rows, ROWS))))).table())
        made = kept_arrays("dense-1", name, texts, lambda: {"tables": embedder.embed(texts)})
        return cls(embedder, ids, made["tables"])

    def rank(self, question: str, limit: int) -> list[str]:
        """Ids of the best tables, best first; equal cosines in the order of ids."""
        return [table_id for table_id, _ in self.scored(question, limit)]

    def scored(self, question: str, limit: int) -> list[tuple[str, float]]:
        """Ids and cosines of the best tables, best first; equal cosines in the order of ids."""
        import numpy as np

        (query,) = self._embedder.embed([question])
        cosines = self._vectors @ query
        order = np.lexsort((np.arange(len(cosines)), -cosines))[:limit]
        return [(self._ids[place], float(cosines[place])) for place in order]
