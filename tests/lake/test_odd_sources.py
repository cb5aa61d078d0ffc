"""Sources that cannot be reached, look alike, or are no files: each is named, and none stops or hides the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablehound.lake import Lake
from tablehound.lake.ingest.remote import without_secrets
from tablehound.lake.store.report import SourceReport

CSV = "name,n\nx,1\ny,2\n"


def _reports(lake_path: Path) -> dict[str, SourceReport]:
    with Lake.open(lake_path) as lake:
        return {report.label: report for report in lake.reports()}


def _write(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CSV, encoding="utf-8")


def _close(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As a folder without permission: the tests may run as the superuser, who may read all."""
    scandir = os.scandir

    def refuse(path: Any = ".") -> Any:
        if not isinstance(path, int) and os.fspath(path).endswith(name):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)


@pytest.mark.parametrize("source", ["data", "data/closed", "data/**/*.csv", "data/*/*.csv"])
def test_a_folder_that_cannot_be_opened_is_named_and_keeps_its_tables(
    source: str, index: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path / "data" / "closed" / "a.csv", tmp_path / "data" / "open" / "b.csv")
    before = index(tmp_path / source)
    with monkeypatch.context() as patch:
        _close(patch, "closed")
        report = index(tmp_path / source)
    assert (report.n_tables, report.removed) == (before.n_tables, 0)
    (problem,) = report.problems
    assert (problem.source, problem.error) == (str(tmp_path / "data" / "closed"), "no permission to read it")
    assert index(tmp_path / source).ok
    (tmp_path / "data" / "closed" / "a.csv").unlink()
    assert index(tmp_path / source).n_tables == before.n_tables - 1


def test_a_pattern_that_leads_elsewhere_does_not_mind_a_closed_folder(
    index: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path / "data" / "closed" / "a.csv", tmp_path / "data" / "b.csv")
    _close(monkeypatch, "closed")
    assert index(tmp_path / "data" / "*.csv").ok
    assert index(tmp_path / "data" / "o*" / "*.csv").problems[0].error == "no file matches"


def test_names_that_differ_in_how_accents_are_written_are_two_sources(
    index: Callable[..., Any], tmp_path: Path
) -> None:
    _write(tmp_path / "data" / "caf\u00e9.csv", tmp_path / "data" / "cafe\u0301.csv", tmp_path / "ok.csv")
    report = index(tmp_path / "data", tmp_path / "ok.csv")
    assert (report.ok, report.n_tables) == (True, 3)
    assert sorted(_reports(tmp_path / "lake")) == ["caf\u00e9.csv", "caf\u00e9@2.csv", "ok.csv"]


def test_a_file_that_is_called_like_a_member_of_an_archive(index: Callable[..., Any], tmp_path: Path) -> None:
    import zipfile

    _write(tmp_path / "data" / "x.zip!a.csv")
    with zipfile.ZipFile(tmp_path / "data" / "x.zip", "w") as archive:
        archive.writestr("a.csv", CSV)
    report = index(tmp_path / "data")
    assert (report.ok, report.n_tables) == (True, 2)


def test_paths_that_are_not_unicode(index: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    odd = Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.csv"))
    _write(odd)
    assert index(odd, folder, f"{folder}/*.csv", lake=folder / "lake").n_tables == 1
    assert sorted(_reports(folder / "lake")) == ["bad\\xff.csv"]
    monkeypatch.chdir(folder)
    assert index(".", odd.name, lake=Path("lake")).ok
    odd.unlink()
    assert index(".", odd.name, lake=Path("lake")).removed == 2


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1:1/x.csv",
        "zip://a.csv::ftp://127.0.0.1:1/x.zip",
        "zip://a.csv::/no/such/x.zip",
        "postgresql://u:pa[ss@127.0.0.1:1/postgres",
        "http://[bad/x.csv",
    ],
)
def test_a_url_that_cannot_be_reached_does_not_stop_the_others(
    url: str, index: Callable[..., Any], tmp_path: Path
) -> None:
    _write(tmp_path / "ok.csv")
    report = index(url, tmp_path / "ok.csv")
    assert report.n_tables == 1
    (problem,) = report.problems
    assert problem.label == without_secrets(url)
    assert "pa[ss" not in repr(problem)


def test_secrets_anywhere_in_a_chain_of_urls_go_nowhere() -> None:
    assert without_secrets("zip://a.csv::https://me:secret@host/x.zip?key=1") == "zip://a.csv::https://host/x.zip"
    assert without_secrets("mysql://me:se[cret@host/db?password=x") == "mysql://host/db"


def test_what_is_no_file_is_listed_in_a_folder_and_refused_by_name(index: Callable[..., Any], tmp_path: Path) -> None:
    data = tmp_path / "data"
    _write(data / "a.csv", tmp_path / "other" / "b.csv")
    os.mkfifo(data / "pipe.csv")
    (data / "zero").symlink_to("/dev/zero")
    (data / "linked").symlink_to(tmp_path / "other")
    report = index(data)
    assert (report.ok, report.n_tables, report.skipped) == (True, 1, 3)
    errors = {name: report.error for name, report in _reports(tmp_path / "lake").items() if report.status == "skipped"}
    assert errors == {
        "linked": "a link to a folder, which is not followed",
        "pipe.csv": "a pipe, and no file",
        "zero": "a device, and no file",
    }
    assert index(data).unchanged == 4
    assert index(data / "linked").n_tables == 2
    for name, said in (("pipe.csv", "it is a pipe"), ("zero", "it is a device")):
        assert said in index(data / name).problems[0].error


def test_a_link_to_what_is_not_there_says_so(index: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "link.csv").symlink_to(tmp_path / "gone")
    for source in ("data", "data/link.csv"):
        assert "a link to what is not there" in index(tmp_path / source).problems[0].error


def test_a_file_behind_http(index: Callable[..., Any], tmp_path: Path) -> None:
    pytest.importorskip("aiohttp")
    import functools
    import http.server
    import threading

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            return

    _write(tmp_path / "served" / "a.csv")
    handler = functools.partial(Quiet, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_address[1]}"
        report = index(f"{base}/a.csv", f"{base}/gone.csv")
        server.shutdown()
    assert report.n_tables == 1
    assert [problem.kind for problem in report.problems] == ["SourceMissingError"]


def test_a_link_that_leads_out_of_its_folder_is_not_followed(index: Callable[..., Any], tmp_path: Path) -> None:
    data, secret = tmp_path / "data", tmp_path / "secret.csv"
    data.mkdir()
    secret.write_text("a,b\n1,2\n", encoding="utf-8")
    (data / "own.csv").write_text("c,d\n3,4\n", encoding="utf-8")
    (data / "inside.csv").symlink_to(data / "own.csv")
    (data / "outside.csv").symlink_to(secret)
    assert index(data).n_tables == 2
    with Lake.open(tmp_path / "lake") as lake:
        found = {report.source: report.error for report in lake.reports()}
    assert "a link that leads out of the folder" in found["outside.csv"]
    assert index(str(data / "*.csv"), lake=tmp_path / "other").n_tables == 2
    assert index(data / "outside.csv", lake=tmp_path / "named").n_tables == 1
    assert index(data, read__follow_links=True).n_tables == 3
