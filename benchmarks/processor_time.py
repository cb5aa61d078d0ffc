"""Processor time of two checkouts, in turn: indexing public files, searching them, and answering questions over them.

    python benchmarks/processor_time.py --a DIR --b DIR [--runs 10] [--files 1500] [--patterns 200] [--questions 60]

Each run is a process of its own, started with the checkout's own Python (``DIR/.venv/bin/python``); user and system
time of the process and its children count, loading the package included. After one warm-up of each, runs go A B A B.
Prints medians and the ratio of B to A, and says when the two did not find the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from common import data_folder, machine, table

SEED = 0
SHARES = {
    "wtq/tables.zip": 0.4,
    "distractors/ottqa_tables.zip": 0.25,
    "distractors/tabfact_train_tables.zip": 0.2,
    "pollock/polluted_files.zip": 0.1,
    "sstqa/tables.zip": 0.05,
}
"""Part of the files that comes from each set."""
WORKLOADS = ("index", "search", "questions")


def prepare(data: Path, work: Path, files: int, patterns: int, questions: int) -> None:
    """Unpack a sample of files into ``work/files``; draw patterns and questions over it into ``work/asked.json``."""
    rng = random.Random(SEED)
    words: list[str] = []
    for place, share in SHARES.items():
        with zipfile.ZipFile(data / place) as archive:
            names = sorted(
                n for n in archive.namelist() if n.endswith((".csv", ".xlsx")) and not n.startswith("clean/")
            )
            for name in rng.sample(names, min(len(names), round(files * share))):
                path = work / "files" / Path(place).parent.name / Path(place).stem / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(name))
                if name.endswith(".csv"):
                    words += rng.sample(found, 1) if (found := re.findall(r"\w{4,}", _text(path))) else []
    drawn = rng.sample(words, min(len(words), patterns))
    lines = (data / "wtq" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    unpacked = work / "files" / "wtq" / "tables"
    known = [record["question"] for record in map(json.loads, lines) if (unpacked / record["table"]).exists()]
    asked = {"patterns": drawn, "questions": rng.sample(known, min(len(known), questions))}
    (work / "asked.json").write_text(json.dumps(asked), encoding="utf-8")


def _text(path: Path) -> str:
    return path.read_bytes()[:50_000].decode("utf-8", "ignore")


def do(workload: str, work: Path, lake_path: Path) -> Any:
    """One workload, in a process with the tablehound of one checkout; gives back what must be the same in both."""
    import tablehound
    from tablehound.lake import index_sources
    from tablehound.retrieval import segment_builders

    settings = tablehound.Settings()
    if workload == "index":
        shutil.rmtree(lake_path, ignore_errors=True)
        report = index_sources([str(work / "files")], lake_path, settings, builders=segment_builders(settings))
        return [report.n_sources, report.n_tables, len(report.problems)]
    asked = json.loads((work / "asked.json").read_text(encoding="utf-8"))
    found: list[Any] = []
    with tablehound.open_lake(lake_path) as lake:
        engine = tablehound.open_engine(lake, settings)
        if workload == "questions":
            for question in asked["questions"]:
                answer = tablehound.ask(question, lake, settings, engine=engine)
                found.append([answer.answered, answer.values, answer.tried])
            return found
        for word in asked["patterns"]:
            patterns = [
                tablehound.Pattern(word, "literal"),
                tablehound.Pattern(rf"\b{word[:4]}\w*"),
                tablehound.Pattern(word, "value"),
            ]
            found.append([sorted(each) for each in engine.tables(patterns)])
            found.append([(m.table_id, m.row, m.column) for m in engine.cells(patterns, limit=200)])
            found.append([c.table_id for c in tablehound.find(lake, word, settings=settings, engine=engine)])
    return found


def seconds_of(checkout: Path, workload: str, work: Path, lake: Path) -> tuple[float, str]:
    """Processor seconds of one run and a digest of what it found."""
    python = checkout / ".venv" / "bin" / "python"
    command = list(map(str, (python, __file__, "--do", workload, "--work", work, "--lake", lake)))
    environment = {k: v for k, v in os.environ.items() if k not in ("TABLEHOUND_MODEL", "PYTHONPATH")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{workload} failed in {checkout}:\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--a", type=Path, help="a checkout with its .venv")
    parser.add_argument("--b", type=Path, help="another")
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder of public data sets")
    parser.add_argument("--runs", type=int, default=10, help="runs of each workload with each checkout")
    parser.add_argument("--only", action="append", choices=WORKLOADS, help="only this workload; may be repeated")
    parser.add_argument("--files", type=int, default=1500)
    parser.add_argument("--patterns", type=int, default=200)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--do", choices=WORKLOADS, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--lake", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.do:
        print(hashlib.sha256(repr(do(options.do, options.work, options.lake)).encode()).hexdigest()[:16])
        return
    if options.a is None or options.b is None:
        parser.error("two checkouts are needed: --a DIR --b DIR")
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        prepare(options.data, work, options.files, options.patterns, options.questions)
        compare(options.a.resolve(), options.b.resolve(), work, options.only or list(WORKLOADS), options.runs)


def compare(a: Path, b: Path, work: Path, workloads: list[str], runs: int) -> None:
    """Run the workloads in turn with both checkouts and print the figures."""
    lakes = {"A": work / "lake a", "B": work / "lake b"}
    rows = []
    for workload in dict.fromkeys(["index", *workloads]):
        # The other workloads need the lakes that the first one makes.
        taken: dict[str, list[float]] = {"A": [], "B": []}
        digests: dict[str, set[str]] = {"A": set(), "B": set()}
        for turn in range(1 + (runs if workload in workloads else 0)):
            for name, checkout in (("A", a), ("B", b)):
                seconds, digest = seconds_of(checkout, workload, work, lakes[name])
                digests[name].add(digest)
                if turn:
                    taken[name].append(seconds)
        if workload in workloads:
            first, second = statistics.median(taken["A"]), statistics.median(taken["B"])
            spread = [f"{min(each):.2f} to {max(each):.2f}" for each in taken.values()]
            same = "yes" if digests["A"] == digests["B"] and len(digests["A"]) == 1 else "NO"
            rows.append((workload, f"{first:.2f}", f"{second:.2f}", f"{second / first:.3f}", *spread, same))
            print(f"{workload}: {second / first:.3f}", file=sys.stderr, flush=True)
    print(f"{machine()}; A is {a.name}, B is {b.name}, {runs} runs each, seconds of processor time")
    print(table(("workload", "A median", "B median", "B/A", "A, all runs", "B, all runs", "same results"), rows))


if __name__ == "__main__":
    main()
