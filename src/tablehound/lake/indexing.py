"""Indexing: find what changed, read it, build index segments, and make all of it live in one step."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import xxhash

from tablehound.lake import catalogue, work
from tablehound.lake.report import IndexReport, SourceReport, decode_reports, failed
from tablehound.lake.segments import SegmentBuilder
from tablehound.lake.sources import Found, Unit, resolve
from tablehound.lake.store import Lake
from tablehound.settings import Settings


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a run is."""

    phase: str
    """``read``, ``index`` or ``finish``."""
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
        progress: called now and then.

    Raises:
        LakeBusyError: another process is indexing into the lake.
        LakeVersionError: the lake is of another format.
        LakeError: it is damaged or cannot be written.
    """
    started = time.monotonic()
    catalogue.create(lake_path)
    connection = catalogue.connect(lake_path, write=True)
    try:
        run = _Run(connection, lake_path, settings, builders, progress or (lambda _: None))
        report = run.go(resolve(sources, lake_path))
    finally:
        connection.close()
    return dataclasses.replace(report, seconds=time.monotonic() - started)


def reading_key(unit: Unit, settings: Settings) -> str:
    """Key of all that decides how a unit is read, besides its bytes."""
    from tablehound import __version__

    read = dataclasses.asdict(settings.read)
    text = json.dumps([__version__, read, dataclasses.asdict(unit.overrides), unit.explicit], sort_keys=True)
    return xxhash.xxh3_64_hexdigest(text.encode())


class _Run:
    """One run of ``index_sources``, by the only writer."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        settings: Settings,
        builders: Sequence[SegmentBuilder],
        progress: Progress,
    ) -> None:
        self.connection = connection
        self.path = path
        self.settings = settings
        self.builders = builders
        self.progress = progress
        self.now = int(self._one("SELECT value FROM meta WHERE key = 'generation'"))
        self.next = self.now + 1
        self.changed = False

    def go(self, found: Found) -> IndexReport:
        self._clean()
        problems = [failed(source, None, error) for source, error in found.failures]
        jobs: list[work.Job] = []
        unchanged = 0
        placed = self._placed(found.roots)
        for unit in found.units:
            how = reading_key(unit, self.settings)
            known = placed.pop((unit.root, unit.label), None)
            if known is not None and unit.stamp and known[1] == unit.stamp and known[2] == how:
                unchanged += 1
                continue
            jobs.append(work.Job(unit, how, self._known(unit, how)))
        done = 0
        for job in jobs:
            outcome = work.run(job, self.settings.read)
            self._keep(job, outcome)
            problems.extend(outcome.problems)
            done += 1
            self.progress(IndexProgress("read", done, len(jobs), job.unit.label))
        removed = len(placed)
        self._retire([row[0] for row in placed.values()])
        self._flip()
        n_tables = self._one(
            "SELECT COUNT(DISTINCT t.id) FROM tables t JOIN sources s ON s.content = t.content "
            "WHERE s.born <= ? AND s.died > ?",
            self.now,
            self.now,
        )
        return IndexReport(
            generation=f"{self.now}-{self._one('SELECT value FROM meta WHERE key = ?', 'state')}",
            n_sources=len(found.units),
            n_tables=n_tables,
            read=len(jobs),
            unchanged=unchanged,
            removed=removed,
            problems=tuple(problems),
        )

    def _one(self, statement: str, *values: object) -> int:
        row = self.connection.execute(statement, values).fetchone()
        value: int = row[0]
        return value

    def _clean(self) -> None:
        """Undo what a killed run prepared but the tables it read."""
        self.connection.execute("UPDATE sources SET died = ? WHERE died = ?", (catalogue.NEVER, self.next))

    def _placed(self, roots: Sequence[str]) -> dict[tuple[str, str], tuple[int, str, str]]:
        """Sources of the roots that are alive or staged: (root, name) → (row, stamp, how)."""
        rows: dict[tuple[str, str], tuple[int, str, str]] = {}
        for root in roots:
            for key, name, stamp, how in self.connection.execute(
                "SELECT s.id, s.name, s.stamp, c.how FROM sources s JOIN contents c ON c.id = s.content "
                "WHERE s.root = ? AND s.died > ?",
                (root, self.next),
            ):
                rows[root, name] = (key, stamp, how)
        return rows

    def _known(self, unit: Unit, how: str) -> tuple[str, ...]:
        rows = self.connection.execute(
            "SELECT fingerprint FROM contents WHERE name = ? AND how = ? AND complete", (unit.label, how)
        )
        return tuple(row[0] for row in rows)

    def _keep(self, job: work.Job, outcome: work.Outcome) -> None:
        connection = self.connection
        unit = job.unit
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            self.changed = True
            if outcome.status == "same":
                content = self._one(
                    "SELECT id FROM contents WHERE name = ? AND how = ? AND fingerprint = ?",
                    unit.label,
                    job.how,
                    outcome.fingerprint,
                )
            else:
                content = (
                    connection.execute(
                        "INSERT INTO contents (name, fingerprint, how, status, complete, report) VALUES (?, ?, ?, ?, 1, ?)",
                        (unit.label, outcome.fingerprint, job.how, outcome.status, outcome.report),
                    ).lastrowid
                    or 0
                )
                for table in outcome.tables:
                    key = (
                        connection.execute(
                            "INSERT INTO tables (id, content, n_rows, info) VALUES (?, ?, ?, ?)",
                            (table.id, content, table.n_rows, table.info),
                        ).lastrowid
                        or 0
                    )
                    connection.executemany(
                        "INSERT INTO chunks (id, n_rows, data) VALUES (?, ?, ?)",
                        [
                            (key * catalogue.CHUNKS_PER_TABLE + number, n_rows, data)
                            for number, (n_rows, data) in enumerate(table.chunks)
                        ],
                    )
            connection.execute(
                "UPDATE sources SET died = ? WHERE root = ? AND name = ? AND died > ?",
                (self.next, unit.root, unit.label, self.next),
            )
            connection.execute(
                "INSERT INTO sources (root, name, stamp, content, born) VALUES (?, ?, ?, ?, ?)",
                (unit.root, unit.label, unit.stamp, content, self.next),
            )

    def _retire(self, rows: Sequence[int]) -> None:
        self.changed = self.changed or bool(rows)
        self.connection.executemany("UPDATE sources SET died = ? WHERE id = ?", [(self.next, row) for row in rows])

    def _flip(self) -> None:
        with Lake(self.path, staged=True) as lake, Lake(self.path) as before:
            live = lake.table_ids()
            old = set(before.table_ids())
            added = [table_id for table_id in live if table_id not in old]
            new: list[tuple[str, str, str]] = []
            drop: list[tuple[str, str]] = []
            for builder in self.builders:
                plan = builder.plan(before.segments(builder.kind), live, added)
                drop += [(builder.kind, name) for name in plan.drop]
                for ids in plan.build:
                    name = f"{builder.kind}-{xxhash.xxh3_64_hexdigest(' '.join(ids))}-{self.next}"
                    folder = self.path / "segments" / name
                    folder.mkdir(parents=True)
                    builder.build(lake, ids, folder)
                    new.append((builder.kind, name, " ".join(ids)))
        if not (self.changed or new or drop):
            return
        state = xxhash.xxh3_64_hexdigest(" ".join(live).encode())
        with self.connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            for kind, name in drop:
                connection.execute("UPDATE segments SET died = ? WHERE kind = ? AND name = ?", (self.next, kind, name))
            for kind, name, ids_text in new:
                connection.execute(
                    "INSERT INTO segments (kind, name, table_ids, born) VALUES (?, ?, ?, ?)",
                    (kind, name, ids_text, self.next),
                )
            connection.execute("UPDATE meta SET value = ? WHERE key = 'state'", (state,))
            connection.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (self.next,))
        self.now = self.next
