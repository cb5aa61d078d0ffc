"""Pollock's score of readers of delimited text, each left to find everything out by itself.

For each polluted file, header, records and cells that were read are compared as multisets with the clean file:
precision, recall and F1 of each, and one point for loading at all, so 10 points at most. The simple score is the mean
over files, the weighted one uses how often each pollution occurs in the wild. Records and header are compared without
regard to case, cells as they are; dates and numbers are not normalised, which no reader here needs since all read
text. Vitagliano, Hameed, Reisener, Jiang, Wu and Naumann, "Pollock: A Data Loading Benchmark", PVLDB 16 (2023).

A clean file holds the first table only, so where a reader finds several, its first one counts. CleverCSV may take
minutes for one file: a file that takes any reader longer than ``--limit`` counts as failed, and ``--sample N`` takes
N files spread evenly, for all readers alike. Both are printed with the result.
"""

from __future__ import annotations

import csv
import json
import signal
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import common

Rows = list[list[str]]
Reader = Callable[[Path], Rows]


def tablehound(path: Path) -> Rows:
    from tablehound.lake.read.contract import SourceFile
    from tablehound.lake.read.delimited.reader import read

    for draft in read(SourceFile(path, path.name)):
        rows = [[" ".join(bands) for bands in draft.header]] if any(draft.header) else []
        for batch in draft.record_batches():
            columns = [batch.column(i).to_pylist() for i in range(batch.num_columns - 1)]
            rows += [[text or "" for text in row] for row in zip(*columns, strict=True)]
        return rows
    return []


def duckdb_auto(path: Path) -> Rows:
    import duckdb

    with duckdb.connect() as connection:
        # The forgiving options of Pollock's own run of DuckDB.
        found = connection.execute(
            f"from read_csv('{path}', all_varchar=true, strict_mode=false, ignore_errors=true, null_padding=true)"
        )
        names = [column[0] for column in found.description]
        rows = [[text or "" for text in row] for row in found.fetchall()]
    generated = all(name.startswith("column") and name[6:].isdigit() for name in names)
    return rows if generated else [names, *rows]


def clevercsv(path: Path) -> Rows:
    import clevercsv as clever

    with path.open(newline="", encoding="utf-8") as file:
        text = file.read()
    dialect = clever.Sniffer().sniff(text) if text else None
    return list(clever.reader(text.splitlines(keepends=True), dialect)) if dialect else []


def pandas(path: Path) -> Rows:
    import pandas as pd

    frame = pd.read_csv(path, dtype=str, keep_default_na=False, on_bad_lines="skip")
    if isinstance(frame.index, pd.RangeIndex):
        rows = frame.to_numpy().tolist()
    else:
        rows = frame.reset_index().to_numpy().tolist()
    return [list(map(str, frame.columns)), *[[str(text) for text in row] for row in rows]]


def python_sniffer(path: Path) -> Rows:
    with path.open(newline="", encoding="utf-8") as file:
        text = file.read()
        dialect = csv.Sniffer().sniff(text) if text else csv.excel
        file.seek(0)
        return list(csv.reader(file, dialect))


READERS: dict[str, Reader] = {
    "tablehound": tablehound,
    "DuckDB auto": duckdb_auto,
    "CleverCSV": clevercsv,
    "pandas": pandas,
    "csv with Sniffer": python_sniffer,
}


def measures(wanted: Iterable[str], got: Iterable[str]) -> float:
    """Precision + recall + F1 of one multiset against another, as Pollock adds them up."""
    source, loaded = Counter(wanted), Counter(got)
    if not source:
        return 3.0
    shared = (source & loaded).total()
    if not shared:
        return 0.0
    precision, recall = shared / source.total(), shared / loaded.total()
    return precision + recall + 2 * precision * recall / (precision + recall)


def score(clean: Rows, got: Rows) -> float:
    """Pollock's 10 points for one file that was loaded."""
    if not clean:
        return 10.0
    header = measures(map(str.lower, clean[0]), map(str.lower, got[0] if got else []))
    records = measures(("".join(row).lower() for row in clean[1:]), ("".join(row).lower() for row in got[1:]))
    cells = measures((text for row in clean for text in row), (text for row in got for text in row))
    return 1.0 + header + records + cells


class OutOfTimeError(Exception):
    """A reader took longer for one file than it may."""


def _stop(_number: int, _frame: object) -> None:
    raise OutOfTimeError("longer than the limit")


def run(reader: Reader, folder: Path, limit: int, sample: int) -> tuple[dict[str, float], int, float]:
    """Scores by file, files that failed, and seconds."""
    signal.signal(signal.SIGALRM, _stop)
    scores: dict[str, float] = {}
    failed, started = 0, time.perf_counter()
    paths = sorted((folder / "csv").iterdir())
    for path in paths[:: max(1, len(paths) // sample)] if sample else paths:
        with (folder / "clean" / path.name).open(newline="", encoding="utf-8-sig") as file:
            clean = list(csv.reader(file))
        signal.alarm(limit)
        try:
            got = reader(path)
        except Exception as error:  # noqa: BLE001 - a reader that fails in any way scores nothing
            print(f"{path.name}: {type(error).__name__}: {error}", file=sys.stderr)
            scores[path.name], failed = 0.0, failed + 1
            continue
        finally:
            signal.alarm(0)
        scores[path.name] = score(clean, got)
    return scores, failed, time.perf_counter() - started


def main() -> None:
    arguments = common.parser(__doc__ or "")
    arguments.add_argument("--only", choices=sorted(READERS), help="one reader instead of all")
    arguments.add_argument("--worst", type=int, default=0, help="print this many of the worst files of each reader")
    arguments.add_argument("--limit", type=int, default=10, help="seconds that a reader may take for one file")
    arguments.add_argument("--sample", type=int, default=0, help="about this many files instead of all")
    options = arguments.parse_args()
    source = options.data / "pollock"
    weights: dict[str, float] = json.loads((source / "weights.json").read_text(encoding="utf-8"))
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(source / "polluted_files.zip") as archive:
            archive.extractall(folder)
        for name in [options.only] if options.only else READERS:
            scores, failed, seconds = run(READERS[name], Path(folder), options.limit, options.sample)
            simple = sum(scores.values()) / len(scores)
            total = sum(weights[file] for file in scores)
            weighted = sum(scores[file] * weights[file] for file in scores) / total
            lines.append((name, len(scores), f"{simple:.3f}", f"{weighted:.3f}", failed, f"{seconds:.1f}"))
            for file, points in sorted(scores.items(), key=lambda pair: pair[1])[: options.worst]:
                print(f"{name}: {points:.3f} {file}")
    print(common.machine())
    print(f"{options.sample or 'all'} files asked for; at most {options.limit} s per file, more counts as failed")
    print(common.table(("reader", "files", "simple", "weighted", "failed", "seconds"), lines))


if __name__ == "__main__":
    main()
