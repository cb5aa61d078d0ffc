"""A source that crashes, hangs or bloats its reader is reported, and nothing else is lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tablehound.errors import LakeError
from tablehound.lake import Lake, index_sources
from tablehound.lake.ingest.pool import Done, Part, Pool, batches
from tablehound.lake.ingest.sources import Unit
from tablehound.lake.ingest.work import Job
from tablehound.settings import ReadSettings, Settings

_PROGRAM = """
import os, time
from tablehound.lake.ingest import work, worker
run = work.Work.run
def sabotaged(self, job):
    if job.unit.name.startswith("crash"):
        os.abort()
    if job.unit.name.startswith("hang"):
        time.sleep(1000)
    if job.unit.name.startswith("bloat"):
        held = bytearray(os.urandom(1) * 400_000_000)
        time.sleep(1000)
    if job.unit.name.startswith("print"):
        print("this must not get between the frames", flush=True)
    return run(self, job)
work.Work.run = sabotaged
worker.main()
"""


def _jobs(folder: Path, names: Sequence[str]) -> list[Job]:
    jobs = []
    for name in names:
        path = folder / name
        path.write_text(f"a,b\n1,{name}\n", encoding="utf-8")
        jobs.append(Job(Unit("root", name, str(path), size=path.stat().st_size), "how"))
    return jobs


def _run(jobs: Sequence[Job], tmp_path: Path, settings: ReadSettings, n_workers: int = 2) -> dict[str, Done]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with Pool(n_workers, settings, scratch, _PROGRAM) as pool:
        events = list(pool.run(jobs))
    return {event.job.unit.name: event for event in events if isinstance(event, Done)}


def test_the_others_are_read(tmp_path: Path) -> None:
    names = [f"{n:03}.csv" for n in range(150)]
    names[40:40] = ["crash.csv"]
    names[100:100] = ["hang.csv", "bloat.csv", "print.csv"]
    settings = ReadSettings(stall_seconds=4.0, memory_mb=350)
    done = _run(_jobs(tmp_path, names), tmp_path, settings)
    assert sorted(done) == sorted(names)
    bad = {name: done[name].outcome.problems[0] for name in names if done[name].outcome.problems}
    assert sorted(bad) == ["bloat.csv", "crash.csv", "hang.csv"]
    assert "crashed the reader" in bad["crash.csv"].error
    assert "no progress for 4 seconds" in bad["hang.csv"].error
    assert "more than 350 MiB" in bad["bloat.csv"].error
    assert all(done[name].outcome.status == "read" for name in names if name not in bad)


def test_workers_that_cannot_start_are_an_error(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with (
        Pool(1, ReadSettings(), scratch, "raise SystemExit('out of order')") as pool,
        pytest.raises(LakeError, match="out of order"),
    ):
        list(pool.run(_jobs(tmp_path, ["a.csv"])))


def test_large_tables_come_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("a,b\n" + "".join(f"{i},{hash(str(i))}\n" for i in range(700_000)), encoding="utf-8")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with Pool(1, ReadSettings(), scratch) as pool:
        events = list(pool.run([Job(Unit("root", "large.csv", str(path), size=path.stat().st_size), "how")]))
    assert sum(isinstance(event, Part) for event in events) >= 1
    with Lake.open(_indexed(path, tmp_path)) as lake:
        (table_id,) = lake.table_ids()
        table = lake.table(table_id)
        assert table.n_rows == 700_000
        assert table.column(0) == [str(i) for i in range(700_000)]
        assert len(list(lake.batches(table_id))) > 10


def _indexed(path: Path, tmp_path: Path) -> Path:
    report = index_sources([str(path)], tmp_path / "lake", Settings(workers=2))
    assert report.ok
    return tmp_path / "lake"


def test_batches_hold_every_job_once(tmp_path: Path) -> None:
    sizes = [5, 10_000_000, 100, 3_000_000, *([70_000] * 200)]
    jobs = [Job(Unit("root", str(n), "", size=size), "how") for n, size in enumerate(sizes)]
    made = batches(jobs)
    assert sorted(job.unit.name for batch in made for job in batch) == sorted(job.unit.name for job in jobs)
    assert [job.unit.size for job in made[0]] == [10_000_000]
    assert max(sum(job.unit.size for job in batch) for batch in made[2:]) <= 2 * 2**20
