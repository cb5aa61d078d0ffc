"""Faults of the disk while a lake is written: does it answer from a complete state, and does the next run complete it?

    python benchmarks/disk_faults.py [--points 100] [--examples]

A small library, compiled with gcc and preloaded, lets the writes of one process below a lake's folder fail from a
seeded random point on: the disk is full, turns read-only, writes less than was asked for and then nothing, or does not
flush. That happens while a lake is made, gets files, loses files, and merges segments. Afterwards the lake must show
the state before or the state after, whole; an index run without faults must complete the state after; and a check must
find nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from common import machine, table

SEED = 0
FAULTS = ("full", "read-only", "short", "fsync")
WORK = ("index", "add", "delete", "merge")

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FAULT_ROOT: the folder; FAULT_KIND: full, read-only, short, fsync; FAULT_AT: which call fails first, 0 for none;
   FAULT_COUNT: a file to which the number of calls goes. */
static long calls = 0;
static int broken = 0;

static const char *env(const char *name) { const char *value = getenv(name); return value ? value : ""; }
static int below(const char *path) {
    const char *root = env("FAULT_ROOT");
    return *root && !strncmp(path, root, strlen(root));
}
static int inside(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return below(path);
}
static int kind(const char *name) { return !strcmp(env("FAULT_KIND"), name); }
/* Counts a call; whether it is to fail. */
static int fails(void) {
    long at = atol(env("FAULT_AT"));
    if (++calls == at) broken = 1;
    return broken;
}
__attribute__((destructor)) static void leave(void) {
    const char *path = env("FAULT_COUNT");
    if (!*path) return;
    FILE *file = fopen(path, "w");
    if (file) { fprintf(file, "%ld", calls); fclose(file); }
}
#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name)) dlsym(RTLD_NEXT, #name)
#define WRITES(how) \
    if (!kind("fsync") && inside(fd) && fails()) { \
        if (kind("short") && calls == atol(env("FAULT_AT")) && size > 1) { size /= 2; return how; } \
        errno = kind("read-only") ? EROFS : ENOSPC; \
        return -1; \
    } \
    return how
ssize_t write(int fd, const void *data, size_t size) { REAL(write); WRITES(real(fd, data, size)); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { REAL(pwrite); WRITES(real(fd, data, size, at)); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL(pwrite64); WRITES(real(fd, data, size, at));
}
size_t fwrite(const void *data, size_t size, size_t count, FILE *file) {
    REAL(fwrite);
    if (!kind("fsync") && inside(fileno(file)) && fails()) { errno = kind("read-only") ? EROFS : ENOSPC; return 0; }
    return real(data, size, count, file);
}
#define FLUSHES if (kind("fsync") && inside(fd) && fails()) { errno = EIO; return -1; } return real(fd)
int fsync(int fd) { REAL(fsync); FLUSHES; }
int fdatasync(int fd) { REAL(fdatasync); FLUSHES; }
#define NAMES(path, how) if (kind("read-only") && below(path) && fails()) { errno = EROFS; return -1; } return how
int rename(const char *from, const char *to) { REAL(rename); NAMES(to, real(from, to)); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); NAMES(path, real(path, mode)); }
int unlink(const char *path) { REAL(unlink); NAMES(path, real(path)); }
int ftruncate(int fd, off_t size) {
    REAL(ftruncate);
    if (!kind("fsync") && inside(fd) && fails()) { errno = kind("read-only") ? EROFS : ENOSPC; return -1; }
    return real(fd, size);
}
"""

PROGRAM = """
import sys
from pathlib import Path
from tablehound.errors import TablehoundError
from tablehound.lake import index_sources
from tablehound.retrieval import segment_builders
from tablehound.settings import Settings
try:
    index_sources([sys.argv[1]], Path(sys.argv[2]), Settings(workers=-1), builders=segment_builders())
except TablehoundError as error:
    print("named:", error)
except Exception as error:
    print("raw:", type(error).__name__, error)
else:
    print("done")
"""


def compiled(folder: Path) -> Path:
    """The library that lets calls fail; gcc is needed."""
    source, library = folder / "faults.c", folder / "faults.so"
    source.write_text(SHIM, encoding="utf-8")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True, capture_output=True)
    return library


