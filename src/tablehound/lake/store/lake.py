"""A lake as readers see it: one generation of tables and index segments, whatever a writer does meanwhile."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tablehound.errors import LakeError, SourceMissingError, TableMissingError
from tablehound.lake.store import catalogue
from tablehound.lake.store.codec import decode_batch, decode_info, schema
from tablehound.lake.store.locks import Pin
from tablehound.lake.store.report import SourceReport, TableReport, decode_reports
from tablehound.lake.store.segments import Segment
from tablehound.lake.table import Table, TableInfo

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

_ALIVE = "EXISTS (SELECT 1 FROM sources s WHERE s.content = t.content AND s.born <= :g AND s.died > :g)"
_LIVE = "EXISTS (SELECT 1 FROM sources s WHERE s.content = c.id AND s.born <= :g AND s.died > :g)"


def _glob_literal(text: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)


class Lake:
    """One state of a lake. It stays as it was opened while a writer works; open it again to see what is new.

    May be used by several threads. In another process, open it there.
    """

    def __init__(self, path: Path, *, staged: bool = False) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._number = 0
        self._ids: list[str] | None = None
        self._pin: Pin | None = None
        self._connection: sqlite3.Connection | None = catalogue.connect(self.path)
        try:
            number, state = self._settle(staged)
        except BaseException:
            self.close()
            raise
        self._number = number
        self.generation: str = f"{number}-{state}"

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
        return self._head()[0] == self._number

    def table_ids(self) -> list[str]:
        """Ids of all tables, sorted."""
        if self._ids is None:
            # Through a list of the live contents: several times as fast as asking for each table.
            live = "SELECT s.content FROM sources s WHERE s.born <= :g AND s.died > :g"
            rows = self._query(f"SELECT t.id FROM tables t WHERE t.content IN ({live})")
            self._ids = sorted({row[0] for row in rows})
        return list(self._ids)

    def info(self, table_id: str) -> TableInfo:
        """All of a table but its cells.

        Raises:
            TableMissingError: no table has that id.
        """
        _, n_rows, text = self._row(table_id)
        return decode_info(table_id, n_rows, text)

    def infos(self) -> Iterator[TableInfo]:
        """Descriptions of all tables, in the order of their ids."""
        ids = self.table_ids()
        for start in range(0, len(ids), 500):
            part = {f"id{i}": table_id for i, table_id in enumerate(ids[start : start + 500])}
            marks = ",".join(f":{name}" for name in part)
            rows = self._query(
                f"SELECT t.id, t.n_rows, t.info FROM tables t WHERE t.id IN ({marks}) AND {_ALIVE} ORDER BY t.id", part
            )
            last = ""
            for table_id, n_rows, text in rows:
                if table_id != last:
                    yield decode_info(table_id, n_rows, text)
                last = table_id

    def table(self, table_id: str) -> Table:
        """A table with all its cells in memory.

        Raises:
            TableMissingError: no table has that id.
        """
        import pyarrow as pa

        key, n_rows, text = self._row(table_id)
        info = decode_info(table_id, n_rows, text)
        width = len(info.columns)
        low = key * catalogue.CHUNKS_PER_TABLE
        rows = self._query(
            "SELECT data FROM chunks WHERE id >= ? AND id < ? ORDER BY id", [low, low + catalogue.CHUNKS_PER_TABLE]
        )
        batches = [decode_batch(data, width) for (data,) in rows]
        return Table(info, pa.Table.from_batches(batches, schema=schema(width)))

    def batches(self, table_id: str) -> Iterator[pa.RecordBatch]:
        """The cells of a table, batch by batch, without holding all of them in memory.

        Raises:
            TableMissingError: no table has that id.
        """
        key, _, text = self._row(table_id)
        return self._chunks(key, len(json.loads(text)["columns"]))

    def segments(self, kind: str) -> list[Segment]:
        """Index segments of a kind, sorted by name."""
        rows = self._query(
            "SELECT name, table_ids FROM segments WHERE kind = :kind AND born <= :g AND died > :g ORDER BY name",
            {"kind": kind},
        )
        folder = self.path / "segments"
        found = [Segment(kind, name, folder / name, tuple(ids.split())) for name, ids in rows]
        for segment in found:
            if not segment.path.is_dir():
                # Derived data: answers come without it, and the next index run makes it anew.
                logger.warning("the index segment %s is gone; index again to rebuild it", segment.path)
        return [segment for segment in found if segment.path.is_dir()]

    def reports(self) -> Iterator[SourceReport]:
        """What became of every source, in the order of their names."""
        names = [row[0] for row in self._query(f"SELECT DISTINCT c.name FROM contents c WHERE {_LIVE} ORDER BY c.name")]
        for name in names:
            for (text,) in self._query(
                f"SELECT c.report FROM contents c WHERE c.name = :name AND {_LIVE} ORDER BY c.fingerprint",
                {"name": name},
            ):
                yield from decode_reports(text)

    def report(self, source: str) -> list[SourceReport]:
        """What became of a source, by its name as in ``Provenance.source``, or ``archive.zip!member``.

        An archive has a report for each of its members.

        Raises:
            SourceMissingError: the lake knows of no such source.
        """
        rows = self._query(
            f"SELECT c.report FROM contents c WHERE (c.name = :name OR c.name GLOB :members) AND {_LIVE} "
            "ORDER BY c.name, c.fingerprint",
            {"name": source, "members": _glob_literal(source) + "!*"},
        )
        found = [report for (text,) in rows for report in decode_reports(text)]
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
        self._row(table_id)
        rows = self._query(
            f"SELECT c.report FROM contents c JOIN tables t ON t.content = c.id WHERE t.id = :id AND {_LIVE} LIMIT 1",
            {"id": table_id},
        )
        reports = (table for (text,) in rows for report in decode_reports(text) for table in report.tables)
        return next(table for table in reports if table.table_id == table_id)

    def _chunks(self, key: int, width: int) -> Iterator[pa.RecordBatch]:
        number = key * catalogue.CHUNKS_PER_TABLE
        while True:
            rows = self._query("SELECT data FROM chunks WHERE id = ?", [number])
            if not rows:
                return
            yield decode_batch(rows[0][0], width)
            number += 1

    def _row(self, table_id: str) -> tuple[int, int, str]:
        rows = self._query(
            f"SELECT t.key, t.n_rows, t.info FROM tables t WHERE t.id = :id AND {_ALIVE} LIMIT 1", {"id": table_id}
        )
        if not rows:
            raise TableMissingError(
                f"the lake at {self.path} has no table {table_id!r}",
                remedy="list them with: tablehound info --lake DIR",
            )
        key, n_rows, text = rows[0]
        return key, n_rows, text

    def _settle(self, staged: bool) -> tuple[int, str]:
        """Choose the generation to show, and pin it."""
        number, state = self._head()
        if staged:
            return number + 1, state
        while True:
            pin = Pin(self.path, number)
            present, state = self._head()
            if present == number:
                self._pin = pin
                return number, state
            # Swapped in between, and perhaps cleared before the pin held.
            pin.release()
            number = present

    def _head(self) -> tuple[int, str]:
        rows = self._query("SELECT value FROM meta WHERE key IN ('generation', 'state') ORDER BY key")
        return int(rows[0][0]), str(rows[1][0])

    def _query(self, statement: str, values: dict[str, Any] | list[Any] | None = None) -> list[tuple[Any, ...]]:
        with self._lock:
            if self._connection is None:
                raise LakeError(f"the lake at {self.path} was closed", remedy="open it again with Lake.open")
            if values is None:
                values = {}
            if isinstance(values, dict):
                values = {"g": self._number, **values}
            try:
                return self._connection.execute(statement, values).fetchall()
            except sqlite3.DatabaseError as error:
                raise LakeError(f"the lake at {self.path} cannot be read: {error}") from error
