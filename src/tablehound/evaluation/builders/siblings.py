"""The ``siblings`` builder: groups of look-alike tables of which one answers (TCR-Bench's rules).

For a question over one table with SQL, siblings are made that drop a column of the question, delete the rows that
satisfy it, or keep a sample of other rows. Each table of a group then gets header names of its own (abbreviated,
restyled or replaced by synonyms), and some of its number and date columns are written in another form. The SQL is run
on every sibling: one that gives the gold answer all the same is thrown away.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablehound.evaluation.builders.database import Database, read_database, run_sql, same_result
from tablehound.evaluation.builders.rewriting import rewrite_headers, rewrite_values
from tablehound.evaluation.builders.table import PlainTable, write_table
from tablehound.evaluation.builders.wild import columns_of
from tablehound.evaluation.datasets import BenchQuestion

_LEAST_ROWS = 4
_MOST_ROWS = 2_000
_LEAST_COLUMNS = 3
_ROW = "sibling row number"


@dataclass(frozen=True, slots=True)
class SiblingOptions:
    """How many groups, and how their tables differ."""

    seed: int = 0
    groups: int = 1_000
    """At most: a table of the source has one group."""
    siblings: int = 4
    """Tables beside the gold one, at most."""
    rewritten_columns: float = 0.3
    """Share of the number and date columns of each table written in another form."""


@dataclass(frozen=True, slots=True)
class _Sibling:
    table: PlainTable
    rule: str


def build_siblings(
    questions: Sequence[BenchQuestion], databases: Path, out: Path, options: SiblingOptions
) -> dict[str, Any]:
    """Build groups into ``out``: ``tables/*.csv``, ``questions.jsonl`` and ``statistics.json``, whose data is returned.

    Args:
        questions: with ``sql`` and ``database``; those over one table are used, in an order drawn by the seed.
        databases: folder of SQLite files.
        out: made if need be; what is in it is replaced.
        options: seed, number of groups and shares.
    """
    folder = out / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    single = [question for question in questions if question.database and len(question.tables) == 1]
    random.Random(options.seed).shuffle(single)
    opened: dict[str, Database] = {}
    records: list[dict[str, Any]] = []
    rules: dict[str, int] = {}
    tables = 0
    taken: set[str] = set()
    for question in single:
        if len(records) >= options.groups:
            break
        name = question.database or ""
        # A second group of the same table would hold tables that answer the first one's question as well.
        if question.tables[0] in taken:
            continue
        if name not in opened:
            opened[name] = read_database(databases / f"{name}.sqlite")
        random_ = random.Random(f"{options.seed}/{question.id}")
        found = _group(question, opened[name], options, random_)
        if found is None:
            continue
        gold, siblings, answer = found
        taken.add(question.tables[0])
        members = [_Sibling(gold, "gold"), *siblings]
        random_.shuffle(members)
        keys = []
        for place, member in enumerate(members):
            key = f"g{len(records):04}-{place}"
            # Headers first: the suffix that marks a scaled column must stay as it is written.
            table = rewrite_values(rewrite_headers(member.table, random_), options.rewritten_columns, random_)
            write_table(PlainTable(key, table.header, table.rows), folder)
            keys.append(key)
            rules[member.rule] = rules.get(member.rule, 0) + 1
            tables += 1
        gold_key = keys[[member.rule for member in members].index("gold")]
        records.append(
            {
                "id": question.id, "question": question.text, "task": "tableqa", "group": keys, "table": gold_key,
                "answer": answer, "sql": question.sql, "database": name,
            }
        )  # fmt: skip
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    (out / "questions.jsonl").write_text(lines, encoding="utf-8")
    statistics = {"groups": len(records), "tables": tables, "by_rule": dict(sorted(rules.items()))}
    (out / "statistics.json").write_text(json.dumps(statistics, indent=1) + "\n", encoding="utf-8")
    return statistics


def _group(
    question: BenchQuestion, database: Database, options: SiblingOptions, random_: random.Random
) -> tuple[PlainTable, list[_Sibling], list[Any]] | None:
    """The gold table, its siblings and the answer; None where the question does not lend itself to a group."""
    sql = question.sql or ""
    try:
        used = columns_of(sql, database)
    except ValueError:
        return None
    if len(used) != 1:
        return None
    ((name, columns),) = used.items()
    table = database.tables[name]
    if not (_LEAST_ROWS <= len(table.rows) <= _MOST_ROWS and len(table.header) >= _LEAST_COLUMNS and columns):
        return None
    gold = _run(table, database, sql)
    if not gold or any(cell is None for row in gold for cell in row) or len(gold) > 20:
        return None
    siblings: list[_Sibling] = []
    makers = [
        _without_column(table, columns, random_),
        _without_answering_rows(table, database, sql, random_),
    ]
    for maker in makers:
        for sibling in maker:
            if len(siblings) >= options.siblings:
                break
            result = _run(sibling.table, database, sql)
            if result is None or not same_result(result, gold):
                siblings.append(sibling)
    if len(siblings) < 2:
        return None
    return table, siblings, [cell for row in gold for cell in row]


def _run(table: PlainTable, database: Database, sql: str) -> list[tuple[Any, ...]] | None:
    """The query's result on one table; None when it fails, as it does where a column is missing."""
    kinds = dict(zip(database.tables[table.name].header, database.types[table.name], strict=True))
    try:
        return run_sql([table], {table.name: tuple(kinds[column] for column in table.header)}, sql)
    except sqlite3.Error:
        return None


def _without_column(table: PlainTable, used: set[str], random_: random.Random) -> Iterator[_Sibling]:
    """Drop one column of the question, and with it a random share of the rows, so that sizes tell nothing."""
    columns = sorted(used)
    random_.shuffle(columns)
    for column in columns[:2]:
        rest = [name for name in table.header if name != column]
        yield _Sibling(table.project(rest).take(_sample(len(table.rows), random_)), "drop column")


def _without_answering_rows(
    table: PlainTable, database: Database, sql: str, random_: random.Random
) -> Iterator[_Sibling]:
    """Delete the rows that satisfy the question's condition; then once more with a sample of what is left."""
    satisfying = _satisfying_rows(table, database, sql)
    if not satisfying or len(satisfying) == len(table.rows):
        # No condition to speak of: other rows give another answer.
        places = _sample(len(table.rows), random_)
        yield _Sibling(table.take(places), "resample")
        return
    left = [place for place in range(len(table.rows)) if place not in satisfying]
    yield _Sibling(table.take(left), "delete rows")
    some = [left[place] for place in _sample(len(left), random_)]
    yield _Sibling(table.take(some), "resample")


def _sample(count: int, random_: random.Random) -> list[int]:
    """Between half and nine tenths of the places, in order."""
    size = max(2, round(count * random_.uniform(0.5, 0.9)))
    return sorted(random_.sample(range(count), min(size, count)))


def _satisfying_rows(table: PlainTable, database: Database, sql: str) -> set[int]:
    """Places of the rows that meet the WHERE of the outermost query."""
    import sqlglot
    from sqlglot import expressions

    where = sqlglot.parse_one(sql, read="sqlite").args.get("where")
    if not isinstance(where, expressions.Where):
        return set()
    numbered = PlainTable(
        table.name, (*table.header, _ROW), tuple((*row, str(place)) for place, row in enumerate(table.rows))
    )
    kinds = (*database.types[table.name], "INTEGER")
    query = f'SELECT "{_ROW}" FROM "{table.name}" {where.sql(dialect="sqlite")}'
    try:
        return {int(row[0]) for row in run_sql([numbered], {table.name: kinds}, query)}
    except sqlite3.Error:
        # The condition names an alias of the table that this shorter query does not have.
        return set()
