"""Opening a SQLite database to read what is committed, and never anything else, without changing a byte of it.

Opened read-only, SQLite does that by itself, by its locks. Three things keep it from it: a program that is writing at
the moment, for which we wait; a journal that a killed program left, whose changes have to be taken back; and a log on
media where the files that it needs beside it cannot be made. In the last two cases a copy is opened, with which SQLite
may do what it has to. Only where there is neither journal nor log may the locks be left out (``immutable``).
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from tablehound.errors import SourceError
from tablehound.lake.read.databases.side_files import SQLITE_JOURNAL, SQLITE_WAL, logs_of

WAIT_SECONDS = 10.0
"""How long a database is waited for that another program is writing."""
_ATTEMPTS = 3
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PRIMARY = 0xFF


@contextmanager
def snapshot(path: Path, where: str) -> Iterator[sqlite3.Connection]:
    """A connection within a read transaction: it shows one committed state until it is closed.

    Raises:
        SourceError: another program is writing it.
        sqlite3.Error: damaged.
    """
    with ExitStack() as stack:
        yield stack.enter_context(closing(_connection(path, where, stack)))


def _connection(path: Path, where: str, stack: ExitStack) -> sqlite3.Connection:
    for _ in range(_ATTEMPTS):
        try:
            return _open(path, "mode=ro")
        except sqlite3.Error as error:
            if is_locked(error):
                raise locked(error, where) from error
            if not _has_log(path):
                # On read-only media, and where there are no locks, as on some network drives.
                return _open(path, "mode=ro&immutable=1")
        copy = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "copy"
        if _copied(path, copy):
            return _open(copy, "mode=rw")
    raise SourceError("it changes while it is read", where=where, remedy="index again when no program writes it")


def is_locked(error: sqlite3.Error) -> bool:
    """Whether an error says that another program is writing."""
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY in _LOCKED


def locked(error: sqlite3.Error, where: str) -> SourceError:
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
