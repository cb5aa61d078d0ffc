"""Locks on a lake: one writer at a time, and readers that keep what they have open from being cleared away.

Both are advisory locks on files of the lake's folder; the operating system drops them when a process dies.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tablehound.errors import LakeBusyError

_WRITER = "writer.lock"
_PINS = "pins"
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""A link planted under the name of a lock would make a file in another place."""

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, exclusive: bool) -> bool:
        # Shared locks do not exist there; an open pin cannot be deleted, which serves the same end.
        if not exclusive:
            return True
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int, *, exclusive: bool) -> bool:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Be the only writer of a lake.

    Raises:
        LakeBusyError: another process, or another thread, is.
    """
    with only_one(folder / _WRITER) as free:
        if not free:
            raise LakeBusyError(
                f"another process is indexing into the lake at {folder}", remedy="wait until it is done, or stop it"
            )
        yield


@contextlib.contextmanager
def only_one(file: Path) -> Iterator[bool]:
    """Lock a file, which is made, against other processes and threads; gives False where another has it."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o644)
    try:
        yield _lock(descriptor, exclusive=True)
    finally:
        os.close(descriptor)


class Pin:
    """Keeps what a generation shows from being cleared away, until it is let go or the process ends."""

    def __init__(self, folder: Path, generation: int) -> None:
        self._descriptor: int | None = None
        try:
            pins = folder / _PINS
            if pins.is_symlink():
                return
            pins.mkdir(exist_ok=True)
            self._descriptor = os.open(pins / str(generation), os.O_RDWR | os.O_CREAT | _NO_LINK, 0o644)
            _lock(self._descriptor, exclusive=False)
        except OSError:
            # Not ours to write in: a lake on read-only media needs no pin, one of another user's has to do without.
            self.release()

    @property
    def holds(self) -> bool:
        return self._descriptor is not None

    def release(self) -> None:
        """Let go. May be called twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def oldest_pin(folder: Path, present: int) -> int:
    """The oldest generation that a reader has open, or the present one; pins that nobody holds are removed."""
    oldest = present
    pins = folder / _PINS
    if not pins.is_dir():
        return oldest
    for path in pins.iterdir():
        if not path.name.isdigit() or int(path.name) >= present:
            continue
        if _is_held(path):
            oldest = min(oldest, int(path.name))
    return oldest


def _is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return True
    try:
        if not _lock(descriptor, exclusive=True):
            return True
        with contextlib.suppress(OSError):
            path.unlink()
        return path.exists()
    finally:
        os.close(descriptor)
