"""Which tables of a database are read: all, or those that an override names; and how their names are quoted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablehound.errors import BrokenSourceError, SourceError
from tablehound.lake.read.contract import SourceFile

MAX_SHOWN_CHARS = 300


def chosen(
    source: SourceFile, names: Sequence[str], errors: list[SourceError], where: str, views: Sequence[str] = ()
) -> Iterator[tuple[int, str]]:
    """Place and name of each table to read; a pinned name that is not there becomes one of the ``errors``.

    Views are not read, and the report names them.
    """
    source.left_out.extend(f"view {name!r}" for name in views)
    pinned = source.overrides.sheets
    for name in pinned:
        if name not in names:
            what = "it is a view, which is not read" if name in views else "there is no such table"
            listed = ", ".join(names)[:MAX_SHOWN_CHARS]
            errors.append(BrokenSourceError(what, where=f"{where}#{name}", remedy=f"tables: {listed}"))
    yield from ((place, name) for place, name in enumerate(names) if not pinned or name in pinned)


def quoted(name: str) -> str:
    """A name as a quoted identifier of standard SQL."""
    return '"' + name.replace('"', '""') + '"'
