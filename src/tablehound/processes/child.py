"""The parent's side: starting a child of this interpreter, exchanging frames with it in time, and ending it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

from tablehound.processes.frames import frame_from, write_frame

_ISOLATED = {"PATH": os.defpath, "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}
"""The environment of an isolated child: no keys, no proxies, no home, and few buffers."""
_WORDS_BYTES = 2_000
_READ_BYTES = 2**20


class Child:
    """A process that runs Python code, takes frames in ``requests`` and gives frames in ``replies``.

    It is a plain child process: nothing is forked from a process with threads, and the caller's main module is not
    imported again. It sees the modules of this process, and none of the current folder, which may be one of untrusted
    data. One thread may send while another receives. Use as a context manager, or call :meth:`end`.

    Raises:
        OSError: the process does not start.
    """

    def __init__(self, code: str, arguments: Sequence[str] = (), *, isolated: bool = False) -> None:
        modules = [str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)]
        # No warnings in an isolated child: its last words are to say how it ended.
        options = ["-I", "-W", "ignore"] if isolated else ["-P"]
        code = f"import sys; sys.path[:0] = {modules!r}\n{code}"
        self._process = subprocess.Popen(
            [sys.executable, *options, "-c", code, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_ISOLATED if isolated else None,
            cwd="/" if isolated and os.name == "posix" else None,
            start_new_session=isolated,
        )
        self.requests = cast(IO[bytes], self._process.stdin)
        self.replies = cast(IO[bytes], self._process.stdout)
        self._words = b""
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def death(self) -> str:
        """How it ended: by which signal or with which exit code, and its last words; after :meth:`end`."""
        code = self._process.returncode
        how = f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.strsignal(-code)})"
        return f"{how}: {self.last_words}" if self.last_words else how

    @property
    def last_words(self) -> str:
        """The last line that it wrote to standard error; whole after :meth:`end`."""
        lines = self._words.decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else ""

    @property
    def resident_mb(self) -> float:
        """Its memory in MiB; 0 where the system does not tell."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1])
        except (OSError, IndexError, ValueError):
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def send(self, frames: Iterable[bytes | memoryview], deadline: float) -> None:
        """Send frames until a moment of the monotonic clock; the child is killed when it has not taken them by then.

        Raises:
            TimeoutError: it did not.
            EOFError: the child is gone.
        """
        # A child that stops reading would block the writer for ever: a timer breaks the pipe.
        timer = threading.Timer(max(0.1, deadline - time.monotonic()), self.kill)
        timer.start()
        try:
            for data in frames:
                write_frame(self.requests, data)
            self.requests.flush()
        except (BrokenPipeError, ValueError) as error:
            if time.monotonic() >= deadline:
                raise TimeoutError("the child does not read in time") from error
            raise EOFError("the child is gone") from error
        finally:
            timer.cancel()

    def receive(self, deadline: float, limit: int | None = None) -> bytes:
        """The next frame, until a moment of the monotonic clock.

        Raises:
            TimeoutError: it did not come by then.
            EOFError: the child is gone.
            OverflowError: the frame has more than ``limit`` bytes.
            ValueError: what comes is no frame.
        """
        return frame_from(lambda length: self._bytes(length, deadline), limit)

    def _bytes(self, length: int, deadline: float) -> bytes:
        # Not select, which knows no descriptors above 1023.
        arrival = select.poll()
        arrival.register(self.replies, select.POLLIN)
        parts: list[bytes] = []
        while length > 0:
            left = deadline - time.monotonic()
            if left <= 0 or not arrival.poll(left * 1000):
                raise TimeoutError("the child does not answer in time")
            part = os.read(self.replies.fileno(), min(length, _READ_BYTES))
            if not part:
                raise EOFError("the child is gone")
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def wait(self, seconds: float) -> bool:
        """Whether the process has ended, in so many seconds."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> int:
        """Close the requests, wait for the process, and give its exit code; a process that may hang is killed first."""
        with suppress(OSError):  # unsent data of a request whose child is gone
            self.requests.close()
        code = self._process.wait()
        self.replies.close()
        self._listener.join(1.0)
        return code

    def _listen(self) -> None:
        """Take what it writes to standard error, so that it never waits for a reader of that."""
        with cast(IO[bytes], self._process.stderr) as errors:
            while part := os.read(errors.fileno(), _READ_BYTES):
                self._words = (self._words + part)[-_WORDS_BYTES:]


def cores() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
