"""Tables and rows as the command line names them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablehound.errors import TableMissingError, UsageError
from tablehound.interfaces.terminal import printable

if TYPE_CHECKING:
    from tablehound.lake import Lake, TableInfo


def matching_tables(lake: Lake, name: str) -> list[TableInfo]:
    """Tables that ``name`` means: by id, else by label (file, sheet, range), else by the end of a path, else by a part.

    Labels are compared as they are printed, so that what one command shows another takes; bytes that are no Unicode,
    as the shell completes them, are taken too.
    """
    from tablehound.lake import clean_bytes

    name = clean_bytes(name)
    infos = sorted(lake.infos(), key=lambda info: info.provenance.label())
    labels = [printable(info.provenance.label()) for info in infos]
    folded = name.casefold()
    for test in (
        lambda info, _label: info.id == name,
        lambda _info, label: label == name,
        lambda _info, label: f"/{label}".endswith(f"/{name}"),
        lambda _info, label: f"/{folded}#" in f"/{label}#".casefold() or f"/{folded}!" in f"/{label}!".casefold(),
        lambda _info, label: folded in label.casefold(),
    ):
        found = [info for info, label in zip(infos, labels, strict=True) if test(info, label)]
        if found:
            return found
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


def row_indices(text: str | None, source_rows: Sequence[int], limit: int) -> range:
    """0-based indices of the rows that have these numbers in the source, given as ``FROM-TO``, cut to the limit.

    ``source_rows`` are the 1-based numbers of the table's rows in their source, ascending.
    """
    start, stop = 0, len(source_rows)
    if text is not None:
        match = re.fullmatch(r"(\d+)(?:-(\d*))?", text.strip())
        if match is None or int(match[1]) < 1:
            raise UsageError(f"--rows {text!r} is no range of rows", remedy="write FROM-TO, such as 3-10")
        first = int(match[1])
        start = bisect_left(source_rows, first)
        if match[2] != "":
            stop = bisect_right(source_rows, first if match[2] is None else int(match[2]))
    return range(start, min(stop, start + limit) if limit else stop)
