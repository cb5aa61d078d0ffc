"""Make a synthetic lake, and CSV files of its tables, from the public tables.

The tables are those of ``tablehound bench build scale``; here they are staged straight into a lake, without reading
files. The same seed gives the same tables, one by one.

    python benchmarks/synthetic_lake.py --tables 100000 --csv CSV_FOLDER LAKE
"""

from __future__ import annotations

import csv
import io
import os
import time
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from common import parser
from tablehound.evaluation.builders.scale import Pools, csv_path, make_table, pools_of, write_csv

__all__ = ["Pools", "csv_path", "fill_lake", "make_table", "read_pools"]

if TYPE_CHECKING:
    from tablehound.lake import SegmentBuilder
    from tablehound.lake.ingest.prepare import StoredTable

SOURCES = (
    ("tabfact_val/tables.zip", "#"),
    ("distractors/tabfact_train_tables.zip", "#"),
    ("distractors/ottqa_tables.zip", ","),
    ("wtq/tables.zip", ","),
)
READ_ROWS = 200
"""Rows from which the reading of a column is told."""


def read_pools(data: Path) -> Pools:
    """All public tables, from the shared data folder."""

    def tables() -> Iterator[tuple[list[str], list[list[str]]]]:
        for name, delimiter in SOURCES:
            with zipfile.ZipFile(data / name) as archive:
                for member in sorted(archive.namelist()):
                    if not member.endswith(".csv"):
                        continue
                    text = archive.read(member).decode("utf-8", "replace")
                    rows = (
                        [line.split(delimiter) for line in text.splitlines()]
                        if delimiter == "#"
                        else list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
                    )
                    if len(rows) >= 3:
                        header, body = rows[0], rows[1:]
                        yield header, [[row[i] for row in body if i < len(row)] for i in range(len(header))]

    return pools_of(tables())


def _stored(header: list[str], columns: list[list[str]], number: int, folder: Path | None) -> StoredTable:
    """One table as the lake stores it; its CSV file is written too where there is a folder for them."""
    import pyarrow as pa

    from tablehound.lake import Column, Provenance, TableInfo, read_column
    from tablehound.lake.ingest.prepare import StoredTable
    from tablehound.lake.store.codec import encode_batch, encode_info, schema

    if folder is not None:
        write_csv(folder, number, header, columns)
    arrays = [pa.array(cells, pa.string()) for cells in columns]
    n_rows = len(columns[0])
    names: list[str] = []
    for name in header:
        taken = {other.lower() for other in names}
        names.append(name if name.lower() not in taken else f"{name} ({len(names) + 1})")
    described = tuple(
        Column(name, original, reading=read_column(array[:READ_ROWS], name))
        for name, original, array in zip(names, header, arrays, strict=True)
    )
    table_id = f"{number * 2654435761 % 2**32:08x}{number:08x}"
    info = TableInfo(table_id, described, n_rows, Provenance(f"{number:07d}.csv", "csv"), content_hash=f"{number:x}")
    batch = pa.record_batch([*arrays, pa.array(range(2, n_rows + 2), pa.int64())], schema=schema(len(arrays)))
    return StoredTable(0, table_id, n_rows, encode_info(info), [(n_rows, encode_batch(batch))])


_POOLS: list[Pools] = []


def _start(data: Path) -> None:
    _POOLS.append(read_pools(data))


def _make(numbers: range, seed: int, folder: Path | None) -> list[StoredTable]:
    return [_stored(*make_table(_POOLS[0], number, seed), number, folder) for number in numbers]


def fill_lake(
    lake: Path,
    data: Path,
    numbers: range,
    *,
    csv_folder: Path | None = None,
    builders: Sequence[SegmentBuilder] = (),
    seed: int = 0,
) -> float:
    """Stage the tables of the given numbers straight into a lake, without reading files, and make them live. Returns
    the seconds that building the indexes took."""
    from tablehound.lake.ingest.pool import Done
    from tablehound.lake.ingest.sources import Unit
    from tablehound.lake.ingest.work import Job, Outcome
    from tablehound.lake.ingest.writer import Writer
    from tablehound.lake.store import catalogue
    from tablehound.lake.store.locks import writing

    catalogue.make_folder(lake)
    with writing(lake):
        catalogue.create(lake)
        writer = Writer(lake)
        writer.start(["synthetic"])
        parts = [numbers[start : start + 250] for start in range(0, len(numbers), 250)]
        with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), _start, (data,)) as pool:
            for tables in pool.map(_make, parts, [seed] * len(parts), [csv_folder] * len(parts)):
                for table in tables:
                    unit = Unit("synthetic", f"{table.id}.csv", "", stamp=table.id)
                    outcome = Outcome("read", fingerprint=table.id, tables=[table])
                    writer.stage(Done(Job(unit, "synthetic"), outcome), [])
        started = time.perf_counter()
        writer.swap(builders, lambda *_: None)
        seconds = time.perf_counter() - started
        writer.close()
    return seconds


def main() -> None:
    from tablehound.retrieval import segment_builders

    arguments = parser(__doc__ or "")
    arguments.add_argument("lake", type=Path, help="folder of the lake")
    arguments.add_argument("--tables", type=int, default=100_000)
    arguments.add_argument("--csv", type=Path, help="write the tables as CSV files too, below this folder")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--index", action="store_true", help="build the search indexes too")
    chosen = arguments.parse_args()
    builders = segment_builders() if chosen.index else ()
    seconds = fill_lake(
        chosen.lake, chosen.data, range(chosen.tables), csv_folder=chosen.csv, builders=builders, seed=chosen.seed
    )
    print(f"{chosen.tables:,} tables in {chosen.lake}, indexed in {seconds:.0f} s")


if __name__ == "__main__":
    main()
