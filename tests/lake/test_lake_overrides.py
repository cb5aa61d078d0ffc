"""``tablehound.toml`` pins what detection got wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablehound.lake import Lake
from tablehound.lake.ingest.overrides import OverrideFiles


def test_pins_reach_the_reader(tmp_path: Path, index: Callable[..., Any]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.csv").write_text("1;2,5\n3;4,5\n", encoding="utf-8")
    index(data)
    (data / "tablehound.toml").write_text('["a.csv"]\ndelimiter = ","\nno_header = true\n', encoding="utf-8")
    report = index(data)
    assert (report.ok, report.read) == (True, 1)
    with Lake.open(tmp_path / "lake") as lake:
        (info,) = lake.infos()
        table = lake.table(info.id)
    assert list(table.rows()) == [("1;2", "5"), ("3;4", "5")]
    assert [column.inferred for column in info.columns] == [True, True]


def test_skip_and_format(tmp_path: Path, index: Callable[..., Any]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (data / "b.log").write_text("a\tb\n1\t2\n", encoding="utf-8")
    (data / "tablehound.toml").write_text('["a.csv"]\nskip = true\n["*.log"]\nformat = "csv"\n', encoding="utf-8")
    index(data)
    with Lake.open(tmp_path / "lake") as lake:
        assert [info.provenance.source for info in lake.infos()] == ["b.log"]


def test_later_and_deeper_entries_win(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "tablehound.toml").write_text(
        '["deep/*.csv"]\ndelimiter = ";"\nquote = "\'"\n["deep/a*"]\ndelimiter = "|"\n', encoding="utf-8"
    )
    (tmp_path / "deep" / "tablehound.toml").write_text('["a.csv"]\nheader_rows = 2\n', encoding="utf-8")
    files = OverrideFiles(tmp_path)
    pinned = files.of(str(tmp_path / "deep" / "a.csv"))
    assert (pinned.delimiter, pinned.quote, pinned.header_rows) == ("|", "'", 2)
    assert files.of(str(tmp_path / "deep" / "b.csv")).delimiter == ";"
    assert files.of(str(tmp_path / "b.csv")).delimiter is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[files", "not a file of overrides"),
        ("delimiter = ','\n", "delimiter stands under no file"),
        ("['a']\ndelimeter = ','\n", "no override 'delimeter'"),
        ("['a']\nheader_rows = '1'\n", "header_rows is '1'"),
        ("['a']\nheader_rows = -1\n", "header_rows is -1"),
        ("['a']\nheader_rows = true\n", "header_rows is True"),
        ("['a']\nsheet = 1\n", "sheet is 1"),
        ("['a']\nsheets = []\n", "sheets is []"),
        ("['a']\nno_header = 'yes'\n", "no_header is 'yes'"),
        ("['a']\nquote = 'abc'\n", "quote is 'abc'"),
        ("['a']\nquote = ';'\ndelimiter = ';'\n", "quote ';' is in the delimiter"),
        ('["a"]\ndelimiter = "\\n"\n', "delimiter is '\\n'"),
        ("['a']\ndelimiter = ''\n", "delimiter is ''"),
        ("['a']\nescape = '^^'\n", "escape is '^^'"),
        ("['a']\ndecimal = 'xx'\n", "decimal is 'xx'"),
        ("['a']\ndecimal = ','\nthousands = ','\n", "decimal and thousands are both ','"),
        ("['a']\nencoding = 'hex'\n", "encoding is 'hex'"),
        ("['a']\nencoding = 'klingon'\n", "encoding is 'klingon'"),
        ("['a']\ndate_order = 'dym'\n", "date_order is 'dym'"),
    ],
)
def test_a_bad_file_is_a_problem_and_pins_nothing(
    text: str, said: str, tmp_path: Path, index: Callable[..., Any]
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (data / "tablehound.toml").write_text(text, encoding="utf-8")
    report = index(data)
    assert report.n_tables == 1
    (problem,) = report.problems
    assert said in problem.error
    assert problem.remedy


def test_what_numbers_and_dates_mean_can_be_pinned(tmp_path: Path, index: Callable[..., Any]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    rows = "".join(f"0{n}/0{n + 1}/2020;1.{n}00\n" for n in range(1, 8))
    (data / "a.csv").write_text("day;n\n" + rows, encoding="utf-8")
    pins = 'date_order = "mdy"\ndecimal = ","\nthousands = "."\n'
    (data / "tablehound.toml").write_text(f'["a.csv"]\n{pins}', encoding="utf-8")
    assert index(data).ok
    with Lake.open(tmp_path / "lake") as lake:
        (info,) = lake.infos()
    day, number = (column.reading for column in info.columns)
    assert (day.kind, day.date_order, day.ambiguous) == ("date", "mdy", False)
    assert (number.kind, number.decimal, number.thousands) == ("number", ",", ".")


def test_the_keys_that_there_are_are_all_named(tmp_path: Path, index: Callable[..., Any]) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "tablehound.toml").write_text("['a']\nsheat = 'x'\n", encoding="utf-8")
    remedy = index(tmp_path / "a.csv").problems[0].remedy
    assert {"no_header", "sheet", "sheets", "skip_rows"} <= set(remedy.removeprefix("use ").split(", "))


def test_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "tablehound.toml").write_text('["a.csv"]\ndelimiter = ";"\n', encoding="utf-8-sig")
    files = OverrideFiles(tmp_path)
    assert (files.of(str(tmp_path / "a.csv")).delimiter, files.failures) == (";", [])


def test_accents_may_be_written_either_way(tmp_path: Path) -> None:
    (tmp_path / "tablehound.toml").write_text('["caf\u00e9.csv"]\nskip = true\n', encoding="utf-8")
    assert OverrideFiles(tmp_path).of(str(tmp_path / "cafe\u0301.csv")).skip


def test_an_entry_that_fits_no_file_is_said_and_no_failure(tmp_path: Path, index: Callable[..., Any]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (data / "tablehound.toml").write_text('["a.csv"]\nheader_rows = 1\n["b.csv"]\nskip = true\n', encoding="utf-8")
    report = index(data)
    assert report.ok
    assert [remark.partition("tablehound.toml")[2] for remark in report.remarks] == [": 'b.csv' fits no file"]
    assert index(data / "a.csv").remarks == (), "where not all files are looked at, nobody knows"


def test_a_member_of_an_archive_can_be_pinned(tmp_path: Path, index: Callable[..., Any]) -> None:
    import zipfile

    data = tmp_path / "data"
    data.mkdir()
    with zipfile.ZipFile(data / "x.zip", "w") as archive:
        for name in ("a.csv", "b.csv", "c.csv"):
            archive.writestr(name, "1;2\n3;4\n")
    (data / "tablehound.toml").write_text(
        '["x.zip"]\nheader_rows = 0\n["x.zip!a.csv"]\nskip = true\n["x.zip!c*"]\nheader_rows = 1\n',
        encoding="utf-8",
    )
    report = index(data)
    assert (report.ok, report.remarks) == (True, ())
    with Lake.open(tmp_path / "lake") as lake:
        assert {info.provenance.member: info.n_rows for info in lake.infos()} == {"b.csv": 2, "c.csv": 1}


def test_more_header_rows_than_there_are_rows_is_said(tmp_path: Path, index: Callable[..., Any]) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "tablehound.toml").write_text("['a.csv']\nheader_rows = 99\n", encoding="utf-8")
    index(tmp_path / "a.csv")
    with Lake.open(tmp_path / "lake") as lake:
        (report,) = lake.report("a.csv")
    assert "99 header rows are pinned" in report.tables[0].ambiguities[-1]
