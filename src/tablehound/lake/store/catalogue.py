"""The catalogue: one SQLite file in WAL mode, with tables as compressed Arrow record batches.

Every row that readers can see carries the generation in which it was ``born`` and the one in which it ``died``. A
writer prepares the next generation in any number of transactions, invisible to all; adding one to ``meta.generation``
is the single step that makes it live. Work that a killed writer left behind is of the next generation still, and is
reused.

Every row has a ``sum`` over its other columns, and ``meta`` has digests over the rows of the live generation (see the
module ``sums``), so that what the disk changed or lost is noticed when it is read.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import sqlite3
from pathlib import Path

from tablehound.errors import LakeError, LakeMissingError, LakeVersionError
from tablehound.lake.store.faults import SCARCE, cannot_open, damaged, repair_of, system_reason, unreadable
from tablehound.lake.store.sums import add_functions, write_head

FILE = "catalogue.sqlite"
APPLICATION_ID = 0x7AB1E
FORMAT_VERSION = 3
NEVER = 2**62
"""``died`` of what is alive."""
OWN_NAMES = frozenset({"writer.lock", "scratch", "segments", "pins", "aside"})
"""What a lake's folder holds beside the catalogue."""
CHUNKS_PER_TABLE = 2**24

_SCHEMA = """
-- generation, its name, digests of its rows, and the sum of these.
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- What was read: one row per distinct name and bytes of a source, with the report of how it was read.
CREATE TABLE contents (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    how TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT '',
    ok INTEGER NOT NULL DEFAULT 1,
    complete INTEGER NOT NULL DEFAULT 0,
    sum INTEGER NOT NULL,
    report TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX contents_by_name ON contents (name);

-- Where it was found: a file below a root, a member of an archive, a URL.
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    root TEXT NOT NULL,
    name TEXT NOT NULL,
    stamp TEXT NOT NULL,
    content INTEGER NOT NULL REFERENCES contents (id),
    born INTEGER NOT NULL,
    died INTEGER NOT NULL DEFAULT 4611686018427387904,
    sum INTEGER NOT NULL
);
CREATE INDEX sources_by_content ON sources (content);
CREATE INDEX sources_by_name ON sources (root, name);

CREATE TABLE tables (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    content INTEGER NOT NULL REFERENCES contents (id),
    n_rows INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    info TEXT NOT NULL
);
CREATE INDEX tables_by_id ON tables (id);
CREATE INDEX tables_by_content ON tables (content, id);

-- id = table key * 2^24 + number of the chunk
CREATE TABLE chunks (id INTEGER PRIMARY KEY, n_rows INTEGER NOT NULL, sum INTEGER NOT NULL, data BLOB NOT NULL);

CREATE TABLE segments (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    born INTEGER NOT NULL,
    died INTEGER NOT NULL DEFAULT 4611686018427387904,
    seal TEXT NOT NULL,
    sum INTEGER NOT NULL,
    table_ids TEXT NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;
"""


