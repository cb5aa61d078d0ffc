"""BM25 over the text of tables (Robertson and Zaragoza, 2009), by the bm25s library with Snowball stems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from tablehound.errors import MissingExtraError

if TYPE_CHECKING:
    from tablehound.lake import Lake

K1 = 1.5
B = 0.75
_JOINTS = re.compile(r"[_./\\-]+|(?<=[a-z0-9])(?=[A-Z])")
"""Where the parts of a column's name meet: ``song_name`` and ``songName`` are two words."""


class Bm25:
    """Ranks the tables of a lake by their text: header and all cells, no titles."""

    name = "bm25"

    def __init__(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        try:
            import bm25s
            import Stemmer
        except ImportError as error:
            raise MissingExtraError("bm25s is not installed", remedy="pip install 'tablehound[bench]'") from error
        self._ids = list(ids)
        self._stemmer = Stemmer.Stemmer("english")
        self._library: Any = bm25s
        self._index: Any = bm25s.BM25(k1=K1, b=B)
        self._index.index(self._tokens(list(texts)), show_progress=False)

    @classmethod
    def over(cls, lake: Lake) -> Self:
        """An index over all tables of a lake."""
        ids = lake.table_ids()
        return cls(ids, [table_text(lake, table_id) for table_id in ids])

    def rank(self, question: str, limit: int) -> list[str]:
        """Ids of the best tables, best first; equal scores in the order of ids."""
        return [table_id for table_id, _ in self.scored(question, limit)]

    def scored(self, question: str, limit: int) -> list[tuple[str, float]]:
        """Ids and scores of the best tables, best first; equal scores in the order of ids."""
        import numpy as np

        scores = self._index.get_scores(self._tokens([question], as_ids=False)[0])
        order = np.lexsort((np.arange(len(scores)), -scores))[:limit]
        return [(self._ids[place], float(scores[place])) for place in order]

    def _tokens(self, texts: list[str], *, as_ids: bool = True) -> Any:
        return self._library.tokenize(
            texts, stopwords="en", stemmer=self._stemmer, show_progress=False, return_ids=as_ids
        )


def table_text(lake: Lake, table_id: str) -> str:
    """Header, its names as words, and cells as one text."""
    table = lake.table(table_id)
    lines = [
        " ".join(_JOINTS.sub(" ", name) for name in table.header),
        *(" ".join(cell or "" for cell in row) for row in table.rows()),
    ]
    return "\n".join(lines)
