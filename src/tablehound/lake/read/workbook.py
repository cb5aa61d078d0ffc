"""Workbooks: XLSX, XLS, ODS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tablehound.errors import BrokenSourceError, UnsupportedSourceError
from tablehound.lake.read.draft import SourceFile, TableDraft
from tablehound.lake.read.grid import draft_of_rows
from tablehound.lake.table import Provenance


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read the tables of every visible sheet."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

    where = source.name
    try:
        book = CalamineWorkbook.from_path(source.path)
        ordinal = 0
        for meta in book.sheets_metadata:
            if meta.visible != SheetVisibleEnum.Visible and not source.settings.hidden_sheets:
                continue
            rows = [[_text(v) for v in row] for row in book.get_sheet_by_name(meta.name).to_python()]
            suffix = source.path.suffix.lstrip(".").lower() or "xlsx"
            provenance = Provenance(source.name, suffix, source.member, sheet=meta.name, ordinal=ordinal)
            found = draft_of_rows(rows, provenance, batch_rows=source.settings.batch_rows)
            if found is not None:
                yield replace(found, provenance=provenance)
                ordinal += 1
    except PasswordError as error:
        raise UnsupportedSourceError("the workbook is protected by a password", where=where) from error
    except CalamineError as error:
        raise BrokenSourceError(f"the workbook cannot be read: {error}", where=where) from error


def _text(value: object) -> str | None:
    if value == "":
        return None
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    return str(value)
