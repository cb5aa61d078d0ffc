"""What a worker does with one unit: fetch it, hash it, unpack it, pick its readers, store its tables, report."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from tablehound.errors import (
    BrokenSourceError,
    LossRefusedError,
    MissingExtraError,
    SourceError,
    SourceMissingError,
    TablehoundError,
    UnsupportedSourceError,
)
from tablehound.lake.ingest.archives import (
    SHOWN_CHARS,
    Budget,
    archive_kind,
    is_archive_name,
    leads_out,
    numbered,
    unpack,
    unpack_member,
    zip_members,
)
from tablehound.lake.ingest.prepare import Sink, StoredTable, store_table
from tablehound.lake.ingest.sources import Unit, clean_name, unreadable
from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.databases.side_files import has_log, logs_of
from tablehound.lake.read.registry import SNIFF_BYTES, pick_format, promises_table
from tablehound.lake.store.report import SourceReport, Status, TableReport, encode_reports, failed
from tablehound.settings import ReadSettings

_BLOCK = 2**20
_ENDLESS = 2**31 - 1
_SMALL = 2**16
"""Most files are smaller. A larger buffer is new memory from the system each time, which takes longer than the rest."""


@dataclass(frozen=True, slots=True)
class Job:
    """A unit and what the catalogue knows of it already."""

    unit: Unit
    how: str
    """Key of all that decides what is read from it."""
    limits: str = ""
    """Key of the limits: a failure is tried again when they change."""
    known: tuple[str, ...] = ()
    """Fingerprints under which its content is stored already; when one is met, reading is left out."""


@dataclass(slots=True)
class Outcome:
    """What came of a job."""

    status: Status | str
    """A ``Status``, or ``same`` when a known fingerprint was met."""
    fingerprint: str = ""
    """Hash of the bytes; empty when they could not be read, so that the next run tries again."""
    report: str = "[]"
    tables: list[StoredTable] = field(default_factory=list)
    problems: list[SourceReport] = field(default_factory=list)
    unreachable: bool = False
    """The source is there, but its bytes could not be had: what was read of it before stays."""
    refused: bool = False
    """It can be read, but not without loss, and the run is strict: what was read of the same bytes before stays."""


def outcome_of(reports: list[SourceReport], fingerprint: str = "", tables: list[StoredTable] | None = None) -> Outcome:
    """The outcome with these reports."""
    statuses = {report.status for report in reports}
    return Outcome(
        status=next((status for status in ("failed", "read", "empty", "skipped") if status in statuses), "empty"),
        fingerprint=fingerprint,
        report=encode_reports(reports),
        tables=tables or [],
        problems=[report for report in reports if not report.ok],
    )


@dataclass(frozen=True, slots=True)
class _Layer:
    """A file, on its own or within archives."""

    path: Path
    member: str | None
    """All names from the outermost archive to the file."""
    own_name: str
    """The last of them."""
    head: bytes
    depth: int = 0
    """How many archives are around it."""


class Work:
    """Reads units one after another. Keeps the last zip archive open, for its next member."""

    def __init__(self, settings: ReadSettings, scratch: Path, sink: Sink) -> None:
        self._settings = settings
        # In strict mode a cell that is too long is refused when it is stored, so no reader may cut it before.
        self._told = dataclasses.replace(settings, max_cell_chars=_ENDLESS) if settings.strict else settings
        self._sink = sink
        self._folder = tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True)
        self._scratch = Path(self._folder.name)
        self._archive: tuple[str, zipfile.ZipFile] | None = None
        self._ordinal = -1
        self._in_use = self._refused = False

    def close(self) -> None:
        """Remove the scratch files."""
        if self._archive is not None:
            self._archive[1].close()
            self._archive = None
        self._folder.cleanup()

    def run(self, job: Job) -> Outcome:
        """Read one unit. What is wrong with the source goes into the outcome."""
        unit = job.unit
        fingerprint, unreachable = "", False
        self._ordinal = -1
        self._in_use = self._refused = False
        reports: list[SourceReport] = []
        tables: list[StoredTable] = []
        if unit.aside:
            remedy = "unpack it yourself" if unit.member else "name it itself"
            report = SourceReport(unit.name, "skipped", unit.member, error=unit.aside, remedy=remedy)
            return outcome_of([report], xxhash.xxh3_128_hexdigest(unit.aside.encode()))
        try:
            path = self._fetch(unit)
            if path is None:
                reports.append(self._read(Path(), unit, unit.member, b"", tables))
                outcome = outcome_of(reports, _hash_of_tables(tables), tables)
                outcome.unreachable = outcome.status == "failed" and not tables
                return outcome
            fingerprint, head, size = _fingerprint(path, self._settings, unit.label)
            if fingerprint in job.known:
                return Outcome("same", fingerprint)
            budget = Budget(size, self._settings, unit.label)
            self._walk(_Layer(path, unit.member, unit.member or unit.name, head), unit, budget, reports, tables)
        except SourceError as error:
            reports.append(failed(unit.name, unit.member, error))
            unreachable = not fingerprint and type(error) is SourceError
        except OSError as error:
            reports.append(failed(unit.name, unit.member, _os_error(error, unit)))
            fingerprint, unreachable = "", not isinstance(error, FileNotFoundError)
        if self._in_use and not tables:
            fingerprint, unreachable = "", True
        outcome = outcome_of(reports, fingerprint, tables)
        outcome.unreachable = unreachable
        outcome.refused = self._refused
        return outcome

    def _fetch(self, unit: Unit) -> Path | None:
        """The unit as a file on this machine; None for a database server, which its reader talks to itself."""
        from tablehound.lake.ingest.remote import fetch, is_database, is_url

        if is_database(unit.location):
            return None
        if is_url(unit.location):
            return fetch(unit.location, self._scratch / "fetched", self._settings)
        if unit.index < 0:
            return Path(unit.location)
        target = self._scratch / "unpacked"
        unpack_member(self._open_zip(unit), unit.index, target, Budget(unit.size, self._settings, unit.name))
        return target

    def _open_zip(self, unit: Unit) -> zipfile.ZipFile:
        if self._archive is not None and self._archive[0] == unit.location:
            return self._archive[1]
        if self._archive is not None:
            self._archive[1].close()
            self._archive = None
        try:
            archive = zipfile.ZipFile(unit.location)
        except zipfile.BadZipFile as error:
            raise BrokenSourceError(f"a damaged zip archive: {error}", where=unit.name) from error
        self._archive = (unit.location, archive)
        return archive

    def _walk(
        self,
        layer: _Layer,
        unit: Unit,
        budget: Budget,
        reports: list[SourceReport],
        tables: list[StoredTable],
    ) -> None:
        """Read a file, or every file in it when it is an archive."""
        member = layer.member
        kind = archive_kind(layer.own_name, layer.head) if unit.overrides.format is None else None
        if kind == "zip" and zip_members(layer.path, self._settings, budget.where) is None:
            kind = None
        if kind is None:
            reports.append(self._read(layer.path, unit, member, layer.head, tables))
            return
        if layer.depth >= budget.max_nesting:
            raise BrokenSourceError(
                f"archives within archives, {layer.depth} deep",
                where=budget.where,
                remedy="raise read.max_archive_nesting",
            )
        n_before = len(reports)
        try:
            taken: set[str] = set()
            unpacked = unpack(layer.path, layer.own_name, kind, self._scratch, budget)
            for number, (name, found) in enumerate(unpacked, 1):
                name = clean_name(name)
                if len(name) > self._settings.max_name_chars:
                    found = _too_long(name, budget.where)
                    name = f"{name[:SHOWN_CHARS]}…"
                while name in taken:
                    name = numbered(name, number)
                taken.add(name)
                inner = f"{member}!{name}" if member else name
                self._sink.beat()
                if isinstance(found, SourceError):
                    reports.append(failed(unit.name, inner, found))
                    continue
                with found.open("rb") as stream:
                    start = stream.read(SNIFF_BYTES)
                try:
                    self._walk(_Layer(found, inner, name, start, layer.depth + 1), unit, budget, reports, tables)
                except BrokenSourceError as error:
                    if error.where == budget.where:
                        raise
                    reports.append(failed(unit.name, inner, error))
        except SourceError as error:
            reports.append(failed(unit.name, member, error))
            return
        if len(reports) == n_before:
            reports.append(SourceReport(unit.name, "empty", member, error="the archive is empty"))

    def _read(self, path: Path, unit: Unit, member: str | None, head: bytes, tables: list[StoredTable]) -> SourceReport:
        """Read one file that is no archive, or a database. Tables before an error are kept."""
        label = unit.name + (f"!{member}" if member else "")
        reports: list[TableReport] = []
        errors: list[TablehoundError] = []
        source = SourceFile(path, unit.name, member, self._told, unit.overrides)
        status: Status = "failed"
        try:
            source, drafts = self._drafts(source, unit, head)
            for draft in drafts:
                self._ordinal += 1
                if member and leads_out(member):
                    draft.account.ambiguities.append("its name leads out of its archive, and is taken as a name alone")
                try:
                    table, report = store_table(draft, source, self._ordinal, self._sink, self._settings)
                except SourceError as broken:
                    errors.append(broken)  # of one table: the next one may be whole
                    continue
                tables.append(table)
                reports.append(report)
        except UnsupportedSourceError as unsupported:
            # Below a folder there are files of all kinds; only one that was named, or promised a table, is a failure.
            errors.append(unsupported)
            promised = promises_table(member or unit.name) or is_archive_name(member or unit.name)
            status = "failed" if unit.explicit or promised else "skipped"
        except (SourceError, MissingExtraError) as known:
            errors.append(known)
        except MemoryError:
            errors.append(BrokenSourceError("not enough memory to read it", where=label))
        except Exception as unknown:  # noqa: BLE001 - whatever a library raises on one bad file, the run goes on
            errors.append(BrokenSourceError(f"{type(unknown).__name__}: {unknown}", where=label))
        left_out, name = tuple(source.left_out), source.format
        if not errors and not reports:
            nothing = _nothing(unit, member, head, left_out)
            if isinstance(nothing, str):
                return SourceReport(unit.name, "empty", member, name, error=nothing, left_out=left_out)
            errors.append(nothing)
        if errors:
            # A plain SourceError speaks of the moment, as when another program is writing: the next run tries again.
            self._in_use = self._in_use or type(errors[0]) is SourceError
            self._refused = self._refused or any(isinstance(error, LossRefusedError) for error in errors)
            return failed(
                unit.name, member, errors[0], status=status, format=name, tables=tuple(reports), left_out=left_out
            )
        return SourceReport(unit.name, "read", member, name, tuple(reports), left_out=left_out)

    def _drafts(self, source: SourceFile, unit: Unit, head: bytes) -> tuple[SourceFile, Iterator[TableDraft]]:
        """The source with its format, and its drafts."""
        from tablehound.lake.ingest.remote import is_database

        if is_database(unit.location):
            from tablehound.lake.read.databases.server import read_url

            source = dataclasses.replace(source, format="database")
            return source, read_url(unit.location, source)
        if not head:
            return source, iter(())
        name, pinned = source.member or unit.name, unit.overrides.format
        picked = pick_format(name, head, explicit=unit.explicit, override=pinned)
        source = dataclasses.replace(source, format=picked.name)
        return source, picked.read(source)


def _too_long(name: str, where: str) -> UnsupportedSourceError:
    return UnsupportedSourceError(
        f"a member whose name has {len(name)} characters", where=where, remedy="raise read.max_name_chars"
    )


def _nothing(unit: Unit, member: str | None, head: bytes, left_out: tuple[str, ...]) -> str | SourceError:
    """What is said of a source without tables: a failure where a table was asked for."""
    label = unit.name + (f"!{member}" if member else "")
    pins = {name: getattr(unit.overrides, name) for name in ("sheets", "region", "skip_rows")}
    pinned = ", ".join(f"{name} = {value!r}" for name, value in pins.items() if value)
    if pinned and head:
        return BrokenSourceError(
            f"no table is left of it by what is pinned: {pinned}", where=label, remedy="correct tablehound.toml"
        )
    said = "no table was found in it" if head else "the file is empty"
    if left_out:
        said = f"all that it holds is left out: {', '.join(left_out)}"
    return BrokenSourceError(said, where=label) if unit.explicit and member is None else said


def _fingerprint(path: Path, settings: ReadSettings, label: str) -> tuple[str, bytes, int]:
    """Hash, first bytes and size of a file."""
    with path.open("rb", buffering=0) as stream:
        head = stream.read(_SMALL)
        if len(head) < _SMALL and len(head) <= settings.max_source_bytes and not has_log(head):
            return xxhash.xxh3_128_hexdigest(head), head[:SNIFF_BYTES], len(head)
    size = path.stat().st_size
    if size > settings.max_source_bytes:
        raise BrokenSourceError(
            f"{size} bytes; the limit is {settings.max_source_bytes}",
            where=label,
            remedy="split it, or raise read.max_source_bytes",
        )
    digest = xxhash.xxh3_128()
    _hash_file(path, digest)
    if has_log(head):
        # The same file with another log is another state of the database.
        for suffix, _ in logs_of(str(path)):
            digest.update(suffix.encode())
            with contextlib.suppress(FileNotFoundError):
                _hash_file(Path(f"{path}{suffix}"), digest)
    return digest.hexdigest(), head[:SNIFF_BYTES], size


def _hash_file(path: Path, digest: xxhash.xxh3_128) -> None:
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)


def _hash_of_tables(tables: list[StoredTable]) -> str:
    """What stands for the bytes of a source that has none of its own: a database server."""
    return xxhash.xxh3_128_hexdigest(" ".join(table.id for table in tables).encode()) if tables else ""


def _os_error(error: OSError, unit: Unit) -> SourceError:
    if not isinstance(error, FileNotFoundError):
        return unreadable(error, unit.label)
    if Path(unit.location).is_symlink():
        return SourceMissingError(
            "it is a link to what is not there", where=unit.label, remedy="correct or remove the link"
        )
    return SourceMissingError("it was there and is gone", where=unit.label, remedy="index again")
