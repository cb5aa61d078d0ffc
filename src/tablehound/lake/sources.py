"""From what the caller names (paths, folders, globs, URLs) to units of work, each with a cheap stamp of its state."""

from __future__ import annotations

import dataclasses
import glob
import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tablehound.errors import SourceError, SourceMissingError
from tablehound.lake.archives import zip_members
from tablehound.lake.overrides import OVERRIDES_FILE, OverrideFiles
from tablehound.lake.read.draft import Overrides
from tablehound.lake.read.side_files import DATABASE_SUFFIXES, SIDE_FILES, logs_of
from tablehound.lake.remote import is_database, is_url, list_files, without_secrets
from tablehound.settings import ReadSettings

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
    index: int = -1
    """Place of the member in its zip archive."""
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


def resolve(sources: Sequence[str], lake_path: Path, settings: ReadSettings) -> Found:
    """Find the units of the sources; one that cannot be found becomes a failure and the others go on.

    A source that was deleted keeps its root, so that what it had goes from the lake; one that cannot be reached at the
    moment has none, so that what it had stays.
    """
    found = Found()
    seen: set[tuple[str, str]] = set()
    for source in sources:
        root = _root(source)
        if root in found.roots:
            continue
        units: list[Unit] = []
        try:
            for unit in _units(source, root, lake_path, settings, found):
                if (unit.root, unit.label) in seen:
                    unit = _renamed(unit)
                seen.add((unit.root, unit.label))
                units.append(unit)
        except SourceError as error:
            found.failures.append((without_secrets(source) if is_url(source) else source, error))
            if not (isinstance(error, SourceMissingError) and _is_gone(source)):
                continue
        found.roots.append(root)
        found.units.extend(units)
    return found


def _renamed(unit: Unit) -> Unit:
    """A second member of the same name in one zip archive."""
    member = PurePosixPath(unit.member or "")
    return dataclasses.replace(unit, member=str(member.with_name(f"{member.stem}@{unit.index}{member.suffix}")))


def _is_gone(source: str) -> bool:
    """Whether a source that is missing was deleted, and not the disk under it detached."""
    return is_url(source) or Path(source).expanduser().absolute().parent.is_dir()


def _root(source: str) -> str:
    return without_secrets(source) if is_url(source) else str(Path(source).expanduser().absolute())


def _units(source: str, root: str, lake_path: Path, settings: ReadSettings, found: Found) -> Iterator[Unit]:
    if is_database(source):
        yield Unit(root, without_secrets(source), source, explicit=True)
        return
    if is_url(source):
        for remote in list_files(source):
            unit = Unit(root, clean_name(remote.name), remote.url, stamp=remote.stamp, size=remote.size)
            yield dataclasses.replace(unit, explicit=remote.url == source)
        return
    path = Path(source).expanduser()
    if path.is_dir():
        base = Path(root)
        files = _walk(base, lake_path)
    elif path.is_file():
        beside = OverrideFiles(path.parent)
        single = _unit(str(path), root, path.name, beside.of(str(path)), explicit=True)
        found.failures.extend(beside.failures)
        if single is not None:
            yield from _expanded(single, settings)
        return
    elif any(mark in source for mark in "*?["):
        base = Path(*_fixed_part(path))
        # Path.glob takes no absolute patterns before Python 3.13.
        matches = sorted({str(Path(match)) for match in glob.glob(str(path), recursive=True)})  # noqa: PTH207
        files = (match for match in matches if Path(match).is_file() and not _is_side_file(match))
    else:
        raise SourceMissingError("no such file or folder", where=source, remedy="check the path")
    overrides = OverrideFiles(base)
    n_found = 0
    prefix = len(str(base).rstrip(os.sep)) + 1 if base.parts else 0
    for file in files:
        n_found += 1
        name = file[prefix:]
        try:
            below = _unit(file, root, name, overrides.of(file))
        except OSError:
            below = Unit(root, clean_name(name), file)  # its worker says why
        if below is not None and not below.overrides.skip:
            yield from _expanded(below, settings)
    found.failures.extend(overrides.failures)
    if n_found == 0 and not path.is_dir():
        raise SourceMissingError("no file matches", where=source, remedy="check the pattern and its quotes")


def _fixed_part(path: Path) -> list[str]:
    parts: list[str] = []
    for part in path.parts[:-1]:
        if any(mark in part for mark in "*?["):
            break
        parts.append(part)
    return parts


def _walk(folder: Path, lake_path: Path) -> Iterator[str]:
    """Paths of the files below a folder. Plain text all the way: there may be a hundred thousand of them."""
    lake = os.path.abspath(lake_path)  # noqa: PTH100
    for current, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _SYSTEM_NAMES
            and os.path.abspath(os.path.join(current, name)) != lake  # noqa: PTH100, PTH118
        )
        for name in sorted(files):
            if not (name.startswith((".", "~$")) or name in _SYSTEM_NAMES or _is_side_file(name)):
                yield f"{current}{os.sep}{name}"


def _is_side_file(name: str) -> bool:
    return name.endswith((OVERRIDES_FILE, *SIDE_FILES))


def _unit(path: str, root: str, name: str, overrides: Overrides, *, explicit: bool = False) -> Unit | None:
    """The unit of a file; None for what is no file, such as a pipe."""
    state = os.stat(path)  # noqa: PTH116
    if not stat.S_ISREG(state.st_mode):
        return None
    # The time of change tells of edits after which a program put the time of modification back.
    stamp = f"{state.st_size}-{state.st_mtime_ns}-{state.st_ctime_ns}-{state.st_ino}"
    if path.lower().endswith(DATABASE_SUFFIXES):
        # What was written to a database may be in a log beside it still, or have to be taken back.
        stamp += "".join(f"+{suffix}-{log.st_size}-{log.st_mtime_ns}" for suffix, log in logs_of(path))
    return Unit(
        root=root,
        name=clean_name(name),
        location=os.path.abspath(path),  # noqa: PTH100 - Path.absolute keeps "..", and costs more
        stamp=stamp,
        size=state.st_size,
        explicit=explicit,
        overrides=overrides,
    )


def _expanded(unit: Unit, settings: ReadSettings) -> Iterator[Unit]:
    """The unit, or the members of it when it is a zip archive: each is read and watched for changes by itself."""
    if not unit.name.lower().endswith(".zip") or unit.overrides.format is not None:
        yield unit
        return
    path = Path(unit.location)
    try:
        members = zip_members(path, settings, unit.name)
    except (SourceError, OSError):
        members = None
    if not members:
        yield unit  # damaged, unreadable or empty, as its worker says
        return
    for member in members:
        name = clean_name(member.name)
        yield dataclasses.replace(unit, member=name, index=member.index, size=member.size, explicit=False)


def clean_name(name: str) -> str:
    """A name that is the same on every machine: composed Unicode, and no bytes that are not Unicode."""
    if name.isascii():
        return name.replace(os.sep, "/")
    plain = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return unicodedata.normalize("NFC", plain.replace(os.sep, "/"))
