"""What the disk changed or lost is noticed when it is read, and a repair restores it without losing anything."""

from __future__ import annotations

import errno
import json
import os
import runpy
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tablehound.errors import LakeBusyError, LakeDamagedError, LakeError, SourceMissingError, TableMissingError
from tablehound.lake import Lake, SealedFolder, check_lake, index_sources, seal
from tablehound.lake.store import catalogue
from tablehound.lake.store.faults import unreadable
from tablehound.retrieval import find, segment_builders
from tablehound.settings import Settings

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def lake(folder: Path, tmp_path: Path) -> Path:
    path = tmp_path / "lake"
    index_sources([str(folder)], path, Settings(workers=-1), builders=segment_builders())
    return path


def change(lake: Path, statement: str, *values: object) -> None:
    """Change a row behind the lake's back, as a disk would, but for the checks of SQLite itself."""
    with closing(sqlite3.connect(lake / "catalogue.sqlite")) as connection, connection:
        connection.execute(statement, values)


def repaired(lake: Path) -> Any:
    return check_lake(lake, Settings(workers=-1), builders=segment_builders(), repair=True)


CHANGES: dict[str, tuple[str, Callable[[Lake], object]]] = {
    "a description": (
        "UPDATE tables SET info = replace(info, 'name', 'nane')",
        lambda lake: [lake.info(i) for i in lake.table_ids()],
    ),
    "descriptions, one after another": ("UPDATE tables SET n_rows = n_rows + 1", lambda lake: list(lake.infos())),
    "a table that is lost": ("DELETE FROM tables WHERE key = 2", lambda lake: lake.table_ids()),
    "an id": ("UPDATE tables SET id = 'tother' WHERE key = 1", lambda lake: lake.table_ids()),
    "cells": (
        "UPDATE chunks SET data = CAST(substr(data, 1, length(data) - 1) || x'00' AS BLOB)",
        lambda lake: [lake.table(i) for i in lake.table_ids()],
    ),
    "cells that are lost": ("DELETE FROM chunks", lambda lake: [lake.table(i) for i in lake.table_ids()]),
    "batches that are lost": ("DELETE FROM chunks", lambda lake: [list(lake.batches(i)) for i in lake.table_ids()]),
    "a report": ("UPDATE contents SET report = replace(report, '2', '3')", lambda lake: list(lake.reports())),
    "a report that is lost": ("DELETE FROM contents WHERE id = 1", lambda lake: list(lake.reports())),
    "the name of a report": ("UPDATE contents SET name = 'x.csv' WHERE id = 1", lambda lake: lake.report("b.csv")),
    "a source that is lost": ("DELETE FROM sources WHERE id = 1", lambda lake: lake.table_ids()),
    "a source that died": ("UPDATE sources SET died = 1 WHERE id = 1", lambda lake: lake.table_ids()),
    "a segment that is lost": ("DELETE FROM segments WHERE kind = 'terms'", lambda lake: lake.segments("terms")),
    "tables of a segment": ("UPDATE segments SET table_ids = 't1'", lambda lake: lake.segments("values")),
    "the seal of a segment": ("UPDATE segments SET seal = '00'", lambda lake: lake.segments("values")),
    "the generation": ("UPDATE meta SET value = 0 WHERE key = 'generation'", lambda lake: lake.table_ids()),
    "a digest": ("UPDATE meta SET value = 'x' WHERE key = 'tables'", lambda lake: lake.table_ids()),
    "the head": ("DELETE FROM meta", lambda lake: lake.table_ids()),
}


@pytest.mark.parametrize("what", CHANGES)
def test_damage_of_the_catalogue_is_noticed_and_repaired(
    what: str, lake: Path, tmp_path: Path, dump: Callable[[Path], Any]
) -> None:
    before = dump(lake)
    statement, read = CHANGES[what]
    change(lake, statement)
    with (
        pytest.raises(LakeDamagedError, match=r"is damaged: .*tablehound check .*lake --repair"),
        Lake.open(lake) as it,
    ):
        read(it)
    assert not check_lake(lake, Settings()).ok
    report = repaired(lake)
    assert report.ok and report.faults and not report.aside, report
    assert dump(lake) == before
    assert check_lake(lake, Settings()).ok
    assert not (lake / "aside").exists()


def test_what_the_lake_never_had_is_missing_and_not_damaged(lake: Path) -> None:
    with Lake.open(lake) as it:
        with pytest.raises(TableMissingError):
            it.info("nowhere")
        with pytest.raises(SourceMissingError):
            it.report("nowhere.csv")


