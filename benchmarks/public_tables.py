"""Public tables as delimited files, nothing given: do they come back cell for cell under their first row?

Every table of each set that has rows of one width is compared with what Python's csv makes of it, told the dialect.
Prints, per set, how many come back as one table whose header is the first row and whose rows are all others.

    python benchmarks/public_tables.py [--data DIR]
"""

from __future__ import annotations

import csv
import io
import tempfile
import zipfile
from pathlib import Path

from common import machine, parser, table
from sheets import SETS
from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.delimited.reader import read


def told(text: str, path: Path) -> list[list[str]]:
    """The rows as Python's csv reads them in the dialect of their set."""
    file = io.StringIO(text, newline="")
    if "tabfact" in path.name:
        return list(csv.reader(file, delimiter="#", quoting=csv.QUOTE_NONE))
    return list(csv.reader(file, escapechar="\\", doublequote=False) if "wtq" in path.parts else csv.reader(file))


def is_same(path: Path, rows: list[list[str]]) -> bool:
    """One table, its header the first row, its cells those of the others."""
    drafts = [
        (draft.header, [list(row.values())[:-1] for batch in draft.record_batches() for row in batch.to_pylist()])
        for draft in read(SourceFile(path, path.name))
    ]
    header = tuple((name,) if name.strip() else () for name in rows[0])
    return drafts == [(header, rows[1:])]


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    lines: list[tuple[object, ...]] = []
    for name, place in SETS.items():
        right = count = 0
        with zipfile.ZipFile(options.data / place) as archive, tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            for member in sorted(each for each in archive.namelist() if each.endswith(".csv")):
                data = archive.read(member)
                rows = told(data.decode("utf-8"), options.data / place)
                if len(rows) < 2 or len(set(map(len, rows))) > 1:
                    continue
                path.write_bytes(data)
                count += 1
                right += is_same(path, rows)
        lines.append((name, count, right, f"{right / count:.1%}"))
    print(machine())
    print(table(("set", "tables", "come back whole", "share"), lines))


if __name__ == "__main__":
    main()
