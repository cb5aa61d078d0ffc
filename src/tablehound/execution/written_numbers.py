"""Whether a program's result is computed from its tables, or from numbers that were written into the program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tablehound.execution.statement import tree_of
from tablehound.program import Program
from tablehound.settings import Task

if TYPE_CHECKING:
    from sqlglot import exp

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_SMALL = 12
"""Up to here questions spell numbers out."""


def fault_of(program: Program, task: Task) -> str | None:
    """Why the result of a program would not rest on its tables; None when it does, or when the program cannot be
    parsed (the engine will say what is wrong with it then).

    Every column of the result has to be computed from columns of a table, or count its rows. A claim may also be
    answered by a constant, when conditions on columns decide whether there is a row at all.
    """
    if program.language != "sql":
        return None
    from sqlglot import exp

    tree = tree_of(program.text)
    if tree is None:
        return None
    aliases = {alias.lower() for alias in program.tables}
    if not any(table.name.lower() in aliases for table in tree.find_all(exp.Table)):
        return f"the program reads none of the tables {', '.join(program.tables)}"
    if not isinstance(tree, exp.Select):
        return None
    decides = task == "fact_verification" and any(_reads(part) for part in (tree.args.get("where"),) if part)
    for column in tree.expressions:
        if not _reads(column) and not decides:
            return f"{column.sql(dialect='duckdb')} is written in the program, not read from a table"
    return None


def _reads(part: exp.Expression) -> bool:
    """Whether an expression looks at rows: a column, a star, or an aggregate."""
    from sqlglot import exp

    return part.find(exp.Column, exp.Star, exp.AggFunc, exp.Exists) is not None


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
