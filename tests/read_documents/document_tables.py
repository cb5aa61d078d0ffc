"""Helpers for tests of readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablehound.lake.read.contract import Account, SourceFile
from tablehound.lake.read.html import reader as html
from tablehound.lake.read.json import reader as json
from tablehound.lake.read.markdown import reader as markdown
from tablehound.lake.read.workbook import reader as workbook
from tablehound.settings import ReadSettings

READERS: dict[str, Any] = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".fods"), workbook.read),
    **dict.fromkeys((".html", ".htm"), html.read),
    ".md": markdown.read,
    **dict.fromkeys((".json", ".jsonl"), json.read),
}


@dataclass(frozen=True)
class Got:
    """A table as read, its batches gone through."""

    header: tuple[tuple[str, ...], ...]
    rows: list[tuple[str | None, ...]]
    row_numbers: list[int]
    title: str | None
    notes: tuple[str, ...]
    rollups: tuple[int, ...]
    account: Account
    sheet: str | None
    region: str | None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(" / ".join(path) for path in self.header)

    def column(self, name: str) -> list[str | None]:
        return [row[self.names.index(name)] for row in self.rows]


def read_all(path: Path, settings: ReadSettings | None = None) -> list[Got]:
    """Every table of a file, with the account checked: rows seen are rows kept and rows set aside."""
    found = []
    for draft in READERS[path.suffix.lower()](SourceFile(path, path.name, settings=settings or ReadSettings())):
        rows: list[tuple[str | None, ...]] = []
        numbers: list[int] = []
        for batch in draft.record_batches():
            columns = [batch.column(index).to_pylist() for index in range(batch.num_columns - 1)]
            rows.extend(zip(*columns, strict=True))
            numbers.extend(batch.column("row").to_pylist())
        account = draft.account
        assert account.seen == account.kept + len(account.set_aside)
        assert account.kept == len(rows)
        assert all(len(row) == len(draft.header) for row in rows)
        found.append(
            Got(
                draft.header,
                rows,
                numbers,
                draft.title,
                draft.notes,
                draft.rollup_rows,
                account,
                draft.provenance.sheet,
                draft.provenance.region,
            )
        )
    return found


def read_page(folder: Path, text: str) -> list[Got]:
    """Read the tables of an HTML page given as text."""
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    return read_all(path)


def read_book(
    folder: Path,
    rows: Sequence[Any],
    merges: tuple[str, ...] = (),
    formats: dict[str, str] | None = None,
    settings: ReadSettings | None = None,
) -> list[Got]:
    """Write rows, merges and number formats into one sheet of a workbook and read it."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(list(row))
    for merge in merges:
        sheet.merge_cells(merge)
    for cell, code in (formats or {}).items():
        sheet[cell].number_format = code
    path = folder / "book.xlsx"
    book.save(path)
    return read_all(path, settings)
