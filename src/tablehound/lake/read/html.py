"""Tables of HTML pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablehound.lake.read.draft import SourceFile, TableDraft
from tablehound.lake.read.region_draft import draft_of_rows
from tablehound.lake.table import Provenance


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read every table of a page."""
    import lxml.html

    data = source.path.read_bytes()
    if not data.strip():
        return
    ordinal = 0
    for element in lxml.html.document_fromstring(data).iter("table"):
        rows = [[_text(cell) for cell in row.iterchildren("td", "th")] for row in element.iter("tr")]
        caption = element.find("caption")
        title = _text(caption) if caption is not None else None
        provenance = Provenance(source.name, "html", source.member, ordinal=ordinal)
        found = draft_of_rows(rows, provenance, title=title)
        if found is not None:
            yield found
            ordinal += 1


def _text(element: Any) -> str:
    return " ".join(element.text_content().split())