def make_folder(folder: Path) -> None:
    """Make the folder of a lake, unless there is one.

    Raises:
        LakeError: it cannot be made, or holds something else.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        strangers = {path.name for path in folder.iterdir() if not path.name.startswith(FILE)} - OWN_NAMES
    except OSError as error:
        raise unwritable(f"no lake can be made at {folder}", error) from error
    if strangers and not (folder / FILE).exists():
        raise LakeError(
            f"the folder {folder} holds something else ({min(strangers)}, …)",
            remedy="choose an empty folder for the lake",
        )


def create(folder: Path) -> None:
    """Make an empty lake in the folder, unless there is one. Needs the writer's lock.

    Raises:
        LakeError: the folder cannot be written.
    """
    path = folder / FILE
    if not path.exists():
        draft(folder).rename(path)


def draft(folder: Path) -> Path:
    """An empty catalogue under another name, for the one who renames it. Needs the writer's lock.

    Raises:
        LakeError: the folder cannot be written.
    """
    try:
        # Built under another name: a process killed here leaves no half-made lake.
        made = folder / (FILE + ".new")
        for leftover in folder.glob(FILE + ".new*"):
            leftover.unlink()
        connection = sqlite3.connect(made, isolation_level=None)
        try:
            connection.execute("PRAGMA page_size = 8192")
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_SCHEMA)
            add_functions(connection)
            write_head(connection, 0, "")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
        finally:
            connection.close()
        return made
    except (OSError, sqlite3.Error) as error:
        raise unwritable(f"no lake can be made at {folder}", error) from error


def unwritable(what: str, error: OSError | sqlite3.Error | MemoryError) -> LakeError:
    """An error that says what to do about a folder that cannot be written, by the reason that the system gave."""
    forbidden = getattr(error, "errno", None) in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST)
    if forbidden or "readonly" in str(error) or "unable to open" in str(error):
        remedy = (
            "name a folder that can be written: tablehound index SOURCE... --lake DIR; "
            "lakes of plain folders are kept below XDG_CACHE_HOME (else ~/.cache), set that for them"
        )
    elif isinstance(error, MemoryError) or getattr(error, "errno", None) in SCARCE:
        reason, remedy = system_reason(error) or ("out of memory", "")
        return LakeError(f"{what}: {reason}", remedy=remedy)
    else:
        remedy = "see that the disk has room, then index again"
    return LakeError(f"{what}: {error}", remedy=remedy)


def connect(folder: Path, *, write: bool = False) -> sqlite3.Connection:
    """Open the catalogue of a lake; the connection may be used by several threads, one at a time.

    Raises:
        LakeMissingError: there is no lake in the folder.
        LakeVersionError: it was written in another format.
        LakeError: it is damaged, or cannot be opened.
    """
    path = folder / FILE
    if not path.is_file():
        raise LakeMissingError(
            f"there is no lake at {folder}", remedy="make one with: tablehound index SOURCE... --lake DIR"
        )
    try:
        connection = _open(path, write=write)
    except (sqlite3.Error, MemoryError) as error:
        raise catalogue_fault(folder, error) from error
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        schema = _schema_of(connection)
    except (sqlite3.Error, MemoryError) as error:
        connection.close()
        raise catalogue_fault(folder, error) from error
    if application != APPLICATION_ID or version != FORMAT_VERSION:
        connection.close()
        found = f"format {version}" if application == APPLICATION_ID else "another program's format"
        raise LakeVersionError(
            f"the lake at {folder} is of {found}; this version reads format {FORMAT_VERSION}",
            remedy="delete the folder and index again",
        )
    if schema != _own_schema():
        # What another program added, such as a trigger, would run with our statements.
        connection.close()
        raise damaged(f"the catalogue of the lake at {folder}", "its schema is another", repair_of(folder))
    if write:
        add_functions(connection)
    return connection


def _schema_of(connection: sqlite3.Connection) -> list[tuple[str, str, str, str | None]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()


@functools.cache
def _own_schema() -> list[tuple[str, str, str, str | None]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_SCHEMA)
        return _schema_of(connection)


def catalogue_fault(folder: Path, error: Exception, part: str = "") -> LakeError:
    """The error for a catalogue, or a ``part`` of it, that cannot be read."""
    what = f"the catalogue of the lake at {folder}" + (f" ({part})" if part else "")
    if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CANTOPEN:
        refused = cannot_open(folder / FILE) or OSError(errno.EIO, "")
        if isinstance(refused, FileNotFoundError):
            return LakeMissingError(f"there is no lake at {folder}")
        return unreadable(what, refused, repair_of(folder))
    return unreadable(what, error, repair_of(folder))


def _open(path: Path, *, write: bool) -> sqlite3.Connection:
    uri = path.resolve().as_uri()
    mode = "rw" if write else "ro"
    connection = sqlite3.connect(
        f"{uri}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False, timeout=30.0
    )
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if write:
            raise
        # A lake on read-only media: WAL needs a file beside it, which cannot be made there, nor can anyone write.
        connection = sqlite3.connect(
            f"{uri}?mode=ro&immutable=1", uri=True, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.DatabaseError:
            connection.close()
            raise
    except sqlite3.DatabaseError:
        connection.close()
        raise
    if write:
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -65536")
        connection.execute("PRAGMA wal_autocheckpoint = 4000")
        connection.execute("PRAGMA journal_size_limit = 67108864")
    return connection
