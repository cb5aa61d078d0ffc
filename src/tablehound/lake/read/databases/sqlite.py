"""SQLite databases: every table, read-only, in one snapshot, without changing a byte of the file.

Opened read-only, SQLite reads what is committed by itself, with its locks. Three things prevent it: a program that is
writing at the moment, for which this module waits; a journal that a killed program left, whose changes have to be
rolled back; and a log on media where the files that it needs beside it cannot be made. In the last two cases a copy is
opened, in which SQLite may do what it has to. Only where there is neither journal nor log may the locks be left out
(``immutable``).
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from tablehound.errors import BrokenSourceError, SourceError
from tablehound.lake.read.batches import TextBatch
from tablehound.lake.read.columnar.cells import bytes_text
from tablehound.lake.read.contract import Account, SourceFile, TableDraft
from tablehound.lake.read.databases.selection import chosen, quoted
from tablehound.lake.read.databases.side_files import SQLITE_JOURNAL, SQLITE_WAL, logs_of
from tablehound.lake.table import Provenance

FETCH_ROWS = 8_192
"""Rows that are fetched at a time. By hand."""
WAIT_SECONDS = 10.0
"""How long a database is waited for that another program is writing. By hand."""
MAX_ATTEMPTS = 3
"""Copies that are made of a database that changes meanwhile. By hand."""
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PRIMARY = 0xFF


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
        with ExitStack() as stack:
            connection = stack.enter_context(closing(_snapshot(source.path, where, stack)))
            names, views = _table_names(connection), _view_names(connection)
            for ordinal, name in chosen(source, names, errors, where, views):
                try:
                    yield _draft(connection, name, ordinal, source)
                except sqlite3.Error as error:
                    errors.append(BrokenSourceError(str(error), where=f"{where}#{name}"))
    except sqlite3.Error as error:
        if _is_locked(error):
            raise _locked(error, where) from error
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
    account = Account()
    connection.text_factory = _Decoder(account)
    cursor = connection.execute(f"SELECT * FROM {quoted(name)}")
    names = [column[0] for column in cursor.description]
    return TableDraft(
        header=tuple((text,) if text else () for text in names),
        batches=_batches(cursor, account, f"{source.name}#{name}"),
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


def _batches(cursor: sqlite3.Cursor, account: Account, where: str) -> Iterator[TextBatch]:
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


# -- opening --


def _snapshot(path: Path, where: str, stack: ExitStack) -> sqlite3.Connection:
    """A connection within a read transaction: it shows one committed state until it is closed.

    Raises:
        SourceError: another program is writing it.
        sqlite3.Error: damaged.
    """
    for _ in range(MAX_ATTEMPTS):
        try:
            return _open(path, "mode=ro")
        except sqlite3.Error as error:
            if _is_locked(error):
                raise _locked(error, where) from error
            if not _has_log(path):
                # On read-only media, and where there are no locks, as on some network drives.
                return _open(path, "mode=ro&immutable=1")
        copy = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "copy"
        if _copied(path, copy):
            return _open(copy, "mode=rw")
    raise SourceError("it changes while it is read", where=where, remedy="index again when no program writes it")


def _is_locked(error: sqlite3.Error) -> bool:
    """Whether an error means that another program is writing."""
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY in _LOCKED


def _locked(error: sqlite3.Error, where: str) -> SourceError:
    """The error for a database that another program is writing."""
    return SourceError(
        f"another program is writing it ({error})", where=where, remedy="index again when that program is done"
    )


def _open(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?{options}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=WAIT_SECONDS)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        # The first look takes the lock and rolls back what a killed program left.
        connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _has_log(path: Path) -> bool:
    return any(suffix in (SQLITE_JOURNAL, SQLITE_WAL) for suffix, _ in logs_of(str(path)))


def _copied(path: Path, copy: Path) -> bool:
    """Copy a database with its journal and log; whether nobody changed any of them meanwhile."""
    before = _state(path)
    shutil.copyfile(path, copy)
    for suffix, _ in logs_of(str(path)):
        try:
            shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
        except FileNotFoundError:
            return False
    return _state(path) == before


def _state(path: Path) -> list[tuple[str, int, int]]:
    states = [("", path.stat()), *logs_of(str(path))]
    return [(suffix, state.st_size, state.st_mtime_ns) for suffix, state in states]
