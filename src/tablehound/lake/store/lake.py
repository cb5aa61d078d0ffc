"""A lake as readers see it: one generation of tables and index segments, whatever a writer does meanwhile."""

from __future__ import annotations

import itertools
import json
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tablehound.errors import LakeError, SourceMissingError, TableMissingError
from tablehound.lake.store import catalogue
from tablehound.lake.store.codec import decode_batch, decode_info, schema
from tablehound.lake.store.faults import damaged, repair_of
from tablehound.lake.store.locks import Pin
from tablehound.lake.store.report import SourceReport, TableReport, decode_reports
from tablehound.lake.store.sealed import present_seal
from tablehound.lake.store.segments import Segment
from tablehound.lake.store.sums import Head, content_rows, digest, read_head, row_sum, segment_rows, table_rows
from tablehound.lake.table import Table, TableInfo

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)
_T = TypeVar("_T")

_TABLES = "SELECT key, id, content, n_rows, sum, info FROM tables WHERE key"
_CONTENTS = "SELECT id, name, fingerprint, how, status, ok, complete, sum, report FROM contents WHERE id"
_CHUNKS = "SELECT id, n_rows, sum, data FROM chunks WHERE id"
_SEGMENTS = "SELECT kind, name, born, seal, sum, table_ids FROM segments WHERE kind"
_AT_ONCE = 500
"""Rows that are fetched with one statement."""


@dataclass(frozen=True, slots=True)
class _TableRow:
    key: int
    id: str
    content: int
    n_rows: int
    info: str


