"""WikiTableQuestions (Pasupat and Liang, 2015): questions over Wikipedia tables, with answers.

Read as lines of ``{"id", "question", "table", "answer"}`` beside ``tables.zip``, or in the published layout:
``data/*.tsv`` and the folder ``csv``.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from tablehound.errors import UsageError
from tablehound.evaluation.datasets.base import BenchQuestion, FileSet, member_key, records_of, texts


def _key(provenance: Any) -> str:
    """``csv/204-csv/590.csv``, also when the folder ``csv`` itself was indexed."""
    path = member_key(provenance)
    return path if path.startswith("csv/") else f"csv/{path}"


def _question(number: int, record: dict[str, Any]) -> BenchQuestion:
    return BenchQuestion(record["id"], record["question"], tables=(record["table"],), answers=texts(record["answer"]))


def _published(path: Path) -> tuple[BenchQuestion, ...]:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    try:
        return tuple(
            BenchQuestion(row[0], row[1], tables=(row[2],), answers=tuple(map(_unescaped, row[3].split("|"))))
            for row in rows[1:]
        )
    except IndexError as error:
        raise UsageError(f"{path} is not WikiTableQuestions' layout: {error!r}") from error


def _unescaped(text: str) -> str:
    r"""The published files write ``|`` as ``\p``, a line break as ``\n`` and a backslash twice."""
    return text.replace(r"\n", "\n").replace(r"\p", "|").replace("\\\\", "\\")


WTQ = FileSet(
    name="wtq",
    title="WikiTableQuestions",
    hint="get WikiTableQuestions (github: ppasupat/WikiTableQuestions): train.jsonl with tables.zip, or data/ and csv/",
    splits={
        "valid": ("train.jsonl", "data/random-split-1-dev.tsv"),
        "test": ("test.jsonl", "data/pristine-unseen-tables.tsv"),
    },
    tables=("tables.zip", "csv"),
    read=lambda path: _published(path) if path.suffix == ".tsv" else records_of(path, _question),
    key_of=_key,
    citation="Pasupat and Liang, ACL 2015",
)
"""Questions with a list of answer values."""
