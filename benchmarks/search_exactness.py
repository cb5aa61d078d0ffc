"""Exact search against brute force: 300 patterns over the CSV files of a synthetic lake, judged by google-re2.

    python benchmarks/synthetic_lake.py --tables 100000 --csv CSV_FOLDER --index LAKE
    python benchmarks/search_exactness.py --csv CSV_FOLDER LAKE

The files are read with Python's csv, and each distinct text is judged by google-re2, which shares no code with the
engine or its index. Compared are the tables of each pattern, and the places of its matches in some of these tables. A
header that occurs twice in a table has the distinct name that the lake gives it.
"""

from __future__ import annotations

import csv
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common import REPOSITORY, machine, parser
from synthetic_lake import csv_path

ROWS_IN = 10
"""Tables of each pattern whose places are compared."""
BATCH = 100_000
_PROCESSES = 2


def read(path: Path) -> list[list[str]]:
    """All rows of a file, the header first."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def matches(patterns: list[str], texts: list[str]) -> NDArray[np.bool_]:
    """(patterns, texts): which text each pattern occurs in."""
    import re2

    options = re2.Options()
    options.max_mem = 1 << 30
    judge = re2.Set.SearchSet(options)
    for pattern in patterns:
        judge.Add(pattern)
    judge.Compile()
    found = np.zeros((len(patterns), len(texts)), bool)
    for place, text in enumerate(texts):
        found[judge.Match(text), place] = True
    return found


def batches(texts: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), BATCH):
        yield texts[start : start + BATCH]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("lake", type=Path)
    options.add_argument("--csv", type=Path, required=True)
    options.add_argument("--tables", type=int, help="compare these first tables only; default all")
    chosen = options.parse_args()
    sys.path.insert(0, str(REPOSITORY))
    from tests.search.exact_patterns import exact_patterns, judged_by_re2

    from tablehound.lake import Lake
    from tablehound.retrieval import IndexEngine, Pattern, open_engine

    started = time.perf_counter()
    lake = Lake.open(chosen.lake)
    names = {lake.info(table_id).provenance.source: table_id for table_id in lake.table_ids()}
    numbers = sorted(int(name.removesuffix(".csv")) for name in names)[: chosen.tables]
    ids = [names[f"{number:07d}.csv"] for number in numbers]
    known: dict[str, int] = {}
    of_table: list[NDArray[np.uint32]] = []
    cells = 0
    words = []
    for number in numbers:
        rows = read(csv_path(chosen.csv, number))
        rows[0] = list(lake.info(names[f"{number:07d}.csv"]).header)
        cells += len(rows) * len(rows[0])
        texts = {text for row in rows for text in row}
        of_table.append(np.fromiter((known.setdefault(text, len(known)) for text in texts), np.uint32, len(texts)))
        if number % 100 == 0:
            words.extend(rows[len(rows) // 2])
    print(f"{len(numbers):,} tables, {cells:,} cells, {len(known):,} distinct, {time.perf_counter() - started:,.0f} s")
    patterns = exact_patterns(words)
    judged = [judged_by_re2(text) for text in patterns]
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        parts = pool.map(matches, [judged] * (1 + len(known) // BATCH), batches(list(known)))
        found = np.concatenate(list(parts), axis=1)
    print(f"judged by google-re2 after {time.perf_counter() - started:,.0f} s")
    values = np.concatenate(of_table)
    starts = np.cumsum([0, *(len(part) for part in of_table[:-1])])
    engine = open_engine(lake)
    assert isinstance(engine, IndexEngine)
    rng = random.Random(0)
    compared, wrong = 0, []
    inside = frozenset(ids)
    for number, text in enumerate(patterns):
        expected = {ids[i] for i in np.flatnonzero(np.logical_or.reduceat(found[number][values], starts)).tolist()}
        pattern = Pattern(text)
        got = engine.tables([pattern])[0] & inside
        sample = rng.sample(sorted(expected), min(ROWS_IN, len(expected)))
        places = {(m.table_id, m.row, m.column) for m in engine.cells([pattern], table_ids=sample)}
        true_places = set()
        for table_id in sample:
            info = lake.info(table_id)
            rows = read(csv_path(chosen.csv, int(info.provenance.source.removesuffix(".csv"))))
            rows[0] = list(info.header)
            true_places |= {
                (table_id, row - 1 if row else None, column)
                for row, texts_of in enumerate(rows)
                for column, cell in enumerate(texts_of)
                if found[number][known[cell]]
            }
        compared += len(true_places)
        if got != expected or places != true_places:
            wrong.append(text)
            print(f"differs: {text!r}: {len(got ^ expected)} tables, {len(places ^ true_places)} places")
    print(machine())
    print(
        f"{len(patterns) - len(wrong)} of {len(patterns)} patterns equal brute force; {compared:,} places compared; "
        f"{time.perf_counter() - started:,.0f} s"
    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
