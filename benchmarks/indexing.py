"""Speed of indexing, beside Python's ``csv`` over the same files in the same run.

13,182 small files of TabFact (``#`` as the delimiter), unpacked into a temporary folder. Python's ``csv`` is told the
dialect and does nothing but split lines; the lake detects everything, derives the value of every cell and stores it.
Figures are processor time, of all processes, and its ratio to that of Python's ``csv``: a shared machine disturbs them
less than it does the clock.

Run: ``python benchmarks/indexing.py [--data DIR] [--workers N] [--files N]``
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import statistics
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from tablehound.lake import Lake, SourceFile, index_sources
from tablehound.lake.read.delimited.reader import read
from tablehound.retrieval import segment_builders
from tablehound.settings import Settings

_REPOSITORY = Path(__file__).resolve().parent.parent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("TABLEHOUND_DATA", str(_REPOSITORY.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of the public data sets")
    parser.add_argument("--workers", type=int, default=0, help="processes that read; 0 for one per core")
    parser.add_argument("--files", type=int, default=0, help="only so many files; 0 for all")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the median is printed")
    options = parser.parse_args()
    archive = options.data / "distractors" / "tabfact_train_tables.zip"
    if not archive.is_file():
        parser.error(f"{archive} is absent: give the folder of the public data sets with --data")
    with tempfile.TemporaryDirectory() as name:
        measure(archive, Path(name), options.workers, options.files, options.rounds)


def measure(archive: Path, scratch: Path, workers: int, n_files: int, rounds: int) -> None:
    """All measurements, each as the median of some rounds that take turns."""
    folder = scratch / "files"
    with zipfile.ZipFile(archive) as packed:
        names = sorted(info.filename for info in packed.infolist() if not info.is_dir())
        packed.extractall(folder, names[: n_files or None])
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    settings = Settings(workers=workers)
    lake = scratch / "lake"

    def index() -> None:
        shutil.rmtree(lake, ignore_errors=True)
        report = index_sources([str(folder)], lake, settings)
        assert report.ok, report.problems

    def index_searchable() -> None:
        shutil.rmtree(scratch / "searchable", ignore_errors=True)
        report = index_sources([str(folder)], scratch / "searchable", settings, builders=segment_builders(settings))
        assert report.ok, report.problems

    def again() -> None:
        assert index_sources([str(folder)], lake, settings).read == 0

    def one_changed() -> None:
        path = paths[len(paths) // 2]
        path.write_bytes(path.read_bytes() + b"\n")
        assert index_sources([str(folder)], lake, settings).read == 1

    def from_zip() -> None:
        shutil.rmtree(scratch / "zipped", ignore_errors=True)
        index_sources([str(archive)], scratch / "zipped", settings)

    tasks: dict[str, Callable[[], None]] = {
        "Python csv, told the dialect": lambda: split(paths),
        "delimited reader alone, one process": lambda: read_all(paths),
        "index, without search indexes": index,
        "index, with search indexes": index_searchable,
        "index again, nothing changed": again,
        "index again, one file changed": one_changed,
    }
    if not n_files:
        tasks["index the zip archive itself"] = from_zip
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    clock: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            started, used = time.perf_counter(), processor_seconds()
            task()
            seconds[name].append(processor_seconds() - used)
            clock[name].append(time.perf_counter() - started)
    base = statistics.median(seconds["Python csv, told the dialect"])
    print(f"{len(paths)} files, {sum(path.stat().st_size for path in paths) / 1e6:.1f} MB, median of {rounds} rounds")
    print(f"{'':38} {'CPU s':>8} {'µs/file':>9} {'ratio':>7} {'clock s':>8}")
    for name, values in seconds.items():
        median = statistics.median(values)
        each = 1e6 * median / len(paths)
        print(f"{name:38} {median:8.2f} {each:9.0f} {median / base:7.1f} {statistics.median(clock[name]):8.2f}")
    print(f"lake: {sum(p.stat().st_size for p in lake.rglob('*') if p.is_file()) / 1e6:.1f} MB")
    read_back(lake)


def processor_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def split(paths: list[Path]) -> None:
    """Split every file with Python's csv module."""
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            list(csv.reader(file, delimiter="#"))


def read_all(paths: list[Path]) -> None:
    """Read every file with the delimited reader, and store nothing."""
    for path in paths:
        for draft in read(SourceFile(path, path.name, format="csv")):
            for _ in draft.record_batches():
                continue


def read_back(path: Path) -> None:
    """Time to open the lake, to describe all tables, and to fetch single ones."""
    started = time.perf_counter()
    with Lake.open(path) as lake:
        ids = lake.table_ids()
        opened = time.perf_counter()
        for _ in lake.infos():
            continue
        described = time.perf_counter()
        picked = ids[:: max(1, len(ids) // 1000)]
        for table_id in picked:
            lake.table(table_id)
        fetched = time.perf_counter()
    print(
        f"open and list {1e3 * (opened - started):.0f} ms; describe all {described - opened:.2f} s; "
        f"fetch a table {1e3 * (fetched - described) / len(picked):.2f} ms"
    )


if __name__ == "__main__":
    main()
