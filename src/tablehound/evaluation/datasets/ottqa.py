"""OTT-QA (Chen et al., ICLR 2021): questions over web tables; many need linked text too, so retrieval only.

Read as lines of ``{"question", "table", "answer"}`` beside ``ottqa_tables.zip`` (or a folder ``tables``), in which a
file's stem is the table's id.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tablehound.evaluation.datasets.base import (
    BenchQuestion,
    Collection,
    first_of,
    only_split,
    records_of,
    stem_key,
    texts,
)

_HINT = "get OTT-QA (github: wenhuchen/OTT-QA): questions.jsonl, and its tables as CSV in ottqa_tables.zip or tables/"


class OttQa:
    """Questions with the table of each. Answers are kept for reading, not for scoring."""

    name = "ottqa"
    hint = _HINT

    def load(self, folder: Path, split: str = "valid") -> Collection:
        only_split(split, ["valid"], "OTT-QA")
        path = first_of([folder / "questions.jsonl"], _HINT)
        places = ["ottqa_tables.zip", "tables.zip", "tables", "../distractors/ottqa_tables.zip"]
        tables = first_of([folder / place for place in places], _HINT)
        return Collection(self.name, (str(tables),), records_of(path, _question), stem_key, "Chen et al., ICLR 2021")


def _question(number: int, record: dict[str, Any]) -> BenchQuestion:
    return BenchQuestion(
        f"ott-{number}", record["question"], tables=(record["table"],), answers=texts(record["answer"])
    )
