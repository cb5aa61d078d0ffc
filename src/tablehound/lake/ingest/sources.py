"""From what the caller names (paths, folders, globs, URLs) to units of work, each with a cheap stamp of its state."""

from __future__ import annotations

import dataclasses
import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tablehound.errors import SourceError, SourceMissingError, UnsupportedSourceError
from tablehound.lake.ingest.archives import SHOWN_CHARS, numbered, zip_members
from tablehound.lake.ingest.overrides import OverrideFiles
from tablehound.lake.ingest.remote import is_database, is_url, list_files, without_secrets
from tablehound.lake.ingest.walk import Walk, fixed_part, is_pattern, kind_of
from tablehound.lake.read.contract import Overrides
from tablehound.lake.read.databases.side_files import DATABASE_SUFFIXES, logs_of
from tablehound.settings import ReadSettings


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
    aside: str = ""
    """Why it is not read, but listed as skipped: a pipe, or a link to a folder."""

    @property
    def label(self) -> str:
        return self.name + (f"!{self.member}" if self.member else "")


@dataclass(slots=True)
class Found:
    """All units of a call, and the sources that led nowhere."""

    roots: list[str] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    failures: list[tuple[str, SourceError]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What the caller should know, though nothing failed."""
    closed: list[tuple[str, str]] = field(default_factory=list)
    """Root, and beginning of the labels below a folder that could not be looked into."""

    def in_sight(self, root: str, label: str) -> bool:
        """Whether a source would have been found if it were there."""
        return not any(root == closed and label.startswith(start) for closed, start in self.closed)


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
                distinct = unit if (root, unit.label) not in seen else _renamed(unit, seen)
                seen.add((root, distinct.label))
                units.append(distinct)
        except (SourceError, OSError, ValueError) as error:
            known = error if isinstance(error, SourceError) else unreadable(error, "")
            found.failures.append((without_secrets(source) if is_url(source) else clean_name(source), known))
            if not (isinstance(error, SourceMissingError) and _is_gone(source)):
                continue
        found.roots.append(root)
        found.units.extend(units)
    return found


def _renamed(unit: Unit, seen: set[tuple[str, str]]) -> Unit:
    """A second file or member under a name, as when two names differ in nothing but how accents are written."""
    number = unit.index if unit.member else 2
    while True:
        if unit.member:
            renamed = dataclasses.replace(unit, member=numbered(unit.member, number))
        else:
            renamed = dataclasses.replace(unit, name=numbered(unit.name, number))
        if (unit.root, renamed.label) not in seen:
            return renamed
        number += 1


def _is_gone(source: str) -> bool:
    """Whether a source that is missing was deleted, and not the disk under it detached."""
    return is_url(source) or Path(source).expanduser().absolute().parent.is_dir()


def _root(source: str) -> str:
    if is_url(source):
        return without_secrets(source)
    path = str(Path(source).expanduser().absolute())
    plain = clean_bytes(path)
    # What no absolute path ends with keeps a name that is not Unicode apart from one that spells out its bytes.
    return plain if plain == path else f"{plain}{os.sep}."


def unreadable(error: OSError | ValueError, where: str) -> SourceError:
    """The error for what the system refuses to open."""
    if isinstance(error, PermissionError):
        return SourceError("no permission to read it", where=where, remedy="change its permissions")
    return SourceError(f"cannot be read: {getattr(error, 'strerror', None) or error}", where=where)


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
    mode = _mode(path)
    if mode is not None and not stat.S_ISDIR(mode):
        yield from _named_file(path, root, settings, found)
        return
    if mode is None and not is_pattern(source):
        if path.is_symlink():
            raise SourceMissingError("it is a link to what is not there", remedy="correct the link")
        raise SourceMissingError("no such file or folder", remedy="check the path")
    walk = Walk(fixed_part(path) if mode is None else path.absolute(), settings.follow_links)
    overrides = OverrideFiles(walk.base)
    n_found = 0
    for file, reason in walk.matches(path) if mode is None else walk.below(lake_path):
        n_found += 1
        name = clean_name(walk.name_of(file))
        try:
            below = _unit(file, root, name, overrides.of(file), reason)
        except OSError:
            below = Unit(root, name, file)  # its worker says why
        if not below.overrides.skip:
            yield from _expanded(below, settings, overrides)
    found.failures.extend(overrides.failures)
    if mode is not None and not walk.closed:
        found.remarks += [f"{clean_name(str(file))}: {pattern!r} fits no file" for file, pattern in overrides.idle()]
    for error in walk.closed:
        closed = os.fsdecode(error.filename)
        name = clean_name(walk.name_of(closed))
        found.closed.append((root, f"{name}/" if name else ""))
        found.failures.append((clean_name(closed), unreadable(error, "")))
    if n_found == 0 and mode is None and not walk.closed:
        raise SourceMissingError("no file matches", remedy="check the pattern and its quotes")


def _mode(path: Path) -> int | None:
    """Mode of a path; None where there is nothing."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _named_file(path: Path, root: str, settings: ReadSettings, found: Found) -> Iterator[Unit]:
    """The unit of a file that the caller named.

    Raises:
        UnsupportedSourceError: a pipe or a device.
    """
    location = path.absolute()
    if location.parts[1:2] in (("dev",), ("proc",)):
        # Such as /dev/stdin, which in a worker is another one.
        location = Path(os.path.realpath(location))
    mode = _mode(location)
    if mode is None or not stat.S_ISREG(mode):
        what = "a pipe" if mode is None else kind_of(mode)
        raise UnsupportedSourceError(f"it is {what}, and no file", remedy="write what comes from it to a file first")
    beside = OverrideFiles(path.parent)
    single = _unit(str(location), root, clean_name(path.name), beside.of(str(path)), explicit=True)
    found.failures.extend(beside.failures)
    yield from _expanded(single, settings, beside)


def _unit(path: str, root: str, name: str, overrides: Overrides, aside: str = "", *, explicit: bool = False) -> Unit:
    """The unit of a file, or of what is passed over."""
    state = os.stat(path)  # noqa: PTH116
    # The time of change tells of edits after which a program put the time of modification back.
    stamp = f"{state.st_size}-{state.st_mtime_ns}-{state.st_ctime_ns}-{state.st_ino}"
    if not stat.S_ISREG(state.st_mode):
        aside = aside or f"{kind_of(state.st_mode)}, and no file"
    if aside:
        stamp = aside
    elif path.lower().endswith(DATABASE_SUFFIXES):
        # What was written to a database may be in a log beside it still, or have to be taken back.
        stamp += "".join(f"+{suffix}-{log.st_size}-{log.st_mtime_ns}" for suffix, log in logs_of(path))
    return Unit(
        root=root,
        name=name,
        location=os.path.abspath(path),  # noqa: PTH100 - Path.absolute keeps "..", and costs more
        stamp=stamp,
        size=0 if aside else state.st_size,
        explicit=explicit,
        overrides=overrides,
        aside=aside,
    )


def _expanded(unit: Unit, settings: ReadSettings, overrides: OverrideFiles) -> Iterator[Unit]:
    """The unit, or the members of it when it is a zip archive: each is read and watched for changes by itself."""
    if unit.aside or not unit.name.lower().endswith(".zip") or unit.overrides.format is not None:
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
        if len(name) > settings.max_name_chars:
            aside = f"a member whose name has {len(name)} characters"
            member = dataclasses.replace(member, aside=aside)
            name = f"{name[:SHOWN_CHARS]}…"
        pinned = overrides.of_member(unit.location, name, unit.overrides)
        if not pinned.skip:
            yield dataclasses.replace(
                unit,
                member=name,
                index=member.index,
                size=0 if member.aside else member.size,
                explicit=False,
                overrides=pinned,
                aside=member.aside,
            )


def clean_name(name: str) -> str:
    """A name that is the same on every machine: composed Unicode, and no bytes that are not Unicode."""
    if name.isascii():
        return name.replace(os.sep, "/")
    return unicodedata.normalize("NFC", clean_bytes(name).replace(os.sep, "/"))


def clean_bytes(text: str) -> str:
    """A path in which bytes that are not Unicode are spelled out, such as ``\\xff``."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
