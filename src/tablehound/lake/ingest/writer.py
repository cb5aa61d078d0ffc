"""The one writer of a lake: stages what was read, retires what is gone, swaps generations, clears away the old."""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from tablehound.errors import LakeDamagedError
from tablehound.lake.ingest.pool import Done, Part
from tablehound.lake.ingest.work import Job
from tablehound.lake.store import catalogue
from tablehound.lake.store.builder import SegmentBuilder
from tablehound.lake.store.faults import damaged, repair_of
from tablehound.lake.store.lake import Lake
from tablehound.lake.store.locks import oldest_pin
from tablehound.lake.store.report import SourceReport, decode_reports
from tablehound.lake.store.sealed import SealedFolder, present_seal, seal
from tablehound.lake.store.sums import SUMMED, Head, read_head, row_sum, segment_rows, write_head

_log = logging.getLogger(__name__)

COMMIT_BYTES = 32 * 2**20
COMMIT_SECONDS = 1.0
_VACUUM_SHARE = 4
"""Free pages are given back when they are more than one in so many."""

_INSERTS = {
    table: f"INSERT INTO {table} ({', '.join(SUMMED[table])}, sum) VALUES ({', '.join('?' * len(SUMMED[table]))}, ?)"
    for table in ("contents", "tables", "chunks", "sources")
}
_SOURCE_SUM = "row_sum(id, root, name, {stamp}, content, born, {died})"
_STAMP = f"UPDATE sources SET stamp = ?1, sum = {_SOURCE_SUM.format(stamp='?1', died='died')} WHERE id = ?2"
_DIED = f"UPDATE sources SET died = ?1, sum = {_SOURCE_SUM.format(stamp='stamp', died='?1')} WHERE "


@dataclass(frozen=True, slots=True)
class Placed:
    """A source that the catalogue has: alive, or staged by a run that was killed."""

    row: int
    stamp: str
    content: int
    staged: bool
    how: str
    status: str
    ok: bool


