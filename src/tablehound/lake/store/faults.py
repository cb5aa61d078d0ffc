"""What a failure to read a lake means: damage of its files, or a system that does not let them be read right now.

The two have other remedies. What is damaged is repaired; a lake must never be called damaged, let alone be made anew,
because a process ran out of memory or of file handles, or may not read a file.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from tablehound.errors import LakeDamagedError, LakeError

_BASE_CODE = 0xFF
_HANDLES = "close what has many files open, or raise the limit (ulimit -n)"
_MEMORY = "free memory, or raise the limit (ulimit -v)"
_PERMISSION = "change the permissions of the lake's folder and its files"
_REMEDIES = {
    errno.EMFILE: _HANDLES,
    errno.ENFILE: _HANDLES,
    errno.ENOMEM: _MEMORY,
    errno.EACCES: _PERMISSION,
    errno.EPERM: _PERMISSION,
    errno.EIO: "see to the disk; what it has lost is found and restored with: tablehound check LAKE --repair",
}
SCARCE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Errors of a process or machine that has used up something."""
_SQLITE_SYSTEM = {
    sqlite3.SQLITE_BUSY: ("another program has it locked", "try again when that is done"),
    sqlite3.SQLITE_LOCKED: ("another program has it locked", "try again when that is done"),
    sqlite3.SQLITE_NOMEM: ("out of memory", _MEMORY),
    sqlite3.SQLITE_PERM: ("no permission", _PERMISSION),
    sqlite3.SQLITE_FULL: ("the disk is full", "make room on the disk"),
    sqlite3.SQLITE_IOERR: ("input/output error", _REMEDIES[errno.EIO]),
}
"""Results of SQLite that say nothing of the file's content."""


def repair_of(folder: Path) -> str:
    """What to do about a damaged lake."""
    return f"repair it with: tablehound check {folder} --repair"


def damaged(what: str, how: str, remedy: str) -> LakeDamagedError:
    """The error for a part of a lake that is not as it was written."""
    return LakeDamagedError(f"{what} is damaged: {how}", remedy=remedy)


def unreadable(what: str, error: Exception, remedy: str) -> LakeError:
    """The error for a part of a lake that cannot be read: damage, with its remedy, only where it is that."""
    if isinstance(error, LakeError):
        return error
    reason = system_reason(error)
    if reason is not None:
        return LakeError(f"{what} cannot be read: {reason[0]}", remedy=reason[1])
    if isinstance(error, FileNotFoundError):
        return damaged(
            what, f"{Path(os.fsdecode(error.filename)).name if error.filename else 'a file'} is gone", remedy
        )
    return damaged(what, str(error) or type(error).__name__, remedy)


def system_reason(error: Exception) -> tuple[str, str] | None:
    """What the system refused, and what to do about it; None when it refused nothing."""
    if isinstance(error, MemoryError):
        return "out of memory", _MEMORY
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", None)
        if code is None or code == sqlite3.SQLITE_IOERR_SHORT_READ:
            return None
        return _SQLITE_SYSTEM.get(code & _BASE_CODE)
    if isinstance(error, OSError) and error.errno is not None and not isinstance(error, FileNotFoundError):
        remedy = _REMEDIES.get(error.errno, "see to the disk, then try again")
        return os.strerror(error.errno), remedy
    return None


def cannot_open(path: Path) -> OSError | None:
    """Why the system does not open a file, which SQLite does not pass on; None when it does."""
    try:
        path.open("rb").close()
    except OSError as error:
        return error
    return None
