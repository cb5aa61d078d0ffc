"""Parquet, Arrow, SQLite and DuckDB: every value as text, nothing changed, nothing lost."""

from __future__ import annotations

import datetime as dt
import decimal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tablehound.lake import Lake, Table


def _tables(lake_path: Path) -> list[Table]:
    with Lake.open(lake_path) as lake:
        return sorted(
            (lake.table(table_id) for table_id in lake.table_ids()), key=lambda table: table.info.provenance.ordinal
        )


TYPED = pa.table(
    {
        "text": pa.array(["a", None, "007"]),
        "int": pa.array([1, None, 2**62], pa.int64()),
        "float": pa.array([0.1, None, 1e21]),
        "bool": pa.array([True, None, False]),
        "date": pa.array([dt.date(2020, 2, 29), None, dt.date(1, 1, 1)]),
        "time": pa.array([dt.datetime(2020, 1, 2, 3, 4, 5), None, dt.datetime(2020, 1, 2, 3, 4, 5, 600)]),
        "decimal": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-0.01")]),
        "list": pa.array([[1, 2], None, []]),
        "bytes": pa.array([b"plain", None, b"\x00\xff"]),
        "word": pa.array(["x", None, "x"]).dictionary_encode(),
        "nothing": pa.nulls(3),
        "struct": pa.array([{"a": 1, "b": {"c": "z"}}, None, {"a": None, "b": None}]),
    }
)
TEXTS = [
    ("a", "1", "0.1", "true", "2020-02-29", "2020-01-02 03:04:05", "1.50", "[1, 2]", "plain", "x", None, "1", "z"),
    (None,) * 13,
    (
        *("007", str(2**62), "1e+21", "false", "0001-01-01", "2020-01-02 03:04:05.000600", "-0.01", "[]"),
        *("0x00ff", "x", None, None, None),
    ),
]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream", "parquet without a good name"])
def test_arrow_types(kind: str, tmp_path: Path, index: Callable[..., Any]) -> None:
    path = tmp_path / {"parquet": "x.parquet", "arrow": "x.feather", "stream": "x.arrow"}.get(kind, "x")
    if kind.startswith("parquet"):
        pq.write_table(TYPED, path, row_group_size=2)
    else:
        with pa.OSFile(str(path), "wb") as out:
            make = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
            with make(out, TYPED.schema) as writer:
                writer.write_table(TYPED)
    assert index(path).ok
    (table,) = _tables(tmp_path / "lake")
    assert table.header[-2:] == ("struct / a", "struct / b / c")
    assert table.info.columns[-1].path == ("struct", "b", "c")
    assert list(table.rows()) == TEXTS
    assert [table.source_row(i) for i in range(3)] == [1, 2, 3]


def test_sqlite_values(tmp_path: Path, index: Callable[..., Any]) -> None:
    connection = sqlite3.connect(tmp_path / "x.sqlite")
    connection.executescript(
        """
        CREATE TABLE "b t" (a, "Odd "" name", A2);
        INSERT INTO "b t" VALUES (1, 0.1, 'x'), (NULL, x'00ff', ''), (9007199254740993, 5.0, CAST(x'ff41' AS TEXT));
        CREATE TABLE a (empty TEXT);
        CREATE VIEW v AS SELECT * FROM a;
        CREATE VIRTUAL TABLE f USING fts5(words);
        INSERT INTO f VALUES ('some words');
        """
    )
    connection.commit()
    connection.close()
    report = index(tmp_path / "x.sqlite")
    assert report.ok
    tables = _tables(tmp_path / "lake")
    assert [table.info.provenance.sheet for table in tables] == ["a", "b t", "f"]
    assert [table.n_rows for table in tables] == [0, 3, 1]
    assert tables[0].header == ("empty",)
    assert list(tables[1].rows()) == [
        ("1", "0.1", "x"),
        (None, "0x00ff", ""),
        ("9007199254740993", "5.0", "ÿA"),
    ]
    assert tables[1].info.title == "b t"


def test_sqlite_log_that_was_not_merged(tmp_path: Path, index: Callable[..., Any]) -> None:
    connection = sqlite3.connect(tmp_path / "x.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (a)")
    index(tmp_path / "x.sqlite")
    connection.execute("INSERT INTO t VALUES (1)")
    assert index(tmp_path / "x.sqlite").read == 1
    connection.close()


def test_a_broken_table_of_a_database_leaves_the_others(tmp_path: Path, index: Callable[..., Any]) -> None:
    connection = sqlite3.connect(tmp_path / "x.sqlite")
    connection.execute("CREATE TABLE a (v)")
    connection.executemany("INSERT INTO a VALUES (?)", [(f"{i} " * 200,) for i in range(300)])
    connection.execute("CREATE TABLE b (v)")
    connection.execute("INSERT INTO b VALUES ('fine')")
    connection.commit()
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'a'").fetchone()[0]
    connection.close()
    data = bytearray((tmp_path / "x.sqlite").read_bytes())
    data[(root - 1) * 4096 : root * 4096] = b"\x7f" * 4096
    (tmp_path / "x.sqlite").write_bytes(data)
    report = index(tmp_path / "x.sqlite")
    assert report.problems[0].where == "x.sqlite#a"
    assert [table.info.provenance.sheet for table in _tables(tmp_path / "lake")] == ["b"]


def test_duckdb_values(tmp_path: Path, index: Callable[..., Any]) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute(
            """
            CREATE TABLE t (i BIGINT, "d 1" DECIMAL(8, 2), ts TIMESTAMP, l INTEGER[], b BOOLEAN);
            INSERT INTO t VALUES (1, 1.5, '2020-01-02 03:04:05', [1, 2], true), (NULL, NULL, NULL, NULL, NULL);
            CREATE TABLE empty (a TEXT);
            CREATE SCHEMA other; CREATE TABLE other.t (a INTEGER); INSERT INTO other.t SELECT range FROM range(100000);
            CREATE VIEW v AS SELECT * FROM read_csv('/etc/passwd');
            """
        )
    assert index(tmp_path / "x.duckdb", read__batch_rows=1000).ok
    tables = _tables(tmp_path / "lake")
    assert [table.info.provenance.sheet for table in tables] == ["empty", "t", "other.t"]
    assert list(tables[1].rows()) == [("1", "1.50", "2020-01-02 03:04:05", "[1, 2]", "true"), (None,) * 5]
    assert tables[2].column(0) == [str(i) for i in range(100_000)]


def test_only_the_sheets_that_are_pinned(tmp_path: Path, index: Callable[..., Any]) -> None:
    for name, connect in (("x.sqlite", sqlite3.connect), ("x.duckdb", duckdb.connect)):
        connection: Any = connect(str(tmp_path / name))
        for table in ("a", "b"):
            connection.execute(f"CREATE TABLE {table} (v INTEGER)")
        connection.commit()
        connection.close()
    (tmp_path / "tablehound.toml").write_text('["x.*"]\nsheets = ["b"]\n', encoding="utf-8")
    index(tmp_path / "x.sqlite", tmp_path / "x.duckdb")
    assert [table.info.provenance.sheet for table in _tables(tmp_path / "lake")] == ["b", "b"]