def index(sources: Path, lake: Path, **environment: str) -> str:
    """Index in a process of its own; what came of it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, sources, lake],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or f"ended with {done.returncode}: {done.stderr[-500:]}"


def shown(lake_path: Path) -> str:
    """Digest of all that a lake shows; ``none`` where there is no lake, or an empty one."""
    from tablehound.errors import LakeMissingError
    from tablehound.lake import Lake
    from tablehound.retrieval import Pattern, find, open_engine

    try:
        lake = Lake.open(lake_path)
    except LakeMissingError:
        return "none"
    with lake:
        ids = lake.table_ids()
        if not ids:
            return "none"
        engine = open_engine(lake)
        seen: list[Any] = [(info, lake.table(info.id).cells.to_pylist()) for info in lake.infos()]
        seen += [report.to_json() for report in lake.reports()]
        seen += [
            sorted(each) for each in engine.tables([Pattern("oslo"), Pattern(r"\d\d"), Pattern("name", "literal")])
        ]
        seen += [(c.table_id, c.score) for c in find(lake, "people of Oslo", engine=engine)]
    return hashlib.sha256(repr(seen).encode()).hexdigest()


def _write(sources: Path, numbers: range) -> None:
    sources.mkdir(exist_ok=True)
    for number in numbers:
        rows = "".join(f"Oslo {number * row},{row * 7919 + number},word{row % 17}\n" for row in range(40))
        (sources / f"{number}.csv").write_text(f"name,people {number},kind\n{rows}", encoding="utf-8")


def prepare(folder: Path, work: str) -> tuple[Path, Path, str, str]:
    """Sources and a lake before some work; and what the lake shows before and after."""
    sources, lake, after = folder / "sources", folder / "lake", folder / "after"
    if work == "merge":
        # The value index merges when it has more than eight segments.
        for number in range(8):
            _write(sources, range(4 * number, 4 * number + 4))
            index(sources, lake)
        _write(sources, range(32, 36))
    else:
        _write(sources, range(24))
        if work != "index":
            index(sources, lake)
        if work == "add":
            _write(sources, range(24, 40))
        if work == "delete":
            for number in range(0, 24, 3):
                (sources / f"{number}.csv").unlink()
    before = shown(lake)
    if lake.exists():
        shutil.copytree(lake, after)
    index(sources, after)
    return sources, lake, before, shown(after)


def judge(sources: Path, lake: Path, before: str, after: str, said: str) -> str:
    """What came of a fault."""
    from tablehound.errors import TablehoundError
    from tablehound.lake import check_lake
    from tablehound.settings import Settings

    try:
        state = shown(lake)
    except TablehoundError as error:
        return f"cannot be read: {error}"
    if state not in (before, after):
        return "shows a state that is neither"
    again = index(sources, lake)
    if again != "done" or shown(lake) != after:
        return f"the next run does not complete: {again}"
    report = check_lake(lake, Settings())
    if not report.ok:
        return f"a check finds damage: {report.faults[:2]}"
    if not said.startswith(("named", "done")):
        return f"an error of a library: {said}"
    return "the state before" if state == before else "the state after"


def run(
    folder: Path, points: int, show: Callable[[str], None], work: tuple[str, ...] = WORK
) -> Counter[tuple[str, str]]:
    """Let so many runs fail. Returns how often each (work, result) was."""
    library = compiled(folder)
    rng = random.Random(SEED)
    counts: Counter[tuple[str, str]] = Counter()
    for number, (kind, (name, start)) in enumerate(_points(folder, points, work)):
        sources, lake, before, after = start
        environment = {"LD_PRELOAD": str(library), "FAULT_KIND": kind}
        trial = folder / "trial"
        calls = _calls(trial, lake, sources, environment, folder / "calls")
        shutil.rmtree(trial, ignore_errors=True)
        if lake.exists():
            shutil.copytree(lake, trial)
        at = rng.randint(1, max(1, calls))
        said = index(sources, trial, FAULT_ROOT=str(trial), FAULT_AT=str(at), **environment)
        result = judge(sources, trial, before, after, said)
        counts[name, result if result.startswith("the state") else "FAULT"] += 1
        show(f"{number} {name} {kind} at {at} of {calls}: {result} ({said[:200]})")
    return counts


_Start = tuple[Path, Path, str, str]


def _points(folder: Path, points: int, work: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, _Start]]]:
    starts: dict[str, _Start] = {}
    for number in range(points):
        name = work[number % len(work)]
        if name not in starts:
            (folder / name).mkdir()
            starts[name] = prepare(folder / name, name)
        yield FAULTS[number // len(work) % len(FAULTS)], (name, starts[name])


def _calls(trial: Path, lake: Path, sources: Path, environment: dict[str, str], count: Path) -> int:
    """How many calls that could fail the work makes."""
    shutil.rmtree(trial, ignore_errors=True)
    if lake.exists():
        shutil.copytree(lake, trial)
    index(sources, trial, FAULT_ROOT=str(trial), FAULT_AT="0", FAULT_COUNT=str(count), **environment)
    return int(count.read_text(encoding="utf-8"))


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--points", type=int, default=100)
    made.add_argument("--examples", action="store_true", help="print every point and what came of it")
    options = made.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts = run(
            Path(folder).resolve(),
            options.points,
            lambda text: (
                print(text, file=sys.stderr, flush=True) if options.examples or "the state" not in text else None
            ),
        )
    results = ("the state before", "the state after", "FAULT")
    print(machine())
    print(table(("while", *results), [(name, *(counts[name, result] for result in results)) for name in WORK]))


if __name__ == "__main__":
    main()
