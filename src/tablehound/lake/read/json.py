"""JSON and JSON lines: records as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.draft import SourceFile, TableDraft
from tablehound.lake.read.region_draft import draft_of_rows
from tablehound.lake.table import Provenance


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read an array of records, or one record a line."""
    text = source.path.read_text(encoding="utf-8-sig", errors="replace")
    try:
        data = json.loads(text)
    except ValueError:
        try:
            data = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            raise BrokenSourceError(f"not JSON: {error}", where=source.name) from error
    records = [item for item in (data if isinstance(data, list) else [data]) if isinstance(item, dict)]
    names = list(dict.fromkeys(name for record in records for name in record))
    if records and names:
        rows: list[list[str | None]] = [list(names)]
        rows += [[_text(record.get(name)) for name in names] for record in records]
        found = draft_of_rows(rows, Provenance(source.name, "json", source.member))
        if found is not None:
            yield found


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
