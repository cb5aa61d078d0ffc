"""A lake as readers see it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablehound.errors import LakeBusyError, LakeError, LakeMissingError, LakeVersionError, TableMissingError
from tablehound.lake import Lake, index_sources
from tablehound.settings import Settings


def test_tables_come_back_as_they_were_written(folder: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    report = index(folder)
    assert report.ok
    assert (report.n_sources, report.n_tables, report.read) == (3, 3, 3)
    with Lake.open(tmp_path / "lake") as lake:
        ids = lake.table_ids()
        assert ids == sorted(ids)
        by_source = {info.provenance.source: info for info in lake.infos()}
        assert sorted(by_source) == ["a.csv", "b.csv", "deep/c.csv"]
        info = by_source["deep/c.csv"]
        assert info == lake.info(info.id)
        table = lake.table(info.id)
        assert table.header == ("k", "v")
        assert table.row(0) == ("007", "NA")
        assert table.n_rows == info.n_rows == sum(batch.num_rows for batch in lake.batches(info.id))
        assert table.source_row(0) == 2
        with pytest.raises(TableMissingError, match="nowhere"):
            lake.table("nowhere")


def test_a_lake_that_is_not_there_or_not_readable_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(LakeMissingError, match="tablehound index"):
        Lake.open(tmp_path / "none")
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / "catalogue.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(LakeError, match="damaged"):
        Lake.open(tmp_path / "junk")


def test_a_lake_of_another_version_is_refused_and_left_alone(
    folder: Path, index: Callable[..., Any], tmp_path: Path
) -> None:
    index(folder)
    with sqlite3.connect(tmp_path / "lake" / "catalogue.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(LakeVersionError, match="format 99"):
        Lake.open(tmp_path / "lake")
    with pytest.raises(LakeVersionError, match="index again"):
        index(folder)
    with sqlite3.connect(tmp_path / "other.sqlite") as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    (tmp_path / "other").mkdir()
    (tmp_path / "other.sqlite").rename(tmp_path / "other" / "catalogue.sqlite")
    with pytest.raises(LakeVersionError, match="another program"):
        Lake.open(tmp_path / "other")


def test_a_folder_of_something_else_is_no_place_for_a_lake(folder: Path, index: Callable[..., Any]) -> None:
    with pytest.raises(LakeError, match="holds something else"):
        index(folder, lake=folder)
    assert not (folder / "catalogue.sqlite").exists()


def test_a_reader_keeps_its_state_while_a_writer_swaps(
    folder: Path, index: Callable[..., Any], tmp_path: Path, dump: Callable[[Path], Any]
) -> None:
    index(folder)
    before = dump(tmp_path / "lake")
    with Lake.open(tmp_path / "lake") as old:
        generation = old.generation
        (folder / "a.csv").unlink()
        (folder / "b.csv").write_text("other,header\n1,2\n", encoding="utf-8")
        index(folder)
        (folder / "d.csv").write_text("x\n1\n", encoding="utf-8")
        index(folder)
        assert not old.is_current()
        assert old.generation == generation
        # Two swaps later, all that was open is still there, read for the first time now.
        assert {i.id: (i, [r for b in old.batches(i.id) for r in b.to_pylist()]) for i in old.infos()} == before[
            "tables"
        ]
    with Lake.open(tmp_path / "lake") as new:
        assert new.generation != generation
        assert [info.provenance.source for info in new.infos() if info.provenance.source == "a.csv"] == []


def test_what_nobody_has_open_is_cleared_away(folder: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    index(folder)
    (folder / "a.csv").write_text("name,n\nchanged,1\n", encoding="utf-8")
    index(folder)
    connection = sqlite3.connect(tmp_path / "lake" / "catalogue.sqlite")
    try:
        counts = [connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] for name in ("tables", "chunks")]
    finally:
        connection.close()
    assert counts == [3, 3]


def test_readers_read_all_the_time_while_sources_change(
    folder: Path, index: Callable[..., Any], tmp_path: Path
) -> None:
    index(folder)
    stop = threading.Event()
    faults: list[BaseException] = []
    reads = 0

    def read() -> None:
        nonlocal reads
        try:
            while not stop.is_set():
                with Lake.open(tmp_path / "lake") as lake:
                    tables = [lake.table(table_id) for table_id in lake.table_ids()]
                    values = {cell for t in tables if t.header[0] == "generation" for cell in t.column(0)}
                    # All files are written with one number at a time: a reader must never see two.
                    assert len(values) <= 1, values
                    reads += 1
        except Exception as fault:  # noqa: BLE001 - handed to the test, which fails on it
            faults.append(fault)

    thread = threading.Thread(target=read)
    thread.start()
    for number in range(8):
        for name in "pqrs":
            (folder / f"{name}.csv").write_text(f"generation,x\n{number},{name}\n", encoding="utf-8")
        index(folder)
    stop.set()
    thread.join()
    assert not faults
    assert reads > 0


def test_one_writer_at_a_time(folder: Path, tmp_path: Path) -> None:
    inside = False

    def second(_: object) -> None:
        nonlocal inside
        inside = True
        with pytest.raises(LakeBusyError, match="another process"):
            index_sources([str(folder)], tmp_path / "lake", Settings(workers=-1))

    index_sources([str(folder)], tmp_path / "lake", Settings(workers=-1), progress=second)
    assert inside


def test_a_lake_may_be_used_by_several_threads(folder: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    index(folder)
    with Lake.open(tmp_path / "lake") as lake:
        found: list[int] = []
        ids = lake.table_ids()
        threads = [
            threading.Thread(target=lambda: found.extend(lake.table(i).n_rows for i in ids * 20)) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4 * 20 * 3


def test_a_closed_lake_says_so(folder: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    index(folder)
    lake = Lake.open(tmp_path / "lake")
    lake.close()
    lake.close()
    with pytest.raises(LakeError, match="closed"):
        lake.table_ids()


def test_a_lake_on_read_only_media_can_be_read(folder: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    index(folder)
    path = tmp_path / "lake"
    for file in path.iterdir():
        if file.name != "catalogue.sqlite" and file.is_file():
            file.unlink()
    (path / "catalogue.sqlite").chmod(0o444)
    path.chmod(0o555)
    try:
        with Lake.open(path) as lake:
            assert len(lake.table_ids()) == 3
    finally:
        path.chmod(0o755)


def test_importing_the_lake_is_cheap() -> None:
    code = (
        "import sys, tablehound.lake; print([m for m in ('pyarrow', 'numpy', 'polars', 'duckdb') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
