"""FeTaQA (Nan et al., TACL 2022): free-form answers over Wikipedia tables; tables come inside the records.

The published ``fetaQA-v1_<split>.jsonl`` holds each table as an array. ``load`` writes them once as CSV files into a
folder ``tables`` beside it, since a lake reads files.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from tablehound.evaluation.datasets.base import (
    BenchQuestion,
    Collection,
    first_of,
    only_split,
    read_json_lines,
    records_of,
    stem_key,
)

_HINT = "get FeTaQA (github: Yale-LILY/FeTaQA): fetaQA-v1_dev.jsonl or fetaQA-v1_test.jsonl"
_FILES = {"valid": "fetaQA-v1_dev.jsonl", "test": "fetaQA-v1_test.jsonl"}


class FeTaQa:
    """Questions whose answer is a sentence: retrieval only."""

    name = "fetaqa"
    hint = _HINT

    def load(self, folder: Path, split: str = "valid") -> Collection:
        only_split(split, list(_FILES), "FeTaQA")
        path = first_of([folder / _FILES[split]], _HINT)
        tables = folder / "tables" / split
        tables.mkdir(parents=True, exist_ok=True)
        for _, record in read_json_lines(path):
            target = tables / f"{record['feta_id']}.csv"
            if not target.exists():
                with target.open("w", encoding="utf-8", newline="") as out:
                    csv.writer(out).writerows(record["table_array"])
        return Collection(self.name, (str(tables),), records_of(path, _question), stem_key, "Nan et al., TACL 2022")


def _question(number: int, record: dict[str, Any]) -> BenchQuestion:
    key = str(record["feta_id"])
    return BenchQuestion(f"feta-{key}", record["question"], tables=(key,))
