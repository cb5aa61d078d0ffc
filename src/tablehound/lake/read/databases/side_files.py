"""Files beside a database that belong to its state: what is in them may be committed, or may have to be taken back."""

from __future__ import annotations

import os

SQLITE_WAL, SQLITE_JOURNAL, DUCKDB_WAL = "-wal", "-journal", ".wal"
LOGS = (SQLITE_WAL, SQLITE_JOURNAL, DUCKDB_WAL)
SIDE_FILES = (*LOGS, "-shm")
DATABASE_SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3", ".duckdb", ".ddb")


def logs_of(path: str) -> list[tuple[str, os.stat_result]]:
    """Ending and state of each log beside the database at a path; empty ones are left out."""
    found = []
    for suffix in LOGS:
        try:
            state = os.stat(path + suffix)  # noqa: PTH116 - called for every database of a folder
        except OSError:
            continue
        if state.st_size:
            found.append((suffix, state))
    return found


def has_log(head: bytes) -> bool:
    """Whether first bytes are those of a database that keeps logs beside it."""
    return head.startswith(b"SQLite format 3\0") or head[8:12] == b"DUCK"
