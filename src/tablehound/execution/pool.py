"""Warm child processes that run programs, each killed when it runs over its time."""

from __future__ import annotations

import atexit
import functools
import json
import os
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablehound.processes import Child, cores
from tablehound.settings import ProgramSettings

if TYPE_CHECKING:
    import pyarrow as pa

START_SECONDS = 60.0
"""A child that is not ready by then is given up (a busy machine may be slow to load libraries)."""
END_SECONDS = 5.0
"""A child that has closed its replies has so long to end by itself, so that it is known how."""
MAX_REPLY_BYTES = 256 * 2**20
"""A longer reply is not read: few rows of enormous cells, which nobody asked for in earnest."""
PROGRAMS_PER_CHILD = 500
"""A child is replaced after so many programs, lest memory that a library keeps adds up."""


MAX_WORKERS = 4
"""Processes that run programs at once where the settings leave it open: each may take its full memory."""
STOPPED = frozenset({"timeout", "waited", "died", "too large", "damaged"})
"""Kinds of replies where the child was stopped: over its time, which passed before one was free, dead, or what it sent
was too long or no reply."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query of a request. ``checked``: a program's own text, refused unless it is a single SELECT."""

    text: str
    rows: int
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one query: a table of at most ``rows`` rows, or an error and its kind.

    The kind is ``Refused``, one of ``STOPPED``, or the engine's own.
    """

    table: pa.Table | None
    error: str | None = None
    kind: str = ""
    seconds: float = 0.0


class Runner:
    """A child process that runs programs. Not thread-safe: the pool lends it to one caller at a time."""

    def __init__(self, memory_mb: int) -> None:
        self.memory_mb = memory_mb
        """Set for life, with the first program."""
        self.idle_until = 0.0
        self.programs = 0
        self.child = Child("from tablehound.execution.worker import main; main()", isolated=True)
        self._ready = False

    def ask(self, request: dict[str, Any], tables: Mapping[str, Any], n: int, seconds: float) -> Iterator[Reply]:
        """Send a request and yield a reply for each of its ``n`` queries, within so many seconds for the first, and
        within the time of the request for all others."""
        try:
            if not self._ready:
                self.child.receive(time.monotonic() + START_SECONDS)
                self._ready = True
            self.programs += 1
            deadline = time.monotonic() + seconds
            self.child.send([json.dumps(request).encode("utf-8"), *tables.values()], deadline)
            for place in range(n):
                head = json.loads(self.child.receive(deadline, MAX_REPLY_BYTES))
                body = self.child.receive(deadline, MAX_REPLY_BYTES)
                yield _reply(head, body)
                if place == 0:
                    if head["error"] is not None and request["queries"][0]["checked"]:
                        return
                    deadline = time.monotonic() + request["timeout"]
        except (TimeoutError, EOFError, OverflowError, ValueError, LookupError, TypeError) as error:
            # One that is gone has an end of its own, which is not to be the kill.
            gone = isinstance(error, EOFError) and self.child.wait(END_SECONDS)
            self.kill()
            kinds = {TimeoutError: "timeout", EOFError: "died", OverflowError: "too large"}
            yield Reply(None, self.child.death if gone else "", kinds.get(type(error), "damaged"))
        except GeneratorExit:
            self.kill()
            raise

    @property
    def alive(self) -> bool:
        return self.child.alive and self.programs < PROGRAMS_PER_CHILD

    def kill(self) -> None:
        """End the process at once."""
        self.child.kill()
        self.child.end()


def _reply(head: dict[str, Any], body: bytes) -> Reply:
    import pyarrow as pa

    if head["error"] is not None:
        return Reply(None, head["error"], head.get("kind", ""), head.get("seconds", 0.0))
    with pa.ipc.open_stream(body) as reader:
        return Reply(reader.read_all(), seconds=head["seconds"])


class Pool:
    """Children that run programs: at most so many at once, lent to callers in the order in which they came."""

    def __init__(self) -> None:
        self._idle: list[Runner] = []
        self._count = 0
        """Children that are idle, lent, or about to start."""
        self._queue: deque[object] = deque()
        self._changed = threading.Condition()
        self._sweeping = False
        atexit.register(self.close)

    def run(
        self,
        tables: Mapping[str, pa.Table],
        views: Mapping[str, str],
        queries: Sequence[Query],
        limits: ProgramSettings,
    ) -> list[Reply]:
        """Run the queries over the tables in a child; fewer replies than queries where the child was stopped.

        The wait for a free child is part of the time that the program has.
        """
        request = {
            "tables": list(tables),
            "views": dict(views),
            "queries": [{"text": q.text, "rows": q.rows, "checked": q.checked} for q in queries],
            "timeout": limits.timeout,
            "memory_mb": limits.memory_mb,
        }
        data = {name: _bytes_of(table) for name, table in tables.items()}
        asked = time.monotonic()
        try:
            runner = self._take(limits, asked + limits.timeout)
        except TimeoutError:
            return [Reply(None, "", "waited")]
        waited = time.monotonic() - asked
        left, idle_seconds = limits.timeout - waited, 0.0
        try:
            runner = runner or Runner(limits.memory_mb)
            replies = list(runner.ask(request, data, len(queries), left))
            if runner.programs > 1 and [reply.kind for reply in replies] == ["died"]:
                # It may have died while it waited: a fresh one decides.
                runner = Runner(limits.memory_mb)
                replies = list(runner.ask(request, data, len(queries), left))
            idle_seconds = limits.idle_seconds
        except OSError as error:
            return [Reply(None, f"it does not start: {error}", "died")]
        finally:
            self._give_back(runner, idle_seconds)
        if replies[0].kind == "timeout" and waited > 1:
            return [Reply(None, f"{waited:.0f} of them waiting for one of {workers_of(limits)} processes", "timeout")]
        return replies

    def _take(self, limits: ProgramSettings, deadline: float) -> Runner | None:
        """An idle child, or None as leave to start one.

        Raises:
            TimeoutError: all are lent until the deadline.
        """
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
            try:
                while True:
                    if self._queue[0] is ticket:
                        for runner in reversed(self._idle):
                            if runner.memory_mb == limits.memory_mb and runner.alive:
                                self._idle.remove(runner)
                                return runner
                        if self._count >= workers_of(limits) and self._idle:
                            self._end(self._idle[0])  # limited to other memory, or dead
                        if self._count < workers_of(limits):
                            self._count += 1
                            return None
                    left = deadline - time.monotonic()
                    if left <= 0 or not self._changed.wait(left):
                        raise TimeoutError("no child is free")
            finally:
                self._queue.remove(ticket)
                self._changed.notify_all()

    def _give_back(self, runner: Runner | None, idle_seconds: float) -> None:
        """Take a child back, or the leave to start one; it is idle for so long at most."""
        with self._changed:
            if runner is not None and idle_seconds > 0 and runner.alive:
                runner.idle_until = time.monotonic() + idle_seconds
                self._idle.append(runner)
                self._sweep_later()
            else:
                self._count -= 1
                if runner is not None:
                    runner.kill()
            self._changed.notify_all()

    def _end(self, runner: Runner) -> None:
        self._idle.remove(runner)
        self._count -= 1
        runner.kill()

    def _sweep_later(self) -> None:
        """See to it that idle children are ended in time."""
        if self._idle and not self._sweeping:
            self._sweeping = True
            wait = min(runner.idle_until for runner in self._idle) - time.monotonic()
            timer = threading.Timer(max(0.0, wait), self._sweep)
            timer.daemon = True
            timer.start()

    def _sweep(self) -> None:
        with self._changed:
            self._sweeping = False
            for runner in [runner for runner in self._idle if runner.idle_until <= time.monotonic()]:
                self._end(runner)
            self._sweep_later()

    def close(self) -> None:
        """End all idle children."""
        with self._changed:
            for runner in list(self._idle):
                self._end(runner)


def workers_of(limits: ProgramSettings) -> int:
    """How many programs run at once in this process."""
    return limits.workers if limits.workers > 0 else min(cores(), MAX_WORKERS)


def _bytes_of(table: pa.Table) -> Any:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return memoryview(sink.getvalue())


@functools.lru_cache(maxsize=1)
def _pool(process: int) -> Pool:
    return Pool()


def pool() -> Pool:
    """The pool of this process (a fork gets its own)."""
    return _pool(os.getpid())
