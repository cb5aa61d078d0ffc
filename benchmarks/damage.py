"""Damage of a lake's files: is it noticed, or does it change an answer without a word?

    python benchmarks/damage.py [--data DIR] [--flips 400] [--blocks 100] [--tables 300] [--examples]

A lake over public tables is made with all indexes. Then, one after another, a single bit is flipped, or 4 KiB are
zeroed, at a seeded random place: half of the places by bytes over all files, half by files, so that small ones are hit.
After each, a process of its own opens the lake and reads every table, description and report, and asks for 60 searches
(tables, rows, values like a text, ranking, nearest vectors). Each must give what it gave before, or a LakeError.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import pickle
import random
import re
import signal
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from common import machine, parser, table

SEED = 0
SEARCHES = 60
BLOCK = 4_096
SECONDS = 120
"""After this a process that reads the lake is taken to hang."""
NOT_DATA = ("pins", "writer.lock", "-wal", "-shm")
Seen = dict[str, str]
"""Part of the lake → digest of what was read, or the error."""


def fill(data: Path, folder: Path, tables: int) -> list[str]:
    """Unpack a sample of public tables; returns words that occur in them."""
    rng = random.Random(SEED)
    words: list[str] = []
    shares = (("wtq/tables.zip", 0.6), ("pollock/polluted_files.zip", 0.3), ("sstqa/tables.zip", 0.1))
    for place, share in shares:
        with zipfile.ZipFile(data / place) as archive:
            names = sorted(n for n in archive.namelist() if n.endswith((".csv", ".xlsx")) and "/clean/" not in n)
            small = [n for n in names if archive.getinfo(n).file_size < 200_000]
            for name in rng.sample(small, min(len(small), round(tables * share))):
                path = folder / place.partition("/")[0] / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(name))
                text = path.read_bytes()[:20_000].decode("utf-8", "ignore") if name.endswith(".csv") else ""
                words += rng.sample(found, 1) if (found := re.findall(r"[A-Za-z0-9]{4,}", text)) else []
    return rng.sample(words, SEARCHES)


def make(sources: Path, lake: Path, *, vectors: bool) -> None:
    """Index with all kinds of segments, in a process that ends: no log is left beside the catalogue."""
    from tablehound.lake import index_sources
    from tablehound.retrieval import segment_builders
    from tablehound.settings import Settings

    settings = Settings(workers=-1).with_values(**({"search.embedder": "minilm"} if vectors else {}))
    halves = sorted(path for path in sources.iterdir())
    # In two runs: several segments of each kind, and a generation after the first.
    index_sources([str(halves[0])], lake, settings, builders=segment_builders(settings))
    index_sources([str(path) for path in halves], lake, settings, builders=segment_builders(settings))


def read_all(lake_path: Path, words: list[str]) -> Seen:
    """All that readers can see."""
    from tablehound.lake import Lake

    seen: Seen = {}

    def note(part: str, read: Callable[[], Any]) -> Any:
        try:
            value = read()
        except Exception as error:  # noqa: BLE001 - which error it is, is what is counted
            seen[part] = _told(error)
            return None
        seen[part] = hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return value

    try:
        lake = Lake.open(lake_path)
    except Exception as error:  # noqa: BLE001
        return {"opening": _told(error)}
    with lake:
        table_ids = note("tables", lake.table_ids) or []
        note("infos", lambda: list(lake.infos()))
        note("reports", lambda: list(lake.reports()))
        for table_id in table_ids:
            note(f"info {table_id}", partial(lake.info, table_id))
            note(f"table {table_id}", partial(lambda i: lake.table(i).cells.to_pylist(), table_id))
            note(f"report {table_id}", partial(lake.table_report, table_id))
        for number, (part, search) in enumerate(_searches(lake, words)):
            note(f"{part} {number}", search)
    return seen


def _told(error: Exception) -> str:
    from tablehound.errors import LakeError

    return f"{'LakeError' if isinstance(error, LakeError) else 'raw'}: {type(error).__name__}: {error}"


def _searches(lake: Any, words: list[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    import numpy as np

    from tablehound.retrieval import Pattern, columns_with_values_like, find, open_engine
    from tablehound.retrieval.dense import open_vectors

    engine: Any = None

    def open_once() -> Any:
        nonlocal engine
        engine = engine or open_engine(lake)
        return engine

    def patterns(word: str) -> list[Pattern]:
        return [
            Pattern(word, "literal"),
            Pattern(rf"\b{word[:3]}\w*"),
            Pattern(word, "value"),
            Pattern(f"{word}.*[0-9]"),
        ]

    def ranked(word: str) -> list[Any]:
        found = find(lake, f"which {word}?", engine=open_once())
        return [(c.table_id, c.score, c.explanation) for c in found]

    for number, word in enumerate(words):
        yield "find tables", partial(lambda w: [sorted(each) for each in open_once().tables(patterns(w))], word)
        if number % 3 == 0:
            yield "find cells", partial(lambda w: open_once().cells(patterns(w), limit=50), word)
        if number % 6 == 1:
            yield (
                "values like",
                partial(lambda w: columns_with_values_like(lake, f"{w[:-1]}x", engine=open_once()), word),
            )
        yield "ranking", partial(ranked, word)
    rng = np.random.default_rng(SEED)

    def nearest() -> list[Any]:
        found = []
        for index in open_vectors(lake):
            width = int(index.tables.shape[1])
            query = rng.normal(size=(3, width)).astype(np.float32)
            numbers, cosines = index.nearest_tables(query[0], 20)
            found += [numbers.tolist(), cosines.tolist()]
            found.append(index.word_columns(query, np.arange(len(index.table_ids))).tolist())
        return found

    yield "vectors", nearest


def apart(work: Callable[[], Any], seconds: int = 0) -> Any:
    """What a function returns in a process of its own, which gets so long (0: as long as it takes); how that ended when
    it returned nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        signal.alarm(seconds)
        status = 1
        with suppress(BaseException), os.fdopen(writing, "wb") as out:
            pickle.dump(work(), out)
            status = 0
        os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        data = answer.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(data) if status == 0 else f"the process ended with {os.waitstatus_to_exitcode(status)}"


