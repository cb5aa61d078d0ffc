"""Sums of rows and digests of generations: by these a reader notices rows that the disk changed or lost.

``sum`` of a row is a hash (xxh3, 64 bits, signed) of its other columns, in the order of ``SUMMED``. The digests of a
generation are over what tells its rows apart: an id for each table, a name for each content, a kind and a name for each
segment, with the rows' sums. They are in ``meta`` with the number of tables, and ``meta`` has a sum of its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

import xxhash

SUMMED = {
    "contents": ("id", "name", "fingerprint", "how", "status", "ok", "complete", "report"),
    "sources": ("id", "root", "name", "stamp", "content", "born", "died"),
    "tables": ("key", "id", "content", "n_rows", "info"),
    "chunks": ("id", "n_rows", "data"),
    "segments": ("kind", "name", "born", "seal", "table_ids"),
}
"""Columns of each table over which its sum is. ``died`` of a segment is not: the digest says which are alive."""
_HEAD = ("generation", "state", "tables", "n_tables", "contents", "segments")
_HALF = 1 << 63


def row_sum(*values: object) -> int:
    """The sum of a row: its values in the order of ``SUMMED``."""
    parts = [value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass") for value in values]
    state = xxhash.xxh3_64(",".join([str(len(part)) for part in parts]).encode())
    for part in parts:
        state.update(part)
    return state.intdigest() - _HALF


def add_functions(connection: sqlite3.Connection) -> None:
    """Make ``row_sum`` known to a writer's statements."""
    connection.create_function("row_sum", -1, row_sum, deterministic=True)


@dataclass(frozen=True, slots=True)
class Head:
    """What ``meta`` says of the live generation."""

    generation: int
    state: str
    """The hash in its name: of the ids of its tables."""
    tables: str
    """Digest of (key, id) of the tables."""
    n_tables: int
    contents: str
    """Digest of (id, name, sum) of the contents."""
    segments: str
    """Digest of (kind, name, sum) of the segments."""


def read_head(connection: sqlite3.Connection) -> Head | None:
    """The head of a catalogue; None when it is not as it was written."""
    values = dict(connection.execute("SELECT key, value FROM meta"))
    found = [values.get(key) for key in _HEAD]
    if values.get("sum") != row_sum(*found):
        return None
    return Head(*found)  # type: ignore[arg-type]  # as their sum says, they are what was written


def write_head(connection: sqlite3.Connection, generation: int, state: str) -> None:
    """Make a generation live: one statement, in a transaction of the caller's or its own."""
    tables = table_rows(connection, generation)
    values = (
        generation,
        state,
        digest(tables),
        len({table_id for _, table_id in tables}),
        digest(content_rows(connection, generation)),
        digest(segment_rows(connection, generation)),
    )
    rows = [*zip(_HEAD, values, strict=True), ("sum", row_sum(*values))]
    marks = ", ".join(["(?, ?)"] * len(rows))
    connection.execute(f"INSERT OR REPLACE INTO meta VALUES {marks}", [value for row in rows for value in row])


def digest(rows: Iterable[tuple[object, ...]]) -> str:
    """Of rows in any order."""
    lines = sorted("\0".join(map(str, row)) for row in rows)
    return xxhash.xxh3_128_hexdigest("\n".join(lines).encode("utf-8", "surrogatepass"))


_LIVE = "SELECT s.content FROM sources s WHERE s.born <= :g AND s.died > :g"


def table_rows(connection: sqlite3.Connection, generation: int) -> list[tuple[int, str]]:
    """(key, id) of the tables of a generation."""
    # Through a list of the live contents: several times as fast as asking for each table.
    statement = f"SELECT t.key, t.id FROM tables t WHERE t.content IN ({_LIVE})"
    return connection.execute(statement, {"g": generation}).fetchall()


def content_rows(connection: sqlite3.Connection, generation: int) -> list[tuple[int, str, int]]:
    """(id, name, sum) of the contents of a generation."""
    statement = f"SELECT c.id, c.name, c.sum FROM contents c WHERE c.id IN ({_LIVE})"
    return connection.execute(statement, {"g": generation}).fetchall()


def segment_rows(connection: sqlite3.Connection, generation: int) -> list[tuple[str, str, int]]:
    """(kind, name, sum) of the segments of a generation."""
    statement = "SELECT kind, name, sum FROM segments WHERE born <= :g AND died > :g"
    return connection.execute(statement, {"g": generation}).fetchall()
