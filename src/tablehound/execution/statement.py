"""A program's text before it runs: parsed, refused if it reads anything but its tables, and searched for its names.

The engine is locked as well (no files, no network, no settings), and decides itself what kind of statement it is; this
look gives clear messages early, keeps the engine's own catalogue out of reach, and serves the search for evidence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablehound.errors import ProgramRefusedError
from tablehound.settings import ProgramSettings

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_FORBIDDEN = re.compile(
    r"\b(?:read_\w+|write_\w+|glob|\w+_scan|scan_\w+|sniff_csv|parquet_\w+|duckdb_\w+|pragma_\w+|pg_\w+|query|query_table|getenv"
    r"|current_setting|set_config|which_secret|iceberg_\w+|delta_\w+|sqlite_\w+|postgres_\w+|mysql_\w+|load_\w+|st_read\w*"
    r"|json_execute_serialized_sql|from_substrait\w*|checkpoint|force_checkpoint|test_\w+|repeat_row|nextval|currval"
    r"|getvariable|http_\w+|from_\w*file\w*|summary|icu_\w+|enable_\w+|disable_\w+|storage_info|database_size|show_\w+)\s*\(",
    re.IGNORECASE,
)
_TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series", "values", "generateseries", "explode", "json_each"})
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.S)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_PREFIXES = frozenset({"NOT", "-", "+", "~", "@", "!"})
_UNREADABLE = "the program cannot be read as DuckDB's SQL"


@dataclass(frozen=True, slots=True)
class Statement:
    """A program that may run, and its syntax tree (of sqlglot)."""

    text: str
    tree: Any
    words: frozenset[str]
    """Lower-case identifiers that occur in it, quoted or bare."""

    def limited(self, rows: int) -> str:
        """The text, with a limit where it has none, so that no result is built beyond what is read."""
        if self.tree.args.get("limit") or self.tree.args.get("offset"):
            return self.text
        if type(self.tree).__name__ not in {"Select", "Union", "Except", "Intersect"}:
            return self.text
        return f"{self.text}\nLIMIT {rows}"


def tree_of(text: str) -> Any:
    """The syntax tree (sqlglot) of an SQL text; None when it is no SQL."""
    import sqlglot

    try:
        return sqlglot.parse_one(text, dialect="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None


def look_at(text: str, aliases: Collection[str], limits: ProgramSettings) -> Statement:
    """Parse a program and refuse what it must not do.

    Args:
        text: the program.
        aliases: names of the tables that it may read.
        limits: of its size; they hold before it is parsed, so that no text takes long to look at.

    Raises:
        ProgramRefusedError: not one SELECT, a function or table beyond those given, over a limit of size, or not
            readable: what this parser cannot read is not handed to the engine, whose own parser may read more into it.
    """
    import sqlglot
    from sqlglot import exp

    bare = text.strip().rstrip(";").strip()
    if not bare:
        raise ProgramRefusedError("the program is empty", program=text, remedy="write one SELECT statement")
    if len(bare) > limits.max_program_chars:
        raise ProgramRefusedError(f"the program has more than {limits.max_program_chars} characters", program=text)
    masked = _QUOTED.sub(" ", bare)
    called = _FORBIDDEN.search(masked)
    if called:
        name = called.group().rstrip("( \n\t")
        raise ProgramRefusedError(f"the function {name} is not allowed", program=text, remedy=_may_use(aliases))
    try:
        tokens = sqlglot.tokenize(bare, read="duckdb")
        _refuse_size(tokens, text, aliases, limits)
        trees = sqlglot.parse(bare, dialect="duckdb", error_level=sqlglot.ErrorLevel.RAISE)
    except sqlglot.errors.SqlglotError as error:
        raise ProgramRefusedError(
            f"{_UNREADABLE}: {_place_of(error)}", program=text, remedy="write it in plainer SQL"
        ) from error
    except RecursionError as error:
        raise ProgramRefusedError(
            f"{_UNREADABLE}: it nests too deeply", program=text, remedy="write it in plainer SQL"
        ) from error
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
        if isinstance(found, exp.Func) and _FORBIDDEN.match(f"{_name_of(found)}("):
            raise ProgramRefusedError(
                f"the function {_name_of(found)} is not allowed", program=text, remedy=_may_use(aliases)
            )
    _refuse_tables(tree, text, aliases)
    words = frozenset(re.findall(r"[^\W\d]\w*", masked.lower())) | {
        quoted[1:-1].replace('""', '"').lower() for quoted in _QUOTED.findall(bare) if quoted.startswith('"')
    }
    return Statement(bare, tree, words)


def _refuse_size(tokens: Sequence[Token], text: str, aliases: Collection[str], limits: ProgramSettings) -> None:
    """Refuse a program by what its tokens count, before it is parsed.

    A table reference is an alias that no point follows (``T1."x"`` names a column), or a SELECT. A key is an ``=`` or a
    name in USING. Depth counts open brackets and CASEs, and prefix operators in a row.
    """
    if len(tokens) > limits.max_program_tokens:
        raise ProgramRefusedError(f"the program has more than {limits.max_program_tokens} tokens", program=text)
    named = {alias.lower() for alias in aliases}
    references = selects = keys = open_brackets = prefixes = deepest = 0
    using = False
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        word = token.text.upper()
        references += token.text.lower() in named and (following is None or following.text != ".")
        selects += word == "SELECT"
        keys += word == "=" or (using and word == ",")
        if token.text in _OPENING or word == "CASE":
            open_brackets += 1
        elif token.text in _CLOSING or word == "END":
            open_brackets -= 1
            using = False
        using = using or word == "USING"
        prefixes = prefixes + 1 if word in _PREFIXES else 0
        deepest = max(deepest, open_brackets + prefixes)
    if max(references, selects) > limits.max_table_references:
        raise ProgramRefusedError(
            f"the program names tables more than {limits.max_table_references} times",
            program=text,
            remedy="tables that are parts of one are given as one view: name that view once",
        )
    if keys > limits.max_keys:
        raise ProgramRefusedError(
            f"the program compares more than {limits.max_keys} keys",
            program=text,
            remedy="use IN (...) for many values",
        )
    if deepest > limits.max_depth:
        raise ProgramRefusedError(f"the program nests more than {limits.max_depth} levels deep", program=text)


def _place_of(error: Exception) -> str:
    """Where our parser stopped: the word of the program, where it tells."""
    from sqlglot.errors import ParseError

    near = error.errors[0].get("highlight") if isinstance(error, ParseError) and error.errors else None
    return f"syntax error near {str(near)[:40]!r}" if near else "syntax error"


def _name_of(function: Any) -> str:
    """The name that a function is called by, in lower case."""
    from sqlglot import exp

    name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
    return str(name).lower()


def _refuse_tables(tree: Any, text: str, aliases: Collection[str]) -> None:
    """Refuse whatever rows come from but the tables given, parts of the program itself, and functions that make rows
    out of values."""
    from sqlglot import exp

    known = {alias.lower() for alias in aliases} | {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table, exp.Lateral):
        if isinstance(table.this, exp.Func):
            name = _name_of(table.this)
            if name not in _TABLE_FUNCTIONS:
                raise ProgramRefusedError(
                    f"the table function {name} is not allowed", program=text, remedy=_may_use(aliases)
                )
        elif (
            isinstance(table, exp.Table)
            and table.name
            and (table.name.lower() not in known or table.db)
            and not _names_column(table, known)
        ):
            name = ".".join(filter(None, (table.db, table.name)))
            raise ProgramRefusedError(f"there is no table {name!r}", program=text, remedy=_may_use(aliases))


def _names_column(table: Any, known: Collection[str]) -> bool:
    """``FROM t, t.items`` unnests a column; the engine decides."""
    return bool(table.db) and table.db.lower() in known


def _may_use(aliases: Collection[str]) -> str:
    return f"read only from {', '.join(sorted(aliases))}" if aliases else "the program was given no tables"
