"""Questions of one's own: JSON lines beside a folder of tables.

``questions.jsonl`` holds ``{"id", "question", "task", "answer": [...], "tables": [...]}``; ``tables`` are paths below
the folder ``lake`` (or ``tables``). An empty ``answer`` says that the tables do not answer the question.
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
    source_key,
    texts,
)

_HINT = "put tables into lake/ and questions into questions.jsonl, one JSON object a line"


class OwnQuestions:
    """The layout of the example lake."""

    name = "own"
    hint = _HINT

    def load(self, folder: Path, split: str = "valid") -> Collection:
        only_split(split, ["valid"], "a set of one's own")
        path = first_of([folder / "questions.jsonl"], _HINT)
        tables = first_of([folder / "lake", folder / "tables"], _HINT)
        return Collection(self.name, (str(tables),), records_of(path, _question), source_key)


def _question(number: int, record: dict[str, Any]) -> BenchQuestion:
    claim = record.get("task") == "fact_verification"
    answer = texts(record["answer"])
    return BenchQuestion(
        id=str(record.get("id", number)),
        text=record["question"],
        task="fact_verification" if claim else "tableqa",
        tables=tuple(record.get("tables", ())),
        answers=None if claim else answer,
        verdict={"supported": "supported", "refuted": "refuted"}[answer[0]] if claim else None,  # type: ignore[arg-type]
        difficulty=record.get("kind", ""),
    )
