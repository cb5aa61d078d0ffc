"""Of a SQLite database, only what is committed is read, whatever lies beside the file and whoever writes it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tablehound.lake import Lake
from tablehound.lake.read.databases import sqlite

N_ROWS = 400


@pytest.fixture
def writer(tmp_path: Path) -> sqlite3.Connection:
    """A connection with balances of 1 that are committed, and of 0 that are half written and not."""
    connection = sqlite3.connect(tmp_path / "live.db", isolation_level=None)
    connection.execute("CREATE TABLE acc (id INTEGER PRIMARY KEY, bal, pad)")
    connection.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
        "INSERT INTO acc SELECT i, 1, zeroblob(200) FROM n",
        (N_ROWS,),
    )
    return connection


def _write_half(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA cache_size = 5")
    connection.execute("BEGIN")
    connection.execute("UPDATE acc SET bal = 0, pad = zeroblob(300) WHERE id < 300")


def _balances(lake_path: Path) -> tuple[int, int]:
    with Lake.open(lake_path) as lake:
        (table_id,) = lake.table_ids()
        texts = lake.table(table_id).column(1)
    return len(texts), sum(map(int, texts))  # type: ignore[arg-type]


def test_what_is_not_committed_is_waited_for_and_then_refused(
    writer: sqlite3.Connection, index: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "WAIT_SECONDS", 0.1)
    with closing(writer):
        assert index(tmp_path / "live.db").ok
        _write_half(writer)
        (problem,) = index(tmp_path / "live.db").problems
        assert (problem.kind, "another program is writing it" in problem.error) == ("SourceError", True)
        assert _balances(tmp_path / "lake") == (N_ROWS, N_ROWS), "what was read before stays"
        writer.execute("ROLLBACK")
        assert index(tmp_path / "live.db").ok, "and the next run tries again"
    assert _balances(tmp_path / "lake") == (N_ROWS, N_ROWS)


def test_what_a_killed_program_wrote_half_is_taken_back(
    writer: sqlite3.Connection, index: Callable[..., Any], tmp_path: Path
) -> None:
    left = tmp_path / "left"
    left.mkdir()
    with closing(writer):
        _write_half(writer)
        for name in ("live.db", "live.db-journal"):
            shutil.copyfile(tmp_path / name, left / name)
    before = {path.name: path.read_bytes() for path in left.iterdir()}
    report = index(left)
    assert (report.ok, report.n_tables) == (True, 1)
    assert _balances(tmp_path / "lake") == (N_ROWS, N_ROWS)
    assert {path.name: path.read_bytes() for path in left.iterdir()} == before, "the source itself is left as it was"


def test_rows_that_are_only_in_the_log_are_read_when_the_file_is_the_same(
    index: Callable[..., Any], tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (a, n)")
        connection.execute("INSERT INTO t VALUES (1, 1)")
        index(tmp_path / "x.db")
        connection.execute("INSERT INTO t VALUES (2, 2)")
        index(tmp_path / "x.db")
        assert _balances(tmp_path / "lake") == (2, 3)


def test_a_log_beside_a_file_that_cannot_be_opened_with_it_is_not_left_out(
    index: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (a, n)")
        connection.execute("INSERT INTO t VALUES (1, 1)")
        for name in ("x.db", "x.db-wal"):
            shutil.copyfile(tmp_path / name, data / name)

    def connect_as_on_read_only_media(database: str | Path, **options: Any) -> sqlite3.Connection:
        if str(database).endswith("x.db?mode=ro"):
            raise sqlite3.OperationalError("unable to open database file")
        connection: sqlite3.Connection = connect(database, **options)
        return connection

    connect = sqlite3.connect
    monkeypatch.setattr("sqlite3.connect", connect_as_on_read_only_media)
    assert index(data).ok
    assert _balances(tmp_path / "lake") == (1, 1)
