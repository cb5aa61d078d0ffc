"""Reads delimited files for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.delimited.reader import read

Rows = list[tuple[str | None, ...]]
Tables = list[tuple[TableDraft, Rows]]
Load = Callable[..., Tables]


def read_all(path: Path, **options: object) -> Tables:
    """Every draft of a file with its rows, its account and the form of its batches checked."""
    found = []
    for draft in read(SourceFile(path, path.name, **options)):  # type: ignore[arg-type]
        rows: Rows = []
        for batch in draft.record_batches():
            assert batch.schema.names == [*(f"c{i}" for i in range(len(draft.header))), "row"]
            columns = [batch.column(i).to_pylist() for i in range(batch.num_columns - 1)]
            rows += list(zip(*columns, strict=True))
        account = draft.account
        assert account.seen == account.kept + len(account.set_aside)
        assert account.kept == len(rows)
        found.append((draft, rows))
    return found
