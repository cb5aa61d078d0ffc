"""Tables of HTML pages: span grids, nested tables, captions; tables that only lay out a page are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.document_text import document_text
from tablehound.lake.read.draft import SourceFile, TableDraft
from tablehound.lake.read.grid import grid_of_rows
from tablehound.lake.read.html_grid import SpanGrid, span_grid
from tablehound.lake.read.html_text import Seen, is_hidden, text_of
from tablehound.lake.read.region_draft import draft_region
from tablehound.lake.read.regions import Region, whole_region
from tablehound.lake.table import Provenance

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LAYOUT_ROLES = frozenset(("presentation", "none", "navigation"))
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read every table of a page that holds data, nested ones too, in document order.

    Raises:
        BrokenSourceError: too large, or spans or nesting beyond a limit.
    """
    yield from read_text(_text(source), source)


def read_text(text: str, source: SourceFile, ordinal: int = 0) -> Iterator[TableDraft]:
    """Read every table of a page that is text already; ``ordinal`` is the number of the first table."""
    root = _parse(text, source)
    if root is None:
        return
    left_out = 0
    heading: str | None = None
    for element in root.iter("table", *_HEADINGS):
        if element.tag != "table":
            heading = _heading(element) or heading
            continue
        _check_nesting(element, source)
        if _is_layout(element):
            left_out += 1
            continue
        draft = _draft(element, source, ordinal, heading)
        if draft is None:
            left_out += 1
            continue
        if left_out:
            draft.account.repairs.append(f"{left_out} tables before this one are layout or empty, and left out")
            left_out = 0
        yield draft
        ordinal += 1


def _text(source: SourceFile) -> str:
    with source.path.open("rb") as file:
        declared = _CHARSET.search(file.read(4096))
    return document_text(source, declared.group(1) if declared else None)


def _parse(text: str, source: SourceFile) -> Any:
    from lxml import etree

    # The parser refuses a declaration in text that is decoded already, and stops at a NUL.
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text).replace("\0", "")
    if not text.strip():
        return None
    try:
        return etree.fromstring(text, etree.HTMLParser(huge_tree=True, no_network=True))
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        if "empty" in str(error).lower():
            return None
        raise BrokenSourceError(f"the page cannot be parsed: {error}", where=source.name) from error


def _heading(element: Any) -> str | None:
    text = text_of(element, Seen())
    return " ".join(re.sub(r"\[\s*edit\s*\]", "", text).split())[:300] or None


def _check_nesting(element: Any, source: SourceFile) -> None:
    if sum(1 for _ in element.iterancestors("table")) > source.settings.max_nesting:
        raise BrokenSourceError("tables are nested too deep", where=source.name)


def _is_layout(table: Any) -> bool:
    """Whether a table only arranges parts of the page."""
    if (table.get("role") or "").lower() in _LAYOUT_ROLES:
        return True
    if any(next(cell.iterancestors("table")) is table for cell in table.iter("th", "caption")):
        return False
    own = [cell for cell in table.iter("td") if next(cell.iterancestors("table")) is table]
    if not own:
        return True
    if any(next(table.iter(tag), None) is not None for tag in ("form", "h1", "h2", "iframe", "nav", "article", "main")):
        return True
    if next((inner for inner in table.iter("table") if inner is not table), None) is None:
        return len(own) == 1
    # Tables within tables: the outer one is data only if most of its cells say something themselves.
    speaking = sum(cell.find(".//table") is None and bool(text_of(cell, Seen())) for cell in own)
    return speaking < 4 or speaking * 2 < len(own)


def _draft(table: Any, source: SourceFile, ordinal: int, heading: str | None) -> TableDraft | None:
    seen = Seen(max_chars=source.settings.max_cell_chars)
    spans = span_grid(table, seen, source.settings.max_sheet_cells, source.name)
    if not spans.cells or not any(text for row in spans.rows for text in row):
        return None
    if len(spans.rows) == 1 and not spans.head_rows and spans.links == spans.cells:
        return None  # a bar of links
    grid = grid_of_rows(spans.rows, spans.merges)
    if grid.n_columns > source.settings.max_columns:
        raise BrokenSourceError(f"a table has {grid.n_columns} columns", where=source.name)
    caption = table.find("caption")
    title = " ".join(text_of(caption, seen).split()) if caption is not None else ""
    region = _region(spans, grid, source.overrides.header_rows)
    provenance = Provenance(source.name, "html", source.member, ordinal=ordinal)
    draft = draft_region(grid, region, provenance, repeat_numbers=True, batch_rows=source.settings.batch_rows)
    if draft is None:
        return None
    titles = [text for text in (title, draft.title) if text]
    summary = " ".join((table.get("summary") or "").split())
    draft.title = titles[0] if titles else heading
    draft.notes = tuple(dict.fromkeys([*titles[1:], *draft.notes, *([summary] if summary else [])]))
    if seen.marks:
        draft.account.repairs.append(f"{seen.marks} footnote marks left out")
    if seen.cut:
        draft.account.repairs.append(f"{seen.cut} cells cut to {source.settings.max_cell_chars} characters")
    if seen.hidden:
        draft.account.repairs.append(f"{seen.hidden} hidden elements left out")
    if any(is_hidden(each) for each in (table, *table.iterancestors())):
        draft.account.ambiguities.append("the table is hidden on the page")
    return draft


def _region(spans: SpanGrid, grid: Any, pinned: int | None) -> Region:
    """The region of a table: rows of one text over the whole width, at the top, are its title."""
    titles: list[tuple[int, str]] = []
    row = 0
    while row < grid.n_rows - 1 and grid.n_columns > 1:
        cells = grid.cells(row, 0, grid.n_columns - 1)
        if len(cells) != 1 or grid.box_at(*cells[0]).width < grid.n_columns or cells[0][0] != row:
            break
        titles.append((row, grid.text(row, 0) or ""))
        row += 1
    depth = spans.head_rows - row
    known = depth if 0 < depth < grid.n_rows - row else None
    if depth <= 0 and (titles or spans.labelled_rows > 1) and spans.head_rows + spans.labelled_rows:
        known = 0  # the page marks its headings, and marks no row as one
    if pinned is not None:
        known = min(pinned, grid.n_rows - row)
    if not titles:
        return whole_region(grid, known)
    region = whole_region(grid, known, top=row)
    return replace(region, titles=tuple(titles))
