"""OTT-QA (Chen et al., ICLR 2021): questions over web tables; many need linked text too, so retrieval only.

Read as lines of ``{"question", "table", "answer"}`` beside ``ottqa_tables.zip`` (or a folder ``tables``), in which a
file's stem is the table's id.
"""

from __future__ import annotations

from typing import Any

from tablehound.evaluation.datasets.base import BenchQuestion, FileSet, records_of, stem_key, texts


def _question(number: int, record: dict[str, Any]) -> BenchQuestion:
    return BenchQuestion(
        f"ott-{number}", record["question"], tables=(record["table"],), answers=texts(record["answer"])
    )


OTTQA = FileSet(
    name="ottqa",
    title="OTT-QA",
    hint="get OTT-QA (github: wenhuchen/OTT-QA): questions.jsonl, and its tables as CSV in ottqa_tables.zip or tables/",
    splits={"valid": ("questions.jsonl",)},
    tables=("ottqa_tables.zip", "tables.zip", "tables", "../distractors/ottqa_tables.zip"),
    read=lambda path: records_of(path, _question),
    key_of=stem_key,
    citation="Chen et al., ICLR 2021",
)
"""Questions with the table of each. Answers are kept for reading, not for scoring."""
