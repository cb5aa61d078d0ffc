"""Warm child processes that run programs, each killed when it runs over its time."""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tablehound.execution.worker import _LENGTH, write_frame

if TYPE_CHECKING:
    import pyarrow as pa

START_SECONDS = 60.0
"""A child that is not ready by then is given up (a busy machine may be slow to load libraries)."""
MAX_REPLY_BYTES = 256 * 2**20
"""A longer reply is not read: few rows of enormous cells, which nobody asked for in earnest."""
PROGRAMS_PER_CHILD = 500
"""A child is replaced after so many programs, lest memory that a library keeps adds up."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query of a request. ``checked``: a program's own text, refused unless it is a single SELECT."""

    text: str
    rows: int
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one query: a table of at most ``rows`` rows, or an error and its kind."""

    table: pa.Table | None
    error: str | None = None
    kind: str = ""
    seconds: float = 0.0


class _Stopped(Exception):  # noqa: N818 - never leaves this module
    """The child was killed or died; ``kind`` says why."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class Child:
    """One child process. Not thread-safe: the pool lends it to one caller at a time."""

    def __init__(self) -> None:
        self.programs = 0
        root = str(Path(__file__).resolve().parents[2])
        code = f"import sys; sys.path[:0] = {[root, *sys.path]!r}; from tablehound.execution.worker import main; main()"
        # Nothing of the environment is passed on: no keys, no proxies, no home.
        environment = {"PATH": os.defpath, "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd="/" if os.name == "posix" else None,
            close_fds=True,
            start_new_session=True,
        )
        self._ready = False

    def ask(self, request: dict[str, Any], tables: Mapping[str, Any], n: int, seconds: float) -> Iterator[Reply]:
        """Send a request and yield a reply for each of its ``n`` queries, within so many seconds for the first and
        as long again for all others."""
        try:
            if not self._ready:
                self._frame(time.monotonic() + START_SECONDS)
                self._ready = True
            self.programs += 1
            deadline = time.monotonic() + seconds
            self._send(request, tables, deadline)
            for place in range(n):
                head = json.loads(self._frame(deadline))
                body = self._frame(deadline)
                yield _reply(head, body)
                if place == 0:
                    if head["error"] is not None and request["queries"][0]["checked"]:
                        return
                    deadline = time.monotonic() + seconds
        except _Stopped as stopped:
            self.kill()
            yield Reply(None, "stopped", stopped.kind)
        except GeneratorExit:
            self.kill()
            raise

    def _send(self, request: dict[str, Any], tables: Mapping[str, Any], deadline: float) -> None:
        sink = self._stream(self._process.stdin)
        # A child that stops reading would block the writer for ever: a timer breaks the pipe.
        timer = threading.Timer(max(0.1, deadline - time.monotonic()), self._process.kill)
        timer.start()
        try:
            write_frame(sink, json.dumps(request).encode("utf-8"))
            for data in tables.values():
                write_frame(sink, data)
            sink.flush()
        except (BrokenPipeError, ValueError) as error:
            raise _Stopped("died") from error
        finally:
            timer.cancel()

    def _frame(self, deadline: float) -> bytes:
        (length,) = _LENGTH.unpack(self._bytes(_LENGTH.size, deadline))
        if length > MAX_REPLY_BYTES:
            raise _Stopped("too large")
        return self._bytes(length, deadline)

    def _bytes(self, length: int, deadline: float) -> bytes:
        descriptor = self._stream(self._process.stdout).fileno()
        parts: list[bytes] = []
        while length > 0:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise _Stopped("timeout")
            part = os.read(descriptor, min(length, 2**20))
            if not part:
                raise _Stopped("died")
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def _stream(self, stream: IO[bytes] | None) -> Any:
        if stream is None:
            raise _Stopped("died")
        return stream

    @property
    def alive(self) -> bool:
        return self._process.poll() is None and self.programs < PROGRAMS_PER_CHILD

    def kill(self) -> None:
        """End the process and close its pipes."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    # Unsent data of a request whose child is gone.
                    continue


def _reply(head: dict[str, Any], body: bytes) -> Reply:
    import pyarrow as pa

    if head["error"] is not None:
        return Reply(None, head["error"], head.get("kind", ""), head.get("seconds", 0.0))
    with pa.ipc.open_stream(body) as reader:
        return Reply(reader.read_all(), seconds=head["seconds"])


class Pool:
    """Children that wait for programs. Memory limits are set for life, so there is one idle list for each."""

    def __init__(self) -> None:
        self._idle: dict[int, list[Child]] = {}
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
        child = self._take(memory_mb)
        request = {
            "tables": list(tables),
            "views": dict(views),
            "queries": [{"text": q.text, "rows": q.rows, "checked": q.checked} for q in queries],
            "timeout": timeout,
            "memory_mb": memory_mb,
        }
        data = {name: _bytes_of(table) for name, table in tables.items()}
        replies = list(child.ask(request, data, len(queries), timeout))
        if child.programs > 1 and [reply.kind for reply in replies] == ["died"]:
            # It may have died while it waited: a fresh one decides.
            child = Child()
            replies = list(child.ask(request, data, len(queries), timeout))
        if child.alive:
            with self._lock:
                self._idle.setdefault(memory_mb, []).append(child)
        else:
            child.kill()
        return replies

    def _take(self, memory_mb: int) -> Child:
        with self._lock:
            waiting = self._idle.get(memory_mb, [])
            while waiting:
                child = waiting.pop()
                if child.alive:
                    return child
                child.kill()
        return Child()

    def close(self) -> None:
        """End all idle children."""
        with self._lock:
            for children in self._idle.values():
                for child in children:
                    child.kill()
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
