"""Bad input: each has a clear message with a place and a remedy, nothing else is lost, and the run goes on."""

from __future__ import annotations

import errno
import os
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablehound.errors import LakeError
from tablehound.lake import Lake, SourceReport, index_sources
from tablehound.lake.store.catalogue import unwritable
from tablehound.settings import Settings

GOOD = "name,n\nx,1\n"


def _problem(index: Callable[..., Any], folder: Path, name: str, tmp_path: Path) -> SourceReport:
    """Index the folder with one bad and one good file: the good one is read, the bad one is the only problem."""
    (folder / "zz good.csv").write_text(GOOD, encoding="utf-8")
    report = index(folder)
    problem: SourceReport
    (problem,) = report.problems
    with Lake.open(tmp_path / "lake") as lake:
        assert "zz good.csv" in {info.provenance.source for info in lake.infos()}
        assert [r.error for r in lake.report(name) if not r.ok] == [problem.error]
    assert problem.source == name
    assert problem.error
    again = index(folder)
    assert [p.source for p in again.problems] == [name], "a failure is said again by every run"
    return problem


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad"
    path.mkdir()
    return path


def test_a_missing_folder(index: Callable[..., Any], tmp_path: Path) -> None:
    report = index(tmp_path / "nowhere")
    assert [(p.kind, p.remedy) for p in report.problems] == [("SourceMissingError", "check the path")]


