"""Indexing that is killed at any moment: readers see the old state, and the next run finishes the work."""

from __future__ import annotations

import random
import runpy
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_lake_incremental import NameIndex
from tablehound.lake import index_sources
from tablehound.settings import Settings
print("ready", flush=True)
index_sources([{sources!r}], Path({lake!r}), Settings(workers=1), builders=[NameIndex()])
"""
KILLS = 20


def _fill(folder: Path, version: int, n_files: int = 260) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(n_files):
        if number % 10 == version:
            (folder / f"{number}.csv").unlink(missing_ok=True)
        elif version == 0 or number % 3 == 0:
            rows = "".join(f"{version},{number},{row}\n" for row in range(30))
            (folder / f"{number}.csv").write_text("version,number,row\n" + rows, encoding="utf-8")
    big = "".join(f"{version},{row},text {row * 7919}\n" for row in range(6_000))
    (folder / "big.csv").write_text("version,row,text\n" + big, encoding="utf-8")


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path, index: Callable[..., Any], dump: Callable[[Path], Any]) -> None:
    NameIndex = runpy.run_path(str(Path(__file__).with_name("test_lake_incremental.py")))["NameIndex"]  # noqa: N806
    sources, base, fresh = tmp_path / "sources", tmp_path / "base", tmp_path / "fresh"
    _fill(sources, 0, 130)
    index(sources, lake=base, builders=[NameIndex()])
    old = dump(base)
    _fill(sources, 1, 130)
    index(sources, lake=fresh, builders=[NameIndex()])
    new = dump(fresh)
    assert new["tables"] != old["tables"]
    lake = tmp_path / "lake"
    shutil.copytree(base, lake)
    code = _PROGRAM.format(tests=str(Path(__file__).parent), sources=str(sources), lake=str(lake))
    seconds = _run_for(code, None)
    # One segment over all tables after a build from nothing, an old and a new one after a change: the same content.
    assert _flat(dump(lake)) == _flat(new)
    chance = random.Random(7)
    cut_short = 0
    for _ in range(KILLS):
        shutil.rmtree(lake)
        shutil.copytree(base, lake)
        killed_after = chance.uniform(0, 1.1 * seconds)
        _run_for(code, killed_after)
        seen = _flat(dump(lake))
        assert seen in (_flat(old), _flat(new)), f"a half-made state is visible after {killed_after:.3f} s"
        cut_short += seen == _flat(old)
        report = index(sources, lake=lake, builders=[NameIndex()])
        assert report.ok
        assert _flat(dump(lake)) == _flat(new), f"killed after {killed_after:.3f} s"
    assert cut_short >= 3


def test_a_run_takes_up_what_a_killed_one_had_read(
    tmp_path: Path, index: Callable[..., Any], dump: Callable[[Path], Any]
) -> None:
    sources, lake = tmp_path / "sources", tmp_path / "lake"
    _fill(sources, 0)
    code = _PROGRAM.format(tests=str(Path(__file__).parent), sources=str(sources), lake=str(lake)).replace(
        "builders=[NameIndex()])",
        "progress=lambda p: (p.done == 200) and __import__('os').kill(__import__('os').getpid(), 9))",
    )
    code = "import tablehound.lake.ingest.writer as writer\nwriter.COMMIT_SECONDS = -1.0\n" + code
    process = subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False)
    assert process.returncode == -signal.SIGKILL
    report = index(sources)
    index(sources, lake=tmp_path / "fresh")
    assert dump(lake) == dump(tmp_path / "fresh")
    assert report.unchanged == 200
    assert report.read == report.n_sources - 200


def _flat(data: dict[str, Any]) -> dict[str, Any]:
    lines = sorted(
        line for _, files in data["segments"] for _, text in files for line in text.decode().splitlines() if line
    )
    covered = sorted(table_id for ids, _ in data["segments"] for table_id in ids)
    return {**data, "segments": (lines, covered)}


def _run_for(code: str, seconds: float | None) -> float:
    """Run a program, kill it so long after it began to work; how long it worked."""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        started = time.monotonic()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        else:
            assert process.returncode == 0
        return time.monotonic() - started
