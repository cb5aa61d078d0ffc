"""Search without an index: every pattern over every cell of every table. Slow, and the measure of exactness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from tablehound.lake.table import Reading, Table
from tablehound.retrieval.candidate import CellMatch
from tablehound.retrieval.patterns.regex import CompiledPattern, compile_patterns, contains
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import SearchSettings

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from tablehound.lake import Lake


class ScanEngine:
    """Exact search by reading all cells. For lakes without an index, and to compare the index with."""

    def __init__(self, lake: Lake, settings: SearchSettings | None = None) -> None:
        self._lake = lake
        self._settings = settings or SearchSettings()

    def tables(self, patterns: Sequence[Pattern]) -> list[frozenset[str]]:
        """See :meth:`SearchEngine.tables`."""
        compiled = compile_patterns(patterns, self._settings)
        found: list[set[str]] = [set() for _ in patterns]
        for table_id in self._lake.table_ids():
            table = self._lake.table(table_id)
            for number, pattern in enumerate(compiled):
                if any(True for _ in table_matches(table, [pattern])):
                    found[number].add(table_id)
        return [frozenset(ids) for ids in found]

    def cells(
        self, patterns: Sequence[Pattern], *, table_ids: Sequence[str] | None = None, limit: int | None = None
    ) -> list[CellMatch]:
        """See :meth:`SearchEngine.cells`."""
        compiled = compile_patterns(patterns, self._settings)
        found: list[CellMatch] = []
        for table_id in self._lake.table_ids() if table_ids is None else sorted(set(table_ids)):
            found.extend(table_matches(self._lake.table(table_id), compiled))
            if limit is not None and len(found) >= limit:
                return found[:limit]
        return found

    def rows(self, table_id: str, patterns: Sequence[Pattern], *, per_pattern: int, limit: int) -> tuple[int, ...]:
        """See :meth:`SearchEngine.rows`."""
        matches = table_matches(self._lake.table(table_id), compile_patterns(patterns, self._settings))
        return choose_rows(((m.row, m.pattern) for m in matches), per_pattern=per_pattern, limit=limit)


def header_texts(table: Table) -> list[str | None]:
    """Per column the header that the source gave, None where it gave none."""
    return [None if column.inferred else column.name for column in table.info.columns]


def table_matches(
    table: Table, patterns: Sequence[CompiledPattern], *, columns: Sequence[Set[int] | None] | None = None
) -> list[CellMatch]:
    """All matches within one table, ordered by row (headers first), column and pattern.

    ``columns`` may name, per pattern, the columns outside which it is known to match no cell.
    """
    import polars as pl

    names = pl.Series("", [column.name for column in table.info.columns], dtype=pl.String)
    headers = pl.Series("", header_texts(table), dtype=pl.String)
    found: list[tuple[int, int, int, str]] = []
    texts: dict[int, pa.Array] = {}
    for number, compiled in enumerate(patterns):
        wanted = range(len(names)) if columns is None or columns[number] is None else sorted(columns[number] or ())
        if compiled.scope is not None:
            inside = contains(names, compiled.scope)
            wanted = [index for index in wanted if inside[index]]
        if compiled.in_headers and compiled.expression is not None:
            for index in _hits(contains(headers, compiled.expression)):
                found.append((-1, index, number, headers[index]))
        for index in wanted:
            if index not in texts:
                texts[index] = column_texts(table, index)
            rows = matching_rows(compiled, texts[index], table.info.columns[index].reading)
            found.extend((row, index, number, texts[index][row].as_py()) for row in rows)
    found.sort(key=lambda match: match[:3])
    return [CellMatch(table.id, None if row < 0 else row, column, text, number) for row, column, number, text in found]


def column_texts(table: Table, index: int) -> pa.Array:
    """Raw texts of a column in one Arrow array."""
    import pyarrow as pa

    column = table.cells.column(index)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def matching_rows(compiled: CompiledPattern, texts: pa.Array, reading: Reading) -> list[int]:
    """Places of the texts of one column in which a pattern occurs."""
    import polars as pl

    if compiled.test is None and compiled.expression is not None:
        return _hits(contains(pl.Series("", texts), compiled.expression))
    found = np.zeros(len(texts), bool)
    if compiled.expression is not None:
        found |= contains(pl.Series("", texts), compiled.expression).fill_null(False).to_numpy()
    if compiled.test is not None:
        found |= compiled.test.matches(texts, reading)
    places: list[int] = np.flatnonzero(found).tolist()
    return places


def _hits(mask: pl.Series) -> list[int]:
    """Places where a boolean series is true."""
    places: list[int] = mask.fill_null(False).arg_true().to_list()
    return places


def choose_rows(matches: Iterable[tuple[int | None, int]], *, per_pattern: int, limit: int) -> tuple[int, ...]:
    """Rows for a preview from (row, pattern) pairs: rows in which more patterns meet come first, then the earlier
    row. A row is left out when every pattern in it has been shown in ``per_pattern`` rows already."""
    met: dict[int, set[int]] = {}
    for row, pattern in matches:
        if row is not None:
            met.setdefault(row, set()).add(pattern)
    shown: Counter[int] = Counter()
    chosen: list[int] = []
    for row in sorted(met, key=lambda row: (-len(met[row]), row)):
        if len(chosen) >= limit:
            break
        if any(shown[pattern] < per_pattern for pattern in met[row]):
            chosen.append(row)
            shown.update(met[row])
    return tuple(chosen)