class Lake:
    """One state of a lake. It stays as it was opened while a writer works; open it again to see what is new.

    What is read is compared with the sums that were stored with it: a part that the disk changed or lost is a
    ``LakeDamagedError`` that names it, and nothing else.

    May be used by several threads. In another process, open it there.
    """

    def __init__(self, path: Path, *, staged: bool = False, without: frozenset[str] = frozenset()) -> None:
        """Open the state that is live, or the one that a writer prepares (``staged``), ``without`` some index segments
        by name."""
        self.path = Path(path)
        self._without = without
        self._lock = threading.RLock()
        self._staged = staged
        self._keys: dict[str, int] | None = None
        self._named: list[tuple[int, str]] | None = None
        self._pin: Pin | None = None
        self._connection: sqlite3.Connection | None = catalogue.connect(self.path)
        try:
            self._seen = self._settle()
        except BaseException:
            self.close()
            raise
        self._number = self._seen.generation + staged
        self.generation: str = f"{self._number}-{self._seen.state}"

    @classmethod
    def open(cls, path: Path | str) -> Lake:
        """Open the lake in a folder, in its present state.

        Raises:
            LakeMissingError: there is no lake.
            LakeVersionError: it is of another format.
            LakeError: it is damaged.
        """
        return cls(Path(path))

    def close(self) -> None:
        """Let go of the files. May be called twice."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            if self._pin is not None:
                self._pin.release()
                self._pin = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Lake({str(self.path)!r}, generation={self.generation!r})"

    def is_current(self) -> bool:
        """Whether no writer has made a newer state live since this one was opened."""
        return self._head().generation == self._number

    def table_ids(self) -> list[str]:
        """Ids of all tables, sorted."""
        return list(self._places())

    def info(self, table_id: str) -> TableInfo:
        """All of a table but its cells.

        Raises:
            TableMissingError: no table has that id.
        """
        row = self._row(table_id)
        return decode_info(row.id, row.n_rows, row.info)

    def infos(self) -> Iterator[TableInfo]:
        """Descriptions of all tables, in the order of their ids."""
        places = list(self._places().items())
        for start in range(0, len(places), _AT_ONCE):
            part = places[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            rows = {row[0]: row for row in self._query(f"{_TABLES} IN ({marks})", [key for _, key in part])}
            for table_id, key in part:
                row = self._table_row(table_id, rows.get(key))
                yield decode_info(row.id, row.n_rows, row.info)

    def table(self, table_id: str) -> Table:
        """A table with all its cells in memory.

        Raises:
            TableMissingError: no table has that id.
        """
        import pyarrow as pa

        row = self._row(table_id)
        info = decode_info(row.id, row.n_rows, row.info)
        low = row.key * catalogue.CHUNKS_PER_TABLE
        chunks = self._query(f"{_CHUNKS} >= ? AND id < ? ORDER BY id", [low, low + catalogue.CHUNKS_PER_TABLE])
        width = len(info.columns)
        batches = [decode_batch(self._data(row, low + place, chunk), width) for place, chunk in enumerate(chunks)]
        self._count(row, sum(batch.num_rows for batch in batches))
        return Table(info, pa.Table.from_batches(batches, schema=schema(width)))

    def batches(self, table_id: str) -> Iterator[pa.RecordBatch]:
        """The cells of a table, batch by batch, without holding all of them in memory.

        Raises:
            TableMissingError: no table has that id.
        """
        return self._chunks(self._row(table_id))

    def segments(self, kind: str) -> list[Segment]:
        """Index segments of a kind, sorted by name."""
        listed = self._ask(lambda connection: segment_rows(connection, self._number), "its list of index segments")
        if not self._staged and digest(listed) != self._seen.segments:
            raise self._changed("its list of index segments")
        sums = {name: total for of_kind, name, total in listed if of_kind == kind}
        rows = {row[1]: row for row in self._query(f"{_SEGMENTS} = ?", [kind])}
        found = []
        for name in sorted(sums.keys() - self._without):
            row = rows.get(name)
            if row is None or row[4] != sums[name] or row[4] != row_sum(*row[:4], row[5]):
                raise self._changed(f"the entry of index segment {name}")
            found.append(Segment(kind, name, self.path / "segments" / name, tuple(row[5].split()), row[3]))
        for segment in found:
            if not segment.path.is_dir():
                # Derived data: answers come without it, and the next index run makes it anew.
                logger.warning("the index segment %s is gone; index again to rebuild it", segment.path)
            elif present_seal(segment.path) != segment.seal:
                raise self._changed(f"the seal of index segment {segment.name}")
        return [segment for segment in found if segment.path.is_dir()]

    def source_names(self) -> list[str]:
        """Names of all that was read, sorted: files, and members of archives as ``archive.zip!member``."""
        return list(dict.fromkeys(name for _, name in self._contents()))

    def reports(self) -> Iterator[SourceReport]:
        """What became of every source, in the order of their names."""
        yield from self._reports_of(self._contents())

    def report(self, source: str) -> list[SourceReport]:
        """What became of a source, by its name as in ``Provenance.source``, or ``archive.zip!member``.

        An archive has a report for each of its members.

        Raises:
            SourceMissingError: the lake knows of no such source.
        """
        members = f"{source}!"
        named = [(key, name) for key, name in self._contents() if name == source or name.startswith(members)]
        found = list(self._reports_of(named))
        if not found and "!" in source:
            # A member of an archive that is read as one, such as a tar file.
            outer = self.report(source.partition("!")[0])
            found = [report for report in outer if report.label == source]
        if not found:
            raise SourceMissingError("no such source is in the lake", where=source, remedy="see tablehound info")
        return found

    def table_report(self, table_id: str) -> TableReport:
        """How a table was read: dialect, header rows, rows kept and set aside, repairs, ambiguities.

        Raises:
            TableMissingError: no table has that id.
        """
        reports = self._reports_of([(self._row(table_id).content, "")])
        tables = (table for report in reports for table in report.tables)
        return next(table for table in tables if table.table_id == table_id)

    def verify(self) -> None:
        """Compare the lists of tables, sources and index segments with their digests; what is in them is compared when
        it is read.

        Raises:
            LakeDamagedError: one of them lost a row, or has one that changed.
        """
        self._places()
        self._contents()
        self.segments("")

    def _places(self) -> dict[str, int]:
        """Id → key of every table, in the order of the ids."""
        with self._lock:
            if self._keys is None:
                rows = self._ask(lambda connection: table_rows(connection, self._number), "its list of tables")
                if not self._staged and digest(rows) != self._seen.tables:
                    raise self._changed("its list of tables")
                # Of the rows with one id, which several sources may have, the first counts: it comes last here.
                self._keys = {table_id: -key for table_id, key in sorted((table_id, -key) for key, table_id in rows)}
            return self._keys

    def _contents(self) -> list[tuple[int, str]]:
        """(id, name) of what was read, in the order of the names and then of the bytes."""
        with self._lock:
            if self._named is None:
                rows = self._ask(lambda connection: content_rows(connection, self._number), "its list of sources")
                if not self._staged and digest(rows) != self._seen.contents:
                    raise self._changed("its list of sources")
                self._named = sorted(((key, name) for key, name, _ in rows), key=lambda row: (row[1], row[0]))
            return self._named

    def _reports_of(self, contents: Sequence[tuple[int, str]]) -> Iterator[SourceReport]:
        for _, group in itertools.groupby(contents, key=lambda content: content[1]):
            found = []
            for key, name in group:
                rows = self._query(f"{_CONTENTS} = ?", [key])
                if not rows or rows[0][7] != row_sum(*rows[0][:7], rows[0][8]):
                    raise self._changed(f"the report of {name}" if name else "the report of a source")
                found.append((rows[0][2], rows[0][8]))
            for _, text in sorted(found):
                yield from decode_reports(text)

    def _chunks(self, row: _TableRow) -> Iterator[pa.RecordBatch]:
        width = len(json.loads(row.info)["columns"])
        number = row.key * catalogue.CHUNKS_PER_TABLE
        n_rows = 0
        while True:
            chunks = self._query(f"{_CHUNKS} = ?", [number])
            if not chunks:
                self._count(row, n_rows)
                return
            batch = decode_batch(self._data(row, number, chunks[0]), width)
            n_rows += batch.num_rows
            yield batch
            number += 1

    def _data(self, row: _TableRow, number: int, chunk: tuple[Any, ...]) -> bytes:
        """The bytes of a chunk, whose place among all is known."""
        if chunk[0] != number or chunk[2] != row_sum(chunk[0], chunk[1], chunk[3]):
            raise self._changed(f"table {row.id}, cells from chunk {number % catalogue.CHUNKS_PER_TABLE} on")
        data: bytes = chunk[3]
        return data

    def _count(self, row: _TableRow, n_rows: int) -> None:
        if n_rows != row.n_rows:
            raise self._changed(f"table {row.id}, {n_rows} of its {row.n_rows} rows are there")

    def _row(self, table_id: str) -> _TableRow:
        key = self._places().get(table_id)
        if key is None:
            raise TableMissingError(
                f"the lake at {self.path} has no table {table_id!r}",
                remedy="list them with: tablehound info --lake DIR",
            )
        rows = self._query(f"{_TABLES} = ?", [key])
        return self._table_row(table_id, rows[0] if rows else None)

    def _table_row(self, table_id: str, row: tuple[Any, ...] | None) -> _TableRow:
        if row is None or row[1] != table_id or row[4] != row_sum(*row[:4], row[5]):
            raise self._changed(f"the description of table {table_id}")
        return _TableRow(row[0], row[1], row[2], row[3], row[5])

    def _changed(self, part: str) -> LakeError:
        """The error for a part that is not as it was written."""
        if self._pin is None and not self._staged and not self.is_current():
            # Without a pin, as on another user's lake, a writer may clear away what this reader has open.
            return LakeError(f"the lake at {self.path} was indexed again meanwhile", remedy="open it again")
        return damaged(f"the lake at {self.path} ({part})", "it is not as it was written", repair_of(self.path))

    def _settle(self) -> Head:
        """Choose the generation to show, and pin it."""
        head = self._head()
        if self._staged:
            return head
        while True:
            pin = Pin(self.path, head.generation)
            present = self._head()
            if present.generation == head.generation:
                # Where it could not be written, there is none.
                self._pin = pin if pin.holds else None
                return present
            # Swapped in between, and perhaps cleared before the pin held.
            pin.release()
            head = present

    def _head(self) -> Head:
        head = self._ask(read_head, "its head")
        if head is None:
            raise damaged(f"the lake at {self.path} (its head)", "it is not as it was written", repair_of(self.path))
        return head

    def _query(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self._ask(lambda connection: connection.execute(statement, values).fetchall(), "its rows")

    def _ask(self, ask: Callable[[sqlite3.Connection], _T], part: str) -> _T:
        """What a function finds out with the connection."""
        with self._lock:
            if self._connection is None:
                raise LakeError(f"the lake at {self.path} was closed", remedy="open it again with Lake.open")
            try:
                return ask(self._connection)
            except (sqlite3.Error, MemoryError) as error:
                raise catalogue.catalogue_fault(self.path, error, part) from error
