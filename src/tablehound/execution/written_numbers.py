"""Whether a program's result is computed from its tables, or from numbers that were written into the program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tablehound.execution.statement import tree_of
from tablehound.program import Program
from tablehound.settings import Task

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.optimizer.scope import Scope

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_TEMPLATES = frozenset({"format", "printf"})
_PLACEHOLDER = re.compile(r"\{[^}]*\}|%[-+ #0]*\d*(?:\.\d+)?[a-z]")
_SMALL = 12
"""Up to here questions spell numbers out."""


def fault_of(program: Program, task: Task) -> str | None:
    """Why the result of a program would not rest on its tables; None when it does, or when the program cannot be
    parsed (the gate says what is wrong with it then).

    Every column of the result has to be computed from columns of a table, or count its rows: an aggregate over a
    constant (``max(999)``), words joined to a value (``'about ' || name``) and columns of a part of the program that
    are constants themselves are made up. A claim may also be answered by a constant, when conditions on columns decide
    whether there is a row at all.
    """
    if program.language != "sql":
        return None
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.scope import traverse_scope

    tree = tree_of(program.text)
    if tree is None:
        return None
    try:
        scopes = {id(scope.expression): scope for scope in traverse_scope(tree)}
    except (SqlglotError, RecursionError):
        return None
    aliases = {alias.lower() for alias in program.tables}
    if not any(table.name.lower() in aliases for table in tree.find_all(exp.Table)):
        return f"the program reads none of the tables {', '.join(program.tables)}"
    for select in _branches(tree):
        decides = task == "fact_verification" and _reads(select.args.get("where"), scopes)
        for column in select.expressions:
            if not decides and not _reads(column, scopes):
                return f"{column.sql(dialect='duckdb')} is written in the program, not read from a table"
            worded = _words_added(column)
            if worded is not None:
                return f"{worded.sql(dialect='duckdb')} adds words of the program to what is read from a table"
    return None


def _branches(tree: Any) -> Iterator[exp.Select]:
    """The SELECTs whose rows are the result: one, or those of a UNION."""
    from sqlglot import exp

    if isinstance(tree, exp.Select):
        yield tree
    elif isinstance(tree, exp.SetOperation):
        yield from _branches(tree.this)
        yield from _branches(tree.expression)
    elif isinstance(tree, exp.Subquery):
        yield from _branches(tree.this)


def _reads(part: Any, scopes: Mapping[int, Scope]) -> bool:
    """Whether an expression looks at rows of a table: a column or a star of one, a count of rows, or EXISTS."""
    from sqlglot import exp

    waiting = [part] if part is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Count | exp.CountIf | exp.Exists | exp.Star | exp.RowNumber):
            return True
        if isinstance(node, exp.Sum) and isinstance(node.this, exp.Literal) and node.this.name == "1":
            return True  # counts rows
        if isinstance(node, exp.Column):
            if _column_reads(node, scopes):
                return True
        elif isinstance(node, exp.Query):
            waiting += [column for select in _branches(node) for column in select.expressions]
        else:
            waiting += list(node.iter_expressions())
    return False


def _column_reads(column: exp.Column, scopes: Mapping[int, Scope]) -> bool:
    """Whether a column is one of a table, or of a part of the program that reads it from one."""
    from sqlglot import exp
    from sqlglot.optimizer.scope import Scope

    select = column.find_ancestor(exp.Select)
    scope = scopes.get(id(select))
    sources = scope.sources if scope is not None else {}
    named = [sources[column.table]] if column.table in sources else list(sources.values())
    for source in named:
        if not isinstance(source, Scope):
            return True
        parts = [
            made
            for branch in _branches(source.expression)
            for made in branch.expressions
            if made.alias_or_name.lower() == column.name.lower() or isinstance(made, exp.Star) or made.is_star
        ]
        if any(_reads(made, scopes) for made in parts):
            return True
        if not parts and _branches_rename(source):
            return True
    return not named


def _branches_rename(source: Scope) -> bool:
    """Whether the columns of a part are renamed where it is used (``AS r(v)``), so that names do not tell."""
    from sqlglot import exp

    parent = source.expression.parent
    return isinstance(parent, exp.Subquery | exp.CTE) and any(
        _reads(column, {}) for branch in _branches(source.expression) for column in branch.expressions
    )


def _words_added(column: exp.Expression) -> exp.Expression | None:
    """The part of a result column that joins words written in the program to a value; signs between values are fine."""
    from sqlglot import exp

    for joined in column.find_all(exp.DPipe, exp.Concat, exp.ConcatWs, exp.Format, exp.Anonymous):
        if isinstance(joined, exp.Anonymous) and joined.name.lower() not in _TEMPLATES:
            continue
        if joined.find_ancestor(exp.EQ, exp.Like, exp.ILike, exp.In, exp.Where, exp.Join) is not None:
            continue
        pieces = joined.flatten() if isinstance(joined, exp.DPipe) else joined.iter_expressions()
        for piece in pieces:
            if isinstance(piece, exp.Literal) and any(map(str.isalnum, _PLACEHOLDER.sub("", piece.name))):
                return joined
    return None


def own_numbers(program: Program, question: str) -> tuple[str, ...]:
    """Numbers in a program that the question does not have: bounds that were derived (``1990`` for "the nineties"), or
    read off a preview. Small integers and powers of ten are how programs are written, and left out."""
    tree = tree_of(program.text) if program.language == "sql" else None
    if tree is None:
        return ()
    from sqlglot import exp

    asked = {number.replace(",", "") for number in _NUMBER.findall(question)}
    found = [literal.name for literal in tree.find_all(exp.Literal) if not literal.is_string]
    return tuple(dict.fromkeys(n for n in found if n not in asked and not _is_common(n)))


def _is_common(number: str) -> bool:
    try:
        value = float(number)
    except ValueError:
        return False
    return value.is_integer() and (value <= _SMALL or number.strip("0") == "1")
