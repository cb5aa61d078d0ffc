"""Decomposition of tables by columns and by rows (DMRAL's SpiderWild), with a reconstruction that is verified."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tablehound.evaluation.builders.database import Database, quote, run_sql
from tablehound.evaluation.builders.table import PlainTable

_LEAST_COLUMNS = 4
"""A table with fewer columns besides its key is not split by columns."""
_LEAST_ROWS = 8
"""A table with fewer rows is not split by rows."""


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a table."""

    table: PlainTable
    columns_part: int
    rows_part: int


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A table and its parts. With one part it was left whole."""

    original: PlainTable
    key: tuple[str, ...]
    """Columns that tell rows apart and stand in every column part; empty when not split by columns."""
    parts: tuple[Part, ...]

    def column_parts(self) -> list[list[Part]]:
        """Row parts by column part."""
        count = 1 + max(part.columns_part for part in self.parts)
        return [[part for part in self.parts if part.columns_part == place] for place in range(count)]

    def relevant(self, used: Collection[str]) -> list[Part]:
        """The parts that a query over these columns needs: every row part of each column part that has one of them.

        Columns are compared case-folded. Key columns stand everywhere, so they alone need the first column part only.
        """
        wanted = {name.casefold() for name in used} - {name.casefold() for name in self.key}
        groups = self.column_parts()
        needed = [group for group in groups if wanted & {name.casefold() for name in group[0].table.header}]
        return [part for group in needed or groups[:1] for part in group]

    def reconstruction(self) -> str:
        """The SQL statement that makes the original table from its parts."""
        columns = ", ".join(quote(name) for name in self.original.header)
        groups = []
        for place, group in enumerate(self.column_parts()):
            header = ", ".join(quote(name) for name in group[0].table.header)
            rows = " UNION ALL ".join(f"SELECT {header} FROM {quote(part.table.name)}" for part in group)
            groups.append(f"({rows}) AS p{place}")
        using = ", ".join(quote(name) for name in self.key)
        joined = groups[0] + "".join(f" JOIN {group} USING ({using})" for group in groups[1:])
        # A column that stands in several parts is taken from the first that has it.
        owner: dict[str, int] = {}
        for place, group in enumerate(self.column_parts()):
            for name in group[0].table.header:
                owner.setdefault(name, place)
        picked = ", ".join(
            f"{quote(name)}" if name in self.key else f"p{owner[name]}.{quote(name)} AS {quote(name)}"
            for name in self.original.header
        )
        return f"CREATE TABLE {quote(self.original.name)} AS SELECT {picked or columns} FROM {joined}"

    def verified(self) -> bool:
        """Whether the reconstruction gives the original table back, row for row."""
        if len(self.parts) == 1:
            return self.parts[0].table.same_rows(
                PlainTable(self.parts[0].table.name, self.original.header, self.original.rows)
            )
        select = f"SELECT * FROM {quote(self.original.name)}"
        try:
            rows = run_sql([part.table for part in self.parts], {}, select, [self.reconstruction()])
        except sqlite3.Error:
            return False
        return PlainTable(self.original.name, self.original.header, tuple(rows)).same_rows(self.original)


def decompose(database: Database, name: str, random_: random.Random) -> Decomposition:
    """Split a table by columns, by rows, by both, or not at all, as the seed says and as far as its key allows."""
    table = database.tables[name]
    by_columns, by_rows = random_.random() < 0.5, random_.random() < 0.5
    key = _unique_key(database, name) if by_columns else ()
    column_parts = _split_columns(table, key, database.key_columns(name), random_) if key else [table.header]
    if len(column_parts) == 1:
        key = ()
    row_parts = _split_rows(len(table.rows), random_) if by_rows else [list(range(len(table.rows)))]
    parts = []
    for c, columns in enumerate(column_parts):
        for r, places in enumerate(row_parts):
            suffix = (f"_c{c + 1}" if len(column_parts) > 1 else "") + (f"_r{r + 1}" if len(row_parts) > 1 else "")
            parts.append(Part(table.project(columns).take(places, f"{database.name}-{name}{suffix}"), c, r))
    whole = Decomposition(table, key, tuple(parts))
    if whole.verified():
        return whole
    return Decomposition(table, (), (Part(PlainTable(f"{database.name}-{name}", table.header, table.rows), 0, 0),))


def _unique_key(database: Database, name: str) -> tuple[str, ...]:
    """The declared primary key if it tells rows apart, else the first single column that does."""
    table = database.tables[name]
    declared = database.primary.get(name, ())
    if declared and table.unique(declared):
        return declared
    return next(((column,) for column in table.header if table.unique([column])), ())


def _split_columns(
    table: PlainTable, key: Sequence[str], keys: Sequence[str], random_: random.Random
) -> list[tuple[str, ...]]:
    """Two column parts, each with all key columns, in the table's order."""
    kept = set(key) | set(keys)
    others = [name for name in table.header if name not in kept]
    if len(others) < _LEAST_COLUMNS or len({name.casefold() for name in table.header}) < len(table.header):
        return [table.header]
    first = set(random_.sample(others, len(others) // 2))
    return [
        tuple(name for name in table.header if name in kept or (name in first) == wanted) for wanted in (True, False)
    ]


def _split_rows(count: int, random_: random.Random) -> list[list[int]]:
    """Two or three row parts of a random share each, rows in their order."""
    if count < _LEAST_ROWS:
        return [list(range(count))]
    parts = 2 if count < 3 * _LEAST_ROWS or random_.random() < 0.5 else 3
    drawn = [random_.randrange(parts) for _ in range(count)]
    # No part may be empty.
    for part in range(parts):
        drawn[part] = part
    return [[place for place in range(count) if drawn[place] == part] for part in range(parts)]
