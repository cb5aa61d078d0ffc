"""Checking a lake, and repairing it: what is damaged is read again from its source, or built again from the tables.

Nothing of which there is no other copy is deleted. A damaged catalogue is put aside before a new one takes its place,
and stays there unless all of it was restored.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablehound.errors import LakeBusyError, LakeDamagedError
from tablehound.lake.ingest.indexing import limits_key, read_jobs, reading_key, scratch_folder
from tablehound.lake.ingest.pool import Part
from tablehound.lake.ingest.sources import resolve
from tablehound.lake.ingest.work import Job
from tablehound.lake.ingest.writer import Writer
from tablehound.lake.store import catalogue
from tablehound.lake.store.builder import SegmentBuilder
from tablehound.lake.store.examine import Fault, faults_of, segment_faults
from tablehound.lake.store.lake import Lake
from tablehound.lake.store.locks import writing
from tablehound.lake.store.salvage import Salvaged, salvage
from tablehound.settings import Settings

ASIDE = "aside"
_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found, and what a repair did."""

    n_tables: int = 0
    """Tables in the lake now."""
    faults: tuple[Fault, ...] = ()
    """What was damaged."""
    left: tuple[Fault, ...] = ()
    """What is damaged still."""
    restored: tuple[str, ...] = ()
    """Sources that were read again, and index segments that were built again."""
    lost: tuple[str, ...] = ()
    """What could not be restored: sources that are gone, or tables by number where no name is left."""
    aside: str = ""
    """The damaged catalogue, kept because not all of it was restored."""

    @property
    def ok(self) -> bool:
        """Whether the lake is sound, and has all that it had."""
        return not self.left and not self.lost

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {**dataclasses.asdict(self), "ok": self.ok}


def check_lake(
    path: Path, settings: Settings, *, builders: Sequence[SegmentBuilder] = (), repair: bool = False
) -> CheckReport:
    """Read all of a lake and compare it with its sums; with ``repair``, restore what is damaged.

    Nobody else may write meanwhile; readers are not blocked, but for a repair of the catalogue there must be none.

    Args:
        path: folder of the lake.
        settings: how sources are read again.
        builders: what builds index segments again; kinds without a builder are left as they are.

    Raises:
        LakeMissingError: there is no lake.
        LakeVersionError: it is of another format.
        LakeBusyError: another process is indexing into it, or has it open while its catalogue is to be replaced.
        LakeError: it cannot be read or written, for a reason that is no damage.
    """
    path = Path(path)
    if not (path / catalogue.FILE).is_file():
        catalogue.connect(path).close()
    try:
        with _alone(path, repair=repair):
            faults = tuple(faults_of(path))
            if not faults or not repair:
                return CheckReport(_count(path), faults, faults, lost=_kept_aside(path))
            return _Repair(path, settings, builders).run(faults)
    except (sqlite3.Error, OSError, MemoryError) as error:
        raise catalogue.unwritable(f"the lake at {path} cannot be repaired", error) from error


@contextlib.contextmanager
def _alone(path: Path, *, repair: bool) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(writing(path))
        except OSError as error:
            # Where nobody can write, nobody writes meanwhile.
            if repair or error.errno not in _READ_ONLY:
                raise
        yield


def _count(path: Path) -> int:
    try:
        with Lake(path) as lake:
            return len(lake.table_ids())
    except LakeDamagedError:
        return 0


def _kept_aside(path: Path) -> tuple[str, ...]:
    folder = path / ASIDE
    notes = sorted(folder.glob("*.txt")) if folder.is_dir() else []
    return tuple(line for note in notes for line in note.read_text(encoding="utf-8").splitlines())


