"""Speed of reading delimited text, as ratios within one run.

Small files: every file of a zip of tables (delimiter ``#``), unpacked; ours finds everything out and hands over lists
of texts by column with an account, Python's ``csv`` is told delimiter and encoding and makes lists of texts by row;
beside both the same with the lists made into Arrow columns, which is how a lake stores them. Large files, all ours to
Arrow columns: a clean CSV against polars (all columns as text), and a dirty one for its peak memory. Each large file is
read in a process of its own, so that the peak is that of one reader.

All seconds are CPU seconds of the process with its threads, which other load on the machine changes least. Readers take
turns, the median of the turns counts.
"""

from __future__ import annotations

import csv
import multiprocessing
import random
import resource
import statistics
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import common
from tablehound.lake.read.batches import TextBatch
from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.delimited.reader import read

WORDS = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "xi",
    "pi",
)
BATCH = 100_000


def ours(path: Path) -> int:
    """Rows kept by our reader, which hands over what it has: lists, or for large clean files Arrow's columns."""
    return sum(sum(batch.num_rows for batch in draft.batches) for draft in read(SourceFile(path, path.name)))


def ours_to_arrow(path: Path) -> int:
    """The same with all rows as Arrow's columns."""
    drafts = read(SourceFile(path, path.name))
    return sum(sum(batch.num_rows for batch in draft.record_batches()) for draft in drafts)


def python_csv(path: Path) -> int:
    """Rows of Python's csv, told the delimiter."""
    with path.open(newline="", encoding="utf-8") as file:
        return len(list(csv.reader(file, delimiter="#"))) - 1


def python_csv_to_arrow(path: Path) -> int:
    """The same, with the rows made into Arrow's columns."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="#"))
    count: int = TextBatch(list(zip(*rows[1:], strict=True)), range(1, len(rows))).to_arrow().num_rows
    return count


def polars(path: Path) -> int:
    import polars as pl

    return pl.read_csv(path, infer_schema=False).height


def small(archive: Path, turns: int) -> list[tuple[object, ...]]:
    """CPU seconds and ratios over many small files."""
    readers: dict[str, Callable[[Path], int]] = {
        "Python csv, told the dialect, to lists": python_csv,
        "Python csv, told the dialect, to Arrow columns": python_csv_to_arrow,
        "tablehound, told nothing, to lists": ours,
        "tablehound, told nothing, to Arrow columns": ours_to_arrow,
    }
    seconds: dict[str, list[float]] = {name: [] for name in readers}
    rows = dict.fromkeys(readers, 0)
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
        paths = sorted(path for path in Path(folder).rglob("*.csv"))
        for reader in readers.values():
            # Imports and first use are not what is measured.
            sum(map(reader, paths[:200]))
        for _ in range(turns):
            for name, reader in readers.items():
                started = time.process_time()
                rows[name] = sum(map(reader, paths))
                seconds[name].append(time.process_time() - started)
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    least = {name: min(each) for name, each in seconds.items()}
    base, to_arrow = list(medians.values())[:2]
    first = next(iter(least.values()))
    return [
        (
            name,
            len(paths),
            rows[name],
            turns,
            f"{median:.2f}",
            f"{len(paths) / median:,.0f}",
            f"{median / base:.2f}",
            f"{least[name] / first:.2f}",
            f"{median / to_arrow:.2f}",
        )
        for name, median in medians.items()
    ]


def write(path: Path, megabytes: int, *, dirty: bool) -> None:
    """A CSV of eight columns; a dirty one has five broken records in a thousand, of five kinds."""
    chance = random.Random(0)

    def record(i: int) -> str:
        name = " ".join(chance.choices(WORDS, k=3))
        number, share, word = chance.randint(0, 99_999), chance.random() * 1000, chance.choice(WORDS)
        day = f"20{chance.randint(10, 25)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"
        line = (
            f"{i},{name},{number},{share:.3f},{day},{word},yes,{chance.randint(1000, 9999)}-B{chance.randint(10, 99)}"
        )
        kind = i % 997 if dirty else -1
        if kind == 5:
            return line + ",extra"
        if kind == 17:
            return line.rsplit(",", 1)[0]
        if kind == 100:
            return line.replace(",", ',"', 1)
        if kind == 200:
            return ""
        return line.replace(",", ";") if kind == 300 else line

    block = "".join(record(i) + "\n" for i in range(BATCH)).encode()
    with path.open("wb") as file:
        file.write(b"id,name,number,share,day,word,flag,code\n")
        while file.tell() < megabytes << 20:
            file.write(block)


def _measure(
    reader: Callable[[Path], int], path: Path, answers: multiprocessing.Queue[tuple[int, float, float]]
) -> None:
    rows = reader(path)
    answers.put((rows, time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def alone(reader: Callable[[Path], int], path: Path) -> tuple[int, float, float]:
    """Rows, CPU seconds (start and imports counted) and peak memory in MiB of one reading in a process of its own."""
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[tuple[int, float, float]] = context.Queue()
    process = context.Process(target=_measure, args=(reader, path, answers))
    process.start()
    answer = answers.get()
    process.join()
    return answer


def large(megabytes: int, turns: int, dirty_turns: int) -> list[tuple[object, ...]]:
    """Rates and peaks over a clean and a dirty file."""
    lines: list[tuple[object, ...]] = []
    clean = {"polars": polars, "tablehound": ours_to_arrow}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        for kind, readers, count in (("clean", clean, turns), ("dirty", {"tablehound": ours_to_arrow}, dirty_turns)):
            write(path, megabytes, dirty=kind == "dirty")
            size, base = path.stat().st_size / 2**20, 0.0
            taken = [{name: alone(reader, path) for name, reader in readers.items()} for _ in range(count)]
            for name in readers:
                seconds = statistics.median(turn[name][1] for turn in taken)
                peak = max(turn[name][2] for turn in taken)
                base = base or seconds
                ratio = f"{base / seconds:.2f}" if kind == "clean" else "-"
                rows = taken[0][name][0]
                lines.append(
                    (
                        name,
                        kind,
                        f"{size:.0f}",
                        rows,
                        count,
                        f"{seconds:.2f}",
                        f"{size / seconds:.0f}",
                        ratio,
                        f"{peak:.0f}",
                    )
                )
    return lines


def main() -> None:
    arguments = common.parser(__doc__ or "")
    arguments.add_argument("--megabytes", type=int, default=500, help="size of the large files")
    arguments.add_argument("--turns", type=int, default=5, help="turns over the small and the clean large files")
    arguments.add_argument("--dirty-turns", type=int, default=1, help="turns over the dirty large file")
    arguments.add_argument("--only", choices=("small", "large"))
    options = arguments.parse_args()
    print(common.machine())
    if options.only != "large":
        lines = small(options.data / "distractors" / "tabfact_train_tables.zip", options.turns)
        header = ("small files", "files", "rows", "turns", "CPU seconds", "files per CPU second")
        print(common.table((*header, "times csv", "times csv, best turns", "times csv to Arrow"), lines), flush=True)
    if options.only != "small":
        names = ("large file", "kind", "MiB", "rows", "turns", "CPU seconds", "MiB per CPU second")
        rows = large(options.megabytes, options.turns, options.dirty_turns)
        print(common.table((*names, "of polars' rate", "peak MiB"), rows))


if __name__ == "__main__":
    main()
