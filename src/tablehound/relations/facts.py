"""Columns as joins and unions compare them: distinct canonical values with counts, and the words of names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tablehound.lake.table import Kind, TableInfo
from tablehound.relations.graph import ColumnRef

if TYPE_CHECKING:
    from tablehound.lake import Lake

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[^\W\d_])(?=\d)")
_WORD = re.compile(r"[^\W_]+", re.UNICODE)


def name_words(name: str) -> tuple[str, ...]:
    """Folded words of a column or table name, in any writing; a plural ``s`` is dropped."""
    words = _WORD.findall(_CAMEL.sub(" ", name))
    return tuple(_singular(word.casefold()) for word in words)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@dataclass
class ColumnFacts:
    """One column: ``counts`` are its canonical, case-folded values and how many rows have each."""

    ref: ColumnRef
    name: str
    kind: Kind
    counts: Counter[str]
    table_words: tuple[str, ...] = ()
    inferred: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        return name_words(self.name)

    @cached_property
    def values(self) -> frozenset[str]:
        return frozenset(self.counts)

    @cached_property
    def years(self) -> bool:
        """All values are whole numbers that read as years."""
        return self.kind == "number" and all(len(v) == 4 and v[0] in "12" and v.isdigit() for v in self.values)

    @cached_property
    def filled(self) -> int:
        return self.counts.total()

    @cached_property
    def uniqueness(self) -> float:
        """Distinct values by non-blank cells, 0 to 1."""
        return len(self.counts) / self.filled if self.filled else 0.0


@dataclass(frozen=True, slots=True)
class TableFacts:
    """One table with its columns."""

    info: TableInfo
    columns: tuple[ColumnFacts, ...]


def table_facts(lake: Lake, table_id: str) -> TableFacts:
    """Facts of one table; rows that add up others are left out.

    Raises:
        TableMissingError: the lake has no such table.
    """
    from tablehound.lake import canonical_column

    table = lake.table(table_id)
    info = table.info
    skipped = set(info.rollup_rows)
    title = name_words(info.title or info.provenance.sheet or "")
    columns = []
    for index, column in enumerate(info.columns):
        array = table.cells.column(index)
        array = array.combine_chunks() if hasattr(array, "combine_chunks") else array
        texts: Sequence[str | None] = canonical_column(array, column.reading).to_pylist()
        counts = Counter(
            " ".join(text.casefold().split())
            for row, text in enumerate(texts)
            if text is not None and row not in skipped and text.strip()
        )
        columns.append(
            ColumnFacts(ColumnRef(table_id, index), column.name, column.kind, counts, title, column.inferred)
        )
    return TableFacts(info, tuple(columns))
