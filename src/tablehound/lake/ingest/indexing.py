"""Indexing: find what changed, read it, build index segments, and make all of it live in one step."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import xxhash

from tablehound.lake.ingest.pool import BATCH_JOBS, Event, Part, Pool, run_here
from tablehound.lake.ingest.sources import Found, Unit, resolve
from tablehound.lake.ingest.work import Job
from tablehound.lake.ingest.writer import Placed, Writer
from tablehound.lake.read.contract import Overrides
from tablehound.lake.store import catalogue
from tablehound.lake.store.builder import SegmentBuilder
from tablehound.lake.store.locks import writing
from tablehound.lake.store.report import IndexReport, SourceReport, failed
from tablehound.processes import cores
from tablehound.settings import Settings

_SCRATCH = "scratch"
_WORKER_BYTES = 4 * 2**20
"""A further worker pays from this much to read."""
READING_VERSION = 2
"""Raised by whoever changes what is read or how values are understood: lakes of another number are read again."""
_DECIDING = ("hidden_sheets", "max_cell_chars", "max_cell_lines", "max_listed_rows", "strict")
"""Read settings that change what is read; the others are limits, which decide only whether it is."""


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a run is."""

    phase: str
    """``read``, or ``index``."""
    done: int
    total: int
    what: str = ""


Progress = Callable[[IndexProgress], None]


def index_sources(
    sources: Sequence[str],
    lake_path: Path,
    settings: Settings,
    *,
    builders: Sequence[SegmentBuilder] = (),
    progress: Progress | None = None,
) -> IndexReport:
    """Bring a lake up to date with the sources, and make one where there is none.

    Only what changed is read. What is gone from below a source goes from the lake; what earlier calls indexed from
    other sources stays. Until the last step, readers see the lake as it was. A run that was killed is continued by the
    next one. One bad source never stops a run: it is in ``IndexReport.problems``.

    Args:
        sources: paths of files and folders, globs, URLs (fsspec, or ``postgresql://`` and ``mysql://``).
        lake_path: folder of the lake.
        builders: what builds index segments over the tables.
        progress: called after every source and segment.

    Raises:
        LakeBusyError: another process is indexing into the lake.
        LakeVersionError: the lake is of another format.
        LakeError: it is damaged, full, or cannot be written.
    """
    started = time.monotonic()
    lake_path = Path(lake_path)
    catalogue.make_folder(lake_path)
    try:
        with writing(lake_path):
            catalogue.create(lake_path)
            writer = Writer(lake_path)
            try:
                with scratch_folder(lake_path) as scratch:
                    found = resolve(sources, lake_path, settings.read)
                    report = _run(writer, found, scratch, settings, builders, progress or (lambda _: None))
            finally:
                writer.close()
    except (sqlite3.Error, OSError, MemoryError) as error:
        raise catalogue.unwritable(f"the lake at {lake_path} cannot be written", error) from error
    return dataclasses.replace(report, seconds=time.monotonic() - started)


@contextlib.contextmanager
def scratch_folder(lake_path: Path) -> Iterator[Path]:
    """An empty folder for what readers unpack. Needs the writer's lock."""
    scratch = lake_path / _SCRATCH
    if scratch.is_symlink():
        # A link planted under the name would lead what is unpacked, and the clearing away, to another place.
        scratch.unlink()
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(exist_ok=True)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _run(
    writer: Writer,
    found: Found,
    scratch: Path,
    settings: Settings,
    builders: Sequence[SegmentBuilder],
    progress: Progress,
) -> IndexReport:
    placed = writer.start(found.roots)
    problems: list[SourceReport] = [failed(source, None, error) for source, error in found.failures]
    jobs: list[Job] = []
    before: dict[tuple[str, str], list[Placed]] = {}
    kept: list[Placed] = []
    known = writer.known() if placed else {}
    limits = limits_key(settings)
    keys: dict[tuple[Overrides, bool], str] = {}
    skipped = 0
    for unit in found.units:
        place = (unit.root, unit.label)
        entries = placed.pop(place, [])
        kind = (unit.overrides, unit.explicit)
        if kind not in keys:
            keys[kind] = reading_key(unit, settings)
        how = keys[kind]
        hows = (how, f"{how}:{limits}")
        entry = next((e for e in entries if unit.stamp and e.stamp == unit.stamp and e.how in hows), None)
        if entry is not None:
            writer.keep(entry, entries)
            kept.append(entry)
            skipped += entry.status == "skipped"
            continue
        before[place] = entries
        prints = [fingerprint for key in hows for fingerprint in known.get((unit.label, key), ())]
        jobs.append(Job(unit, how, limits, tuple(prints)))
    problems += writer.reports(entry.content for entry in kept if not entry.ok)
    done = 0
    for event in read_jobs(jobs, scratch, settings):
        if isinstance(event, Part):
            writer.part(event)
            continue
        unit = event.job.unit
        writer.stage(event, before[unit.root, unit.label])
        problems += event.outcome.problems
        skipped += event.outcome.status == "skipped"
        done += 1
        progress(IndexProgress("read", done, len(jobs), unit.label))
    removed = 0
    for (root, label), entries in placed.items():
        if found.in_sight(root, label):
            writer.retire(entries)
            removed += any(not entry.staged for entry in entries)
        else:
            writer.keep(entries[-1], entries)
    writer.swap(builders, lambda kind, number, total: progress(IndexProgress("index", number, total, kind)))
    writer.clear()
    return IndexReport(
        generation=writer.generation(),
        n_sources=len(found.units),
        n_tables=writer.count_tables(),
        read=len(jobs),
        unchanged=len(kept),
        removed=removed,
        skipped=skipped,
        remarks=tuple(found.remarks),
        problems=tuple(sorted((report for report in problems if not report.ok), key=lambda report: report.label)),
    )


def read_jobs(jobs: Sequence[Job], scratch: Path, settings: Settings) -> Iterator[Event]:
    """Read units, in this process or in several; what came of them, in any order."""
    if not jobs:
        return
    if settings.workers < 0:
        yield from run_here(jobs, settings.read, scratch)
        return
    n_bytes = sum(job.unit.size for job in jobs)
    useful = max(1 + n_bytes // _WORKER_BYTES, 1 + len(jobs) // BATCH_JOBS)
    with Pool(min(settings.workers or cores(), useful), settings.read, scratch) as pool:
        yield from pool.run(jobs)


def limits_key(settings: Settings) -> str:
    """Key of the limits: what failed is tried again when they change."""
    return _key(dataclasses.asdict(settings.read))


def reading_key(unit: Unit, settings: Settings) -> str:
    """Key of all that decides what is read from a unit, besides its bytes."""
    read = tuple((name, getattr(settings.read, name)) for name in _DECIDING)
    return _reading_key(READING_VERSION, read, unit.overrides, unit.explicit)


@functools.lru_cache(maxsize=1024)
def _reading_key(version: int, read: tuple[tuple[str, object], ...], overrides: Overrides, explicit: bool) -> str:
    return _key([version, read, dataclasses.asdict(overrides), explicit])


def _key(data: object) -> str:
    return xxhash.xxh3_64_hexdigest(json.dumps(data, sort_keys=True).encode())
