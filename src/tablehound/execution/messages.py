"""The engine's errors in words that a program can be repaired from."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tablehound.execution.pool import workers_of
from tablehound.execution.view import TypedView, quoted
from tablehound.settings import ProgramSettings

MAX_COLUMNS_LISTED = 40
_TYPE_SIGNS = ("Could not convert", "Cannot compare", "No function matches", "Cannot mix values")
_OUT_OF_MEMORY = re.compile(r"bad_alloc|MemoryError|out of memory", re.IGNORECASE)
_UNKNOWN_COLUMN = re.compile(r'(?:Referenced column|column named|does not have a column named|column) "((?:[^"]|"")+)"')
_WITHIN = re.compile(r'Table "((?:[^"]|"")+)" does not have')


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
    return f'there is no column "{name}"{where}{nearest}; {_columns(views)}'


def _columns(views: Mapping[str, TypedView]) -> str:
    lists = []
    for view in views.values():
        names = [quoted(name) for name in view.names[:MAX_COLUMNS_LISTED]]
        more = f" and {len(view.names) - len(names)} more" if len(view.names) > len(names) else ""
        lists.append(f"{view.alias} has {', '.join(names)}{more}")
    return "; ".join(lists)


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
