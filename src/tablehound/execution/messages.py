"""The engine's errors in words that a program can be repaired from, and the same without anything of a cell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tablehound.execution.pool import workers_of
from tablehound.execution.view import TypedView, quoted
from tablehound.settings import ProgramSettings

MAX_COLUMNS_LISTED = 40
_TYPE_SIGNS = ("Could not convert", "Cannot compare", "No function matches", "Cannot mix values")
_OUT_OF_MEMORY = re.compile(r"bad_alloc|MemoryError|out of memory", re.IGNORECASE)
_UNKNOWN_COLUMN = re.compile(r'(?:Referenced column|column named|does not have a column named|column) "((?:[^"]|"")+)"')
_WITHIN = re.compile(r'Table "((?:[^"]|"")+)" does not have')

_JUDGED = "the program failed: "
_FAILED = "the program failed"
_KINDS: tuple[tuple[str, str], ...] = (
    ("there is no column", "there is no such column"),
    ("there is no table", "there is no such table"),
    ("Catalog Error: Table", "there is no such table"),
    ("Catalog Error", "there is no such function or type"),
    ("the program ran longer", "the program ran too long: it may join without a condition or recurse without end"),
    ("the program needed more", "the program needed too much memory: read or join less"),
    ("the result is too large", "the result is too large: select fewer or shorter columns"),
    ("the program ran and returned nothing", "the program ran and returned nothing"),
    ("the program did not return one truth value", "the program did not return one truth value"),
    ("no row satisfies the conditions", "no row satisfies the conditions"),
    ("the program reads none of the tables", "the program reads none of the tables"),
    ("the program is empty", "the program is empty: write one SELECT statement"),
    ("Parser Error", "the program is no SQL that DuckDB reads: a syntax error"),
    (
        "Conversion Error",
        "a text or number does not convert to a type: use TRY_CAST(text AS DOUBLE), or compare as text",
    ),
    (
        "Mismatch Type Error",
        "a text or number does not convert to a type: use TRY_CAST(text AS DOUBLE), or compare as text",
    ),
    ("Out of Range Error", "a number is out of the range of its type: use DOUBLE or HUGEINT"),
    ("Binder Error", "a name is ambiguous or misplaced, or a function does not take what it is given"),
    (
        "Invalid Input Error",
        "a function was given what it cannot read, or a subquery for one value returned several rows",
    ),
    ("Not implemented Error", "DuckDB does not have what the program uses"),
)
"""How a message begins, and what of it may be sent where no cell may."""
_ENDS: tuple[tuple[str, str], ...] = (
    ("is written in the program, not read from a table", "a column of the result is written in the program, not read"),
    (
        "adds words of the program to what is read from a table",
        "a column of the result adds words of the program to what is read from a table",
    ),
    ("matched no rows", "a join matched no rows"),
)
_JOIN = re.compile(r"the join of .* (?:exploded to \d+ rows$|repeats rows of both sides)", re.S)
_NAMED = re.compile(r'there is no (?:column|table) ["\']([^"\']+)["\']')


def without_cells(message: str, program: str, columns: Mapping[str, Sequence[str]]) -> str:
    """What may be sent of a program's fault where no cell may be sent: a fixed text by the kind of fault, the name that
    is missing when ``program`` itself has it, and the columns that it could use.

    An engine quotes cells in its messages, and a program can make it do so (``error("Name")``), so nothing of the
    message's own text is passed on.

    Args:
        message: from a result's ``error``, or why a result is no answer.
        program: its text.
        columns: the columns of each table that it may use, by alias.
    """
    message = message.removeprefix(_JUDGED)
    plain = _kind_of(message)
    named = _NAMED.match(message)
    if named and re.search(rf"(?<!\w){re.escape(named[1])}(?!\w)", program, re.IGNORECASE):
        plain += f": {quoted(named[1])}"
    if plain.startswith("there is no such table"):
        return f"{plain}; the tables are {', '.join(columns)}"
    used = {
        alias: [name for name in names if name.lower() in program.lower()] if named is None else names
        for alias, names in columns.items()
    }
    listed = _columns({alias: names for alias, names in used.items() if names})
    return f"{plain}; {listed}" if listed else plain


def _kind_of(message: str) -> str:
    for start, plain in _KINDS:
        if message.startswith(start):
            return plain
    if re.match(r"[A-Z][A-Za-z ]* Error: ", message):
        return _FAILED
    for end, plain in _ENDS:
        if message.endswith(end):
            return plain
    if _JOIN.match(message):
        return "a join repeats rows: join on a key of one side, or count distinct rows"
    if message.partition(" (")[0].endswith("is not allowed"):
        return "the program uses what is not allowed: write one SELECT statement that reads only the tables"
    return _FAILED


def explain(error: str, kind: str, limits: ProgramSettings, views: Mapping[str, TypedView]) -> str:
    """What went wrong and what to do, without the engine's inner names."""
    if kind == "timeout":
        spent = f" ({error})" if error else ""
        return (
            f"the program ran longer than {limits.timeout:g} seconds{spent} and was stopped: it may "
            "join without a condition or recurse without end"
        )
    if kind == "waited":
        return (
            f"other programs used all {workers_of(limits)} processes for {limits.timeout:g} seconds, so that this one "
            "did not run: ask fewer questions at once, or raise program.workers or program.timeout"
        )
    if kind == "too large":
        return "the result is too large to be read and was dropped: select fewer or shorter columns"
    if kind == "damaged":
        return "the process that ran the program sent a damaged reply, which was dropped: run the program again"
    if kind == "died" and not _OUT_OF_MEMORY.search(error):
        return f"the process that ran the program ended before it answered ({error or 'it is not known why'})"
    if kind in ("died", "OutOfMemoryException", "MemoryError"):
        return f"the program needed more than {limits.memory_mb} MiB of memory and was stopped: read or join less"
    text = re.sub(r"\n+LINE \d+:.*", "", error, flags=re.S).strip()
    text = re.sub(r"\s*Candidate functions:.*", "", text, flags=re.S)
    text = re.sub(r"\s*\n\s*", "; ", text)
    if kind == "Refused":
        return f"{error}: write one SELECT statement"
    if kind == "BinderException" and ("not found" in text or "does not have a column" in text):
        unknown = _UNKNOWN_COLUMN.search(text)
        within = _WITHIN.search(text)
        name = text.split('named "')[1].split('"')[0] if 'named "' in text else (unknown[1] if unknown else "")
        if name:
            return _unknown_column(name, within[1] if within else None, views)
    if kind == "ConversionException" or any(sign in text for sign in _TYPE_SIGNS):
        advice = (
            'use CAST(number AS VARCHAR) or TRY_CAST(text AS DOUBLE), or the column "name (raw)" for a cell\'s text'
        )
        return f"{text}; {_types(views)}; {advice}"
    if kind == "CatalogException" and "Table" in text:
        return f"{text.split('!')[0]}; the tables are {', '.join(view.alias for view in views.values())}"
    return text


