"""Databases as plain tables, their keys, and running SQL over plain tables in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.evaluation.builders.table import PlainTable

_SQL_LIMIT_STEPS = 20_000_000
"""Instructions of SQLite's machine after which a query is given up."""


@dataclass(frozen=True, slots=True)
class Database:
    """Tables by lower-cased name, with declared types and keys."""

    name: str
    tables: Mapping[str, PlainTable]
    types: Mapping[str, tuple[str, ...]]
    primary: Mapping[str, tuple[str, ...]]
    """Table → its primary key's columns, where known."""
    foreign: frozenset[tuple[str, str]]
    """(table, column) of every column that takes part in a foreign key, on either side."""

    def key_columns(self, table: str) -> list[str]:
        """Columns that joins may need: primary and foreign keys, in the table's order."""
        wanted = set(self.primary.get(table, ())) | {column for name, column in self.foreign if name == table}
        return [column for column in self.tables[table].header if column in wanted]


def read_database(path: Path, schema: Mapping[str, Any] | None = None) -> Database:
    """Read a SQLite file; keys come from Spider's ``schemas.json`` record, if given.

    Raises:
        BrokenSourceError: it is no readable SQLite file.
    """
    tables: dict[str, PlainTable] = {}
    types: dict[str, tuple[str, ...]] = {}
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            names = [
                row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
            ]
            for name in names:
                quoted = name.replace('"', '""')
                columns = connection.execute(f'PRAGMA table_info("{quoted}")').fetchall()
                rows = connection.execute(f'SELECT * FROM "{quoted}"').fetchall()
                header = tuple(column[1] for column in columns)
                texts = tuple(tuple(None if cell is None else _text(cell) for cell in row) for row in rows)
                tables[name.lower()] = PlainTable(name.lower(), header, texts)
                types[name.lower()] = tuple(column[2] for column in columns)
    except sqlite3.Error as error:
        raise BrokenSourceError(f"not a readable SQLite file: {error}", where=str(path)) from error
    primary, foreign = _keys(schema, tables)
    return Database(path.stem, tables, types, primary, foreign)


def _text(cell: Any) -> str:
    if isinstance(cell, float):
        return repr(cell) if not cell.is_integer() else str(int(cell))
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)


def _keys(
    schema: Mapping[str, Any] | None, tables: Mapping[str, PlainTable]
) -> tuple[dict[str, tuple[str, ...]], frozenset[tuple[str, str]]]:
    if schema is None:
        return {}, frozenset()
    names = [name.lower() for name in schema["table_names_original"]]
    columns = schema["column_names_original"]

    def place(index: int) -> tuple[str, str] | None:
        table = names[columns[index][0]]
        header = tables[table].header if table in tables else ()
        found = next((name for name in header if name.lower() == columns[index][1].lower()), None)
        return None if found is None else (table, found)

    primary: dict[str, tuple[str, ...]] = {}
    for entry in schema["primary_keys"]:
        for index in entry if isinstance(entry, list) else [entry]:
            if (found := place(index)) is not None:
                primary[found[0]] = (*primary.get(found[0], ()), found[1])
    foreign = {found for pair in schema["foreign_keys"] for index in pair if (found := place(index)) is not None}
    return primary, frozenset(foreign)


def read_schemas(path: Path) -> dict[str, Mapping[str, Any]]:
    """Spider's ``schemas.json`` (or ``tables.json``) by database."""
    return {record["db_id"]: record for record in json.loads(path.read_text(encoding="utf-8"))}


def run_sql(
    tables: Iterable[PlainTable], types: Mapping[str, Sequence[str]], sql: str, views: Sequence[str] = ()
) -> list[tuple[Any, ...]]:
    """Run a query over plain tables in a fresh SQLite database in memory.

    Args:
        tables: by their names; values get the affinity of ``types[name]``.
        types: declared types per table.
        sql: one query.
        views: statements run before the query.

    Raises:
        sqlite3.Error: the query fails, or takes too long.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        for table in tables:
            load(connection, table, types.get(table.name, ()))
        for statement in views:
            connection.execute(statement)
        steps = 0

        def too_long() -> bool:
            nonlocal steps
            steps += 100_000
            return steps > _SQL_LIMIT_STEPS

        connection.set_progress_handler(too_long, 100_000)
        return connection.execute(sql).fetchall()


def load(connection: sqlite3.Connection, table: PlainTable, types: Sequence[str]) -> None:
    """Create the table and fill it."""
    declared = list(types) if len(types) == len(table.header) else [""] * len(table.header)
    columns = ", ".join(f"{quote(name)} {kind}" for name, kind in zip(table.header, declared, strict=True))
    connection.execute(f"CREATE TABLE {quote(table.name)} ({columns})")
    marks = ", ".join("?" * len(table.header))
    connection.executemany(f"INSERT INTO {quote(table.name)} VALUES ({marks})", table.rows)


def quote(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def same_result(left: Sequence[tuple[Any, ...]], right: Sequence[tuple[Any, ...]]) -> bool:
    """Whether two results have the same rows in any order; numbers to 9 significant digits."""

    def plain(rows: Sequence[tuple[Any, ...]]) -> list[tuple[str, ...]]:
        return sorted(tuple(_cell(cell) for cell in row) for row in rows)

    return plain(left) == plain(right)


def _cell(cell: Any) -> str:
    return f"{float(cell):.9g}" if isinstance(cell, int | float) else "∅" if cell is None else str(cell)
