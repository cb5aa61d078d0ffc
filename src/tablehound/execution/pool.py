"""Warm child processes that run programs, each killed when it runs over its time."""

from __future__ import annotations

import atexit
import functools
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablehound.processes import Child

if TYPE_CHECKING:
    import pyarrow as pa

START_SECONDS = 60.0
"""A child that is not ready by then is given up (a busy machine may be slow to load libraries)."""
MAX_REPLY_BYTES = 256 * 2**20
"""A longer reply is not read: few rows of enormous cells, which nobody asked for in earnest."""
PROGRAMS_PER_CHILD = 500
"""A child is replaced after so many programs, lest memory that a library keeps adds up."""


STOPPED = frozenset({"timeout", "died", "too large", "damaged"})
"""Kinds of replies where the child was stopped: over its time, dead, or what it sent was too long or no reply."""


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

    def __init__(self) -> None:
        self.programs = 0
        self.child = Child("from tablehound.execution.worker import main; main()", isolated=True)
        self._ready = False

    def ask(self, request: dict[str, Any], tables: Mapping[str, Any], n: int, seconds: float) -> Iterator[Reply]:
        """Send a request and yield a reply for each of its ``n`` queries, within so many seconds for the first and
        as long again for all others."""
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
                    deadline = time.monotonic() + seconds
        except (TimeoutError, EOFError, OverflowError, ValueError, LookupError, TypeError) as error:
            self.kill()
            kinds = {TimeoutError: "timeout", EOFError: "died", OverflowError: "too large"}
            yield Reply(None, "stopped", kinds.get(type(error), "damaged"))
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
    """Children that wait for programs. Memory limits are set for life, so there is one idle list for each."""

    def __init__(self) -> None:
        self._idle: dict[int, list[Runner]] = {}
        self._lock = threading.Lock()
        atexit.register(self.close)

    def run(
        self,
        tables: Mapping[str, pa.Table],
        views: Mapping[str, str],
        queries: Sequence[Query],
        *,
        timeout: float,
        memory_mb: int,
    ) -> list[Reply]:
        """Run the queries over the tables in a child; fewer replies than queries where the child was stopped."""
        runner = self._take(memory_mb)
        request = {
            "tables": list(tables),
            "views": dict(views),
            "queries": [{"text": q.text, "rows": q.rows, "checked": q.checked} for q in queries],
            "timeout": timeout,
            "memory_mb": memory_mb,
        }
        data = {name: _bytes_of(table) for name, table in tables.items()}
        replies = list(runner.ask(request, data, len(queries), timeout))
        if runner.programs > 1 and [reply.kind for reply in replies] == ["died"]:
            # It may have died while it waited: a fresh one decides.
            runner = Runner()
            replies = list(runner.ask(request, data, len(queries), timeout))
        if runner.alive:
            with self._lock:
                self._idle.setdefault(memory_mb, []).append(runner)
        else:
            runner.kill()
        return replies

    def _take(self, memory_mb: int) -> Runner:
        with self._lock:
            waiting = self._idle.get(memory_mb, [])
            while waiting:
                runner = waiting.pop()
                if runner.alive:
                    return runner
                runner.kill()
        return Runner()

    def close(self) -> None:
        """End all idle children."""
        with self._lock:
            for runners in self._idle.values():
                for runner in runners:
                    runner.kill()
            self._idle.clear()


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
