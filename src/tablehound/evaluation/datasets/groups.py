"""Sibling groups, in the layout of TCR-Bench and of this package's ``siblings`` builder.

A folder with ``tables/`` (files of any format that the lake reads; the file's stem is the key) and ``questions.jsonl``:
``{"id", "question", "task", "group": [keys], "table": key, "answer": [...]}``. ``table`` is the highlighted one of its
group, the only one that answers the question.
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

_HINT = "make one with `tablehound bench build siblings`, or get TCR-Bench: tables/ and questions.jsonl"


class SiblingGroups:
    """Questions with a group of sibling tables and the highlighted one."""

    name = "siblings"
    hint = _HINT

    def load(self, folder: Path, split: str = "valid") -> Collection:
        only_split(split, ["valid", "test"], "siblings")
        path = first_of([folder / f"questions_{split}.jsonl", folder / "questions.jsonl"], _HINT)
        tables = first_of([folder / "tables", folder / "tables.zip"], _HINT)
        return Collection(self.name, (str(tables),), records_of(path, _question), stem_key)


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
