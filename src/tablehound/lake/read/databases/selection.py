"""Which tables of a database are read: all, or those that an override names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablehound.errors import BrokenSourceError, SourceError
from tablehound.lake.read.contract import SourceFile

_SHOWN_CHARS = 300


def chosen(
    source: SourceFile, names: Sequence[str], errors: list[SourceError], where: str, views: Sequence[str] = ()
) -> Iterator[tuple[int, str]]:
    """Place and name of each table to read; a pinned name that is not there becomes one of the ``errors``."""
    pinned = source.overrides.sheets
    for name in pinned:
        if name not in names:
            what = "it is a view, which is not read" if name in views else "there is no such table"
            listed = ", ".join(names)[:_SHOWN_CHARS]
            errors.append(BrokenSourceError(what, where=f"{where}#{name}", remedy=f"tables: {listed}"))
    yield from ((place, name) for place, name in enumerate(names) if not pinned or name in pinned)


def left_out(source: SourceFile, kind: str, names: Sequence[str]) -> None:
    """Have the report name what is not read."""
    source.left_out.extend(f"{kind} {name!r}" for name in names)