def test_a_damaged_lake_is_not_indexed_further(folder: Path, lake: Path, index: Callable[..., Any]) -> None:
    change(lake, "DELETE FROM tables WHERE key = 2")
    with pytest.raises(LakeDamagedError, match="list of tables"):
        index(folder, lake=lake)


def test_a_trigger_planted_in_a_catalogue_runs_nothing(lake: Path) -> None:
    change(lake, "CREATE TRIGGER planted AFTER UPDATE ON sources BEGIN DELETE FROM tables; END")
    with pytest.raises(LakeDamagedError, match="schema"):
        Lake.open(lake)


def test_pages_of_nothing_are_noticed_and_repaired(lake: Path, dump: Callable[[Path], Any]) -> None:
    before = dump(lake)
    file = lake / "catalogue.sqlite"
    whole = file.read_bytes()
    for page in range(1, len(whole) // 8192):
        file.write_bytes(whole[: page * 8192] + bytes(8192) + whole[(page + 1) * 8192 :])
        for log in lake.glob("catalogue.sqlite-*"):
            log.unlink()
        with suppress(LakeDamagedError):
            assert dump(lake) == before
        report = repaired(lake)
        assert report.ok, (page, report)
        assert dump(lake) == before


def test_a_source_that_is_gone_has_its_damaged_table_kept(folder: Path, lake: Path) -> None:
    with Lake.open(lake) as it:
        before = it.table_ids()
    change(lake, "UPDATE chunks SET n_rows = n_rows + 1 WHERE id = (SELECT min(id) FROM chunks)")
    shutil.rmtree(folder)
    report = repaired(lake)
    assert not report.ok and not report.left
    assert report.lost == ("a.csv",)
    with closing(sqlite3.connect(report.aside)) as connection:
        assert connection.execute("SELECT count(*) FROM chunks").fetchone()[0] == 3
    with Lake.open(lake) as it:
        # The two others stay, though their sources are gone, too.
        assert len(it.table_ids()) == 2 and set(it.table_ids()) < set(before)
    again = check_lake(lake, Settings())
    assert not again.ok and not again.left and "a.csv" in again.lost[0]


def test_damaged_segments_are_built_again(lake: Path) -> None:
    with Lake.open(lake) as it:
        expected = [(c.table_id, c.score) for c in find(it, "name z")]
        segments = [segment for kind in ("values", "terms") for segment in it.segments(kind)]
    assert expected
    for segment in segments:
        for name in SealedFolder(segment.path).names():
            path = segment.path / name
            if path.stat().st_size:
                path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:])
    with Lake.open(lake) as it, pytest.raises(LakeDamagedError, match=r"segments/.* is damaged"):
        find(it, "name z")
    report = repaired(lake)
    assert report.ok and {fault.part for fault in report.faults} == {"segment"}
    with Lake.open(lake) as it:
        assert [(c.table_id, c.score) for c in find(it, "name z")] == expected


def test_a_seal_knows_every_byte_of_every_file(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "big").write_bytes(os.urandom(3 * 65_536 + 5))
    (tmp_path / "deep" / "small").write_bytes(b"x")
    (tmp_path / "none").write_bytes(b"")
    seal(tmp_path)
    assert not list(SealedFolder(tmp_path).faults())
    for place in (0, 65_535, 65_536, 3 * 65_536 + 4):
        data = bytearray((tmp_path / "big").read_bytes())
        data[place] ^= 16
        (tmp_path / "big").write_bytes(data)
        file = SealedFolder(tmp_path).file("big")
        with pytest.raises(LakeDamagedError, match=f"from {place // 65_536 * 65_536} on"):
            file.bytes(place, place + 1)
        others = [block for block in range(4) if block != place // 65_536]
        file.check_blocks(others)
        data[place] ^= 16
        (tmp_path / "big").write_bytes(data)
    (tmp_path / "seal").write_bytes((tmp_path / "seal").read_bytes()[:-1] + b"\0")
    with pytest.raises(LakeDamagedError, match="its seal changed"):
        SealedFolder(tmp_path)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EMFILE, "x"), "Too many open files.*ulimit -n"),
        (PermissionError(errno.EACCES, "x"), "Permission denied.*permissions"),
        (OSError(errno.ENOMEM, "x"), "Cannot allocate memory.*free memory"),
        (MemoryError(), "out of memory"),
    ],
)
def test_a_system_that_refuses_is_no_damage(error: Exception, said: str) -> None:
    known = unreadable("the lake", error, "repair it")
    assert not isinstance(known, LakeDamagedError)
    with pytest.raises(LakeError, match=f"cannot be read: .*{said}"):
        raise known


