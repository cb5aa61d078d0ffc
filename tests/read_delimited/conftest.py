"""Reads small delimited texts for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tablehound.lake.read.delimited import read
from tablehound.lake.read.draft import SourceFile, TableDraft

Load = Callable[..., list[tuple[TableDraft, list[tuple[str | None, ...]]]]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Reads a text or bytes as a file; every draft with its rows, its account checked."""

    def load_it(
        content: str | bytes, name: str = "a.csv", **options: object
    ) -> list[tuple[TableDraft, list[tuple[str | None, ...]]]]:
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        found = []
        for draft in read(SourceFile(path, name, **options)):  # type: ignore[arg-type]
            rows: list[tuple[str | None, ...]] = []
            for batch in draft.record_batches():
                columns = [batch.column(i).to_pylist() for i in range(batch.num_columns - 1)]
                rows += list(zip(*columns, strict=True))
            account = draft.account
            assert account.seen == account.kept + len(account.set_aside)
            assert account.kept == len(rows)
            found.append((draft, rows))
        return found

    return load_it
