"""Lakes in memory, to search without reading files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tablehound.errors import TableMissingError
from tablehound.lake import Column, Provenance, Segment, Table, TableInfo, read_column
from tablehound.retrieval.value_index import ValueIndexBuilder

Rows = Sequence[Sequence[str | None]]


class MemoryLake:
    """What engines and builders use of a lake."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.generation = "0"
        self._tables: dict[str, Table] = {}
        self._segments: list[Segment] = []
        self.read: list[str] = []
        """Ids of the tables whose cells were asked for."""

    def add(self, table_id: str, header: Sequence[str], rows: Rows, inferred: Sequence[int] = ()) -> None:
        columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(len(header))]
        info = TableInfo(
            table_id,
            tuple(
                Column(name, name, reading=read_column(column, name), inferred=i in inferred)
                for i, (name, column) in enumerate(zip(header, columns, strict=True))
            ),
            len(rows),
            Provenance(f"{table_id}.csv", "csv"),
        )
        names = [*(f"c{i}" for i in range(len(header))), "row"]
        cells = pa.table([*columns, pa.array(range(2, len(rows) + 2), pa.int64())], names=names)
        self._tables[table_id] = Table(info, cells)

    def remove(self, table_id: str) -> None:
        del self._tables[table_id]

    def index(self, builder: ValueIndexBuilder | None = None) -> list[str]:
        """Bring the value index up to date, as the store does; returns the names of the new segments."""
        builder = builder or ValueIndexBuilder()
        plan = builder.plan(self._segments, self.table_ids())
        new = []
        for ids in plan.build:
            name = f"segment-{self.generation}"
            self.generation = str(int(self.generation) + 1)
            folder = self.path / name
            folder.mkdir(parents=True)
            builder.build(self, ids, folder)  # type: ignore[arg-type]
            new.append(Segment(builder.kind, name, folder, tuple(ids)))
        self._segments = [s for s in self._segments if s.name not in plan.drop] + new
        return [segment.name for segment in new]

    def table_ids(self) -> list[str]:
        return sorted(self._tables)

    def info(self, table_id: str) -> TableInfo:
        return self.table(table_id).info

    def infos(self) -> Iterator[TableInfo]:
        return (self._tables[table_id].info for table_id in self.table_ids())

    def table(self, table_id: str) -> Table:
        if table_id not in self._tables:
            raise TableMissingError(f"no table {table_id}")
        return self._tables[table_id]

    def batches(self, table_id: str) -> Iterator[pa.RecordBatch]:
        self.read.append(table_id)
        return iter(self.table(table_id).cells.to_batches())

    def segments(self, kind: str) -> list[Segment]:
        return [segment for segment in self._segments if segment.kind == kind]


@pytest.fixture
def make_lake(tmp_path: Path) -> Callable[[], Any]:
    """Makes empty lakes in memory."""
    made = iter(range(1_000_000))
    return lambda: MemoryLake(tmp_path / str(next(made)))
