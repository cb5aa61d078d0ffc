"""A pool of worker processes that outlives its workers: what crashes, hangs or bloats one is reported for its source.

The workers are plain child processes of this interpreter that speak over pipes. Nothing is forked from a process with
threads, and the caller's main module is not imported again.
"""

from __future__ import annotations

import mmap
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tablehound.errors import BrokenSourceError, LakeError
from tablehound.lake.ingest.work import Job, Outcome, Work, outcome_of
from tablehound.lake.ingest.worker import PULSE, read_frame, write_frame
from tablehound.lake.store.report import failed
from tablehound.settings import ReadSettings

BATCH_JOBS = 64
BATCH_BYTES = 2 * 2**20
_TICK = 0.25
_MAX_STILLBORN = 3
"""Workers in a row that die before they begin to work."""
_IN_HAND = 2
"""Batches that a worker has at once, so that it need not wait for the next."""


@dataclass(frozen=True, slots=True)
class Done:
    """A job came to its end."""

    job: Job
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Part:
    """The next chunks of the table that is being read; its rest comes with a ``Done`` of the same job."""

    job: Job
    ordinal: int
    """Which table of the job."""
    chunks: list[tuple[int, bytes]]


Event = Done | Part


def batches(jobs: Sequence[Job]) -> list[list[Job]]:
    """Jobs in batches for workers: large ones alone and first, small ones by the dozen."""
    ordered = sorted(jobs, key=lambda job: -job.unit.size) if len(jobs) <= BATCH_JOBS else list(jobs)
    large = sorted((job for job in ordered if job.unit.size > BATCH_BYTES), key=lambda job: -job.unit.size)
    made = [[job] for job in large]
    batch: list[Job] = []
    size = 0
    for job in ordered:
        if job.unit.size > BATCH_BYTES:
            continue
        if batch and (len(batch) == BATCH_JOBS or size + job.unit.size > BATCH_BYTES):
            made.append(batch)
            batch, size = [], 0
        batch.append(job)
        size += job.unit.size
    if batch:
        made.append(batch)
    return made


def run_here(jobs: Sequence[Job], settings: ReadSettings, scratch: Path) -> Iterator[Event]:
    """Read in this process: no start-up time, and no protection."""
    collected = _Collected()
    work = Work(settings, scratch, collected)
    try:
        for job in jobs:
            outcome = work.run(job)
            yield from (Part(job, ordinal, chunks) for ordinal, chunks in collected.parts)
            collected.parts.clear()
            yield Done(job, outcome)
    finally:
        work.close()


class _Collected:
    """Takes parts of tables when there is no other process to hand them to."""

    def __init__(self) -> None:
        self.parts: list[tuple[int, list[tuple[int, bytes]]]] = []

    def chunks(self, ordinal: int, chunks: list[tuple[int, bytes]]) -> None:
        self.parts.append((ordinal, chunks))

    def beat(self) -> None:
        return


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    pulse: mmap.mmap
    pulse_file: Path
    stderr: IO[bytes]
    outbox: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    in_hand: deque[tuple[int, list[Job]]] = field(default_factory=deque)
    last_pulse: tuple[int, int, int] = (-1, -1, -1)
    last_change: float = 0.0
    verdict: str = ""
    """Why it was killed."""

    def state(self) -> tuple[int, int, int]:
        serial, index, count = PULSE.unpack_from(self.pulse, 0)
        return serial, index, count

    def last_words(self) -> str:
        """The last line that it wrote to standard error."""
        self.stderr.seek(0, os.SEEK_END)
        self.stderr.seek(max(0, self.stderr.tell() - 2_000))
        lines = self.stderr.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else ""


