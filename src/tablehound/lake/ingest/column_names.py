"""Names of columns: distinct within a table whatever the case, with the source's own name kept."""

from __future__ import annotations

from collections.abc import Sequence

from tablehound.lake.table import Column, Reading

BAND_SEPARATOR = " / "


def distinct_names(header: Sequence[Sequence[str]]) -> list[str]:
    """Names for header bands (from top to bottom; empty where the source has no name).

    Bands are joined as ``2024 / Q1 / Sales``; a column without a name becomes ``column 3``; a name that another column
    has already, in any case, gets a number: ``id``, ``ID 2``.
    """
    names = [_join(bands) for bands in header]
    folded = {name.casefold() for name in names}
    if len(folded) == len(names) and "" not in folded:
        return names
    # A made-up name must not take the name that a later column has by right.
    given = folded - {""}
    taken: set[str] = set()
    for index, name in enumerate(names):
        wanted = name or f"column {index + 1}"
        distinct, number = wanted, 2
        while distinct.casefold() in taken or (distinct != name and distinct.casefold() in given):
            distinct, number = f"{wanted} {number}", number + 1
        taken.add(distinct.casefold())
        names[index] = distinct
    return names


def make_column(bands: Sequence[str], name: str, reading: Reading) -> Column:
    """The column of header bands under its distinct name."""
    if len(bands) == 1:
        original = bands[0]
        return Column(name, original, (), reading, not original.strip())
    path = tuple(bands) if len(bands) > 1 else ()
    return Column(name, BAND_SEPARATOR.join(bands), path, reading, not any(band.strip() for band in bands))


def _join(bands: Sequence[str]) -> str:
    if len(bands) == 1:
        return " ".join(bands[0].split())
    parts: list[str] = []
    for band in bands:
        clean = " ".join(band.split())
        if clean and (not parts or parts[-1] != clean):
            parts.append(clean)
    return BAND_SEPARATOR.join(parts)
