"""Links planted in a lake's folder, clocks that jump, sources that change while they are read, two writers at once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablehound.errors import LakeError
from tablehound.lake import Lake, check_lake, index_sources
from tablehound.retrieval import segment_builders
from tablehound.settings import Settings


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of somebody's, to which links lead."""
    path = tmp_path / "outside"
    path.mkdir()
    (path / "precious.txt").write_text("precious", encoding="utf-8")
    return path


def untouched(outside: Path) -> bool:
    return [path.name for path in outside.iterdir()] == ["precious.txt"]


@pytest.mark.parametrize("name", ["scratch", "catalogue.sqlite.new", "catalogue.sqlite.new-wal"])
def test_a_link_planted_under_the_name_of_a_scratch_file_is_removed(
    name: str, folder: Path, index: Callable[..., Any], tmp_path: Path, outside: Path
) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "pins").mkdir()
    if name == "scratch":
        index(folder)
    (lake / name).symlink_to(outside if name == "scratch" else outside / "precious.txt")
    assert index(folder).ok
    assert untouched(outside) and (outside / "precious.txt").read_text(encoding="utf-8") == "precious"


def test_a_link_planted_under_the_name_of_a_segment_is_removed(
    folder: Path, tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(lake: Path) -> list[str]:
        index_sources([str(folder)], lake, Settings(workers=-1), builders=segment_builders())
        with Lake.open(lake) as it:
            return [segment.name for kind in ("terms", "values") for segment in it.segments(kind)]

    names = build(tmp_path / "first")
    lake = tmp_path / "lake"
    (lake / "segments").mkdir(parents=True)
    for name in names:
        (lake / "segments" / name).symlink_to(outside)
        (lake / "segments" / f"{name}.new").symlink_to(outside)
    assert build(lake) == names
    assert untouched(outside)
    assert check_lake(lake, Settings()).ok


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links are followed there")
def test_a_link_planted_under_the_name_of_a_lock_makes_no_file(
    folder: Path, index: Callable[..., Any], tmp_path: Path, outside: Path
) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "writer.lock").symlink_to(outside / "made")
    with pytest.raises(LakeError, match="symbolic"):
        index(folder)
    (lake / "writer.lock").unlink()
    (lake / "pins").symlink_to(outside)
    index(folder)
    with Lake.open(lake) as it:
        assert len(it.table_ids()) == 3
    assert untouched(outside)


@pytest.mark.parametrize("moment", [0, 1, 4_000_000_000])
def test_a_clock_that_jumps_hides_no_change(
    moment: int, folder: Path, index: Callable[..., Any], tmp_path: Path, dump: Callable[[Path], Any]
) -> None:
    for path in folder.rglob("*.csv"):
        os.utime(path, (moment, moment))
    index(folder)
    # As many bytes as before, and the time put back.
    (folder / "a.csv").write_text("name,n\nx,1\ny,9\n", encoding="utf-8")
    os.utime(folder / "a.csv", (moment, moment))
    assert index(folder).read == 1
    index(folder, lake=tmp_path / "fresh")
    assert dump(tmp_path / "lake") == dump(tmp_path / "fresh")


def test_a_source_that_shrinks_and_grows_while_it_is_read(
    folder: Path, tmp_path: Path, dump: Callable[[Path], Any]
) -> None:
    lines = [f"{row},text {row * 7919},{row % 97}\n" for row in range(60_000)]
    whole = "row,text,rest\n" + "".join(lines)
    path = folder / "moving.csv"
    path.write_text(whole, encoding="utf-8")
    stop = threading.Event()

    def move() -> None:
        while not stop.is_set():
            with path.open("r+", encoding="utf-8") as file:
                file.truncate(1_000)
                file.seek(0, 2)
                file.write("\n" + "".join(lines[:20_000]))

    thread = threading.Thread(target=move)
    thread.start()
    try:
        for _ in range(3):
            report = index_sources([str(folder)], tmp_path / "lake", Settings(workers=1))
            # Whatever it was read as, the other sources are there.
            assert report.n_tables >= 3
    finally:
        stop.set()
        thread.join()
    path.write_text(whole, encoding="utf-8")
    for lake in ("lake", "fresh"):
        index_sources([str(folder)], tmp_path / lake, Settings(workers=1))
    assert dump(tmp_path / "lake") == dump(tmp_path / "fresh")
    assert check_lake(tmp_path / "lake", Settings()).ok


def test_two_writers_at_once_leave_one_complete_state(
    folder: Path, tmp_path: Path, dump: Callable[[Path], Any], index: Callable[..., Any]
) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tablehound.errors import LakeBusyError\n"
        "from tablehound.lake import index_sources\n"
        "from tablehound.settings import Settings\n"
        "try:\n"
        "    index_sources([sys.argv[1]], Path(sys.argv[2]), Settings(workers=-1))\n"
        "    print('done')\n"
        "except LakeBusyError:\n"
        "    print('busy')\n"
    )
    command = [sys.executable, "-c", code, str(folder), str(tmp_path / "lake")]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = sorted(each.communicate()[0].strip() for each in both)
    assert "done" in said and set(said) <= {"done", "busy"}
    index(folder, lake=tmp_path / "fresh")
    assert dump(tmp_path / "lake") == dump(tmp_path / "fresh")
