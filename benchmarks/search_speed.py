"""Exact search on a synthetic lake: speed, memory, size, and how they grow; ripgrep over the same tables beside it.

python benchmarks/search_speed.py --work FOLDER --tables 10000 30000 100000
"""

from __future__ import annotations

import itertools
import json
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common import data_folder, machine, parser, table
from search_patterns import claim_patterns, claims, questions
from synthetic_lake import csv_path, fill_lake

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.retrieval import IndexEngine

SINGLE = 200
QUESTIONS = 30
RIPGREP = 15
SHARE_ADDED = 0.01


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def peak_memory() -> float:
    """The most memory (MiB) that this process has held, mapped files included."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def search(lake_path: Path, data: Path) -> dict[str, Any]:
    """Measure searching in a process of its own, started for it."""
    command = [sys.executable, __file__, "--search", str(lake_path), "--data", str(data)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def fresh_engine(lake: Lake) -> IndexEngine:
    """An engine that has searched, but remembers nothing of the patterns that are measured."""
    from tablehound.retrieval import IndexEngine, Pattern, open_engine

    engine = open_engine(lake)
    assert isinstance(engine, IndexEngine)
    engine.tables([Pattern("warm up")])
    return engine


def measure(lake_path: Path, data: Path) -> dict[str, Any]:
    """Times (milliseconds) and memory of one searching process."""
    from tablehound.lake import Lake

    started = time.perf_counter()
    lake = Lake.open(lake_path)
    engine = fresh_engine(lake)
    opened = time.perf_counter() - started
    patterns = claim_patterns(data, SINGLE)
    for pattern in patterns:
        engine.tables([pattern])
    engine = fresh_engine(lake)
    slowest: list[tuple[float, str]] = []
    times = []
    for pattern in dict.fromkeys(patterns):
        started = time.perf_counter()
        engine.tables([pattern])
        times.append(1e3 * (time.perf_counter() - started))
        slowest.append((times[-1], pattern.text))
    asked, rows = [], []
    for question in questions(data, QUESTIONS):
        engine = fresh_engine(lake)
        started = time.perf_counter()
        found = engine.tables(question)
        asked.append(1e3 * (time.perf_counter() - started))
        shares: dict[str, int] = {}
        for ids in found:
            for table_id in ids:
                shares[table_id] = shares.get(table_id, 0) + 1
        top = sorted(shares, key=lambda table_id: (-shares[table_id], table_id))[:50]
        started = time.perf_counter()
        engine.rows_of(top, question, per_pattern=1, limit=5)
        rows.append(1e3 * (time.perf_counter() - started))
    columns = random.Random(0).sample(lake.table_ids(), 50)
    joins = []
    for table_id in columns:
        started = time.perf_counter()
        engine.overlaps(table_id, 0, 30)
        joins.append(1e3 * (time.perf_counter() - started))
    likes = []
    for text in ("Nw York", "united stats", "manchestr", "Kobe Briant", "pensylvania"):
        started = time.perf_counter()
        engine.values_like(text, 10)
        likes.append(1e3 * (time.perf_counter() - started))
    slowest.sort(reverse=True)
    return {
        "open": 1e3 * opened,
        "median": statistics.median(times),
        "p95": percentile(times, 0.95),
        "max": slowest[0][0],
        "slowest": slowest[:5],
        "question": statistics.median(asked),
        "question_p95": percentile(asked, 0.95),
        "rows": statistics.median(rows),
        "rows_p95": percentile(rows, 0.95),
        "overlap": statistics.median(joins),
        "like": statistics.median(likes),
        "memory": peak_memory(),
        "values": sum(segment.n_values for segment in engine.segments),
        "segments": len(engine.segments),
        "columns": sum(segment.n_columns for segment in engine.segments),
    }


def ripgrep(program: str, folder: Path, data: Path) -> list[float]:
    """Milliseconds of ripgrep listing the files that match, for some of the same patterns."""
    times = []
    for pattern in claim_patterns(data, SINGLE)[:: SINGLE // RIPGREP]:
        command = [program, "-l", "-i", "--no-ignore", "-e", pattern.text, str(folder)]
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)
        times.append(1e3 * (time.perf_counter() - started))
    return times


def watch(lake_path: Path) -> dict[str, float]:
    """Query until the input ends: with an engine that stays open, and as a reader who opens the lake anew each time.
    Returns the longest of each, in milliseconds."""
    from tablehound.lake import Lake
    from tablehound.retrieval import IndexEngine, Pattern, open_engine

    longest = {"waited": 0.0, "reopened": 0.0}
    ended = threading.Event()

    def wait_for_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    with Lake.open(lake_path) as stays:
        engine = open_engine(stays)
        assert isinstance(engine, IndexEngine)
        engine.tables([Pattern("chicago")])
        print("ready", flush=True)
        for number in itertools.count():
            if ended.is_set():
                break
            started = time.perf_counter()
            engine.tables([Pattern(f"chicago|{number}")])
            longest["waited"] = max(longest["waited"], 1e3 * (time.perf_counter() - started))
            started = time.perf_counter()
            with Lake.open(lake_path) as lake:
                open_engine(lake).tables([Pattern("chicago")])
            longest["reopened"] = max(longest["reopened"], 1e3 * (time.perf_counter() - started))
            time.sleep(0.05)
    return longest


def add_tables(lake: Path, data: Path, numbers: range) -> tuple[float, dict[str, float]]:
    """Seconds that indexing more tables takes, and what a reader in another process sees meanwhile."""
    from tablehound.retrieval import ValueIndexBuilder

    command = [sys.executable, __file__, "--watch", str(lake), "--data", str(data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin is not None and reader.stdout is not None
        reader.stdout.readline()
        with_reader = fill_lake(lake, data, numbers, builders=[ValueIndexBuilder()])
        reader.stdin.close()
        longest: dict[str, float] = json.loads(reader.stdout.read())
    return with_reader, longest


def size_of(lake: Path, kind: str) -> int:
    """Bytes of the index segments of a kind."""
    return sum(path.stat().st_size for path in (lake / "segments").glob(f"{kind}-*/**/*") if path.is_file())


def term_index(lake: Path, data: Path) -> dict[str, float]:
    """The index that ranking needs: seconds, bytes, and the times of ``find`` for claims."""
    from tablehound.lake import Lake
    from tablehound.retrieval import find, open_engine
    from tablehound.retrieval.terms.segments import TermIndexBuilder

    seconds = fill_lake(lake, data, range(0), builders=[TermIndexBuilder()])
    times = []
    with Lake.open(lake) as opened:
        engine = open_engine(opened)
        asked = claims(data)[:QUESTIONS]
        find(opened, asked[0], engine=engine)
        for claim in asked:
            started = time.perf_counter()
            find(opened, claim, engine=engine)
            times.append(1e3 * (time.perf_counter() - started))
    return {"terms_build": seconds, "find": statistics.median(times), "find_p95": percentile(times, 0.95)}


def one_size(n_tables: int, work: Path, data: Path, rg: str | None, csv_folder: Path, *, keep: bool) -> dict[str, Any]:
    """All figures of a lake of so many tables."""
    from tablehound.retrieval import ValueIndexBuilder

    lake = work / f"lake-{n_tables}"
    shutil.rmtree(lake, ignore_errors=True)
    missing = csv_folder if not csv_path(csv_folder, n_tables - 1).exists() else None
    built = fill_lake(lake, data, range(n_tables), csv_folder=missing, builders=[ValueIndexBuilder()])
    built_memory = peak_memory()
    text = sum(csv_path(csv_folder, number).stat().st_size for number in range(n_tables))
    figures = {
        "tables": n_tables,
        "text": text / 1e6,
        "index": size_of(lake, "values") / text,
        "build": built,
        "build_memory": built_memory,
    }
    figures |= search(lake, data)
    if rg:
        times = ripgrep(rg, csv_folder, data)
        figures |= {"ripgrep": statistics.median(times), "times": statistics.median(times) / figures["median"]}
    added = max(1, int(n_tables * SHARE_ADDED))
    # Once alone, for the cost; once with a reader beside it.
    more = fill_lake(lake, data, range(n_tables, n_tables + added), builders=[ValueIndexBuilder()])
    _, longest = add_tables(lake, data, range(n_tables + added, n_tables + 2 * added))
    figures |= {"added": more / built} | longest
    figures |= term_index(lake, data)
    figures["terms"] = size_of(lake, "terms") / text
    if not keep:
        shutil.rmtree(lake)
        shutil.rmtree(csv_folder)
    return figures


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--work", type=Path, help="folder for lakes and CSV files; lakes are deleted at the end")
    options.add_argument("--tables", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    options.add_argument("--rg", default=shutil.which("rg"), help="the ripgrep program, to compare with")
    options.add_argument("--search", type=Path, help="measure this lake only, and print JSON")
    options.add_argument("--watch", type=Path, help="query this lake until the input ends, and print JSON")
    options.add_argument("--keep", action="store_true", help="keep lakes and CSV files")
    chosen = options.parse_args()
    if chosen.watch:
        print(json.dumps(watch(chosen.watch)))
        return
    if chosen.search:
        print(json.dumps(measure(chosen.search, chosen.data)))
        return
    results = []
    for n_tables in chosen.tables:
        csv_folder = chosen.work / f"csv-{n_tables}"
        results.append(
            one_size(n_tables, chosen.work, chosen.data or data_folder(), chosen.rg, csv_folder, keep=chosen.keep)
        )
        print(json.dumps(results[-1]), file=sys.stderr, flush=True)
    names = [name for name in results[0] if name not in ("slowest", "tables")]
    rows = [[name, *(f"{r[name]:,.3g}" if r[name] < 1_000 else f"{r[name]:,.0f}" for r in results)] for name in names]
    print(machine())
    print(table(["figure", *(f"{r['tables']:,} tables" for r in results)], rows))


if __name__ == "__main__":
    main()
