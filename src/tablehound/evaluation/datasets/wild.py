"""SpiderWild and BirdWild (DMRAL), in the layout of this package's ``wild`` builder.

A folder with ``tables/`` (CSV files; the stem is the key) and ``questions.jsonl``: ``{"id", "question", "tables":
[keys], "answer", "sql", "difficulty"}``, the answer recomputed on the decomposed tables.
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

_HINT = "make one with `tablehound bench build wild`, or lay the published set out as tables/ and questions.jsonl"


class Wild:
    """Numeric questions over decomposed, masked and misspelt tables among distractors."""

    name = "wild"
    hint = _HINT

    def load(self, folder: Path, split: str = "valid") -> Collection:
        only_split(split, ["valid"], "wild")
        path = first_of([folder / "questions.jsonl"], _HINT)
        tables = first_of([folder / "tables"], _HINT)
        return Collection(self.name, (str(tables),), records_of(path, _question), stem_key, "Luo et al., 2026")


def _question(number: int, record: dict[str, Any]) -> BenchQuestion:
    return BenchQuestion(
        id=str(record.get("id", number)),
        text=record["question"],
        tables=tuple(record["tables"]),
        answers=texts(record["answer"]),
        sql=record.get("sql"),
        difficulty=record.get("difficulty", ""),
    )
