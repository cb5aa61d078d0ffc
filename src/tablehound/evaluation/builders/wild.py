"""The ``wild`` builder: databases taken apart into the tables of a messy lake (DMRAL's SpiderWild and BirdWild).

Tables are decomposed by columns and rows with their keys kept and the reconstruction verified; some lose half of their
metadata; textual keys get typing errors; tables of other corpora that BM25 finds similar are put among them. Relevant
tables and gold answers are recomputed by running each question's SQL on the parts (before the typing errors).
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablehound.evaluation.builders.database import Database, read_database, read_schemas, run_sql, same_result
from tablehound.evaluation.builders.decompose import Decomposition, decompose
from tablehound.evaluation.builders.rewriting import misspelt
from tablehound.evaluation.builders.table import PlainTable, write_table
from tablehound.evaluation.datasets import BenchQuestion

if TYPE_CHECKING:
    from tablehound.lake import Lake


@dataclass(frozen=True, slots=True)
class WildOptions:
    """The published settings."""

    seed: int = 0
    masked_tables: float = 0.2
    """Share of tables that lose half of their metadata (title and column names)."""
    misspelt_values: float = 0.2
    """Share of the values of textual keys that get a typing error."""
    distractors_per_question: int = 10


@dataclass(slots=True)
class WildStatistics:
    """What was built, in the layout of the paper's table of data sets."""

    questions: int = 0
    left_out: int = 0
    """Questions whose SQL fails, takes too long, or gives nothing."""
    reproduced: int = 0
    """Questions whose gold answer the SQL gives on the reconstructed parts too."""
    tables: int = 0
    verified: int = 0
    """Original tables whose reconstruction was verified."""
    originals: int = 0
    distractors: int = 0
    masked: int = 0
    misspelt: int = 0
    rows: int = 0
    columns: int = 0
    relevant: int = 0
    """Relevant tables, summed over questions."""
    difficulty: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """Plain data with the derived means."""
        tables, questions = max(self.tables, 1), max(self.questions, 1)
        return {
            "questions": self.questions,
            "questions_left_out": self.left_out,
            "answers_reproduced": self.reproduced,
            "tables": self.tables,
            "distractors": self.distractors,
            "original_tables": self.originals,
            "reconstructions_verified": self.verified,
            "masked_tables": self.masked,
            "misspelt_values": self.misspelt,
            "rows_per_table": round(self.rows / tables, 1),
            "columns_per_table": round(self.columns / tables, 1),
            "tables_per_question": round(self.relevant / questions, 2),
            "difficulty": dict(sorted(self.difficulty.items())),
        }


def build_wild(
    questions: Sequence[BenchQuestion],
    databases: Path,
    schemas: Path | None,
    out: Path,
    options: WildOptions,
    distractors: Lake | None = None,
) -> WildStatistics:
    """Build the set into ``out``: ``tables/*.csv``, ``questions.jsonl``, ``tables.jsonl`` and ``statistics.json``.

    Args:
        questions: with ``sql`` and ``database``.
        databases: folder of SQLite files.
        schemas: Spider's keys, if known.
        out: made if need be; what is in it is replaced.
        options: seed and shares.
        distractors: a lake of other tables to choose from.
    """
    known = read_schemas(schemas) if schemas is not None else {}
    folder = out / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    statistics = WildStatistics()
    records: list[dict[str, Any]] = []
    provenance: list[dict[str, Any]] = []
    for name in sorted({question.database for question in questions if question.database}):
        database = read_database(databases / f"{name}.sqlite", known.get(name))
        # One generator per database: adding a database leaves the others as they were.
        random_ = random.Random(f"{options.seed}/{name}")
        pieces = {table: decompose(database, table, random_) for table in sorted(database.tables)}
        statistics.originals += len(pieces)
        statistics.verified += sum(piece.verified() for piece in pieces.values())
        names = _write_parts(database, pieces, folder, options, random_, statistics, provenance)
        for question in questions:
            if question.database == name:
                record = _recompute(question, database, pieces, names, statistics)
                if record is not None:
                    records.append(record)
    if distractors is not None:
        _write_distractors(records, distractors, folder, options.distractors_per_question, statistics)
    _write_lines(out / "questions.jsonl", records)
    _write_lines(out / "tables.jsonl", provenance)
    summary = json.dumps(statistics.to_json(), indent=1) + "\n"
    (out / "statistics.json").write_text(summary, encoding="utf-8")
    return statistics


def _write_parts(
    database: Database,
    pieces: Mapping[str, Decomposition],
    folder: Path,
    options: WildOptions,
    random_: random.Random,
    statistics: WildStatistics,
    provenance: list[dict[str, Any]],
) -> dict[str, str]:
    """Mask, misspell and write every part; part name → key under which it was written."""
    names: dict[str, str] = {}
    for original, piece in sorted(pieces.items()):
        keys = set(database.key_columns(original)) | set(piece.key)
        for part in piece.parts:
            table, count = _with_typing_errors(part.table, keys, options.misspelt_values, random_)
            masked = random_.random() < options.masked_tables
            title_kept = True
            if masked:
                table, title_kept = _masked(table, random_)
            key = part.table.name if title_kept else f"table-{len(provenance):05}"
            names[part.table.name] = key
            write_table(PlainTable(key, table.header, table.rows), folder)
            statistics.tables += 1
            statistics.masked += masked
            statistics.misspelt += count
            statistics.rows += len(table.rows)
            statistics.columns += len(table.header)
            provenance.append(
                {"key": key, "database": database.name, "table": original, "header": list(part.table.header)}
            )
    return names


