"""Naming tables on the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tablehound.errors import TableMissingError, UsageError

if TYPE_CHECKING:
    from tablehound.lake import Lake, TableInfo


def matching_tables(lake: Lake, name: str) -> list[TableInfo]:
    """Tables whose id is ``name``, else whose label (file, sheet, range) is, else whose label contains it."""
    infos = list(lake.infos())
    for test in (
        lambda info: info.id == name,
        lambda info: info.provenance.label() == name,
        lambda info: name.casefold() in info.provenance.label().casefold(),
    ):
        found = [info for info in infos if test(info)]
        if found:
            return sorted(found, key=lambda info: info.provenance.label())
    return []


def one_table(lake: Lake, name: str) -> str:
    """The id of the one table of that name.

    Raises:
        TableMissingError: there is none.
        UsageError: there are several.
    """
    found = matching_tables(lake, name)
    if not found:
        raise TableMissingError(f"there is no table {name!r}", remedy="list them with `tablehound info`")
    if len(found) > 1:
        some = ", ".join(info.provenance.label() for info in found[:5]) + (", …" if len(found) > 5 else "")
        raise UsageError(f"{name!r} names {len(found)} tables: {some}", remedy="give one in full, or its id")
    return found[0].id


def row_indices(text: str | None, n_rows: int, limit: int) -> range:
    """0-based indices of the rows asked for as ``FROM-TO`` (from 1, both ends included), cut to the limit."""
    start, stop = 0, n_rows
    if text is not None:
        match = re.fullmatch(r"(\d+)(?:-(\d*))?", text.strip())
        if match is None or int(match[1]) < 1:
            raise UsageError(f"--rows {text!r} is no range of rows", remedy="write FROM-TO, such as 3-10")
        start = int(match[1]) - 1
        stop = start + 1 if match[2] is None else int(match[2]) if match[2] else n_rows
    stop = min(stop, n_rows)
    return range(start, min(stop, start + limit) if limit else stop)
