"""The lake's own words nearest to the phrases of a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablehound.retrieval.terms.tokenizer import terms

if TYPE_CHECKING:
    from tablehound.lake import Lake

TABLES = 20
"""Tables whose headers and cells are looked at."""
MAX_CELLS = 2_000
"""Cells looked at per table."""
MAX_CHARS = 80
"""A longer cell is running text, not a value."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Offered to the backbone, so that terms are adapted in one step."""

    headers: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


def vocabulary(lake: Lake, question: str, *, limit: int = 20) -> Vocabulary:
    """Headers and cell values that contain words of the question, in the tables that fit it best; at most ``limit`` of
    each, those with most of the question and little else first.

    A word that occurs in no table counts as the nearest one that does.
    """
    import numpy as np

    from tablehound.retrieval.ranking.model import load_model
    from tablehound.retrieval.ranking.shortlist import shortlist
    from tablehound.retrieval.terms.segments import open_terms

    opened = open_terms(lake)
    model = load_model()
    found = shortlist(opened.indexes, question, model.need, size=TABLES, live=opened.live)
    weight = dict(zip(found.question.terms, found.question.weight.tolist(), strict=True))
    headers: dict[str, float] = {}
    values: dict[str, float] = {}

    def note(text: str, into: dict[str, float]) -> None:
        if text in into or len(text) > MAX_CHARS:
            return
        own = terms(text)
        common = sum(weight.get(term, 0.0) for term in set(own))
        if common > 0:
            into[text] = common * sum(term in weight for term in own) / len(own)

    for place in np.argsort(-model.scores(found), kind="stable"):
        index = opened.indexes[found.segment[place]]
        table = lake.table(index.table_ids[found.table[place]])
        for name in table.header:
            note(name, headers)
        numbers = [number for term in found.question.terms if (number := index.number(term)) >= 0]
        cells = index.places(numbers, found.table[place : place + 1])
        wanted = sorted({(int(r), int(c)) for r, c in zip(cells.row, cells.column, strict=True) if r > 0})[:MAX_CELLS]
        rows = sorted({row - 1 for row, _ in wanted})
        texts = dict(zip(rows, table.rows(rows), strict=True))
        for row, column in wanted:
            note(texts[row - 1][column] or "", values)
    return Vocabulary(_best(headers, limit), _best(values, limit))


def _best(scored: dict[str, float], limit: int) -> tuple[str, ...]:
    return tuple(sorted(scored, key=lambda text: (-scored[text], text))[:limit])
