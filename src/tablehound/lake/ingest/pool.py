"""A pool of worker processes that outlives its workers: what crashes, hangs or bloats one is reported for
its source."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tablehound.errors import BrokenSourceError, LakeError
from tablehound.lake.ingest.work import Job, Outcome, Work, outcome_of
from tablehound.lake.store.report import failed
from tablehound.processes import Child, Pulse, Watch, read_object, write_object
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
    child: Child
    pulse: Pulse
    watch: Watch
    outbox: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    in_hand: deque[tuple[int, list[Job]]] = field(default_factory=deque)
    verdict: str = ""
    """Why it was killed."""

    def bury(self) -> int:
        """Its exit code, once it was killed or died."""
        self.outbox.put(None)
        self.pulse.remove()
        return self.child.end()


class Pool:
    """Runs jobs in worker processes. Use as a context manager."""

    def __init__(
        self,
        n_workers: int,
        settings: ReadSettings,
        scratch: Path,
        code: str = "from tablehound.lake.ingest.worker import main; main()",
    ) -> None:
        self._n_workers = n_workers
        self._code = code
        self._settings = settings
        self._scratch = scratch
        self._workers: list[_Worker] = []
        # Bounded: a worker that is faster than the catalogue waits, instead of filling memory.
        self._frames: queue.Queue[tuple[_Worker, Any]] = queue.Queue(maxsize=4 * n_workers)
        self._waiting: deque[list[Job]] = deque()
        self._serial = self._started = 0
        self._closed = False
        self._stillborn = 0

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        for worker in self._workers:
            worker.child.kill()
        for worker in self._workers:
            worker.bury()
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
            worker.watch.touch()
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
        self._started += 1
        pulse = Pulse(self._scratch / f"pulse-{self._started}")
        child = Child(self._code, [str(pulse.path), str(self._scratch)])
        worker = _Worker(child, pulse, Watch(child, pulse, self._settings.stall_seconds, self._settings.memory_mb))
        self._workers.append(worker)
        worker.outbox.put(self._settings)
        self._feed(worker)
        for task in (self._listen, self._speak):
            threading.Thread(target=task, args=(worker,), daemon=True).start()

    def _speak(self, worker: _Worker) -> None:
        """Send what is in the outbox. In a thread of its own, since a full pipe would hold up everything else."""
        while (content := worker.outbox.get()) is not None:
            try:
                write_object(worker.child.requests, content)
            except (OSError, ValueError):
                return  # it died, as its listener says too; its jobs are still in hand

    def _listen(self, worker: _Worker) -> None:
        frame: Any = True
        while frame is not None:
            try:
                frame = read_object(worker.child.replies)
            except (OSError, EOFError, ValueError):
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
                worker.watch.touch()
            worker.in_hand.append((self._serial, batch))
            worker.outbox.put((self._serial, batch))

    def _look_after(self) -> None:
        """Kill workers that hang or use too much memory."""
        verdicts = {
            "stalled": f"no progress for {self._settings.stall_seconds:g} seconds",
            "memory": f"reading it takes more than {self._settings.memory_mb} MiB of memory",
        }
        for worker in self._workers:
            if worker.in_hand and not worker.verdict and (fault := worker.watch.look()):
                worker.verdict = verdicts[fault]
                worker.child.kill()

    def _after_death(self, worker: _Worker) -> Iterator[Event]:
        """Report the job that a worker died of, and give its other jobs to a new one."""
        serial, index, count = worker.pulse.get()
        self._workers.remove(worker)
        code = worker.bury()
        words = worker.child.last_words
        self._stillborn = 0 if count else self._stillborn + 1
        if self._stillborn > _MAX_STILLBORN:
            raise LakeError(
                f"the processes that read files cannot be started (exit code {code}): {words}",
                remedy="set workers to -1 to read without them",
            )
        while worker.in_hand:
            number, batch = worker.in_hand.popleft()
            at = index if number == serial else -1
            rest = [job for position, job in enumerate(batch) if position != at]
            if rest:
                self._waiting.appendleft(rest)
            if at >= 0:
                yield Done(batch[at], _death(batch[at], worker.verdict, code, words))
        if self._waiting:
            self._start()


def _death(job: Job, verdict: str, code: int, words: str) -> Outcome:
    unit = job.unit
    what = verdict or f"reading it crashed the reader (exit code {code}{': ' if words else ''}{words})"
    error = BrokenSourceError(
        what, where=unit.label, remedy="repair or split it, or raise read.stall_seconds or read.memory_mb"
    )
    return outcome_of([failed(unit.name, unit.member, error)])
