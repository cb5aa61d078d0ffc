"""What ``tablehound.toml`` pins is held against the source: what does not fit is said, and nothing goes with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tablehound.lake import Lake, Reading
from tablehound.lake.store.report import SourceReport

DATES = "d;n\n01/02/2020;1.234\n03/04/2020;2.345\n"


@pytest.fixture
def read(tmp_path: Path, index: Callable[..., Any]) -> Callable[[str, str], tuple[SourceReport, list[Reading]]]:
    """Index a text with pins for it: its report, and how its columns read."""

    def of(text: str, pins: str) -> tuple[SourceReport, list[Reading]]:
        data = tmp_path / "data"
        data.mkdir(exist_ok=True)
        (data / "a.csv").write_text(text, encoding="utf-8")
        (data / "tablehound.toml").write_text(f'["a.csv"]\n{pins}\n', encoding="utf-8")
        index(data)
        with Lake.open(tmp_path / "lake") as lake:
            infos = list(lake.infos())
            return lake.report("a.csv")[0], [column.reading for info in infos for column in info.columns]

    return of


def test_values_that_read_in_two_ways_are_in_the_report(read: Callable[..., Any]) -> None:
    report, _ = read(DATES, "")
    assert report.tables[0].ambiguities[:1] == ("column 'd': dates fit dmy and mdy; read as mdy",)
    assert any(text.startswith("column 'n': ") for text in report.tables[0].ambiguities)


def test_a_pin_that_fits_settles_what_is_ambiguous(read: Callable[..., Any]) -> None:
    report, (day, number) = read(DATES, 'date_order = "dmy"\nthousands = "."')
    assert report.tables[0].ambiguities == ()
    assert (day.date_order, day.ambiguous, day.note) == ("dmy", False, "")
    assert (number.decimal, number.thousands, number.ambiguous) == (",", ".", False)


def test_a_pinned_order_that_fits_no_date_changes_nothing_and_is_said(read: Callable[..., Any]) -> None:
    report, (day, _) = read(DATES, 'date_order = "ymd"')
    assert (day.date_order, day.exceptions) == ("mdy", 0)
    assert "the pinned date_order = ymd fits none of its dates; read as mdy" in report.tables[0].ambiguities[0]


def test_texts_that_a_pin_leaves_without_a_value_are_counted(read: Callable[..., Any]) -> None:
    rows = "".join(f"{n},5\n" for n in range(9)).replace(",", ".")
    report, (number,) = read(f"n\n1,5\n2,5\n{rows}", 'decimal = ","\ndelimiter = ";"')
    assert (number.decimal, number.exceptions) == (",", 9)
    assert "does not fit 9 of its 11 numbers" in report.tables[0].ambiguities[0]


def test_a_pin_for_other_columns_leaves_dates_alone_that_read_in_one_way(read: Callable[..., Any]) -> None:
    report, (day, _) = read("d,n\n2020-01-31,1\n2020-02-29,2\n", 'date_order = "dmy"')
    assert (day.kind, day.exceptions, report.tables[0].ambiguities) == ("date", 0, ())


def test_pinned_rows_beyond_the_end_are_a_failure(read: Callable[..., Any]) -> None:
    report, _ = read("a,b\n1,2\n3,4\n", "skip_rows = 99")
    assert (report.status, "skip_rows = 99" in report.error, report.remedy) == (
        "failed",
        True,
        "correct tablehound.toml",
    )


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_pinned_table_that_is_not_there_is_a_failure_that_lists_the_others(
    kind: str, tmp_path: Path, index: Callable[..., Any]
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    name = f"x.{kind}"
    open_database: Any = sqlite3.connect if kind == "sqlite" else duckdb.connect
    with closing(open_database(str(data / name))) as connection:
        connection.execute("CREATE TABLE acc (a INTEGER)")
        connection.execute("INSERT INTO acc VALUES (1)")
        connection.execute("CREATE TABLE other (a INTEGER)")
        connection.execute("CREATE VIEW seen AS SELECT * FROM acc")
        connection.commit()
    index(data)
    with Lake.open(tmp_path / "lake") as lake:
        assert lake.report(name)[0].left_out == ("view 'seen'",)
    (data / "tablehound.toml").write_text(f'["{name}"]\nsheets = ["acc", "zz", "seen"]\n', encoding="utf-8")
    report = index(data)
    (problem,) = report.problems
    assert (problem.error, problem.where, problem.remedy) == (
        "there is no such table",
        f"{name}#zz",
        "tables: acc, other",
    )
    assert report.n_tables == 1


def test_strict_refuses_cells_that_would_be_cut(tmp_path: Path, index: Callable[..., Any]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.csv").write_text(f"a,b\n1,2\n3,{'x' * 300}\n", encoding="utf-8")
    with closing(sqlite3.connect(data / "b.db")) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (?)", ("ü" * 150,))
        connection.commit()
    strict = index(data, read__max_cell_chars=100, read__strict=True)
    assert [problem.kind for problem in strict.problems] == ["LossRefusedError"] * 2
    assert "1 cells are longer than 100 characters" in strict.problems[1].error
    assert index(data, read__max_cell_chars=150, read__strict=True).problems[0].source == "a.csv"
    assert index(data, read__max_cell_chars=100).ok
    with Lake.open(tmp_path / "lake") as lake:
        (table_id,) = (info.id for info in lake.infos() if info.provenance.format == "sqlite")
        assert lake.table(table_id).column(0) == ["ü" * 100]
        assert lake.table_report(table_id).repairs == ("1 cells cut to 100 characters",)


def test_strict_takes_a_title_and_rows_that_were_pinned_away(tmp_path: Path, index: Callable[..., Any]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    rows = "".join(f"north {n},{n},{2 * n}\n" for n in range(6))
    (data / "a.csv").write_text(f"Quarterly report 2024\n\nregion,sales,cost\n{rows}", encoding="utf-8")
    (data / "b.csv").write_text(f"x,y,z\nmade by,1,2\nregion,sales,cost\n{rows}", encoding="utf-8")
    (data / "tablehound.toml").write_text('["b.csv"]\nskip_rows = 2\n', encoding="utf-8")
    report = index(data, read__strict=True)
    assert (report.problems, report.n_tables) == ((), 2)
    with Lake.open(tmp_path / "lake") as lake:
        titles = {info.provenance.source: (info.title, *info.notes) for info in lake.infos()}
    assert titles["a.csv"] == ("Quarterly report 2024",)
    assert any("made by" in (text or "") for text in titles["b.csv"])


def test_a_strict_run_leaves_what_was_read_of_the_same_bytes(tmp_path: Path, index: Callable[..., Any]) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"a,b\n1,2\n3,{'x' * 300}\n", encoding="utf-8")
    assert index(path, read__max_cell_chars=100).ok
    strict = index(path, read__max_cell_chars=100, read__strict=True)
    assert (strict.ok, strict.n_tables) == (False, 1)
    again = index(path, read__max_cell_chars=100)
    assert (again.ok, again.n_tables) == (True, 1)
    path.write_text(f"a,b\n1,2\n4,{'x' * 300}\n", encoding="utf-8")
    assert index(path, read__max_cell_chars=100, read__strict=True).n_tables == 0, "it was of other bytes"
