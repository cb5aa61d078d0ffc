"""A program's text before it runs: parsed, refused if it reads anything but its tables, and searched for its names.

The engine is locked as well (no files, no network, no settings), and decides itself what kind of statement it is; this
look gives clear messages early, keeps the engine's own catalogue out of reach, and serves the search for evidence.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from tablehound.errors import ProgramRefusedError

MAX_DEPTH = 200
"""Nesting of parentheses; deeper programs only serve to exhaust a parser."""

_FORBIDDEN = re.compile(
    r"\b(?:read_\w+|write_\w+|glob|\w+_scan|scan_\w+|sniff_csv|parquet_\w+|duckdb_\w+|pragma_\w+|pg_\w+|query|query_table|getenv"
    r"|current_setting|set_config|which_secret|iceberg_\w+|delta_\w+|sqlite_\w+|postgres_\w+|mysql_\w+|load_\w+|st_read\w*"
    r"|json_execute_serialized_sql|from_substrait\w*|checkpoint|force_checkpoint|test_\w+|repeat_row|nextval|currval"
    r"|getvariable|http_\w+|from_\w*file\w*|summary|icu_\w+|enable_\w+|disable_\w+|storage_info|database_size|show_\w+)\s*\(",
    re.IGNORECASE,
)
_TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series", "values", "generateseries", "explode", "json_each"})
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.S)


@dataclass(frozen=True, slots=True)
class Statement:
    """A program that may run. ``tree`` is None where our parser does not know the syntax (the engine may)."""

    text: str
    tree: Any
    words: frozenset[str]
    """Lower-case identifiers that occur in it, quoted or bare."""

    def limited(self, rows: int) -> str:
        """The text, with a limit where it has none, so that no result is built beyond what is read."""
        if self.tree is None or self.tree.args.get("limit") or self.tree.args.get("offset"):
            return self.text
        if type(self.tree).__name__ not in {"Select", "Union", "Except", "Intersect"}:
            return self.text
        return f"{self.text}\nLIMIT {rows}"


def tree_of(text: str) -> Any:
    """The syntax tree (sqlglot) of an SQL text; None when it is no SQL."""
    import sqlglot

    try:
        return sqlglot.parse_one(text, dialect="duckdb")
    except sqlglot.errors.SqlglotError:
        return None


def look_at(text: str, aliases: Collection[str], *, max_chars: int) -> Statement:
    """Parse a program and refuse what it must not do.

    Raises:
        ProgramRefusedError: not one SELECT, a function or table beyond those given, or over a limit of size.
    """
    import sqlglot
    from sqlglot import exp

    bare = text.strip().rstrip(";").strip()
    if not bare:
        raise ProgramRefusedError("the program is empty", program=text, remedy="write one SELECT statement")
    if len(bare) > max_chars:
        raise ProgramRefusedError(f"the program has more than {max_chars} characters", program=text)
    masked = _QUOTED.sub(" ", bare)
    if _depth(masked) > MAX_DEPTH:
        raise ProgramRefusedError(f"the program nests more than {MAX_DEPTH} levels deep", program=text)
    called = _FORBIDDEN.search(masked)
    if called:
        name = called.group().rstrip("( \n\t")
        raise ProgramRefusedError(f"the function {name} is not allowed", program=text, remedy=_may_use(aliases))
    words = frozenset(re.findall(r"[^\W\d]\w*", _QUOTED.sub(" ", bare).lower())) | {
        quoted[1:-1].replace('""', '"').lower() for quoted in _QUOTED.findall(bare) if quoted.startswith('"')
    }
    try:
        trees = sqlglot.parse(bare, dialect="duckdb", error_level=sqlglot.ErrorLevel.RAISE)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return Statement(bare, None, words)
    if len([tree for tree in trees if tree is not None]) != 1:
        raise ProgramRefusedError("only one statement is allowed", program=text, remedy="write one SELECT statement")
    tree = trees[0]
    if not isinstance(tree, exp.Query):
        kind = type(tree).__name__.upper()
        raise ProgramRefusedError(f"{kind} is not allowed", program=text, remedy="write one SELECT statement")
    for found in tree.walk():
        if isinstance(found, exp.DML | exp.DDL) and not isinstance(found, exp.Query):
            raise ProgramRefusedError(
                f"{type(found).__name__.upper()} is not allowed", program=text, remedy="programs only read"
            )
    _refuse_tables(tree, text, aliases)
    return Statement(bare, tree, words)


def _refuse_tables(tree: Any, text: str, aliases: Collection[str]) -> None:
    from sqlglot import exp

    known = {alias.lower() for alias in aliases} | {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func):
            name = table.this.name or table.this.sql_name()
            if name.lower() not in _TABLE_FUNCTIONS:
                raise ProgramRefusedError(
                    f"the table function {name.lower()} is not allowed", program=text, remedy=_may_use(aliases)
                )
        elif table.name and (table.name.lower() not in known or table.db) and not _names_column(table, known):
            name = ".".join(filter(None, (table.db, table.name)))
            raise ProgramRefusedError(f"there is no table {name!r}", program=text, remedy=_may_use(aliases))


def _names_column(table: Any, known: Collection[str]) -> bool:
    """``FROM t, t.items`` unnests a column; the engine decides."""
    return bool(table.db) and table.db.lower() in known


def _may_use(aliases: Collection[str]) -> str:
    return f"read only from {', '.join(sorted(aliases))}" if aliases else "the program was given no tables"


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in text:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth -= 1
    return deepest
