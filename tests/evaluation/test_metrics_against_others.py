"""Retrieval metrics agree with ir-measures (trec_eval) on random rankings."""

from __future__ import annotations

import random

import pytest

from tablehound.evaluation.metrics import precision_at, recall_at, reciprocal_rank

ir_measures = pytest.importorskip("ir_measures", reason="ir-measures is not installed (pip install 'tablehound[dev]')")


@pytest.mark.parametrize("k", [1, 3, 5, 10])
def test_recall_precision_and_reciprocal_rank(k: int) -> None:
    random_ = random.Random(k)
    ranked: dict[str, list[str]] = {}
    relevant: dict[str, set[str]] = {}
    for number in range(50):
        tables = [f"t{i}" for i in range(random_.randint(10, 30))]
        ranked[f"q{number}"] = random_.sample(tables, random_.randint(10, len(tables)))
        relevant[f"q{number}"] = set(random_.sample(tables, random_.randint(1, 4)))
    qrels = [ir_measures.Qrel(q, table, 1) for q, tables in relevant.items() for table in tables]
    run = [
        ir_measures.ScoredDoc(q, table, float(-place))
        for q, tables in ranked.items()
        for place, table in enumerate(tables)
    ]
    wanted = [ir_measures.R @ k, ir_measures.P @ k, ir_measures.RR]
    theirs = ir_measures.calc_aggregate(wanted, qrels, run)
    count = len(ranked)
    ours = [
        sum(recall_at(ranked[q], relevant[q], k) for q in ranked) / count,
        sum(precision_at(ranked[q], relevant[q], k) for q in ranked) / count,
        sum(reciprocal_rank(ranked[q], relevant[q]) for q in ranked) / count,
    ]
    assert ours == pytest.approx([theirs[measure] for measure in wanted])
