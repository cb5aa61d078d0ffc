"""SQLite databases: every table, read-only, in one snapshot."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from tablehound.errors import BrokenSourceError, SourceError
from tablehound.lake.read.batches import TextBatch
from tablehound.lake.read.columnar.cells import bytes_text
from tablehound.lake.read.contract import Account, SourceFile, TableDraft
from tablehound.lake.read.databases.selection import chosen, left_out
from tablehound.lake.read.databases.sqlite_open import is_locked, locked, snapshot
from tablehound.lake.table import Provenance

FETCH_ROWS = 8_192


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read the tables of a database in the order of their names; views and internal tables are left out.

    A table that cannot be read does not keep the others from being read: the error is raised after the last one.

    Raises:
        BrokenSourceError: damaged, or a table could not be read.
        SourceError: another program is writing it.
    """
    where = source.name + (f"!{source.member}" if source.member else "")
    errors: list[SourceError] = []
    try:
        with snapshot(source.path, where) as connection:
            names, views = _table_names(connection), _view_names(connection)
            left_out(source, "view", views)
            for ordinal, name in chosen(source, names, errors, where, views):
                try:
                    yield _draft(connection, name, ordinal, source)
                except sqlite3.Error as error:
                    errors.append(BrokenSourceError(str(error), where=f"{where}#{name}"))
    except sqlite3.Error as error:
        if is_locked(error):
            raise locked(error, where) from error
        raise BrokenSourceError(str(error), where=where, remedy="repair the database, or dump and load it") from error
    if errors:
        raise errors[0]


def _table_names(connection: sqlite3.Connection) -> list[str]:
    kinds = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA main.table_list")}
    rows = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    return [name for (name,) in rows if kinds.get(name, "table") != "shadow"]


def _view_names(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")]


def _draft(connection: sqlite3.Connection, name: str, ordinal: int, source: SourceFile) -> TableDraft:
    quoted = '"' + name.replace('"', '""') + '"'
    account = Account()
    connection.text_factory = _Decoder(account)
    cursor = connection.execute(f"SELECT * FROM {quoted}")
    names = [column[0] for column in cursor.description]
    return TableDraft(
        header=tuple((text,) if text else () for text in names),
        batches=_batches(cursor, len(names), account, f"{source.name}#{name}"),
        provenance=Provenance(source.name, "sqlite", source.member, sheet=name, ordinal=ordinal),
        title=name,
        account=account,
    )


class _Decoder:
    """Texts of a database, also of those whose bytes are not UTF-8 as SQLite demands but does not check."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def __call__(self, data: bytes) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            note = "texts that are not UTF-8 were read as cp1252"
            if note not in self._account.repairs:
                self._account.repairs.append(note)
            return data.decode("cp1252", "replace")


def _batches(cursor: sqlite3.Cursor, width: int, account: Account, where: str) -> Iterator[TextBatch]:
    try:
        while rows := cursor.fetchmany(FETCH_ROWS):
            columns = [[_text(value) for value in column] for column in zip(*rows, strict=True)]
            yield TextBatch(columns, range(account.seen + 1, account.seen + 1 + len(rows)))
            account.seen += len(rows)
            account.kept += len(rows)
    except sqlite3.Error as error:
        raise BrokenSourceError(f"damaged after row {account.seen}: {error}", where=where) from error


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return repr(value)
    return bytes_text(value) if isinstance(value, bytes) else str(value)