def test_a_run_without_file_handles_is_not_told_to_make_room() -> None:
    assert "ulimit -n" in str(catalogue.unwritable("the lake cannot be written", OSError(errno.EMFILE, "x")))
    assert "out of memory" in str(catalogue.unwritable("the lake cannot be written", MemoryError()))
    assert "has room" in str(catalogue.unwritable("the lake cannot be written", OSError(errno.ENOSPC, "x")))


def test_a_lake_is_not_called_damaged_when_no_file_can_be_opened(lake: Path) -> None:
    code = (
        "import os, resource, sys\n"
        "from pathlib import Path\n"
        "from tablehound.errors import LakeDamagedError, LakeError\n"
        "from tablehound.lake import Lake, SealedFolder\n"
        "from tablehound.retrieval import find\n"
        "lake = Path(sys.argv[1])\n"
        "list(Lake.open(lake).infos())\n"
        "folder = next((lake / 'segments').glob('terms-*'))\n"
        "file = SealedFolder(folder).file('sizes.npy')\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir('/proc/self/fd')) - 1,) * 2)\n"
        "for read in (lambda: Lake.open(lake), lambda: file.view, lambda: SealedFolder(folder)):\n"
        "    try:\n"
        "        read()\n"
        "    except LakeError as error:\n"
        "        print(isinstance(error, LakeDamagedError), error.message)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, lake], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stderr
    assert all(line.startswith("False") and "Too many open files" in line for line in lines), lines


def test_a_repair_waits_for_nobody(lake: Path) -> None:
    with Lake.open(lake):
        change(lake, "UPDATE meta SET value = 'x' WHERE key = 'tables'")
        with closing(sqlite3.connect(lake / "catalogue.sqlite", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM meta").fetchall()
            with pytest.raises(LakeBusyError, match="has it open"):
                repaired(lake)
    assert (lake / catalogue.FILE).is_file()
    assert repaired(lake).ok


def test_the_command_says_what_is_damaged(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tablehound.interfaces.cli import main

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main(["check", *arguments])
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    assert run(str(lake))[0] == 0
    change(lake, "UPDATE tables SET n_rows = 7 WHERE key = 1")
    code, _, err = run(str(lake))
    assert code == 1 and "description of table" in err and "--repair" in err
    code, out, _ = run(str(lake), "--json")
    assert code == 1 and json.loads(out)["faults"][0]["part"] == "table"
    code, out, _ = run(str(lake), "--repair")
    assert code == 0 and "restored: a.csv" in out
    assert run(str(lake / "nowhere"))[0] == 2


_DAMAGED_ANYWHERE = """
import json, sys
from pathlib import Path
import damage
folder, lake = map(Path, sys.argv[1:])
assert damage.apart(lambda: damage.make(folder, lake, vectors=False)) is None
found = []
counts = damage.run(lake, ["oslo", "people", "town", "007"], 40, 10, found.append)
print(json.dumps([found, counts["one bit"]["named in a LakeError"]]))
"""


@pytest.mark.slow
def test_damage_anywhere_is_noticed(folder: Path, tmp_path: Path) -> None:
    for number in range(20):
        rows = "".join(f"Oslo {row},{row * number}\n" for row in range(30))
        (folder / f"more {number}.csv").write_text(f"town,people {number}\n{rows}", encoding="utf-8")
    # In an interpreter of its own: the script forks, which a process with the threads of other tests must not.
    done = subprocess.run(
        [sys.executable, "-c", _DAMAGED_ANYWHERE, folder, tmp_path / "lake"],
        env={**os.environ, "PYTHONPATH": str(BENCHMARKS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, named = json.loads(done.stdout.splitlines()[-1])
    assert [line for line in found if "no difference" not in line and "named in a LakeError" not in line] == []
    assert named > 20


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="the faults are made by a library that gcc compiles")
def test_a_disk_that_fails_leaves_a_complete_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    script = runpy.run_path(str(BENCHMARKS / "disk_faults.py"))
    found: list[str] = []
    counts = script["run"](tmp_path, 8, found.append, ("add", "delete"))
    assert not [key for key in counts if key[1] == "FAULT"], found
