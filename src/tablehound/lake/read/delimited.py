"""Delimited text: CSV, TSV and their relatives."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tablehound.lake.read.draft import Account, SetAside, SourceFile, TableDraft
from tablehound.lake.table import Provenance

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITERS = ",;\t|#~^:"


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read the tables of a delimited text file."""
    text = _decode(source.path.read_bytes())
    delimiter = _delimiter(text[:65536])
    rows = list(csv.reader(text.splitlines(keepends=True), delimiter=delimiter))
    account = Account(dialect={"delimiter": delimiter})
    account.seen = len(rows)
    header: list[str] = []
    kept: list[tuple[int, list[str]]] = []
    for number, row in enumerate(rows, start=1):
        if not row:
            account.set_aside.append(SetAside(number, "blank"))
        elif not header:
            header = row
            account.header_rows = (number,)
            account.set_aside.append(SetAside(number, "header", delimiter.join(row)))
        else:
            kept.append((number, row))
    account.kept = len(kept)
    width = max([len(header), *(len(row) for _, row in kept)])
    if width:
        yield TableDraft(
            header=tuple((header[i],) if i < len(header) else () for i in range(width)),
            batches=[_batch(kept, width)],
            provenance=Provenance(source=source.name, format="csv", member=source.member),
            account=account,
        )


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _delimiter(sample: str) -> str:
    lines = [line for line in sample.splitlines() if line][:200]
    best, best_score = ",", 0.0
    for delimiter in DELIMITERS:
        counts = Counter(line.count(delimiter) for line in lines)
        if counts:
            number, share = max(((n, c) for n, c in counts.items() if n), key=lambda pair: pair[1], default=(0, 0))
            score = share / len(lines) * min(number, 3) if number else 0.0
            if score > best_score:
                best, best_score = delimiter, score
    return best


def _batch(rows: list[tuple[int, list[str]]], width: int) -> pa.RecordBatch:
    import pyarrow as pa

    columns = [pa.array([row[i] if i < len(row) else None for _, row in rows], type=pa.string()) for i in range(width)]
    columns.append(pa.array([number for number, _ in rows], type=pa.int64()))
    return pa.RecordBatch.from_arrays(columns, names=[*(f"c{i}" for i in range(width)), "row"])
