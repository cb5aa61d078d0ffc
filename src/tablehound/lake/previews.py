"""Previews: renderings of a table that keep its structure."""

from __future__ import annotations

from collections.abc import Sequence

from tablehound.lake.table import Table
from tablehound.settings import SeekSettings


def preview(table: Table, seek: SeekSettings, matched_rows: Sequence[int] = ()) -> str:
    """The table as text."""
    lines = ["| " + " | ".join(table.header) + " |", "|" + " --- |" * len(table.header)]
    for row in table.rows(range(min(table.n_rows, 20))):
        lines.append("| " + " | ".join(cell or "" for cell in row) + " |")
    return "\n".join(lines)
