"""The coverage score on Spider questions about databases that it was not trained on.

    python benchmarks/coverage.py --data DIR [--write-weights]

Two measures: how often a table covers a question better than the same table without an answering column, and how often
the best-covering table of the database is one that the SQL uses.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from retrieval_corpora import data_folder, read_lines
from tablehound.retrieval.coverage import CoverageExample, CoverageModel, train_coverage
from tablehound.retrieval.coverage.model import SHIPPED

FIFTHS = 5


def read_examples(data: Path) -> dict[str, list[CoverageExample]]:
    """Database -> one example per question and used table; the SQL says which columns are needed."""
    schemas = {s["db_id"]: s for s in json.loads((data / "schemas.json").read_text(encoding="utf-8"))}
    out: dict[str, list[CoverageExample]] = defaultdict(list)
    for record in read_lines(data / "train_spider.jsonl"):
        schema = schemas.get(record["db"])
        if schema is None:
            continue
        tables: dict[int, list[tuple[str, str]]] = defaultdict(list)
        for (table, shown), (_, original) in zip(schema["column_names"], schema["column_names_original"], strict=True):
            if table >= 0:
                tables[table].append((shown, original.lower()))
        number = {name.lower(): i for i, name in enumerate(schema["table_names_original"])}
        try:
            query = sqlglot.parse_one(record["sql"], read="sqlite")
        except SqlglotError:
            continue
        used = {number[t.name.lower()] for t in query.find_all(exp.Table) if t.name.lower() in number}
        wanted = {column.name.lower() for column in query.find_all(exp.Column)}
        for table in sorted(used):
            answering = tuple(i for i, (_, original) in enumerate(tables[table]) if original in wanted)
            if answering:
                others = tuple(tuple(c for c, _ in tables[t]) for t in sorted(tables) if t not in used)
                columns = tuple(c for c, _ in tables[table])
                out[record["db"]].append(CoverageExample(record["question"], columns, answering, others[:5]))
    return out


def measure(model: CoverageModel, examples: list[CoverageExample]) -> tuple[float, float]:
    """(share of removed columns that are noticed, share of questions whose used table covers best)."""
    noticed, first = [], []
    for example in examples:
        whole = model.score(example.question, example.columns)
        for gone in example.answering:
            rest = [c for i, c in enumerate(example.columns) if i != gone]
            noticed.append(float(whole - model.score(example.question, rest) > 1e-6))
        if example.others:
            best = max(model.score(example.question, other) for other in example.others)
            first.append(1.0 if whole > best else 0.5 if whole == best else 0.0)
    return float(np.mean(noticed)), float(np.mean(first))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--write-weights", action="store_true")
    arguments = parser.parse_args()
    examples = read_examples(data_folder(arguments.data) / "spider")
    if arguments.write_weights:
        SHIPPED.parent.mkdir(exist_ok=True)
        train_coverage([e for db in sorted(examples) for e in examples[db]], SHIPPED)
        print("wrote", SHIPPED, SHIPPED.stat().st_size, "bytes")
        return
    databases = sorted(examples)
    held_out = {databases[int(i)] for i in np.random.default_rng(0).permutation(len(databases))[::FIFTHS]}
    train = [e for db in databases if db not in held_out for e in examples[db]]
    test = [e for db in sorted(held_out) for e in examples[db]]
    started = time.perf_counter()
    trained = train_coverage(train)
    print(f"trained on {len(train):,} examples in {time.perf_counter() - started:.0f} s, tested on {len(test):,}\n")
    print("| coverage | removed column noticed | used table covers best |\n|---|---|---|")
    for name, model in (("untrained", CoverageModel.untrained()), ("trained", trained)):
        noticed, first = measure(model, test)
        print(f"| {name} | {noticed:.3f} | {first:.3f} |")


if __name__ == "__main__":
    main()
