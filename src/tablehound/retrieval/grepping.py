"""``grep`` as library calls: matches, matching tables, and counts, sorted, over a whole lake or chosen tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablehound.retrieval.candidate import CellMatch, SearchEngine
from tablehound.retrieval.engine import open_engine
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake

TABLES_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class TableCount:
    """How often the patterns occur in one table."""

    table_id: str
    cells: int
    """Cells (and headers) in which a pattern occurs, each counted once."""
    rows: int
    """Rows with such a cell."""
    patterns: tuple[int, ...]
    """Indices of the patterns that occur."""


def grep(
    lake: Lake,
    patterns: Sequence[Pattern],
    *,
    table_ids: Sequence[str] | None = None,
    limit: int | None = None,
    engine: SearchEngine | None = None,
    settings: Settings | None = None,
) -> Iterator[CellMatch]:
    """Matching cells and headers in the order of table id, row (headers first), column and pattern.

    Matches come as tables are read, so that a caller may stop early. To mark that something was cut off, ask for one
    match more than is shown.

    Args:
        lake: where to look.
        patterns: each is looked for by itself; a cell in which several occur comes once for each.
        table_ids: only these tables.
        limit: matches at most.
        engine: an open engine on the same lake, else one is opened.

    Raises:
        PatternError: a pattern that the engine refuses.
        TableMissingError: the lake has no table of a given id.
    """
    engine = engine or open_engine(lake, settings)
    left = limit
    for ids in _groups(engine, patterns, table_ids):
        matches = engine.cells(patterns, table_ids=ids, limit=left)
        yield from matches
        if left is not None:
            left -= len(matches)
            if left <= 0:
                return


def grep_tables(
    lake: Lake,
    patterns: Sequence[Pattern],
    *,
    limit: int | None = None,
    engine: SearchEngine | None = None,
    settings: Settings | None = None,
) -> list[tuple[str, tuple[int, ...]]]:
    """Ids of the tables in which a pattern occurs, sorted, each with the indices of its patterns.

    Raises:
        PatternError: a pattern that the engine refuses.
    """
    engine = engine or open_engine(lake, settings)
    found: dict[str, list[int]] = {}
    for number, ids in enumerate(engine.tables(patterns)):
        for table_id in ids:
            found.setdefault(table_id, []).append(number)
    ordered = [(table_id, tuple(found[table_id])) for table_id in sorted(found)]
    return ordered if limit is None else ordered[:limit]


def grep_counts(
    lake: Lake,
    patterns: Sequence[Pattern],
    *,
    table_ids: Sequence[str] | None = None,
    limit: int | None = None,
    engine: SearchEngine | None = None,
    settings: Settings | None = None,
) -> Iterator[TableCount]:
    """Counts of matching cells and rows per table, sorted by table id; at most ``limit`` tables.

    Raises:
        PatternError: a pattern that the engine refuses.
        TableMissingError: the lake has no table of a given id.
    """
    engine = engine or open_engine(lake, settings)
    given = 0
    for ids in _groups(engine, patterns, table_ids):
        by_table: dict[str, list[CellMatch]] = {}
        for match in engine.cells(patterns, table_ids=ids):
            by_table.setdefault(match.table_id, []).append(match)
        for table_id, matches in by_table.items():
            if limit is not None and given >= limit:
                return
            given += 1
            yield TableCount(
                table_id,
                len({(match.row, match.column) for match in matches}),
                len({match.row for match in matches if match.row is not None}),
                tuple(sorted({match.pattern for match in matches})),
            )


def _groups(engine: SearchEngine, patterns: Sequence[Pattern], table_ids: Sequence[str] | None) -> Iterator[list[str]]:
    """Tables to read, a few at a time, in order."""
    ids = sorted(frozenset().union(*engine.tables(patterns)) if table_ids is None else set(table_ids))
    for start in range(0, len(ids), TABLES_AT_ONCE):
        yield ids[start : start + TABLES_AT_ONCE]