def _unknown_column(name: str, within: str | None, views: Mapping[str, TypedView]) -> str:
    from rapidfuzz import fuzz, process, utils

    choices = {
        f"{view.alias}.{quoted(column)}": column
        for view in views.values()
        if within is None or view.alias.lower() == within.lower() or within.lower() not in views
        for column in view.names
    }
    near = process.extract(name, choices, scorer=fuzz.WRatio, processor=utils.default_process, limit=3, score_cutoff=60)
    where = f" in {within}" if within else ""
    nearest = f"; nearest: {', '.join(key for _, _, key in near)}" if near else ""
    return f'there is no column "{name}"{where}{nearest}; {_columns(_names(views))}'


def _columns(tables: Mapping[str, Sequence[str]]) -> str:
    lists = []
    for alias, columns in tables.items():
        names = [quoted(name) for name in columns[:MAX_COLUMNS_LISTED]]
        more = f" and {len(columns) - len(names)} more" if len(columns) > len(names) else ""
        lists.append(f"{alias} has {', '.join(names)}{more}")
    return "; ".join(lists)


def _names(views: Mapping[str, TypedView]) -> dict[str, Sequence[str]]:
    return {view.alias: view.names for view in views.values()}


def _types(views: Mapping[str, TypedView]) -> str:
    words = {
        "int64": "BIGINT",
        "double": "DOUBLE",
        "date32[day]": "DATE",
        "timestamp[us]": "TIMESTAMP",
        "bool": "BOOLEAN",
    }
    lists = []
    for view in views.values():
        typed = [
            f"{quoted(name)} {words.get(str(view.data.schema.field(name).type), 'VARCHAR')}"
            for name in view.names[:MAX_COLUMNS_LISTED]
        ]
        lists.append(f"{view.alias} has {', '.join(typed)}")
    return "; ".join(lists)
