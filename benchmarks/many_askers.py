"""Many who ask at once: threads of one process over one open lake, and processes over the same lake.

    python benchmarks/many_askers.py [--threads 50] [--processes 16]

Questions of the example lake, each asked of the built-in backbone and compared with its answer when it is asked alone.
Memory is of the asking processes and all their children: resident (pages that several share count in each) and
proportional. Ends with exit code 1 when an answer differs, something is raised, or the threads take more than 2 GB
(resident) or 128 descriptors.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import REPOSITORY, machine, table

QUESTIONS = 10
MAX_MB = 2_000
MAX_DESCRIPTORS = 128


class Peak:
    """The most that a process and all below it take while the block runs."""

    def __init__(self) -> None:
        self.resident_mb = self.proportional_mb = 0.0
        self.children = self.descriptors = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.1):
            pids = family(os.getpid())
            self.children = max(self.children, len(pids) - 1)
            self.descriptors = max(self.descriptors, len(list(Path("/proc/self/fd").iterdir())))
            self.resident_mb = max(self.resident_mb, sum(memory_mb(pid, "Rss:") for pid in pids))
            self.proportional_mb = max(self.proportional_mb, sum(memory_mb(pid, "Pss:") for pid in pids))


def family(pid: int) -> list[int]:
    """A process and all below it."""
    below: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        below.setdefault(parent, []).append(int(folder.name))
    found = [pid]
    for one in found:
        found += below.get(one, [])
    return found


def memory_mb(pid: int, kind: str) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith(kind)) / 1024


def questions() -> list[str]:
    lines = (REPOSITORY / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines[:QUESTIONS]]


def in_threads(lake: Path, asked: Sequence[str]) -> list[tuple[str, ...]]:
    """The answers to questions that are all asked at once, each in a thread, of one open lake."""
    import tablehound

    begin = threading.Barrier(len(asked))
    with tablehound.open_lake(lake) as opened, ThreadPoolExecutor(len(asked)) as threads:

        def ask(question: str) -> tuple[str, ...]:
            begin.wait()
            return tuple(map(str, tablehound.ask(question, opened).values))

        return list(threads.map(ask, asked))


def in_processes(lake: Path, asked: Sequence[str]) -> list[tuple[str, ...]]:
    """The answers to questions that are all asked at once, each in a process."""
    command = [sys.executable, __file__, "--lake", str(lake), "--ask"]
    running = [
        subprocess.Popen([*command, question], stdout=subprocess.PIPE, text=True, encoding="utf-8")
        for question in asked
    ]
    answers = [tuple(json.loads(process.communicate()[0] or "[]")) for process in running]
    if any(process.returncode for process in running):
        raise RuntimeError(f"exit codes: {[process.returncode for process in running]}")
    return answers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=50)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--lake", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        print(json.dumps(in_threads(options.lake, [options.ask])[0]))
        return 0
    from tablehound.api import ask
    from tablehound.lake import index_sources
    from tablehound.retrieval import segment_builders
    from tablehound.settings import Settings

    rows = []
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        lake = Path(folder) / "lake"
        settings = Settings()
        index_sources([str(REPOSITORY / "examples" / "lake")], lake, settings, builders=segment_builders(settings))
        alone = {question: tuple(map(str, ask(question, lake).values)) for question in questions()}
        for name, how, many in (
            ("threads", in_threads, options.threads),
            ("processes", in_processes, options.processes),
        ):
            asked = [list(alone)[number % len(alone)] for number in range(many)]
            started = time.perf_counter()
            with Peak() as peak:
                answers = how(lake, asked)
            other = sum(answer != alone[question] for question, answer in zip(asked, answers, strict=True))
            failed |= bool(other)
            if name == "threads":
                failed |= peak.resident_mb > MAX_MB or peak.descriptors > MAX_DESCRIPTORS
            rows.append(
                (
                    f"{many} {name}",
                    other,
                    f"{time.perf_counter() - started:.1f}",
                    f"{peak.resident_mb:,.0f}",
                    f"{peak.proportional_mb:,.0f}",
                    peak.children,
                    peak.descriptors,
                )
            )
    print(machine())
    print(
        table(("asked by", "other answers", "s", "resident MiB", "proportional MiB", "children", "descriptors"), rows)
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
