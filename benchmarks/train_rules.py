"""Learn the weights of the rules' readings from questions and answers alone.

    python benchmarks/train_rules.py --data ../shared/data --out weights.json [--questions 7000]

For every question all readings of its gold table are tried; those that give the gold answer are right (for claims:
those whose truth value is the label), and "the table does not say" is right where none does, and on a table of another
question that shares words with it. A log-linear model maximises the probability of the right readings (Pasupat and
Liang, Compositional Semantic Parsing on Semi-Structured Tables, 2015). One table in five is held out, by a hash of its
name; accuracy on those is printed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from rules_oracle import held_out
from tablehound.backbone.rules.candidates import Generator
from tablehound.backbone.rules.features import Features, describe
from tablehound.backbone.rules.readings import candidates
from tablehound.backbone.rules.scoring import refusal_features, result_key
from tablehound.evaluation.metrics import denotation_match
from tablehound.lake import Lake, index_sources
from tablehound.language import analyse, is_function
from tablehound.language.words import tokens
from tablehound.linking import Profiles, TableProfile
from tablehound.program import View
from tablehound.settings import Settings, Task

MIN_COUNT = 15
"""A feature that fewer readings have gets no weight."""
L2 = 1.0
NEGATIVE_WEIGHT = 0.5


@dataclass(frozen=True)
class Example:
    """All readings of one question on one table: features, whether right, and the result."""

    readings: list[tuple[Features, bool, tuple[str, ...]]]
    weight: float = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("TABLEHOUND_DATA", "../shared/data"), type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--questions", default=7000, type=int, help="questions and claims learned from, of each set")
    parser.add_argument("--seed", default=3, type=int)
    options = parser.parse_args()
    weights: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as work:
        for folder, lines, task in (
            ("wtq", "train.jsonl", "tableqa"),
            ("tabfact_val", "claims.jsonl", "fact_verification"),
        ):
            with zipfile.ZipFile(options.data / folder / "tables.zip") as archive:
                archive.extractall(Path(work, folder, "tables"))
            index_sources([str(Path(work, folder, "tables"))], Path(work, folder, "lake"), Settings())
            records = [json.loads(line) for line in (options.data / folder / lines).read_text("utf-8").splitlines()]
            random.Random(options.seed).shuffle(records)
            with Lake.open(Path(work, folder, "lake")) as lake:
                weights[task] = learn(lake, records, task, options.questions)  # type: ignore[arg-type]
    options.out.write_text(json.dumps(weights, indent=0, sort_keys=True), encoding="utf-8")


def learn(lake: Lake, records: Sequence[dict[str, Any]], task: Task, limit: int) -> dict[str, float]:
    """Weights from the records of one data set; prints accuracy on the tables held out."""
    profiles = Profiles(lake)
    ids = {info.provenance.source: info.id for info in lake.infos() if not info.provenance.ordinal}

    def profile(table_id: str) -> TableProfile:
        return profiles.get("T1", View((table_id,)))

    train = [r for r in records if not held_out(r["table"])][:limit]
    kept = [r for r in records if held_out(r["table"])][:1200]
    others = near_tables(profile, sorted(ids.values())) if task == "tableqa" else None
    examples = [e for r in train for e in build(r, task, profile, ids[r["table"]], others)]
    tested = [e for r in kept for e in build(r, task, profile, ids[r["table"]], None)]
    weights = fit(examples)
    right = sum(best_is_right(example, weights) for example in tested)
    print(f"{task}: {len(examples)} examples, {len(weights)} weights, held-out accuracy {right / len(kept):.3f}")
    return weights


def build(
    record: dict[str, Any],
    task: Task,
    profile: Callable[[str], TableProfile],
    gold: str,
    others: Callable[[str, str], str | None] | None,
) -> list[Example]:
    """The readings on the gold table, and on one other table, where the refusal is right."""
    text = record["claim"] if task == "fact_verification" else record["question"]
    analysis = analyse(text, task)
    examples = []
    for table_id in (gold, others(text, gold) if others else None):
        if table_id is None:
            continue
        gen = Generator(analysis, profile(table_id))
        readings = []
        for candidate in candidates(gen):
            scored = describe(gen, candidate)
            if not scored.result:
                continue
            if task == "fact_verification":
                right = bool(scored.result[0]) == bool(record["label"])
            else:
                values = [f"{v:.15g}" if isinstance(v, float) else str(v) for v in scored.result]
                right = table_id == gold and denotation_match(values, record["answer"])
            readings.append((scored.features, right, result_key(scored.result)))
        if task == "tableqa":
            readings.append((refusal_features(analysis), not any(r for _, r, _ in readings), ("",)))
        if any(r for _, r, _ in readings):
            examples.append(Example(readings, 1.0 if table_id == gold else NEGATIVE_WEIGHT))
    return examples


def near_tables(profile: Callable[[str], TableProfile], ids: Sequence[str]) -> Callable[[str, str], str | None]:
    """A function from a question and its gold table to another table with many of its words."""
    holders: dict[str, set[str]] = defaultdict(set)
    for table_id in ids:
        table = profile(table_id)
        for word in {*table.postings, *(w for c in table.columns for w in c.words)}:
            holders[word].add(table_id)
    chooser = random.Random(0)

    def other(question: str, gold: str) -> str | None:
        scores: Counter[str] = Counter()
        for token in tokens(question):
            found = holders.get(token.norm, set())
            if found and not is_function(token.norm) and len(found) < 0.3 * len(ids):
                for table_id in sorted(found):
                    scores[table_id] += math.log(len(ids) / len(found))  # type: ignore[assignment]
        near = [table_id for table_id, _ in scores.most_common(12) if table_id != gold]
        return chooser.choice(near) if near else None

    return other


def fit(examples: Sequence[Example]) -> dict[str, float]:
    """Feature → weight of the largest likelihood of the right readings, by L-BFGS."""
    counts = Counter(name for e in examples for features, _, _ in e.readings for name in features)
    places = {name: i for i, name in enumerate(sorted(n for n, count in counts.items() if count >= MIN_COUNT))}
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    right: list[bool] = []
    ends = [0]
    for example in examples:
        for features, fine, _ in example.readings:
            for name, value in features.items():
                if name in places:
                    rows.append(len(right))
                    columns.append(places[name])
                    values.append(value)
            right.append(fine)
        ends.append(len(right))
    matrix = csr_matrix((values, (rows, columns)), shape=(len(right), len(places)))
    starts, good = np.array(ends[:-1]), np.array(right)
    owner = np.repeat(np.arange(len(examples)), np.diff(ends))
    importance = np.array([e.weight for e in examples])

    def mass(scores: Any) -> tuple[Any, Any]:
        top = np.maximum.reduceat(scores, starts)
        part = np.exp(scores - top[owner])
        whole = np.add.reduceat(part, starts)
        return top + np.log(whole), part / whole[owner]

    def loss(weights: Any) -> tuple[float, Any]:
        scores = matrix @ weights
        everything, shares = mass(scores)
        correct, target = mass(np.where(good, scores, -1e30))
        value = float((importance * (everything - correct)).sum() + 0.5 * L2 * weights @ weights)
        return value, matrix.T @ ((shares - target) * importance[owner]) + L2 * weights

    found = minimize(loss, np.zeros(len(places)), jac=True, method="L-BFGS-B", options={"maxiter": 250})
    return {name: round(float(found.x[i]), 4) for name, i in places.items() if abs(found.x[i]) > 0.01}


def best_is_right(example: Example, weights: dict[str, float]) -> bool:
    """Whether the most probable result is right; a refusal does not count as one."""
    scores = [sum(v * weights.get(n, 0.0) for n, v in features.items()) for features, _, _ in example.readings]
    totals: dict[tuple[str, ...], float] = defaultdict(float)
    for (_, _, key), score in zip(example.readings, scores, strict=True):
        totals[key] += math.exp(score - max(scores))
    totals.pop(("",), None)
    if not totals:
        return False
    best = max(totals, key=lambda key: (totals[key], key))
    return any(good for _, good, key in example.readings if key == best)


if __name__ == "__main__":
    main()
