"""The built-in rules over several tables: numeric questions over Spider databases, the database given.

    python benchmarks/rules_multitable.py --data ../shared/data [--limit N] [--misses]

Each database becomes a lake of its own. Prints exact-match accuracy over all questions, by difficulty, the share
answered, and precision among the answered.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from tablehound.backbone import make_backbone
from tablehound.evaluation.metrics import arithmetic_match
from tablehound.lake import Lake, index_sources
from tablehound.multitable import answer_from_several
from tablehound.retrieval import open_engine
from tablehound.settings import Settings
from tablehound.steps import Asked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("TABLEHOUND_DATA", "../shared/data"), type=Path)
    parser.add_argument("--limit", default=0, type=int, help="only the first questions")
    parser.add_argument("--misses", action="store_true", help="print the questions that were not answered right")
    options = parser.parse_args()
    lines = (options.data / "spider" / "numeric_multitable.jsonl").read_text(encoding="utf-8").splitlines()
    by_database: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines[: options.limit or None]:
        record = json.loads(line)
        by_database[record["db"]].append(record)
    rows: list[tuple[str, bool, bool]] = []
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as work:
        for database, questions in sorted(by_database.items()):
            path = Path(work, database)
            source = options.data / "spider" / "databases" / f"{database}.sqlite"
            index_sources([str(source)], path, Settings(workers=1))
            with Lake.open(path) as lake:
                rows += [answer(lake, question, options.misses) for question in questions]
    seconds = time.perf_counter() - started
    report("all", rows, seconds)
    for difficulty in sorted({row[0] for row in rows}):
        report(difficulty, [row for row in rows if row[0] == difficulty], 0.0)


def answer(lake: Lake, question: dict[str, Any], misses: bool) -> tuple[str, bool, bool]:
    """Difficulty, answered, right."""
    settings = Settings()
    asked = Asked(question["question"], "tableqa", lake, make_backbone(lake, settings), settings)
    found = answer_from_several(asked, open_engine(lake, settings))
    right = found.answered and arithmetic_match(found.values, [question["answer"]])
    if misses and not right:
        program = found.program.text if found.program else found.missing
        print(f"{question['db']} | {question['question']} | {question['sql']} | {question['answer']} | "
              f"{found.values[:3]} | {program}")  # fmt: skip
    return question["difficulty"], found.answered, right


def report(name: str, rows: list[tuple[str, bool, bool]], seconds: float) -> None:
    """Print one line of figures."""
    answered, right = sum(row[1] for row in rows), sum(row[2] for row in rows)
    took = f", {seconds:.0f} s" if seconds else ""
    print(
        f"{name}: {len(rows)} questions, exact match {right / len(rows):.3f}, answered {answered / len(rows):.3f}, "
        f"precision {right / max(1, answered):.3f}{took}"
    )


if __name__ == "__main__":
    main()
