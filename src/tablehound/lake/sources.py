"""From what the caller names (paths, folders, globs, URLs) to units of work, each with a cheap stamp of its state."""

from __future__ import annotations

import glob
import os
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tablehound.errors import SourceError, SourceMissingError
from tablehound.lake.read.draft import Overrides

OVERRIDES_FILE = "tablehound.toml"
_SIDE_FILES = ("-wal", "-shm", "-journal", ".wal")
_SYSTEM_NAMES = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini", "lost+found", "node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that a worker reads: a file, a member of a zip archive, a URL, a database."""

    root: str
    """What the caller named, made absolute: when it is indexed again, what is gone from below it goes from the lake."""
    name: str
    """Becomes ``Provenance.source``: relative to the root, the same on every machine."""
    location: str
    """Local path, or URL."""
    member: str | None = None
    stamp: str = ""
    """Size, time and inode. The same stamp means unchanged; the empty text means always look."""
    size: int = 0
    explicit: bool = False
    """Named by the caller, so that being no table is a failure and not a reason to skip it."""
    overrides: Overrides = field(default_factory=Overrides)

    @property
    def label(self) -> str:
        return self.name + (f"!{self.member}" if self.member else "")


@dataclass(slots=True)
class Found:
    """All units of a call, and the sources that led nowhere."""

    roots: list[str] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    failures: list[tuple[str, SourceError]] = field(default_factory=list)


def resolve(sources: Sequence[str], lake_path: Path) -> Found:
    """Find the units of the sources; one that cannot be found becomes a failure and the others go on."""
    found = Found()
    for source in sources:
        try:
            root, units = _resolve(source, lake_path)
        except SourceError as error:
            found.failures.append((source, error))
            continue
        found.roots.append(root)
        found.units.extend(units)
    return found


def _resolve(source: str, lake_path: Path) -> tuple[str, list[Unit]]:
    path = Path(source).expanduser()
    root = str(path.absolute())
    if path.is_dir():
        return root, list(_walk(path, root, lake_path))
    if path.is_file():
        return root, [_unit(path, root, path.name, explicit=True)]
    if any(mark in source for mark in "*?["):
        base = Path(*_fixed_part(path))
        # Path.glob takes no absolute patterns before Python 3.13.
        matches = sorted(Path(match) for match in glob.glob(str(path), recursive=True))  # noqa: PTH207
        units = [_unit(match, root, _relative(match, base), explicit=True) for match in matches if match.is_file()]
        if units:
            return root, units
        raise SourceMissingError("no file matches", where=source, remedy="check the pattern and its quotes")
    raise SourceMissingError("no such file or folder", where=source, remedy="check the path")


def _fixed_part(path: Path) -> list[str]:
    parts: list[str] = []
    for part in path.parts[:-1]:
        if any(mark in part for mark in "*?["):
            break
        parts.append(part)
    return parts


def _walk(folder: Path, root: str, lake_path: Path) -> Iterator[Unit]:
    lake = lake_path.absolute()
    for current, folders, files in os.walk(folder):
        here = Path(current)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _SYSTEM_NAMES and (here / name).absolute() != lake
        )
        for name in sorted(files):
            path = here / name
            if name.startswith((".", "~$")) or name in _SYSTEM_NAMES or name == OVERRIDES_FILE:
                continue
            if name.endswith(_SIDE_FILES) or not path.is_file():
                continue
            yield _unit(path, root, _relative(path, folder))


def _relative(path: Path, base: Path) -> str:
    return path.relative_to(base).as_posix() if base.parts else path.as_posix()


def _unit(path: Path, root: str, name: str, *, explicit: bool = False) -> Unit:
    state = path.stat()
    return Unit(
        root=root,
        name=clean_name(name),
        location=str(path.absolute()),
        stamp=f"{state.st_size}-{state.st_mtime_ns}-{state.st_ino}",
        size=state.st_size,
        explicit=explicit,
    )


def clean_name(name: str) -> str:
    """A name that is the same on every machine: composed Unicode, and no bytes that are not Unicode."""
    plain = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return unicodedata.normalize("NFC", str(PurePosixPath(plain)))
