"""Looking at all of a lake: every row of its catalogue, every chunk of cells, every block of its index segments."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tablehound.errors import LakeDamagedError
from tablehound.lake.store import catalogue
from tablehound.lake.store.lake import Lake
from tablehound.lake.store.sealed import SealedFolder
from tablehound.lake.store.sums import SUMMED, row_sum, segment_rows

_MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of a lake that is not as it was written."""

    part: str
    """``catalogue``, ``table``, ``report``, ``source`` or ``segment``."""
    name: str
    detail: str

    def __str__(self) -> str:
        return f"{self.part} {self.name}: {self.detail}" if self.name else f"{self.part}: {self.detail}"


def faults_of(path: Path) -> Iterator[Fault]:
    """All faults of a lake, found by reading all of its live generation.

    Raises:
        LakeMissingError: there is no lake.
        LakeVersionError: it is of another format.
        LakeError: the system does not let it be read, which is no fault of the lake.
    """
    try:
        lake = Lake(path)
    except LakeDamagedError as error:
        yield Fault("catalogue", "", error.message)
        return
    with lake:
        yield from _structure(path)
        yield from _sources(path, lake)
        yield from _tables(lake)
        yield from _reports(lake)
        yield from segment_faults(path, lake)


def _structure(path: Path) -> Iterator[Fault]:
    with contextlib.closing(catalogue.connect(path)) as connection:
        try:
            lines = [row[0] for row in connection.execute(f"PRAGMA integrity_check({_MOST_LINES})")]
        except (sqlite3.Error, MemoryError) as error:
            lines = [_told(path, error)]
    if lines != ["ok"]:
        yield Fault("catalogue", "", "; ".join(" ".join(str(line).split()) for line in lines))


def _told(path: Path, error: Exception) -> str:
    """What an error says of a damaged catalogue; any other is raised."""
    known = catalogue.catalogue_fault(path, error)
    if not isinstance(known, LakeDamagedError):
        raise known from error
    return known.message


def _sources(path: Path, lake: Lake) -> Iterator[Fault]:
    columns = SUMMED["sources"]
    generation = int(lake.generation.partition("-")[0])
    with contextlib.closing(catalogue.connect(path)) as connection:
        try:
            rows = connection.execute(f"SELECT {', '.join(columns)}, sum FROM sources WHERE died > ?", [generation])
            for row in rows:
                if row[-1] != row_sum(*row[:-1]):
                    yield Fault("source", str(row[2]), "its entry is not as it was written")
        except (sqlite3.Error, MemoryError) as error:
            yield Fault("catalogue", "", _told(path, error))


def _tables(lake: Lake) -> Iterator[Fault]:
    table_ids: list[str] = []
    yield from _caught("catalogue", "", lambda: table_ids.extend(lake.table_ids()))
    for table_id in table_ids:

        def read(table_id: str = table_id) -> None:
            lake.info(table_id)
            for _ in lake.batches(table_id):
                pass

        yield from _caught("table", table_id, read)


def _reports(lake: Lake) -> Iterator[Fault]:
    names: list[str] = []
    yield from _caught("catalogue", "", lambda: names.extend(lake.source_names()))
    for name in names:
        yield from _caught("report", name, lambda name=name: lake.report(name))  # type: ignore[misc]


def _caught(part: str, name: str, read: Callable[[], object]) -> Iterator[Fault]:
    try:
        read()
    except LakeDamagedError as error:
        yield Fault(part, name, error.message)


def segment_faults(path: Path, lake: Lake) -> Iterator[Fault]:
    """Faults of the index segments of a lake's present state, one for each damaged segment."""
    try:
        lake.segments("")
        with contextlib.closing(catalogue.connect(path)) as connection:
            listed = sorted(segment_rows(connection, int(lake.generation.partition("-")[0])))
            columns = SUMMED["segments"]
            entries = {row[1]: row for row in connection.execute(f"SELECT {', '.join(columns)}, sum FROM segments")}
    except LakeDamagedError as error:
        yield Fault("catalogue", "", error.message)
        return
    except (sqlite3.Error, MemoryError) as error:
        yield Fault("catalogue", "", _told(path, error))
        return
    for _, name, total in listed:
        entry = entries.get(name)
        if entry is None or total != entry[-1] or total != row_sum(*entry[:-1]):
            yield Fault("catalogue", "", f"the entry of index segment {name} is not as it was written")
            continue
        details = _details(path / "segments" / name, entry[3])
        if details:
            yield Fault("segment", name, "; ".join(details))


def _details(folder: Path, seal: str) -> list[str]:
    if not folder.is_dir():
        return ["its folder is gone"]
    try:
        sealed = SealedFolder(folder)
        other = [] if sealed.digest == seal else ["its seal is not the one that the catalogue names"]
        return other + list(sealed.faults())
    except LakeDamagedError as error:
        return [error.message]
