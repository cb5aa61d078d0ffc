"""The built-in rules with the gold table given: WikiTableQuestions and TabFact.

    python benchmarks/rules_oracle.py --data ../shared/data --sample 500 --seed 0

Prints denotation accuracy over all questions, the share answered, and precision among the answered; for claims the
accuracy over all, over the answered, and the share answered. ``--held-out`` takes only questions whose tables the
weights were not learned from (one table in five, by a hash of its name).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tablehound.backbone import AnswerRequest, ShownTable, make_backbone
from tablehound.evaluation.metrics import denotation_match, wilson_interval
from tablehound.execution import run_program
from tablehound.lake import Lake, index_sources
from tablehound.program import View
from tablehound.settings import Settings, Task
from tablehound.steps import judge


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("TABLEHOUND_DATA", "../shared/data"), type=Path)
    parser.add_argument("--sample", default=500, type=int, help="questions of each set")
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--held-out", action="store_true", help="only tables that the weights were not learned from")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        for name, folder, lines, task in (
            ("WikiTableQuestions", "wtq", "train.jsonl", "tableqa"),
            ("TabFact", "tabfact_val", "claims.jsonl", "fact_verification"),
        ):
            source = Path(work, folder, "tables")
            with zipfile.ZipFile(options.data / folder / "tables.zip") as archive:
                archive.extractall(source)
            questions = [json.loads(line) for line in _lines(options.data / folder / lines)]
            if options.held_out:
                questions = [q for q in questions if held_out(q["table"])]
            chosen = random.Random(options.seed).sample(questions, min(options.sample, len(questions)))
            index_sources([str(source)], Path(work, folder, "lake"), Settings())
            with Lake.open(Path(work, folder, "lake")) as lake:
                report(name, lake, chosen, task)  # type: ignore[arg-type]


def held_out(table: str) -> bool:
    """Whether a table was kept back when the weights were learned."""
    return int(hashlib.md5(table.encode(), usedforsecurity=False).hexdigest(), 16) % 5 == 0


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        yield from file


def report(name: str, lake: Lake, questions: list[dict[str, Any]], task: Task) -> None:
    """Answer each question from its gold table through the gate for programs, and print the figures."""
    settings = Settings()
    backbone = make_backbone(lake, settings)
    tables = {info.provenance.source: info for info in lake.infos() if not info.provenance.ordinal}
    answered = right = 0
    started = time.perf_counter()
    for question in questions:
        info = tables[question["table"]]
        view = View((info.id,))
        shown = ShownTable("T1", info, view, "", whole=True)
        text = question["claim"] if task == "fact_verification" else question["question"]
        decision = backbone.answer(AnswerRequest(text, task, (shown,)))
        if decision.program is None:
            continue
        judgement = judge(run_program(lake, decision.program, settings), task)
        if judgement.strength == "none":
            continue
        answered += 1
        if task == "fact_verification":
            right += judgement.verdict == ("supported" if question["label"] else "refuted")
        else:
            right += denotation_match(judgement.values, question["answer"])
    seconds = time.perf_counter() - started
    low, high = wilson_interval(right, len(questions))
    print(
        f"{name}: {len(questions)} questions, accuracy {right / len(questions):.3f} ({low:.3f} to {high:.3f}), "
        f"answered {answered / len(questions):.3f}, precision {right / max(1, answered):.3f}, "
        f"{1000 * seconds / len(questions):.0f} ms each"
    )


if __name__ == "__main__":
    main()
