"""Names of columns: distinct within a table whatever the case, with the source's own name kept."""

from __future__ import annotations

from collections.abc import Sequence

from tablehound.lake.table import Column

BAND_SEPARATOR = " / "


def name_columns(header: Sequence[Sequence[str]]) -> tuple[Column, ...]:
    """Columns for header bands (from top to bottom; empty where the source has no name).

    Bands are joined as ``2024 / Q1 / Sales``; a column without a name becomes ``column 3``; a name that another column
    has already, in any case, gets a number: ``id``, ``ID 2``.
    """
    columns: list[Column] = []
    names = [_join(bands) for bands in header]
    # A made-up name must not take the name that a later column has by right.
    given = {name.casefold() for name in names if name}
    taken: set[str] = set()
    for position, (bands, name) in enumerate(zip(header, names, strict=True), start=1):
        inferred = not name
        wanted = name or f"column {position}"
        distinct, number = wanted, 2
        while distinct.casefold() in taken or (distinct != name and distinct.casefold() in given):
            distinct, number = f"{wanted} {number}", number + 1
        taken.add(distinct.casefold())
        path = tuple(bands) if len(bands) > 1 else ()
        columns.append(Column(name=distinct, original=BAND_SEPARATOR.join(bands), path=path, inferred=inferred))
    return tuple(columns)


def _join(bands: Sequence[str]) -> str:
    parts: list[str] = []
    for band in bands:
        clean = " ".join(band.split())
        if clean and (not parts or parts[-1] != clean):
            parts.append(clean)
    return BAND_SEPARATOR.join(parts)