def test_binary_under_the_name_of_text(bad: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    (bad / "x.csv").write_bytes(os.urandom(5000))
    assert _problem(index, bad, "x.csv", tmp_path).kind == "UnsupportedSourceError"


def test_an_empty_file_is_no_failure_but_said(bad: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    (bad / "x.csv").write_bytes(b"")
    assert index(bad).ok
    with Lake.open(tmp_path / "lake") as lake:
        assert [(r.status, r.error) for r in lake.report("x.csv")] == [("empty", "the file is empty")]


@pytest.mark.parametrize(
    ("name", "text"), [("h.html", "<p>hi</p>"), ("j.json", "{}"), ("blank.csv", "\n\n"), ("e.csv", "")]
)
def test_a_named_file_without_a_table_is_a_failure_and_one_in_a_folder_is_listed(
    name: str, text: str, bad: Path, index: Callable[..., Any], tmp_path: Path
) -> None:
    (bad / name).write_text(text, encoding="utf-8")
    assert index(bad).ok
    (problem,) = index(bad / name, lake=tmp_path / "other").problems
    assert problem.error in ("no table was found in it", "the file is empty")


@pytest.mark.parametrize(
    "name", ["x.parquet", "x.sqlite", "x.duckdb", "x.arrow", "x.xlsx", "x.zip", "x.tar", "x.csv.gz"]
)
def test_a_truncated_file(name: str, bad: Path, index: Callable[..., Any], tmp_path: Path, whole: Path) -> None:
    data = (whole / name).read_bytes()
    (bad / name).write_bytes(data[: len(data) * 2 // 3])
    problem = _problem(index, bad, name, tmp_path)
    assert problem.kind in ("BrokenSourceError", "UnsupportedSourceError")


@pytest.mark.parametrize("name", ["x.parquet", "x.sqlite", "x.duckdb", "x.arrow", "x.xlsx", "x.zip", "x.csv.gz"])
def test_junk_under_the_name_of_a_machine_format(
    name: str, bad: Path, index: Callable[..., Any], tmp_path: Path
) -> None:
    (bad / name).write_bytes(b"\x01\x02\x03\x04junk\x00\xff" * 100)
    assert _problem(index, bad, name, tmp_path).kind in ("BrokenSourceError", "UnsupportedSourceError")


def test_a_member_that_is_encrypted(bad: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    with zipfile.ZipFile(bad / "x.zip", "w") as archive:
        archive.writestr("a.csv", GOOD)
        archive.writestr("b.csv", GOOD)
    data = bytearray((bad / "x.zip").read_bytes())
    # The flag of encryption, in the local and in the central header of the first member.
    data[6] |= 1
    data[data.find(b"PK\x01\x02") + 8] |= 1
    (bad / "x.zip").write_bytes(data)
    problem = _problem(index, bad, "x.zip", tmp_path)
    assert (problem.member, problem.kind) == ("a.csv", "UnsupportedSourceError")
    assert "password" in problem.remedy
    with Lake.open(tmp_path / "lake") as lake:
        assert "b.csv" in {info.provenance.member for info in lake.infos()}


def test_a_workbook_that_is_encrypted(bad: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    # An OLE2 container, as Office writes for a workbook with a password, with nothing readable in it.
    (bad / "x.xlsx").write_bytes(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le")
    )
    assert _problem(index, bad, "x.xlsx", tmp_path).kind in ("UnsupportedSourceError", "BrokenSourceError")


def test_a_bomb_by_what_it_declares(bad: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    with zipfile.ZipFile(bad / "x.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("a.csv", b"0" * 60_000_000)
    assert "bomb" in _problem(index, bad, "x.zip", tmp_path).error


def test_a_bomb_that_lies_about_its_size(bad: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    import gzip

    (bad / "x.csv.gz").write_bytes(gzip.compress(b"0" * 60_000_000))
    assert "bomb" in _problem(index, bad, "x.csv.gz", tmp_path).error
    (bad / "x.csv.gz").unlink()
    with zipfile.ZipFile(tmp_path / "inner.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("a.csv", b"0" * 60_000_000)
    with zipfile.ZipFile(bad / "y.zip", "w") as archive:
        archive.write(tmp_path / "inner.zip", "inner.zip")
    assert "bomb" in _problem(index, bad, "y.zip", tmp_path).error


def test_archives_too_deep(bad: Path, index: Callable[..., Any]) -> None:
    import gzip

    data = GOOD.encode()
    for _ in range(8):
        data = gzip.compress(data)
    (bad / "x.csv.gz.gz.gz.gz.gz.gz.gz.gz").write_bytes(data)
    report = index(bad, read__max_archive_nesting=3)
    assert "deep" in report.problems[0].error
    assert index(bad).ok, "a failure is tried again when the limit changes"


def test_larger_than_allowed(bad: Path, index: Callable[..., Any]) -> None:
    (bad / "x.csv").write_text(GOOD * 100, encoding="utf-8")
    report = index(bad, read__max_source_bytes=50)
    assert "limit is 50" in report.problems[0].error
    assert report.problems[0].remedy


def test_wider_than_allowed(bad: Path, index: Callable[..., Any]) -> None:
    (bad / "x.csv").write_text(
        ",".join(f"c{i}" for i in range(40)) + "\n" + ",".join("1" * 40) + "\n", encoding="utf-8"
    )
    assert "40 columns" in index(bad, read__max_columns=30).problems[0].error


def test_what_holds_no_tables_is_skipped_in_a_folder_and_refused_by_name(bad: Path, index: Callable[..., Any]) -> None:
    (bad / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (bad / "program.exe").write_bytes(b"MZ\x90\x00\x03" + bytes(100))
    report = index(bad)
    assert (report.ok, report.skipped, report.n_tables) == (True, 2, 0)
    assert index(bad / "picture.png").problems[0].kind == "UnsupportedSourceError"


def test_pipes_and_dangling_links_do_not_hang(bad: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    os.mkfifo(bad / "pipe.csv")
    (bad / "link.csv").symlink_to(bad / "gone")
    problem = _problem(index, bad, "link.csv", tmp_path)
    assert problem.kind == "SourceMissingError"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission(bad: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    (bad / "x.csv").write_text(GOOD, encoding="utf-8")
    (bad / "x.csv").chmod(0)
    assert "permission" in _problem(index, bad, "x.csv", tmp_path).error


def test_names_that_are_not_unicode(bad: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(bad) + b"/caf\xe9.csv")).write_text(GOOD, encoding="utf-8")
    assert index(bad).ok
    with Lake.open(tmp_path / "lake") as lake:
        assert [info.provenance.source for info in lake.infos()] == ["caf\\xe9.csv"]


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A good file of each format."""
    import gzip
    import io
    import sqlite3
    import tarfile

    import duckdb
    import openpyxl
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "whole"
    path.mkdir()
    rows = [(i, f"text {i * 7919 % 1000}") for i in range(3000)]
    table = pa.table({"n": [n for n, _ in rows], "t": [t for _, t in rows]})
    pq.write_table(table, path / "x.parquet")
    with pa.OSFile(str(path / "x.arrow"), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)
    connection = sqlite3.connect(path / "x.sqlite")
    connection.execute("CREATE TABLE t (n, t)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    with duckdb.connect(str(path / "x.duckdb")) as duck:
        duck.execute("CREATE TABLE t AS SELECT range AS n, 'text ' || range AS t FROM range(100000)")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path / "x.xlsx")
    text = "\n".join(f"{n},{t}" for n, t in rows).encode()
    with zipfile.ZipFile(path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", text)
    with tarfile.open(path / "x.tar", "w") as tar:
        info = tarfile.TarInfo("a.csv")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    (path / "x.csv.gz").write_bytes(gzip.compress(text))
    return path


def test_a_lake_that_cannot_be_written_says_where_else_to_put_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(LakeError) as raised:
        index_sources([str(tmp_path / "t.csv")], tmp_path / "file" / "lake", Settings())
    assert "--lake" in (raised.value.remedy or "")
    assert "XDG_CACHE_HOME" in (raised.value.remedy or "")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), "XDG_CACHE_HOME"),
        (OSError(errno.EROFS, "Read-only file system"), "XDG_CACHE_HOME"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "XDG_CACHE_HOME"),
        (OSError(errno.ENOSPC, "No space left on device"), "disk has room"),
    ],
)
def test_the_remedy_depends_on_what_is_in_the_way(error: OSError | sqlite3.Error, said: str) -> None:
    assert said in (unwritable("the lake at x cannot be written", error).remedy or "")
