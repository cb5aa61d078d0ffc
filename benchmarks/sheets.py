"""Public tables with one header row, laid out as sheets: are they read as one table with that header?

Prints, per set, the share of tables that are one region whose header is the first row, and how many header rows and
regions the others have. Then pairs of the same tables on one sheet, drawn with a seed: side by side with a blank column
between them, with and without titles, and one below the other, with a blank row or with a title right between them; the
share that is read as two tables with one header row each. Tables that are alike in all columns cannot be told apart.

    python benchmarks/sheets.py [--data DIR] [--tables N] [--pairs N]
"""

from __future__ import annotations

import csv
import io
import random
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from common import parser
from tablehound.lake.read.layout.grid import grid_of_rows
from tablehound.lake.read.layout.regions import find_regions

Rows = list[list[str | None]]
SETS = {
    "WikiTableQuestions": "wtq/tables.zip",
    "TabFact": "distractors/tabfact_train_tables.zip",
    "OTT-QA": "distractors/ottqa_tables.zip",
}
LAYOUTS = ("side by side", "side by side, titled", "blank row between", "title between")


def tables(path: Path, most: int) -> Iterator[Rows]:
    """The tables of a set with at least one row below the header, in an order drawn with a seed."""
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".csv"))
        random.Random(1).shuffle(names)
        for name in names[:most]:
            text = io.StringIO(archive.read(name).decode("utf-8", "replace"))
            if "tabfact" in path.name:
                read = csv.reader(text, delimiter="#", quoting=csv.QUOTE_NONE)
            elif "wtq" in path.parts:
                read = csv.reader(text, escapechar="\\", doublequote=False)
            else:
                read = csv.reader(text)
            rows = [[cell or None for cell in row] for row in read]
            if len(rows) > 1:
                yield rows


def _titled(rows: Rows, title: str) -> Rows:
    blank: list[str | None] = [None] * (len(rows[0]) - 1)
    return [[title, *blank], *rows]


def _row(rows: Rows, index: int) -> list[str | None]:
    return rows[index] if index < len(rows) else [None] * len(rows[0])


def laid_out(first: Rows, second: Rows, layout: str) -> Rows:
    """Two tables on one sheet."""
    if layout.startswith("side"):
        sides = [first, second]
        if layout.endswith("titled"):
            sides = [_titled(first, "The first table"), _titled(second, "The second table")]
        left, right = sides
        height = max(len(left), len(right))
        return [[*_row(left, i), None, *_row(right, i)] for i in range(height)]
    return [*first, [None] if layout.startswith("blank") else ["The second table"], *second]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--tables", type=int, default=3_000, help="tables of each set")
    options.add_argument("--pairs", type=int, default=400, help="pairs of each layout")
    chosen = options.parse_args()
    alone: list[Rows] = []
    for name, place in SETS.items():
        depths: Counter[int] = Counter()
        counts: Counter[int] = Counter()
        right = 0
        for rows in tables(chosen.data / place, chosen.tables):
            found = find_regions(grid_of_rows(rows))
            as_one = len(found) == 1 and found[0].depth == 1 and found[0].box.top == 0
            right += as_one
            counts[len(found)] += 1
            depths[found[0].depth if found else -1] += 1
            if as_one and len(rows) <= 30 and all(len(row) == len(rows[0]) for row in rows):
                alone.append(rows)
        total = sum(counts.values())
        print(f"{name:20} tables {total:6}  right {right / total:.4f}  headers {dict(depths)}  regions {dict(counts)}")
    rng = random.Random(7)
    for layout in LAYOUTS:
        good = 0
        for _ in range(chosen.pairs):
            first, second = rng.sample(alone, 2)
            found = find_regions(grid_of_rows(laid_out(first, second, layout)))
            good += len(found) == 2 and all(region.depth == 1 for region in found)
        print(f"{layout:20} pairs {chosen.pairs:7}  right {good / chosen.pairs:.4f}")


if __name__ == "__main__":
    main()
