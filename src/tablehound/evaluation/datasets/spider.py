"""Spider (Yu et al., EMNLP 2018) and BIRD (Li et al., NeurIPS 2023): questions with SQL over many databases.

A folder with ``databases/<db>.sqlite`` (or the published ``database/<db>/<db>.sqlite``), and questions as lines of
``{"question", "db", "sql"}`` with, where known, ``answer``, ``tables`` (``db#table``) and ``difficulty``; or the
published ``dev.json`` with ``db_id`` and ``query`` (BIRD: ``SQL``). Gold tables are read off the SQL where they
are not given.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tablehound.errors import UsageError
from tablehound.evaluation.datasets.base import BenchQuestion, FileSet, database_key, read_json_lines, texts


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.suffix == ".jsonl":
        return read_json_lines(path)
    return enumerate(json.loads(path.read_text(encoding="utf-8")), 1)


def _question(number: int, record: dict[str, Any]) -> BenchQuestion:
    database = record.get("db") or record["db_id"]
    sql = next(record[name] for name in ("sql", "query", "SQL") if isinstance(record.get(name), str))
    tables = record.get("tables") or [f"{database}#{table}" for table in tables_of(sql)]
    return BenchQuestion(
        id=str(record.get("id") or record.get("question_id") or f"sp-{number}"),
        text=record["question"],
        tables=tuple(table.lower() if "#" not in table else _lowered(table) for table in tables),
        answers=texts(record["answer"]) if "answer" in record else None,
        sql=sql,
        database=database,
        difficulty=record.get("difficulty") or "",
    )


def _lowered(key: str) -> str:
    """SQLite's table names do not mind their case; the database's name is a file's and does."""
    database, _, table = key.partition("#")
    return f"{database}#{table.lower()}"


def tables_of(sql: str) -> list[str]:
    """Lower-cased names of the tables that a query reads, sorted.

    Raises:
        UsageError: it is no SQL.
    """
    import sqlglot
    from sqlglot import expressions
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
    except SqlglotError as error:
        raise UsageError(f"not SQL: {sql!r}: {error}") from error
    defined = {cte.alias_or_name.lower() for cte in tree.find_all(expressions.CTE)}
    return sorted({table.name.lower() for table in tree.find_all(expressions.Table)} - defined - {""})


def _read(path: Path) -> tuple[BenchQuestion, ...]:
    questions = []
    for number, record in _records(path):
        try:
            questions.append(_question(number, record))
        except (KeyError, TypeError) as error:
            raise UsageError(f"{path}, record {number}: not a question: {error!r}") from error
    return tuple(questions)


SPIDER = FileSet(
    name="spider",
    title="spider",
    hint="get Spider (yale-lily.github.io/spider) or BIRD (bird-bench.github.io): questions, and databases as SQLite "
    "files",
    splits={
        "valid": ("numeric_multitable.jsonl", "dev.json", "dev.jsonl"),
        "train": ("train_spider.jsonl", "train_spider.json", "train.json"),
    },
    tables=("databases", "database", "dev_databases"),
    read=_read,
    key_of=database_key,
    citation="Yu et al., EMNLP 2018",
)
"""Questions over databases, all in one lake."""
BIRD = dataclasses.replace(SPIDER, name="bird", title="bird")
"""The same layout with BIRD's field names."""
