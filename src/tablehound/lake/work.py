"""What a worker does with one unit: fetch it, hash it, pick its reader, store its tables, report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from tablehound.errors import BrokenSourceError, SourceError, SourceMissingError, UnsupportedSourceError
from tablehound.lake.ingest import StoredTable, store_table
from tablehound.lake.read.draft import SourceFile, TableDraft
from tablehound.lake.read.registry import SNIFF_BYTES, pick_format
from tablehound.lake.report import SourceReport, Status, TableReport, encode_reports, failed
from tablehound.lake.sources import Unit
from tablehound.settings import ReadSettings


@dataclass(frozen=True, slots=True)
class Job:
    """A unit and what the catalogue knows of it already."""

    unit: Unit
    how: str
    """Key of all that decides how it is read."""
    known: tuple[str, ...] = ()
    """Fingerprints under which its content is stored already; when one is met, reading is left out."""


@dataclass(slots=True)
class Outcome:
    """What came of a job."""

    fingerprint: str
    status: Status | str
    """A ``Status``, or ``same`` when a known fingerprint was met."""
    report: str = "[]"
    tables: list[StoredTable] = field(default_factory=list)
    n_reports: int = 0
    problems: list[SourceReport] = field(default_factory=list)


def run(job: Job, settings: ReadSettings) -> Outcome:
    """Read one unit. Never raises for what is wrong with the source itself."""
    unit = job.unit
    outcome = Outcome(fingerprint="", status="failed")
    reports: list[SourceReport] = []
    try:
        path = Path(unit.location)
        outcome.fingerprint, head = _fingerprint(path, settings)
        if outcome.fingerprint in job.known:
            outcome.status = "same"
            return outcome
        reports.append(_read_leaf(path, unit, None, head, settings, outcome.tables))
    except SourceError as error:
        reports.append(failed(unit.name, unit.member, error))
    except OSError as error:
        reports.append(failed(unit.name, unit.member, _os_error(error, unit)))
    statuses = {report.status for report in reports}
    outcome.status = next((s for s in ("failed", "read", "empty", "skipped") if s in statuses), "empty")
    outcome.report = encode_reports(reports)
    outcome.n_reports = len(reports)
    outcome.problems = [report for report in reports if not report.ok]
    return outcome


def _fingerprint(path: Path, settings: ReadSettings) -> tuple[str, bytes]:
    digest = xxhash.xxh3_128()
    with path.open("rb") as stream:
        head = chunk = stream.read(2**20)
        while chunk:
            digest.update(chunk)
            chunk = stream.read(2**20)
    return digest.hexdigest(), head[:SNIFF_BYTES]


def _os_error(error: OSError, unit: Unit) -> SourceError:
    if isinstance(error, FileNotFoundError):
        return SourceMissingError("it was there and is gone", where=unit.label, remedy="index again")
    if isinstance(error, PermissionError):
        return SourceError("no permission to read it", where=unit.label, remedy="change its permissions")
    return SourceError(f"cannot be read: {error.strerror or error}", where=unit.label)


def _read_leaf(
    path: Path, unit: Unit, member: str | None, head: bytes, settings: ReadSettings, tables: list[StoredTable]
) -> SourceReport:
    """Read one file that is no archive. Its tables are kept all or none."""
    name = member or unit.name
    label = unit.name + (f"!{member}" if member else "")
    stored: list[StoredTable] = []
    reports: list[TableReport] = []
    chosen = ""
    try:
        if not head:
            return SourceReport(unit.name, "empty", member, error="the file is empty")
        picked = pick_format(name, head, explicit=unit.explicit, override=unit.overrides.format)
        chosen = picked.name
        source = SourceFile(path, unit.name, member, settings, unit.overrides, picked.name)
        for draft in _drafts(picked.read(source), label):
            table, report = store_table(draft, source)
            stored.append(table)
            reports.append(report)
    except UnsupportedSourceError as error:
        status: Status = "failed" if unit.explicit or chosen else "skipped"
        return failed(unit.name, member, error, status=status)
    except SourceError as error:
        return failed(unit.name, member, error)
    except MemoryError:
        return failed(unit.name, member, BrokenSourceError("not enough memory to read it", where=label))
    except Exception as error:  # noqa: BLE001 - one bad file must never stop a run, whatever a library raises on it
        return failed(unit.name, member, BrokenSourceError(f"{type(error).__name__}: {error}", where=label))
    tables.extend(stored)
    return SourceReport(unit.name, "read" if stored else "empty", member, chosen, tuple(reports))


def _drafts(drafts: Iterator[TableDraft], label: str) -> Iterator[TableDraft]:
    yield from drafts
