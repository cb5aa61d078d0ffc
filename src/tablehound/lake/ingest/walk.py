"""What lies below a folder or fits a pattern: files, what is passed over and why, and folders that cannot be opened."""

from __future__ import annotations

import fnmatch
import glob
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tablehound.lake.ingest.overrides import OVERRIDES_FILE
from tablehound.lake.read.databases.side_files import SIDE_FILES

LINK_OUT = "a link that leads out of the folder, which is not followed"
LINKED_FOLDER = "a link to a folder, which is not followed"
_SYSTEM_NAMES = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini", "lost+found", "node_modules", "__pycache__"})
_MARKS = "*?["
_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


@dataclass(slots=True)
class Walk:
    """Paths below ``base``, and the folders that could not be looked into, with the system's reason."""

    base: Path
    follow_links: bool = False
    """Whether files behind links that lead out of ``base`` are read."""
    closed: list[OSError] = field(default_factory=list)

    def name_of(self, path: str) -> str:
        """A path below the base, relative to it."""
        return path[len(str(self.base).rstrip(os.sep)) + 1 :] if self.base.parts else path

    def below(self, lake_path: Path) -> Iterator[tuple[str, str]]:
        """Path of each file, and why it is passed over, if it is: as text, since there may be a hundred thousand."""
        lake = os.path.abspath(lake_path)  # noqa: PTH100
        for current, folders, files in os.walk(self.base, onerror=self.closed.append):
            entered = []
            for name in sorted(folders):
                path = os.path.join(current, name)  # noqa: PTH118
                if _is_private(name) or os.path.abspath(path) == lake:  # noqa: PTH100
                    continue
                if os.path.islink(path):  # noqa: PTH114
                    yield path, LINKED_FOLDER
                else:
                    entered.append(name)
            folders[:] = entered
            for name in sorted(files):
                if not (_is_private(name) or is_side_file(name)):
                    path = f"{current}{os.sep}{name}"
                    yield path, self._leads_out(path)

    def _leads_out(self, path: str) -> str:
        """Why a link is passed over; empty for other files. What a link to anything but a file is, is found out
        with its mode."""
        if self.follow_links or not os.path.islink(path):  # noqa: PTH114
            return ""
        target = os.path.realpath(path)
        inside = os.path.commonpath([target, os.path.realpath(self.base)]) == os.path.realpath(self.base)
        return "" if inside or not os.path.isfile(target) else LINK_OUT  # noqa: PTH113

    def matches(self, pattern: Path) -> Iterator[tuple[str, str]]:
        """The files that fit a pattern."""
        # Path.glob takes no absolute patterns before Python 3.13.
        found = sorted({str(Path(match)) for match in glob.glob(str(pattern), recursive=True)})  # noqa: PTH207
        yield from ((path, self._leads_out(path)) for path in found if Path(path).is_file() and not is_side_file(path))
        # The pattern's own search says nothing of folders that it could not look into.
        parts = pattern.parts[len(self.base.parts) :]
        deepest = None if "**" in parts else len(parts) - 1
        for current, folders, _ in os.walk(self.base, onerror=self.closed.append):
            above = Path(current).relative_to(self.base).parts
            if deepest is not None and len(above) >= deepest:
                folders.clear()
            folders[:] = [name for name in folders if _may_lead_to((*above, name), parts)]


def _is_private(name: str) -> bool:
    return name.startswith((".", "~$")) or name in _SYSTEM_NAMES


def _may_lead_to(folders: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether files that fit the parts of a pattern may lie below folders."""
    for name, part in zip(folders, parts[:-1], strict=False):
        if part == "**":
            return not folders[-1].startswith(".")
        if not fnmatch.fnmatchcase(name, part) or (name.startswith(".") and not part.startswith(".")):
            return False
    return len(folders) < len(parts)


def is_pattern(source: str) -> bool:
    """Whether a text may be a pattern."""
    return any(mark in source for mark in _MARKS)


def fixed_part(pattern: Path) -> Path:
    """The folder above the first part of a pattern that varies."""
    parts: list[str] = []
    for part in pattern.parts[:-1]:
        if is_pattern(part):
            break
        parts.append(part)
    return Path(*parts)


def is_side_file(name: str) -> bool:
    """Whether a file belongs to another one beside it."""
    return name.endswith((OVERRIDES_FILE, *SIDE_FILES))


def kind_of(mode: int) -> str:
    """What a path is that is neither a file nor a folder."""
    return next((name for test, name in _KINDS if test(mode)), "something else")