class _Repair:
    """One repair. Needs the writer's lock."""

    def __init__(self, path: Path, settings: Settings, builders: Sequence[SegmentBuilder]) -> None:
        self._path = path
        self._settings = settings
        self._builders = builders
        self._restored: list[str] = []
        self._lost: set[str] = set()

    def run(self, faults: tuple[Fault, ...]) -> CheckReport:
        aside = None
        if any(fault.part != "segment" for fault in faults):
            aside = self._put_aside()
            draft = catalogue.draft(self._path)
            salvaged = salvage(aside, draft)
            draft.rename(self._path / catalogue.FILE)
            self._write(salvaged)
        else:
            self._write(None)
        left = tuple(faults_of(self._path))
        if aside is not None:
            self._settle(aside, clean=not left)
        return CheckReport(
            n_tables=_count(self._path),
            faults=faults,
            left=left,
            restored=tuple(sorted(self._restored)),
            lost=tuple(sorted(self._lost)),
            aside=str(aside) if aside is not None and aside.exists() else "",
        )

    def _put_aside(self) -> Path:
        """Copy the damaged catalogue; afterwards nothing but its file belongs to it."""
        file = self._path / catalogue.FILE
        folder = self._path / ASIDE
        folder.mkdir(exist_ok=True)
        number = next(n for n in range(1, 10_000) if not (folder / f"{n}.sqlite").exists())
        kept = folder / f"{number}.sqlite"
        self._fold_log(file)
        shutil.copy2(file, kept)
        for beside in ("-wal", "-shm"):
            log = file.with_name(file.name + beside)
            if log.exists():
                # SQLite could not fold it in. Beside a new catalogue it would be taken for a part of that.
                log.rename(folder / f"{number}.sqlite{beside}")
        return kept

    def _fold_log(self, file: Path) -> None:
        try:
            with contextlib.closing(sqlite3.connect(file, isolation_level=None, timeout=5.0)) as connection:
                connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise LakeBusyError(
                    f"the catalogue of the lake at {self._path} is to be replaced, but a process has it open",
                    remedy="close what reads it, then repair again",
                ) from error
        except sqlite3.DatabaseError:
            # Too damaged even for that: its log is put aside with it.
            return

    def _write(self, salvaged: Salvaged | None) -> None:
        """Read again what is missing, build what is damaged, and make it live."""
        writer = Writer(self._path)
        try:
            with Lake(self._path) as lake:
                broken = {fault.name for fault in segment_faults(self._path, lake) if fault.part == "segment"}
                kinds = {builder.kind for builder in self._builders}
                broken = {name for name in broken if name.rpartition("-")[0] in kinds}
            if salvaged is not None:
                with scratch_folder(self._path) as scratch:
                    self._read_again(writer, salvaged, scratch)
            else:
                writer.start(())
            writer.swap(self._builders, lambda *_: None, frozenset(broken))
            writer.clear()
            self._restored += broken
            if salvaged is not None and salvaged.n_tables is not None:
                missing = salvaged.n_tables - writer.count_tables()
                if missing > 0 and not self._lost:
                    self._lost.add(f"{missing} tables whose names are lost")
        finally:
            writer.close()

    def _read_again(self, writer: Writer, salvaged: Salvaged, scratch: Path) -> None:
        """Read every source below the recorded roots that the new catalogue lacks. What it has stays, found or not."""
        roots = sorted(salvaged.roots)
        found = resolve(roots, self._path, self._settings.read)
        # Under no root are sources of which nobody knows any more where they were found.
        placed = writer.start([*found.roots, ""])
        limits = limits_key(self._settings)
        jobs = [
            Job(unit, reading_key(unit, self._settings), limits)
            for unit in found.units
            if (unit.root, unit.label) not in placed
        ]
        for event in read_jobs(jobs, scratch, self._settings):
            if isinstance(event, Part):
                writer.part(event)
                continue
            writer.stage(event, placed.get(("", event.job.unit.label), ()))
            if event.outcome.fingerprint:
                self._restored.append(event.job.unit.label)
        self._lost = salvaged.lost - set(self._restored) - {label for _, label in placed}

    def _settle(self, aside: Path, *, clean: bool) -> None:
        """Keep the damaged catalogue with a note of what is only there, or remove it where all was restored."""
        if clean and not self._lost:
            for file in aside.parent.glob(f"{aside.name}*"):
                file.unlink()
            with contextlib.suppress(OSError):
                aside.parent.rmdir()
            return
        lines = [f"{name} (kept in {aside})\n" for name in sorted(self._lost)]
        aside.with_suffix(".txt").write_text("".join(lines), encoding="utf-8")