@dataclass(slots=True)
class _Growing:
    """A content whose tables come in parts."""

    content: int
    tables: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Ordinal → key and number of chunks so far."""


class Writer:
    """Prepares the next generation of a lake and makes it live. Needs the writer's lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.segments = path / "segments"
        self._db = catalogue.connect(path, write=True)
        self.now = self._head().generation
        self.next = self.now + 1
        self._growing: dict[int, _Growing] = {}
        self._rows: dict[str, list[tuple[object, ...]]] = {table: [] for table in _INSERTS}
        self._keys = {
            "contents": self._one("SELECT coalesce(max(id), 0) FROM contents"),
            "tables": self._one("SELECT coalesce(max(key), 0) FROM tables"),
            "sources": self._one("SELECT coalesce(max(id), 0) FROM sources"),
        }
        self._open_since = 0.0
        self._open_bytes = 0

    def close(self) -> None:
        """Leave what was committed for the next run."""
        self._db.close()

    # ------------------------------------------------------------------ before reading

    def start(self, roots: Sequence[str]) -> dict[tuple[str, str], list[Placed]]:
        """Take up what a killed run left, and list the sources below the roots by root and label.

        Staged sources of other roots are dropped: nobody asked for them this time.
        """
        with Lake(self.path) as before:
            # What is damaged must not become part of a new generation, whose digests would call it sound.
            before.verify()
        self._begin()
        self._db.execute(f"{_DIED} died = ?2", (catalogue.NEVER, self.next))
        marks = ",".join("?" * len(roots))
        self._db.execute(f"DELETE FROM sources WHERE born = ? AND root NOT IN ({marks})", (self.next, *roots))
        self._drop_contents("complete = 0")
        self._commit()
        placed: dict[tuple[str, str], list[Placed]] = {}
        for root in roots:
            rows = self._db.execute(
                "SELECT s.name, s.id, s.stamp, s.content, s.born = ?, c.how, c.status, c.ok FROM sources s "
                "JOIN contents c ON c.id = s.content WHERE s.root = ? AND s.died > ? ORDER BY s.id",
                (self.next, root, self.next),
            )
            for name, row, stamp, content, staged, how, status, ok in rows:
                entry = Placed(row, stamp, content, bool(staged), how, status, bool(ok))
                placed.setdefault((root, name), []).append(entry)
        return placed

    def known(self) -> dict[tuple[str, str], list[str]]:
        """Fingerprints of all stored contents by name and how they were read."""
        found: dict[tuple[str, str], list[str]] = {}
        rows = self._db.execute("SELECT name, how, fingerprint FROM contents WHERE fingerprint <> '' ORDER BY id")
        for name, how, fingerprint in rows:
            found.setdefault((name, how), []).append(fingerprint)
        return found

    def reports(self, contents: Iterable[int]) -> list[SourceReport]:
        """Reports of contents."""
        texts = (self._db.execute("SELECT report FROM contents WHERE id = ?", (key,)).fetchone() for key in contents)
        return [report for (text,) in texts for report in decode_reports(text)]

    # ------------------------------------------------------------------ staging

    def part(self, part: Part) -> None:
        """Store chunks of a table that is still being read."""
        self._begin()
        growing = self._growing.get(id(part.job))
        if growing is None:
            growing = self._growing[id(part.job)] = _Growing(self._take("contents"))
            self._rows["contents"].append((growing.content, part.job.unit.label, "", part.job.how, "", 1, 0, "[]"))
        if part.ordinal in growing.tables:
            key, n_chunks = growing.tables[part.ordinal]
        else:
            key, n_chunks = self._take("tables"), 0
            self._rows["tables"].append((key, "", growing.content, 0, ""))
        self._add_chunks(key, n_chunks, part.chunks)
        growing.tables[part.ordinal] = (key, n_chunks + len(part.chunks))
        self._maybe_commit()

    def stage(self, done: Done, placed: Sequence[Placed]) -> None:
        """Store what a job gave, as a source of the next generation in place of the entries ``placed``."""
        job, outcome = done.job, done.outcome
        self._begin()
        growing = self._growing.pop(id(job), None)
        if growing is not None:
            self._write_rows()
        good = next((entry for entry in placed if entry.status in ("read", "empty")), None)
        content = self._content_of(job, outcome.fingerprint) if outcome.fingerprint in job.known else None
        stays = good is not None and (
            outcome.unreachable or (outcome.refused and self._is_of(good, outcome.fingerprint))
        )
        if growing is not None and (content is not None or stays):
            self._drop_contents("id = ?", growing.content)
        if good is not None and stays:
            self._db.execute(_STAMP, ("", good.row))
            self.keep(good, placed)
            return
        if content is None:
            content = self._store(done, growing or _Growing(self._take("contents")), new=growing is None)
        # What could not be read at all is tried again by every run.
        self._place(job, content, job.unit.stamp if outcome.fingerprint else "", placed)
        self._maybe_commit()

    def _store(self, done: Done, growing: _Growing, *, new: bool) -> int:
        job, outcome = done.job, done.outcome
        content, started = growing.content, growing.tables
        if not new:
            self._db.execute("DELETE FROM contents WHERE id = ?", (content,))
        how = job.how if outcome.status != "failed" else f"{job.how}:{job.limits}"
        ok = not outcome.problems
        self._rows["contents"].append(
            (content, job.unit.label, outcome.fingerprint, how, outcome.status, int(ok), 1, outcome.report)
        )
        for table in outcome.tables:
            if table.ordinal in started:
                key, n_chunks = started.pop(table.ordinal)
                self._db.execute("DELETE FROM tables WHERE key = ?", (key,))
            else:
                key, n_chunks = self._take("tables"), 0
            self._rows["tables"].append((key, table.id, content, table.n_rows, table.info))
            self._add_chunks(key, n_chunks, table.chunks)
        for key, _ in started.values():
            self._drop_table(key)
        return content

    def keep(self, entry: Placed, others: Sequence[Placed]) -> None:
        """Go on with a source as it is; other entries of its place are of no use any more."""
        self.retire([other for other in others if other is not entry])

    def retire(self, entries: Sequence[Placed]) -> None:
        """Let sources go with the next generation."""
        for entry in entries:
            self._begin()
            if entry.staged:
                self._db.execute("DELETE FROM sources WHERE id = ?", (entry.row,))
            else:
                self._db.execute(f"{_DIED} id = ?2", (self.next, entry.row))

    def _place(self, job: Job, content: int, stamp: str, placed: Sequence[Placed]) -> None:
        same = next((entry for entry in placed if entry.content == content), None)
        if same is not None:
            self._db.execute(_STAMP, (stamp, same.row))
        else:
            place = (job.unit.root, job.unit.label)
            row = (self._take("sources"), *place, stamp, content, self.next, catalogue.NEVER)
            self._rows["sources"].append(row)
        self.retire([entry for entry in placed if entry is not same])

    def _content_of(self, job: Job, fingerprint: str) -> int | None:
        row = self._db.execute(
            "SELECT id FROM contents WHERE name = ? AND fingerprint = ? AND how IN (?, ?) ORDER BY id LIMIT 1",
            (job.unit.label, fingerprint, job.how, f"{job.how}:{job.limits}"),
        ).fetchone()
        return row[0] if row else None

    def _is_of(self, entry: Placed, fingerprint: str) -> bool:
        """Whether an entry was read from bytes of a fingerprint."""
        row = self._db.execute("SELECT fingerprint FROM contents WHERE id = ?", (entry.content,)).fetchone()
        return row is not None and row[0] == fingerprint

    def _take(self, table: str) -> int:
        """The next free key of a table."""
        self._keys[table] += 1
        return self._keys[table]

    def _add_chunks(self, key: int, start: int, chunks: Sequence[tuple[int, bytes]]) -> None:
        first = key * catalogue.CHUNKS_PER_TABLE + start
        for number, (n_rows, data) in enumerate(chunks):
            self._rows["chunks"].append((first + number, n_rows, data))
            self._open_bytes += len(data)

    def _write_rows(self) -> None:
        """Insert what was collected: one statement for many rows costs a fraction of as many statements."""
        for table, rows in self._rows.items():
            if rows:
                self._db.executemany(_INSERTS[table], [(*row, row_sum(*row)) for row in rows])
                rows.clear()

    def _drop_table(self, key: int) -> None:
        low = key * catalogue.CHUNKS_PER_TABLE
        self._db.execute("DELETE FROM chunks WHERE id >= ? AND id < ?", (low, low + catalogue.CHUNKS_PER_TABLE))
        self._db.execute("DELETE FROM tables WHERE key = ?", (key,))

    def _drop_contents(self, condition: str, *values: object) -> None:
        contents = [row[0] for row in self._db.execute(f"SELECT id FROM contents WHERE {condition}", values)]
        for content in contents:
            for (key,) in self._db.execute("SELECT key FROM tables WHERE content = ?", (content,)).fetchall():
                self._drop_table(key)
            self._db.execute("DELETE FROM contents WHERE id = ?", (content,))

    # ------------------------------------------------------------------ going live

    def swap(
        self,
        builders: Sequence[SegmentBuilder],
        building: Callable[[str, int, int], None],
        broken: frozenset[str] = frozenset(),
    ) -> None:
        """Build the segments that the next generation needs, and make it live; nothing when nothing changed.

        ``broken`` names segments that are not used any more; those whose folder is gone are not, either.
        """
        self._commit()
        new: list[tuple[object, ...]] = []
        drop: list[tuple[str, str]] = []
        changed = self._one("SELECT EXISTS (SELECT 1 FROM sources WHERE born = ? OR died = ?)", self.next, self.next)
        if not (changed or builders):
            return
        listed = segment_rows(self._db, self.now)
        broken |= {name for _, name, _ in listed if not (self.segments / name).is_dir()}
        with Lake(self.path, staged=True, without=broken) as lake, Lake(self.path, without=broken) as before:
            live = lake.table_ids()
            for builder in builders:
                plan = builder.plan(before.segments(builder.kind), live)
                drop += [(builder.kind, name) for name in plan.drop]
                drop += [(kind, name) for kind, name, _ in listed if kind == builder.kind and name in broken]
                for number, ids in enumerate(plan.build):
                    building(builder.kind, number, len(plan.build))
                    name = self._build(builder, lake, ids)
                    new.append((builder.kind, name, self.next, present_seal(self.segments / name), " ".join(ids)))
        if not (changed or new or drop):
            return
        state = xxhash.xxh3_64_hexdigest(" ".join(live).encode())
        self._db.execute("PRAGMA synchronous = FULL")
        self._begin()
        for kind, name in drop:
            self._db.execute("UPDATE segments SET died = ? WHERE kind = ? AND name = ?", (self.next, kind, name))
        columns = ", ".join(SUMMED["segments"])
        rows = [(*row, row_sum(*row)) for row in new]
        self._db.executemany(f"INSERT INTO segments ({columns}, sum) VALUES (?, ?, ?, ?, ?, ?)", rows)
        write_head(self._db, self.next, state)
        self._commit()
        self._db.execute("PRAGMA synchronous = NORMAL")
        self.now, self.next = self.next, self.next + 1

    def _build(self, builder: SegmentBuilder, lake: Lake, ids: Sequence[str]) -> str:
        """Build a segment, or take the finished one of a run that was killed later. Returns its name."""
        from tablehound.version import __version__

        key = xxhash.xxh3_64_hexdigest(" ".join([__version__, str(self.next), *ids]).encode())
        name = f"{builder.kind}-{key}"
        folder = self.segments / name
        draft = self.segments / f"{name}.new"
        for planted in (folder, draft):
            if planted.is_symlink():
                # Nobody but the writer makes these; what is behind a link is not what it wrote.
                planted.unlink()
        if folder.is_dir():
            try:
                if not any(SealedFolder(folder).faults()):
                    return name
            except LakeDamagedError:
                _log.info("the finished segment %s is damaged, and made anew", folder)
            shutil.rmtree(folder)
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        builder.build(lake, tuple(ids), draft)
        if not present_seal(draft):
            seal(draft)
        for path in draft.rglob("*"):
            if path.is_file():
                _flush(path)
        draft.rename(folder)
        _flush_folder(self.segments)
        return name

    # ------------------------------------------------------------------ clearing away

    def clear(self) -> None:
        """Remove what no reader can see any more."""
        oldest = oldest_pin(self.path, self.now)
        self._begin()
        self._db.execute("DELETE FROM sources WHERE died <= ?", (oldest,))
        self._drop_contents("NOT EXISTS (SELECT 1 FROM sources s WHERE s.content = contents.id)")
        self._db.execute("DELETE FROM segments WHERE died <= ?", (oldest,))
        self._commit()
        names = {row[0] for row in self._db.execute("SELECT name FROM segments")}
        if self.segments.is_dir():
            for folder in self.segments.iterdir():
                if folder.name not in names:
                    shutil.rmtree(folder, ignore_errors=True)
        free = self._one("PRAGMA freelist_count")
        if free * _VACUUM_SHARE > self._one("PRAGMA page_count"):
            self._db.execute("PRAGMA incremental_vacuum").fetchall()

    def generation(self) -> str:
        """The name of the live generation."""
        return f"{self.now}-{self._head().state}"

    def _head(self) -> Head:
        head = read_head(self._db)
        if head is None:
            raise damaged(f"the lake at {self.path} (its head)", "it is not as it was written", repair_of(self.path))
        return head

    def count_tables(self) -> int:
        """How many tables are live."""
        return self._one(
            "SELECT COUNT(DISTINCT t.id) FROM tables t JOIN sources s ON s.content = t.content "
            "WHERE s.born <= ? AND s.died > ?",
            self.now,
            self.now,
        )

    # ------------------------------------------------------------------ transactions

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
            self._open_since = time.monotonic()
            self._open_bytes = 0

    def _commit(self) -> None:
        if self._db.in_transaction:
            self._write_rows()
            self._db.execute("COMMIT")

    def _maybe_commit(self) -> None:
        if self._open_bytes > COMMIT_BYTES or time.monotonic() - self._open_since > COMMIT_SECONDS:
            self._commit()

    def _one(self, statement: str, *values: object) -> int:
        row: tuple[int] = self._db.execute(statement, values).fetchone()
        return row[0]


def _flush_folder(path: Path) -> None:
    """Make the names in a folder outlast a loss of power, where the system lets a folder be opened."""
    if os.name != "nt":
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
