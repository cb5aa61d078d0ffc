"""Alignment: each information need to the columns that can cover it, by names and by values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tablehound.language import Analysis
from tablehound.linking import Profiles, about_tokens, link
from tablehound.multitable.needs import Need
from tablehound.program import View
from tablehound.relations.graph import ColumnRef


@dataclass(frozen=True, slots=True)
class Aligned:
    """A column that can cover a need. ``similarity`` is 0 to 1; ``how`` is by what it was found."""

    need: int
    """Place of the need in the list of needs."""
    column: ColumnRef
    name: str
    similarity: float
    how: str

    def to_json(self) -> dict[str, Any]:
        return {
            "need": self.need,
            "table": self.column.table_id,
            "column": self.name,
            "similarity": round(self.similarity, 3),
            "how": self.how,
        }


def align_needs(
    analysis: Analysis, needs: Sequence[Need], profiles: Profiles, table_ids: Sequence[str], per_need: int
) -> list[Aligned]:
    """At most ``per_need`` columns for each need, best first within a need."""
    found: dict[tuple[int, ColumnRef], Aligned] = {}

    def offer(need: int, table_id: str, column: int, name: str, similarity: float, how: str) -> None:
        key = (need, ColumnRef(table_id, column))
        known = found.get(key)
        if known is None or similarity > known.similarity:
            found[key] = Aligned(need, key[1], name, similarity, how)

    for table_id in table_ids:
        profile = profiles.get("T1", View((table_id,)))
        links = link(analysis.tokens, profile, analysis.numbers)
        said = about_tokens(analysis, profile)
        for number, need in enumerate(needs):
            span = set(range(need.start, need.end))
            for header in links.headers:
                share = len(span & set(range(header.start, header.end))) / len(span)
                if share:
                    name = profile.columns[header.column].name
                    offer(number, table_id, header.column, name, header.score * (0.5 + 0.5 * share), header.how)
            for value in links.values:
                share = len(span & set(range(value.start, value.end))) / len(span)
                if share:
                    name = profile.columns[value.column].name
                    offer(number, table_id, value.column, name, value.score * (0.4 + 0.6 * share), value.how)
            about = len(span & said) / len(span)
            if about >= 0.5 and profile.columns:
                named = {analysis.tokens[i].stem for i in span} == profile.about_stems
                offer(number, table_id, 0, profile.columns[0].name, 0.95 if named else 0.7 * about, "title")
    aligned: list[Aligned] = []
    for number in range(len(needs)):
        own = [a for (n, _), a in found.items() if n == number]
        own.sort(key=lambda a: (-a.similarity, a.column.table_id, a.column.column))
        aligned.extend(own[:per_need])
    return aligned
