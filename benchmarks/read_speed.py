"""Speed of reading delimited text, as ratios within one run.

Small files: every file of a zip of tables (delimiter ``#``), unpacked; ours finds everything out, Python's ``csv`` is
told the dialect. Large files: a clean CSV against polars (all columns as text), and a dirty one for its peak memory.
Each large file is read in a process of its own, so that the peak is that of one reader.
"""

from __future__ import annotations

import csv
import multiprocessing
import random
import resource
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import common

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
    """Rows kept by our reader."""
    from tablehound.lake.read.delimited import read
    from tablehound.lake.read.draft import SourceFile

    return sum(sum(batch.num_rows for batch in draft.batches) for draft in read(SourceFile(path, path.name)))


def python_csv(path: Path) -> int:
    """Rows of Python's csv, told the delimiter."""
    with path.open(newline="", encoding="utf-8") as file:
        return len(list(csv.reader(file, delimiter="#"))) - 1


def python_csv_to_arrow(path: Path) -> int:
    """The same, with the rows made into the columns that a reader has to hand over."""
    from tablehound.lake.read.assemble import column_batch

    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="#"))
    count: int = column_batch(list(zip(*rows[1:], strict=True)), range(1, len(rows))).num_rows
    return count


def polars(path: Path) -> int:
    import polars as pl

    return pl.read_csv(path, infer_schema=False).height


def small(archive: Path) -> list[tuple[object, ...]]:
    """CPU seconds and ratios over many small files; the best of three rounds, taken in turns."""
    readers: dict[str, Callable[[Path], int]] = {
        "Python csv, told the dialect": python_csv,
        "Python csv, told the dialect, to Arrow": python_csv_to_arrow,
        "tablehound": ours,
    }
    best = dict.fromkeys(readers, float("inf"))
    rows = dict.fromkeys(readers, 0)
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
        paths = sorted(path for path in Path(folder).rglob("*.csv"))
        for _ in range(3):
            for name, reader in readers.items():
                started = time.process_time()
                rows[name] = sum(map(reader, paths))
                best[name] = min(best[name], time.process_time() - started)
    base = best["Python csv, told the dialect"]
    return [
        (name, len(paths), rows[name], f"{seconds:.2f}", f"{len(paths) / seconds:,.0f}", f"{seconds / base:.2f}")
        for name, seconds in best.items()
    ]


def write(path: Path, megabytes: int, *, dirty: bool) -> None:
    """A CSV of eight columns; a dirty one has six broken records in a thousand, of five kinds."""
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
    started = time.perf_counter()
    rows = reader(path)
    seconds = time.perf_counter() - started
    answers.put((rows, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def alone(reader: Callable[[Path], int], path: Path) -> tuple[int, float, float]:
    """Rows, seconds and peak memory in MiB of one reading in a process of its own."""
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[tuple[int, float, float]] = context.Queue()
    process = context.Process(target=_measure, args=(reader, path, answers))
    process.start()
    answer = answers.get()
    process.join()
    return answer


def large(megabytes: int) -> list[tuple[object, ...]]:
    """Rates and peaks over a clean and a dirty file."""
    lines: list[tuple[object, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        for kind, readers in (
            ("clean", (("polars", polars), ("tablehound", ours))),
            ("dirty", (("tablehound", ours),)),
        ):
            write(path, megabytes, dirty=kind == "dirty")
            size, base = path.stat().st_size / 2**20, 0.0
            for name, reader in readers:
                rows, seconds, peak = min(
                    (alone(reader, path) for _ in range(2 if kind == "clean" else 1)), key=_seconds
                )
                base = base or seconds
                ratio = f"{base / seconds:.2f}" if kind == "clean" else "-"
                lines.append(
                    (name, kind, f"{size:.0f}", rows, f"{seconds:.2f}", f"{size / seconds:.0f}", ratio, f"{peak:.0f}")
                )
    return lines


def _seconds(answer: tuple[int, float, float]) -> float:
    return answer[1]


def main() -> None:
    arguments = common.parser(__doc__ or "")
    arguments.add_argument("--megabytes", type=int, default=500, help="size of the large files")
    arguments.add_argument("--only", choices=("small", "large"))
    options = arguments.parse_args()
    print(common.machine())
    if options.only != "large":
        lines = small(options.data / "distractors" / "tabfact_train_tables.zip")
        print(common.table(("small files", "files", "rows", "CPU seconds", "files per CPU second", "times csv"), lines))
    if options.only != "small":
        header = ("large file", "kind", "MiB", "rows", "seconds", "MiB/s", "of polars' rate", "peak MiB")
        print(common.table(header, large(options.megabytes)))


if __name__ == "__main__":
    main()
