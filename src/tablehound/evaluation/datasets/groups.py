"""Sibling groups, in the layout of TCR-Bench and of this package's ``siblings`` builder.

A folder with ``tables/`` (files of any format that the lake reads; the file's stem is the key) and ``questions.jsonl``:
``{"id", "question", "task", "group": [keys], "table": key, "answer": [...]}``. ``table`` is the highlighted one of its
group, the only one that answers the question.
"""

from __future__ import annotations

from typing import Any

from tablehound.evaluation.datasets.base import BenchQuestion, FileSet, records_of, stem_key, texts


def _question(number: int, record: dict[str, Any]) -> BenchQuestion:
    return BenchQuestion(
        id=str(record.get("id", number)),
        text=record["question"],
        task=record.get("task", "tableqa"),
        tables=(record["table"],),
        answers=texts(record["answer"]) if "answer" in record else None,
        verdict=record.get("verdict"),
        group=tuple(record["group"]),
    )


SIBLINGS = FileSet(
    name="siblings",
    title="siblings",
    hint="make one with `tablehound bench build siblings`, or get TCR-Bench: tables/ and questions.jsonl",
    splits={split: (f"questions_{split}.jsonl", "questions.jsonl") for split in ("valid", "test")},
    tables=("tables", "tables.zip"),
    read=lambda path: records_of(path, _question),
    key_of=stem_key,
)
"""Questions with a group of sibling tables and the highlighted one."""
