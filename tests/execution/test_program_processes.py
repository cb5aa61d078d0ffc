"""The processes that run programs: what they print, how they die, how many there are."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tablehound.execution.messages import explain
from tablehound.execution.pool import Pool, Query, Reply, Runner
from tablehound.processes import Child
from tablehound.program import ProgramResult
from tablehound.settings import ProgramSettings

Run = Callable[..., ProgramResult]


def test_a_progress_bar_is_no_part_of_a_reply(run: Run) -> None:
    """The engine prints one to standard output when a query takes more than 2 seconds."""
    result = run("SELECT count(*) FROM range(600000000) t(x) WHERE hash(x) % 7 = 1", timeout=120.0)
    assert result.error is None
    assert len(result.rows) == 1


def test_a_damaged_reply_is_not_called_too_large() -> None:
    runner = Runner(64)
    runner.kill()
    runner.child = Child("import os, time; os.write(1, b'  12% [=====        ] '); time.sleep(60)", isolated=True)
    (reply,) = runner.ask({"queries": [{"checked": True}]}, {}, 1, 60.0)
    assert reply.kind == "damaged"
    assert "damaged reply" in explain(reply.error or "", reply.kind, ProgramSettings(), {})
    assert not runner.alive


FOREVER = "SELECT count(*) FROM range(1000000000000000) t(x) WHERE hash(x) % 7 = 1"


def run_in(pool: Pool, text: str, limits: ProgramSettings) -> Reply:
    return pool.run({}, {}, [Query(text, 5, checked=True)], limits)[0]


def children() -> set[int]:
    """The children of this process."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if int(parent) == os.getpid() and state != "Z":
            found.add(int(folder.name))
    return found


@pytest.fixture
def own_pool() -> Iterator[Pool]:
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc")
    pool = Pool()
    yield pool
    pool.close()


def test_many_threads_share_a_few_children(own_pool: Pool) -> None:
    before = children()
    seen: set[int] = set()
    limits = ProgramSettings(timeout=120.0, workers=2, memory_mb=200)

    def ask(number: int) -> int:
        reply = run_in(own_pool, f"SELECT {number}", limits)
        seen.update(children() - before)
        assert reply.table is not None, reply
        return int(reply.table.column(0)[0].as_py())

    with ThreadPoolExecutor(24) as threads:
        assert list(threads.map(ask, range(48))) == list(range(48))
    assert 1 <= len(seen) <= 2


def test_children_of_other_memory_make_room(own_pool: Pool) -> None:
    before = children()
    for memory_mb in (100, 200, 300, 100):
        assert run_in(own_pool, "SELECT 1", ProgramSettings(workers=1, memory_mb=memory_mb)).table is not None
        assert len(children() - before) == 1


def test_idle_children_are_ended(own_pool: Pool) -> None:
    before = children()
    assert run_in(own_pool, "SELECT 1", ProgramSettings(idle_seconds=0.2)).table is not None
    deadline = time.monotonic() + 60
    while children() - before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not children() - before
    assert run_in(own_pool, "SELECT 2", ProgramSettings()).table is not None


def test_a_wait_for_a_child_is_part_of_the_time(own_pool: Pool) -> None:
    limits = ProgramSettings(workers=1, timeout=300.0)
    before = children()
    busy = threading.Thread(target=run_in, args=(own_pool, FOREVER, dataclasses.replace(limits, timeout=3.0)))
    busy.start()
    while not children() - before:
        time.sleep(0.01)
    short = dataclasses.replace(limits, timeout=0.5)
    reply = run_in(own_pool, "SELECT 1", short)
    assert reply.kind == "waited"
    assert "all 1 processes for 0.5 seconds" in explain(reply.error or "", reply.kind, short, {})
    late = dataclasses.replace(limits, timeout=6.0)
    reply = run_in(own_pool, FOREVER, late)
    assert reply.kind == "timeout"
    assert "of them waiting for one of 1 processes" in explain(reply.error or "", reply.kind, late, {})
    busy.join()
    assert run_in(own_pool, "SELECT 1", limits).table is not None


def test_programs_run_with_many_open_files(own_pool: Pool) -> None:
    """Descriptors above 1023, which ``select`` does not know."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 1_200:
        pytest.skip("needs 1,200 descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1_200), hard))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_050)]
    try:
        assert run_in(own_pool, "SELECT 1", ProgramSettings()).error is None
    finally:
        for descriptor in opened:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_killed_child_is_not_called_out_of_memory(own_pool: Pool) -> None:
    before = children()
    replies: list[Reply] = []
    limits = ProgramSettings(timeout=300.0)
    before = children()
    busy = threading.Thread(target=lambda: replies.append(run_in(own_pool, FOREVER, limits)))
    busy.start()
    while not (started := children() - before):
        time.sleep(0.01)
    os.kill(started.pop(), signal.SIGSEGV)
    busy.join()
    text = explain(replies[0].error or "", replies[0].kind, limits, {})
    assert "signal 11 (Segmentation fault)" in text
    assert "memory" not in text


def test_a_child_that_cannot_start_says_why() -> None:
    runner = Runner(64)
    runner.kill()
    runner.child = Child("import no_such_module", isolated=True)
    (reply,) = runner.ask({"queries": [{"checked": True}]}, {}, 1, 60.0)
    text = explain(reply.error or "", reply.kind, ProgramSettings(), {})
    assert "exit code 1: ModuleNotFoundError: No module named 'no_such_module'" in text
    assert "memory" not in text


def test_a_child_out_of_memory_is_called_so() -> None:
    runner = Runner(64)
    runner.kill()
    runner.child = Child("import os, sys; print('std::bad_alloc', file=sys.stderr, flush=True); os.abort()")
    (reply,) = runner.ask({"queries": [{"checked": True}]}, {}, 1, 60.0)
    assert "more than 1024 MiB of memory" in explain(reply.error or "", reply.kind, ProgramSettings(), {})


def test_programs_run_within_a_limit_of_address_space() -> None:
    """One that is below what the child would set for itself (``ulimit -v``)."""
    code = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (900 * 2**20, 900 * 2**20))
from tablehound.execution.pool import Pool, Query
from tablehound.settings import ProgramSettings
reply = Pool().run({}, {}, [Query("SELECT 1", 5, checked=True)], ProgramSettings())[0]
assert reply.table is not None, reply
"""
    subprocess.run([sys.executable, "-c", code], check=True)
