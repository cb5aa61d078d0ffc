"""What may be named as a source: files, folders, globs, URLs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from tablehound.lake import Lake
from tablehound.lake.ingest.remote import without_secrets

CSV = b"name,n\nx,1\n"


def _sources(lake_path: Path) -> list[str]:
    with Lake.open(lake_path) as lake:
        return sorted(info.provenance.source for info in lake.infos())


@pytest.fixture
def memory() -> Iterator[Any]:
    """A file system of URLs in this process."""
    filesystem = fsspec.filesystem("memory")
    filesystem.pipe({"/bucket/a.csv": CSV, "/bucket/deep/b.csv": CSV, "/bucket/c.txt.gz": b"junk"})
    yield filesystem
    filesystem.rm("/bucket", recursive=True)


def test_a_file_a_folder_and_a_glob(folder: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    index(folder / "a.csv", lake=tmp_path / "1")
    assert _sources(tmp_path / "1") == ["a.csv"]
    index(folder / "*.csv", lake=tmp_path / "2")
    assert _sources(tmp_path / "2") == ["a.csv", "b.csv"]
    index(folder / "**" / "*.csv", lake=tmp_path / "3")
    assert _sources(tmp_path / "3") == ["a.csv", "b.csv", "deep/c.csv"]
    assert index(folder / "*.nothing", lake=tmp_path / "4").problems[0].error == "no file matches"


def test_relative_and_absolute_paths_are_the_same_source(
    folder: Path, index: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(folder)
    index(".")
    assert index(folder).read == 0
    assert _sources(tmp_path / "lake") == ["a.csv", "b.csv", "deep/c.csv"]


def test_hidden_temporary_and_side_files_are_left_out(folder: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    for name in (".hidden.csv", "~$book.xlsx", "x.sqlite-wal", "Thumbs.db"):
        (folder / name).write_bytes(CSV)
    (folder / ".git").mkdir()
    (folder / ".git" / "x.csv").write_bytes(CSV)
    assert index(folder, lake=folder / "lake").n_sources == 3
    assert index(folder, lake=folder / "lake").n_sources == 3, "the lake itself is no source"


def test_a_file_behind_a_url(memory: Any, index: Callable[..., Any], tmp_path: Path) -> None:
    assert index("memory://bucket/a.csv").ok
    assert _sources(tmp_path / "lake") == ["memory://bucket/a.csv"]


def test_a_folder_behind_a_url(memory: Any, index: Callable[..., Any], tmp_path: Path) -> None:
    report = index("memory://bucket")
    assert _sources(tmp_path / "lake") == ["a.csv", "deep/b.csv"]
    assert [p.source for p in report.problems] == ["c.txt.gz"]
    memory.rm("/bucket/c.txt.gz")
    memory.rm("/bucket/a.csv")
    memory.pipe("/bucket/deep/b.csv", CSV + b"y,2\n")
    assert index("memory://bucket").ok
    assert _sources(tmp_path / "lake") == ["deep/b.csv"]


def test_urls_that_lead_nowhere(index: Callable[..., Any]) -> None:
    assert index("memory://nothing/x.csv").problems[0].kind == "SourceMissingError"
    assert index("nosuchprotocol://x/y.csv").problems[0].kind == "UnsupportedSourceError"


def test_secrets_of_urls_go_nowhere() -> None:
    assert without_secrets("postgresql://user:secret@host:5432/db?password=x") == "postgresql://host:5432/db"
    assert without_secrets("https://host/a.csv?token=x") == "https://host/a.csv"