class Pool:
    """Runs jobs in worker processes. Use as a context manager."""

    def __init__(
        self,
        n_workers: int,
        settings: ReadSettings,
        scratch: Path,
        program: Sequence[str] = ("-m", "tablehound.lake.ingest.worker"),
    ) -> None:
        self._n_workers = n_workers
        self._program = program
        self._settings = settings
        self._scratch = scratch
        self._workers: list[_Worker] = []
        # Bounded: a worker that is faster than the catalogue waits, instead of filling memory.
        self._frames: queue.Queue[tuple[_Worker, Any]] = queue.Queue(maxsize=4 * n_workers)
        self._waiting: deque[list[Job]] = deque()
        self._serial = 0
        self._closed = False
        self._stillborn = 0

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            self._bury(worker)
        self._workers.clear()

    def run(self, jobs: Sequence[Job]) -> Iterator[Event]:
        """Run all jobs; every one of them ends in a ``Done``, in any order."""
        self._waiting.extend(batches(jobs))
        for _ in range(min(self._n_workers, len(self._waiting))):
            self._start()
        looked = time.monotonic()
        while self._waiting or any(worker.in_hand for worker in self._workers):
            if time.monotonic() - looked > _TICK:
                self._look_after()
                looked = time.monotonic()
            for worker in self._workers:
                self._feed(worker)
            try:
                worker, frame = self._frames.get(timeout=_TICK)
            except queue.Empty:
                continue
            worker.last_change = time.monotonic()
            if frame is None:
                yield from self._after_death(worker)
            elif frame[0] == "chunks":
                _, serial, index, ordinal, chunks = frame
                batch = next(batch for number, batch in worker.in_hand if number == serial)
                yield Part(batch[index], ordinal, chunks)
            else:
                _, serial, outcomes = frame
                _, batch = worker.in_hand.popleft()
                for job, outcome in zip(batch, outcomes, strict=True):
                    yield Done(job, outcome)

    def _start(self) -> None:
        descriptor, name = tempfile.mkstemp(prefix="pulse-", dir=self._scratch)
        with os.fdopen(descriptor, "r+b") as file:
            file.write(bytes(PULSE.size))
            file.flush()
            pulse = mmap.mmap(file.fileno(), PULSE.size)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        stderr = tempfile.TemporaryFile(dir=self._scratch)  # noqa: SIM115 - closed when the worker is buried
        process = subprocess.Popen(
            # -P: never import from the current folder, which may be one of untrusted data.
            [sys.executable, "-P", *self._program, name, str(self._scratch)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment,
        )
        worker = _Worker(process, pulse, Path(name), stderr, last_change=time.monotonic())
        self._workers.append(worker)
        worker.outbox.put(self._settings)
        self._feed(worker)
        for task in (self._listen, self._speak):
            threading.Thread(target=task, args=(worker,), daemon=True).start()

    def _speak(self, worker: _Worker) -> None:
        """Send what is in the outbox. In a thread of its own, since a full pipe would hold up everything else."""
        stdin = worker.process.stdin
        assert stdin is not None
        while (content := worker.outbox.get()) is not None:
            try:
                write_frame(stdin, content)
            except (OSError, ValueError):
                return  # it died, as its listener says too; its jobs are still in hand

    def _listen(self, worker: _Worker) -> None:
        stdout = worker.process.stdout
        assert stdout is not None
        frame: Any = True
        while frame is not None:
            try:
                frame = read_frame(stdout)
            except (OSError, ValueError):
                frame = None
            while not self._closed:
                try:
                    self._frames.put((worker, frame), timeout=_TICK)
                except queue.Full:
                    continue
                break

    def _feed(self, worker: _Worker) -> None:
        while self._waiting and len(worker.in_hand) < _IN_HAND:
            batch = self._waiting.popleft()
            self._serial += 1
            if not worker.in_hand:
                worker.last_change = time.monotonic()
            worker.in_hand.append((self._serial, batch))
            worker.outbox.put((self._serial, batch))

    def _look_after(self) -> None:
        """Kill workers that hang or use too much memory."""
        now = time.monotonic()
        for worker in self._workers:
            if not worker.in_hand or worker.verdict:
                continue
            pulse = worker.state()
            if pulse != worker.last_pulse:
                worker.last_pulse, worker.last_change = pulse, now
            used = _resident_mb(worker.process.pid)
            if now - worker.last_change > self._settings.stall_seconds:
                worker.verdict = f"no progress for {self._settings.stall_seconds:g} seconds"
            elif used > self._settings.memory_mb:
                worker.verdict = f"reading it takes more than {self._settings.memory_mb} MiB of memory"
            if worker.verdict:
                worker.process.kill()

    def _after_death(self, worker: _Worker) -> Iterator[Event]:
        """Report the job that a worker died of, and give its other jobs to a new one."""
        serial, index, count = worker.state()
        self._workers.remove(worker)
        words = worker.last_words()
        code = self._bury(worker)
        self._stillborn = 0 if count else self._stillborn + 1
        if self._stillborn > _MAX_STILLBORN:
            raise LakeError(
                f"the processes that read files cannot be started (exit code {code}): {words}",
                remedy="set workers to -1 to read without them",
            )
        while worker.in_hand:
            number, batch = worker.in_hand.popleft()
            at = index if number == serial else None
            if at is None:
                self._waiting.appendleft(batch)
                continue
            rest = [job for position, job in enumerate(batch) if position != at]
            if rest:
                self._waiting.appendleft(rest)
            yield Done(batch[at], _death(batch[at], worker.verdict, code, words))
        if self._waiting:
            self._start()

    def _bury(self, worker: _Worker) -> int:
        worker.outbox.put(None)
        code = worker.process.wait()
        for pipe in (worker.process.stdin, worker.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue
        worker.stderr.close()
        worker.pulse.close()
        worker.pulse_file.unlink(missing_ok=True)
        return code


def _death(job: Job, verdict: str, code: int, words: str) -> Outcome:
    unit = job.unit
    what = verdict or f"reading it crashed the reader (exit code {code}{': ' if words else ''}{words})"
    error = BrokenSourceError(
        what, where=unit.label, remedy="repair or split it, or raise read.stall_seconds or read.memory_mb"
    )
    return outcome_of([failed(unit.name, unit.member, error)])


def _resident_mb(pid: int) -> float:
    """Memory of a process in MiB; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
