"""SpiderWild and BirdWild (DMRAL), in the layout of this package's ``wild`` builder.

A folder with ``tables/`` (CSV files; the stem is the key) and ``questions.jsonl``: ``{"id", "question", "tables":
[keys], "answer", "sql", "difficulty"}``, the answer recomputed on the decomposed tables.
"""

from __future__ import annotations

from typing import Any

from tablehound.evaluation.datasets.base import BenchQuestion, FileSet, records_of, stem_key, texts


def _question(number: int, record: dict[str, Any]) -> BenchQuestion:
    return BenchQuestion(
        id=str(record.get("id", number)),
        text=record["question"],
        tables=tuple(record["tables"]),
        answers=texts(record["answer"]),
        sql=record.get("sql"),
        difficulty=record.get("difficulty", ""),
    )


WILD = FileSet(
    name="wild",
    title="wild",
    hint="make one with `tablehound bench build wild`, or lay the published set out as tables/ and questions.jsonl",
    splits={"valid": ("questions.jsonl",)},
    tables=("tables",),
    read=lambda path: records_of(path, _question),
    key_of=stem_key,
    citation="Luo et al., 2026",
)
"""Numeric questions over decomposed, masked and misspelt tables among distractors."""