def _with_typing_errors(
    table: PlainTable, keys: set[str], share: float, random_: random.Random
) -> tuple[PlainTable, int]:
    """Typing errors in a share of the values of textual key columns, each value wrong in the same way in its table."""
    count = 0
    for place, name in enumerate(table.header):
        texts = table.column(place)
        values = sorted({text for text in texts if text and any(c.isalpha() for c in text)})
        if name not in keys or len(values) < 2:
            continue
        chosen = random_.sample(values, round(share * len(values)))
        wrong = {value: misspelt(value, random_) for value in chosen}
        wrong = {value: text for value, text in wrong.items() if text != value and text not in texts}
        count += len(wrong)
        table = table.with_column(place, [wrong.get(text, text) if text else text for text in texts])
    return table, count


def _masked(table: PlainTable, random_: random.Random) -> tuple[PlainTable, bool]:
    """Half of the metadata gone: the elements are the title and the column names. The second result keeps the title."""
    elements = list(range(-1, len(table.header)))
    gone = set(random_.sample(elements, (len(elements) + 1) // 2))
    header = tuple("" if place in gone else name for place, name in enumerate(table.header))
    return PlainTable(table.name, header, table.rows), -1 not in gone


def _recompute(
    question: BenchQuestion,
    database: Database,
    pieces: Mapping[str, Decomposition],
    names: Mapping[str, str],
    statistics: WildStatistics,
) -> dict[str, Any] | None:
    """The question's record, its answer computed on the parts; None when its SQL gives nothing."""
    sql = question.sql or ""
    try:
        used = columns_of(sql, database)
        gold = run_sql(database.tables.values(), database.types, sql)
        parts = [part.table for table in used for part in pieces[table].parts]
        kinds = {part.table.name: _types(database, table, part.table) for table in used for part in pieces[table].parts}
        rebuilt = run_sql(parts, kinds, sql, [pieces[table].reconstruction() for table in used])
    except (sqlite3.Error, ValueError):
        statistics.left_out += 1
        return None
    if not gold or any(cell is None for row in gold for cell in row):
        statistics.left_out += 1
        return None
    reproduced = same_result(gold, rebuilt)
    relevant = sorted(
        {names[part.table.name] for table, columns in used.items() for part in pieces[table].relevant(columns)}
    )
    statistics.questions += 1
    statistics.reproduced += reproduced
    statistics.relevant += len(relevant)
    statistics.difficulty[question.difficulty or "unknown"] += 1
    answer = rebuilt if rebuilt else gold
    return {
        "id": question.id,
        "question": question.text,
        "database": database.name,
        "tables": relevant,
        "answer": [cell for row in answer for cell in row],
        "sql": sql,
        "difficulty": question.difficulty,
        "reproduced": reproduced,
    }


def _types(database: Database, table: str, part: PlainTable) -> tuple[str, ...]:
    kinds = dict(zip(database.tables[table].header, database.types[table], strict=True))
    return tuple(kinds[name] for name in part.header)


def columns_of(sql: str, database: Database) -> dict[str, set[str]]:
    """Table → columns that a query names; a column that several of its tables have counts for each of them.

    Raises:
        ValueError: it is no SQL, or names a table that the database has not.
    """
    import sqlglot
    from sqlglot import expressions
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
    except SqlglotError as error:
        raise ValueError(f"not SQL: {sql!r}") from error
    tables = sorted({table.name.lower() for table in tree.find_all(expressions.Table)})
    unknown = [table for table in tables if table not in database.tables]
    if unknown or not tables:
        raise ValueError(f"no such table: {', '.join(unknown) or 'none named'}")
    named = {column.name.casefold() for column in tree.find_all(expressions.Column)}
    # ``= "x"`` is a text in Spider's SQL, but sqlglot reads a quoted name as a column; such names match no column.
    starred = any(not isinstance(star.parent, expressions.Count) for star in tree.find_all(expressions.Star))
    return {
        table: {name for name in database.tables[table].header if starred or name.casefold() in named}
        for table in tables
    }


def _write_distractors(
    records: Sequence[Mapping[str, Any]], lake: Lake, folder: Path, each: int, statistics: WildStatistics
) -> None:
    """For every question the tables of another corpus that BM25 ranks first, each written once."""
    from tablehound.evaluation.systems.bm25 import Bm25

    system = Bm25.over(lake)
    chosen = sorted({table for record in records for table in system.rank(record["question"], each)})
    for number, table_id in enumerate(chosen):
        table = lake.table(table_id)
        write_table(PlainTable(f"other-{number:05}", table.header, tuple(table.rows())), folder)
        statistics.distractors += 1
        statistics.tables += 1
        statistics.rows += table.n_rows
        statistics.columns += len(table.header)


def _write_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text(text, encoding="utf-8")
