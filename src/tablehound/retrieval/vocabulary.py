"""The lake's own words nearest to the phrases of a question."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablehound.retrieval.terms import terms

if TYPE_CHECKING:
    from tablehound.lake import Lake


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Offered to the backbone, so that terms are adapted in one step."""

    headers: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


def vocabulary(lake: Lake, question: str, *, limit: int = 20) -> Vocabulary:
    """The headers and cell values of the lake that share most terms with the question, at most ``limit`` of each."""
    wanted = set(terms(question))

    def nearest(texts: Counter[str]) -> tuple[str, ...]:
        scored = []
        for text in texts:
            own = set(terms(text))
            if common := own & wanted:
                scored.append((-len(common) / len(own), -len(common), text))
        return tuple(text for *_, text in sorted(scored)[:limit])

    headers: Counter[str] = Counter()
    values: Counter[str] = Counter()
    for table_id in lake.table_ids():
        table = lake.table(table_id)
        headers.update(table.header)
        for column in range(len(table.header)):
            values.update({text for text in table.column(column) if text})
    return Vocabulary(nearest(headers), nearest(values))
