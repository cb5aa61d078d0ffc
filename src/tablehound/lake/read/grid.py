"""Tables on a two-dimensional grid of cells: regions, header bands, row labels, roll-ups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tablehound.lake.read.draft import Account, SetAside, TableDraft
from tablehound.lake.table import Provenance

if TYPE_CHECKING:
    import pyarrow as pa

Row = Sequence[str | None]


def draft_of_rows(
    rows: Sequence[Row], provenance: Provenance, *, title: str | None = None, batch_rows: int = 65_536
) -> TableDraft | None:
    """One table of all rows: the first row with text is the header."""
    account = Account(seen=len(rows))
    header: Row | None = None
    kept: list[tuple[int, Row]] = []
    for number, row in enumerate(rows, start=1):
        if not any(row):
            account.set_aside.append(SetAside(number, "blank"))
        elif header is None:
            header = row
            account.header_rows = (number,)
            account.set_aside.append(SetAside(number, "header", " | ".join(text or "" for text in row)))
        else:
            kept.append((number, row))
    account.kept = len(kept)
    if header is None:
        return None
    width = max([len(header), *(len(row) for _, row in kept)])
    bands = tuple((header[i] or "",) if i < len(header) and header[i] else () for i in range(width))
    return TableDraft(bands, list(_batches(kept, width, batch_rows)), provenance, title=title, account=account)


def _batches(rows: list[tuple[int, Row]], width: int, batch_rows: int) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    names = [*(f"c{i}" for i in range(width)), "row"]
    for start in range(0, len(rows), batch_rows):
        part = rows[start : start + batch_rows]
        columns = [pa.array([row[i] if i < len(row) else None for _, row in part], pa.string()) for i in range(width)]
        columns.append(pa.array([number for number, _ in part], pa.int64()))
        yield pa.RecordBatch.from_arrays(columns, names=names)
