"""The ``scale`` builder: a lake of any size that looks like the tables it is made from.

Rows are resampled, columns renamed, values changed: each synthetic table takes the columns of a real one; its cells are
drawn from all real columns of the same header, unevenly, so that some values are common and most are rare; a share of
the cells is changed (other digits, or the halves of two values put together), so that the number of distinct values
grows with the lake as it does in real ones. The same seed gives the same tables, on any number of processes.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from tablehound.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tablehound.lake import Lake

TABLES_PER_FOLDER = 1_000
CHANGED = 0.085
"""Share of cells whose value is changed."""
MAX_ROWS = 6_000
BATCH = 250
"""Tables made by a process at a time."""


@dataclass(frozen=True, slots=True)
class Pools:
    """Headers of the real tables, and the values of all columns of a name."""

    headers: list[tuple[str, ...]]
    values: dict[str, NDArray[np.object_]]
    """Lower-cased name → (N,) texts."""
    words: list[str]
    """Words of the names, for new names."""


@dataclass(frozen=True, slots=True)
class ScaleOptions:
    """How many tables, and how long they are."""

    tables: int = 10_000
    seed: int = 0
    mean_rows: int = 270
    workers: int = 1


def pools_of(tables: Iterator[tuple[Sequence[str], Sequence[Sequence[str | None]]]]) -> Pools:
    """Pools of (header, columns) of real tables; those with fewer than two rows or columns are left out."""
    import numpy as np

    headers: list[tuple[str, ...]] = []
    values: dict[str, list[str]] = defaultdict(list)
    for names, columns in tables:
        if len(names) < 2 or not columns or len(columns[0]) < 2:
            continue
        header = tuple(" ".join(name.split()) or "column" for name in names)
        headers.append(header)
        for title, column in zip(header, columns, strict=True):
            values[title.lower()].extend(text or "" for text in column)
    words = sorted({word for title in values for word in title.split() if word.isalpha() and len(word) > 2})
    return Pools(headers, {title: np.array(texts, dtype=object) for title, texts in sorted(values.items())}, words)


def lake_pools(lake: Lake) -> Pools:
    """Pools of all tables of a lake.

    Raises:
        UsageError: no table has two rows and two columns.
    """

    def tables() -> Iterator[tuple[Sequence[str], Sequence[Sequence[str | None]]]]:
        for table_id in lake.table_ids():
            table = lake.table(table_id)
            yield table.header, [table.column(place) for place in range(len(table.header))]

    pools = pools_of(tables())
    if not pools.headers:
        raise UsageError("no table has two rows and two columns", remedy="give more tables to build from")
    return pools


def make_table(pools: Pools, number: int, seed: int, mean_rows: int = 270) -> tuple[list[str], list[list[str]]]:
    """Header and columns of one synthetic table."""
    import numpy as np

    rng = np.random.default_rng((seed, number))
    base = pools.headers[int(rng.integers(len(pools.headers)))]
    n_rows = int(np.clip(rng.lognormal(np.log(mean_rows) - 0.5, 1.0), 4, MAX_ROWS))
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
    if choice < 0.5 or not words:
        return title
    if choice < 0.75:
        return f"{title} {words[int(rng.integers(len(words)))]}"
    parts = title.split(" ")
    return " ".join(parts[1:] + parts[:1]) if len(parts) > 1 else f"{words[int(rng.integers(len(words)))]} {title}"


def csv_path(folder: Path, number: int) -> Path:
    """Where the CSV file of a table is."""
    return folder / f"{number // TABLES_PER_FOLDER:04d}" / f"{number:07d}.csv"


def write_csv(folder: Path, number: int, header: Sequence[str], columns: Sequence[Sequence[str]]) -> None:
    """Write one synthetic table below the folder."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    path = csv_path(folder, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(buffer.getvalue().encode("utf-8", "surrogatepass"))


def build_scale(lake_path: Path, out: Path, options: ScaleOptions) -> dict[str, int]:
    """Write ``options.tables`` synthetic CSV tables below ``out``, in folders of a thousand.

    Args:
        lake_path: a lake of the real tables.
        out: made if need be; tables that are there already are written anew.
        options: number, seed and mean length.

    Returns:
        Tables, rows and cells written.

    Raises:
        UsageError: the lake has no table to build from.
    """
    out.mkdir(parents=True, exist_ok=True)
    parts = [range(i, min(i + BATCH, options.tables)) for i in range(0, options.tables, BATCH)]
    total = {"tables": options.tables, "rows": 0, "cells": 0}
    if options.workers <= 1:
        _start(lake_path)
        try:
            counts = [_make(part, out, options) for part in parts]
        finally:
            _pools.clear()
    else:
        with ProcessPoolExecutor(options.workers, get_context("spawn"), _start, (lake_path,)) as pool:
            counts = list(pool.map(_make, parts, [out] * len(parts), [options] * len(parts)))
    for rows, cells in counts:
        total["rows"] += rows
        total["cells"] += cells
    return total


_pools: list[Pools] = []
"""The pools of a pool's process; a process pool has no other place for them."""


def _start(lake_path: Path) -> None:
    from tablehound.lake import Lake

    with Lake.open(lake_path) as lake:
        _pools.append(lake_pools(lake))


def _make(numbers: range, out: Path, options: ScaleOptions) -> tuple[int, int]:
    rows = cells = 0
    for number in numbers:
        header, columns = make_table(_pools[0], number, options.seed, options.mean_rows)
        write_csv(out, number, header, columns)
        rows += len(columns[0])
        cells += len(columns[0]) * len(columns)
    return rows, cells
