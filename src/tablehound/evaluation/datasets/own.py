"""Questions of one's own: JSON lines beside a folder of tables.

``questions.jsonl`` holds ``{"id", "question", "task", "answer": [...], "tables": [...]}``; ``tables`` are paths below
the folder ``lake`` (or ``tables``). An empty ``answer`` says that the tables do not answer the question.
"""

from __future__ import annotations

from typing import Any

from tablehound.evaluation.datasets.base import BenchQuestion, FileSet, records_of, source_key, texts


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


OWN = FileSet(
    name="own",
    title="a set of one's own",
    hint="put tables into lake/ and questions into questions.jsonl, one JSON object a line",
    splits={"valid": ("questions.jsonl",)},
    tables=("lake", "tables"),
    read=lambda path: records_of(path, _question),
    key_of=source_key,
)
"""The layout of the example lake."""
