"""Make a synthetic lake, and CSV files of its tables, from the public tables.

Rows are resampled, columns renamed, values changed: each synthetic table takes the columns of a public table; its
cells are drawn from all public columns of the same header, unevenly, so that some values are common and most are rare;
a share of the cells is changed (other digits, or the halves of two values put together), so that the number of
distinct values grows with the lake as it does in real ones. The same seed gives the same tables, one by one.

    python benchmarks/synthetic_lake.py --tables 100000 --csv CSV_FOLDER LAKE
"""

from __future__ import annotations

import csv
import io
import os
import time
import zipfile
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from common import parser

if TYPE_CHECKING:
    from tablehound.lake import SegmentBuilder
    from tablehound.lake.ingest import StoredTable

SOURCES = (
    ("tabfact_val/tables.zip", "#"),
    ("distractors/tabfact_train_tables.zip", "#"),
    ("distractors/ottqa_tables.zip", ","),
    ("wtq/tables.zip", ","),
)
TABLES_PER_FOLDER = 1_000
READ_ROWS = 200
"""Rows from which the reading of a column is told."""
CHANGED = 0.085
"""Share of cells whose value is changed."""
MEAN_ROWS = 270
MAX_ROWS = 6_000


@dataclass(frozen=True, slots=True)
class Pools:
    """Headers of the public tables, and the values of all columns of a name."""

    headers: list[tuple[str, ...]]
    values: dict[str, NDArray[np.object_]]
    words: list[str]


def read_pools(data: Path) -> Pools:
    """All public tables, from the shared data folder."""
    headers: list[tuple[str, ...]] = []
    values: dict[str, list[str]] = defaultdict(list)
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
                if len(rows) < 3 or len(rows[0]) < 2:
                    continue
                header = tuple(" ".join(cell.split()) or "column" for cell in rows[0])
                headers.append(header)
                for column, title in enumerate(header):
                    values[title.lower()].extend(row[column] for row in rows[1:] if column < len(row))
    words = sorted({word for title in values for word in title.split() if word.isalpha() and len(word) > 2})
    return Pools(headers, {title: np.array(texts, dtype=object) for title, texts in sorted(values.items())}, words)


def make_table(pools: Pools, number: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Header and columns of one synthetic table."""
    rng = np.random.default_rng((seed, number))
    base = pools.headers[int(rng.integers(len(pools.headers)))]
    n_rows = int(np.clip(rng.lognormal(np.log(MEAN_ROWS) - 0.5, 1.0), 4, MAX_ROWS))
    columns = []
    for title in base:
        pool = pools.values[title.lower()]
        if not len(pool):
            pool = np.array([""], dtype=object)
        # A window of the pool, and within it the first values most often.
        width = min(len(pool), int(rng.integers(8, 4_000)))
        start = int(rng.integers(len(pool) - width + 1))
        drawn = (rng.random(n_rows) ** rng.uniform(1.0, 2.5) * width).astype(np.int64)
        cells = pool[start + drawn].tolist()
        changed = np.flatnonzero(rng.random(n_rows) < CHANGED * rng.choice([0.0, 1.0, 2.0]))
        digits = rng.integers(0, 10, size=(len(changed), 12))
        partner = rng.integers(0, n_rows, size=len(changed))
        for row, figures, other in zip(changed.tolist(), digits.tolist(), partner.tolist(), strict=True):
            cells[row] = _changed(cells[row], cells[other], figures)
        columns.append(cells)
    names = [_renamed(title, pools.words, rng) for title in base]
    order = rng.permutation(len(base))
    return [names[i] for i in order], [columns[i] for i in order]


def _changed(text: str, other: str, figures: list[int]) -> str:
    if any(char.isdigit() for char in text):
        fresh = iter(figures)
        return "".join(str(next(fresh, char)) if char.isdigit() else char for char in text)
    left, right = text.split(" "), other.split(" ")
    return " ".join(left[: (len(left) + 1) // 2] + right[len(right) // 2 :])


def _renamed(title: str, words: list[str], rng: np.random.Generator) -> str:
    choice = rng.random()
    if choice < 0.5:
        return title
    if choice < 0.75:
        return f"{title} {words[int(rng.integers(len(words)))]}"
    parts = title.split(" ")
    return " ".join(parts[1:] + parts[:1]) if len(parts) > 1 else f"{words[int(rng.integers(len(words)))]} {title}"


def _stored(header: list[str], columns: list[list[str]], number: int, folder: Path | None) -> StoredTable:
    """One table as the lake stores it; its CSV file is written too where there is a folder for them."""
    import pyarrow as pa

    from tablehound.lake import Column, Provenance, TableInfo, read_column
    from tablehound.lake.codec import encode_batch, encode_info, schema
    from tablehound.lake.ingest import StoredTable

    if folder is not None:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(zip(*columns, strict=True))
        path = csv_path(folder, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(buffer.getvalue().encode())
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


def csv_path(folder: Path, number: int) -> Path:
    """Where the CSV file of a table is."""
    return folder / f"{number // TABLES_PER_FOLDER:04d}" / f"{number:07d}.csv"


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
    from tablehound.lake import catalogue
    from tablehound.lake.locks import writing
    from tablehound.lake.pool import Done
    from tablehound.lake.sources import Unit
    from tablehound.lake.work import Job, Outcome
    from tablehound.lake.writer import Writer

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
    arguments = parser(__doc__ or "")
    arguments.add_argument("lake", type=Path, help="folder of the lake")
    arguments.add_argument("--tables", type=int, default=100_000)
    arguments.add_argument("--csv", type=Path, help="write the tables as CSV files too, below this folder")
    arguments.add_argument("--seed", type=int, default=0)
    chosen = arguments.parse_args()
    fill_lake(chosen.lake, chosen.data, range(chosen.tables), csv_folder=chosen.csv, seed=chosen.seed)
    print(f"{chosen.tables:,} tables in {chosen.lake}")


if __name__ == "__main__":
    main()
