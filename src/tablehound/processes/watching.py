"""Whether a child gets on: its pulse, a few numbers in memory that both sides see, and its memory."""

from __future__ import annotations

import mmap
import struct
import time
from pathlib import Path
from typing import Literal

from tablehound.processes.child import Child


class Pulse:
    """Three whole numbers that a child sets and its parent reads at any moment: what the child is at (two of the
    caller's choice), and a count that goes on while it works. They are in a file that both map."""

    _NUMBERS = struct.Struct("<qqq")

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("a+b") as file:
            file.truncate(self._NUMBERS.size)
            self._memory = mmap.mmap(file.fileno(), self._NUMBERS.size)

    def set(self, first: int, second: int, count: int) -> None:
        self._NUMBERS.pack_into(self._memory, 0, first, second, count)

    def get(self) -> tuple[int, int, int]:
        return self._NUMBERS.unpack_from(self._memory, 0)

    def remove(self) -> None:
        """Close it, and delete the file."""
        self._memory.close()
        self.path.unlink(missing_ok=True)


class Watch:
    """Tells whether a child stands still or takes too much memory."""

    def __init__(self, child: Child, pulse: Pulse, stall_seconds: float, memory_mb: float) -> None:
        self._child = child
        self._pulse = pulse
        self._stall_seconds = stall_seconds
        self._memory_mb = memory_mb
        self._numbers = (-1, -1, -1)
        self._changed = time.monotonic()

    def touch(self) -> None:
        """It showed otherwise that it works, or begins only now."""
        self._changed = time.monotonic()

    def look(self) -> Literal["", "stalled", "memory"]:
        """What is wrong with the child, if anything."""
        now, numbers = time.monotonic(), self._pulse.get()
        if numbers != self._numbers:
            self._numbers, self._changed = numbers, now
        if now - self._changed > self._stall_seconds:
            return "stalled"
        return "memory" if self._child.resident_mb > self._memory_mb else ""