def places(lake: Path, count: int, size: int, rng: random.Random) -> Iterator[tuple[Path, int]]:
    """(file, offset) of what is damaged."""
    files = sorted(p for p in lake.rglob("*") if p.is_file() and not any(mark in str(p) for mark in NOT_DATA))
    files = [path for path in files if path.stat().st_size]
    weights = [path.stat().st_size for path in files]
    for number in range(count):
        path = rng.choices(files, weights)[0] if number % 2 else rng.choice(files)
        yield path, rng.randrange(max(1, path.stat().st_size - (size if size > 1 else 0)))


def judge(before: Seen, after: Seen | str) -> tuple[str, str]:
    """What damage came to, and an example."""
    if isinstance(after, str):
        return "crashed or hung", after
    errors = {part: text for part, text in after.items() if text.startswith(("LakeError", "raw"))}
    raw = next((f"{part}: {text}" for part, text in errors.items() if text.startswith("raw")), None)
    other = next((part for part, text in after.items() if part not in errors and before.get(part) != text), None)
    if other is None and not errors:
        other = next((part for part in before if part not in after), None)
    if other is not None:
        return "silently different", other
    if raw is not None:
        return "an error of a library", raw
    if errors:
        return "named in a LakeError", "; ".join(list(dict.fromkeys(errors.values()))[:2])
    return "no difference", ""


def damaged(path: Path, offset: int, size: int, rng: random.Random) -> bytes:
    """Damage a file; returns what was there."""
    with path.open("r+b") as file:
        file.seek(offset)
        there = file.read(size)
        file.seek(offset)
        file.write(bytes([there[0] ^ (1 << rng.randrange(8))]) if size == 1 else bytes(len(there)))
    return there


def run(lake: Path, words: list[str], flips: int, blocks: int, show: Callable[[str], None]) -> dict[str, Counter[str]]:
    """Damage a lake at so many places, one at a time, and put each back. Returns counts by kind of damage."""
    # What every process needs is imported once.
    for module in ("duckdb", "numpy", "polars", "pyarrow.ipc", "pyroaring", "rapidfuzz.process"):
        importlib.import_module(module)
    before = apart(lambda: read_all(lake, words))
    assert isinstance(before, dict), before
    failed = [f"{part}: {text}" for part, text in before.items() if text.startswith(("LakeError", "raw"))]
    assert not failed, failed[:3]
    counts: dict[str, Counter[str]] = {}
    rng = random.Random(SEED)
    for kind, count, size in (("one bit", flips, 1), ("4 KiB zeroed", blocks, BLOCK)):
        counts[kind] = Counter()
        for path, offset in places(lake, count, size, rng):
            there = damaged(path, offset, size, rng)
            result, example = judge(before, apart(lambda: read_all(lake, words), SECONDS))
            with path.open("r+b") as file:
                file.seek(offset)
                file.write(there)
            for log in lake.glob("catalogue.sqlite-*"):
                log.unlink()
            counts[kind][result] += 1
            show(f"{kind} {path.relative_to(lake)} at {offset}: {result}: {example[:300]}")
    return counts


RESULTS = ("no difference", "named in a LakeError", "silently different", "an error of a library", "crashed or hung")


def main() -> None:
    made = parser(__doc__ or "")
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("--flips", type=int, default=400)
    made.add_argument("--blocks", type=int, default=100)
    made.add_argument("--tables", type=int, default=300, help="files that are indexed")
    made.add_argument("--no-vectors", action="store_true", help="without the index of vectors")
    made.add_argument("--examples", action="store_true", help="print every place and what came of it")
    options = made.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        sources, lake = Path(scratch) / "sources", Path(scratch) / "lake"
        words = fill(options.data, sources, options.tables)
        failed = apart(lambda: make(sources, lake, vectors=not options.no_vectors))
        assert failed is None, failed
        counts = run(
            lake,
            words,
            options.flips,
            options.blocks,
            lambda text: print(text, file=sys.stderr, flush=True) if options.examples else None,
        )
    print(f"{machine()}; {time.monotonic() - started:.0f} s")
    print(table(("damage", "places", *RESULTS), [(k, c.total(), *(c[r] for r in RESULTS)) for k, c in counts.items()]))


if __name__ == "__main__":
    main()
