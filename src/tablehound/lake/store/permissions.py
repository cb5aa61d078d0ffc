"""Files and folders that only their owner can read: what is kept of tables and questions is nobody else's."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def private_folder(path: Path) -> Path:
    """Make a folder, with those above it that are missing, for its owner alone; one that is there is narrowed.

    A folder above it that is there already stays as it is, and so does the folder itself where it belongs to another
    user. Returns the path.

    Raises:
        OSError: it cannot be made.
    """
    missing = [path]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    _narrow(path, FOLDER_MODE)
    return path


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, in a folder that is there: the old content or the new, never a part.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".new")
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def append_private(path: Path) -> BinaryIO:
    """Open a file to append to, made for its owner alone; a regular one that is there is narrowed.

    Raises:
        OSError: it cannot be opened.
    """
    file = os.fdopen(
        os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), FILE_MODE), "ab"
    )
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        _narrow(path, FILE_MODE)
    return file


def _narrow(path: Path, mode: int) -> None:
    """Take rights from a file or folder that is one's own; Windows has other ones."""
    status = path.stat()
    if os.name == "posix" and status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) & ~mode:
        path.chmod(stat.S_IMODE(status.st_mode) & mode)
