"""Tables of HTML pages, nested ones too; tables that only lay out a page are left out.

page -> tables -> rows -> span grid -> cells -> region -> header -> assemble -> totals
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.cell_kinds import TEXT
from tablehound.lake.read.contract import Account, SetAside, SourceFile, TableDraft
from tablehound.lake.read.html.cells import Seen, is_hidden, text_of
from tablehound.lake.read.html.encoding import page_text
from tablehound.lake.read.html.layout_tables import excerpt, is_layout, left_out
from tablehound.lake.read.html.rows import own_elements
from tablehound.lake.read.html.span_grid import SpanGrid, span_grid
from tablehound.lake.read.html.superscripts import superscript_style
from tablehound.lake.read.layout.assemble import draft_region
from tablehound.lake.read.layout.grid import Grid, column_letters
from tablehound.lake.read.layout.notes import peel_notes
from tablehound.lake.read.layout.parts import Region
from tablehound.lake.read.layout.regions import whole_region
from tablehound.lake.read.text.document import document_bytes, document_encoding
from tablehound.lake.read.totals.labels import is_total_label
from tablehound.lake.table import Provenance

MAX_HEADING_CHARS = 300
MAX_SHOWN_COLUMNS, MAX_SHOWN_CHARS = 20, 200
"""Columns that an account lists, and characters of a row in it."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# The parser does not know that these never have an end tag, and would put the rest of the table into them.
_VOID = re.compile(r"<(wbr|source|track|embed|keygen|bgsound)\b([^<>]*?)/?>", re.IGNORECASE)


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read every table of data of a page, nested ones too, in document order.

    Raises:
        BrokenSourceError: too large, or spans or nesting beyond a limit.
    """
    page = page_text(document_bytes(source), document_encoding(source))
    for draft in read_text(page.text, source):
        draft.account.dialect["encoding"] = page.encoding
        draft.account.repairs.extend(page.remarks)
        yield draft


def read_text(text: str, source: SourceFile, ordinal: int = 0) -> Iterator[TableDraft]:
    """Read every table of a page that is text already; ``ordinal`` is the number of the first table."""
    root = _parse(text, source)
    if root is None:
        return
    passed: list[str] = []
    heading: str | None = None
    last: TableDraft | None = None
    for element in root.iter("table", *_HEADINGS):
        if element.tag != "table":
            heading = _heading(element) or heading
            continue
        _check_nesting(element, source)
        draft = None if is_layout(element) else _draft(element, source, ordinal, heading)
        if draft is None:
            passed.append(excerpt(element))
            continue
        if passed:
            draft.account.repairs.append(left_out(passed, "before"))
            passed = []
        if last is not None:
            yield last
        last = draft
        ordinal += 1
    if last is not None:
        # The last table also accounts for what comes after it.
        if passed:
            last.account.repairs.append(left_out(passed, "after"))
        yield last


def _parse(text: str, source: SourceFile) -> Any:
    from lxml import etree

    # The parser refuses a declaration in text that is decoded already, and stops at a NUL.
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text).replace("\0", "")
    text = _VOID.sub(r"<\1\2/>", text)
    if not text.strip():
        return None
    parser = etree.HTMLParser(huge_tree=True, no_network=True)
    try:
        root = etree.fromstring(text, parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        if "empty" in str(error).lower():
            return None
        raise BrokenSourceError(f"the page cannot be parsed: {error}", where=source.name) from error
    end = parser.error_log.last_error
    if end is not None and end.type_name == "ERR_RESOURCE_LIMIT":
        # The parser stops there, and would leave out the rest of the page silently.
        raise BrokenSourceError(f"elements are nested too deep at line {end.line}", where=source.name)
    return root


def _heading(element: Any) -> str | None:
    text = text_of(element, Seen())
    return " ".join(re.sub(r"\[\s*edit\s*\]", "", text).split())[:MAX_HEADING_CHARS] or None


def _check_nesting(element: Any, source: SourceFile) -> None:
    if sum(1 for _ in element.iterancestors("table")) > source.settings.max_nesting:
        raise BrokenSourceError("tables are nested too deep", where=source.name)


def _draft(table: Any, source: SourceFile, ordinal: int, heading: str | None) -> TableDraft | None:
    seen = Seen(max_chars=source.settings.max_cell_chars, style=superscript_style(table))
    spans = span_grid(table, seen, source.settings.max_sheet_cells, source.name)
    grid = spans.grid
    if not spans.cells or not grid.filled.any():
        return None
    if grid.n_rows == 1 and not spans.head_rows and spans.links == spans.cells:
        return None  # a bar of links
    if grid.n_columns > source.settings.max_columns:
        raise BrokenSourceError(f"a table has {grid.n_columns} columns", where=source.name)
    captions = own_elements(table, "caption")
    title = " ".join(text_of(captions[0], seen).split()) if captions else ""
    region = _region(spans, source.overrides.header_rows)
    provenance = Provenance(source.name, "html", source.member, ordinal=ordinal)
    draft = draft_region(grid, region, provenance, repeat_numbers=True, batch_rows=source.settings.batch_rows)
    if draft is None:
        return None
    titles = [text for text in (title, draft.title) if text]
    summary = " ".join((table.get("summary") or "").split())
    draft.title = titles[0] if titles else heading
    notes = dict.fromkeys([*titles[1:], *draft.notes, *([summary] if summary else [])])
    draft.notes = tuple(note for note in notes if note != draft.title)
    _report(draft.account, spans, seen)
    if any(is_hidden(each) for each in (table, *table.iterancestors())):
        draft.account.ambiguities.append("the table is hidden on the page")
    return draft


def _report(account: Account, spans: SpanGrid, seen: Seen) -> None:
    """What was left out of the table, and what may mean something else."""
    if spans.passed_over:
        runs = (
            column_letters(a) if a == b else f"{column_letters(a)}:{column_letters(b)}" for a, b in spans.passed_over
        )
        listed = ", ".join(list(runs)[:MAX_SHOWN_COLUMNS])
        more = ", …" if len(spans.passed_over) > MAX_SHOWN_COLUMNS else ""
        account.repairs.append(f"columns dropped in which no cell begins: {listed}{more}")
    if seen.marks:
        account.repairs.append(f"{seen.marks} footnote marks left out")
    if seen.cut:
        account.repairs.append(f"{seen.cut} cells cut to {seen.max_chars} characters")
    if seen.hidden:
        account.repairs.append(f"{seen.hidden} hidden elements left out")
    account.ambiguities.extend(seen.ambiguities())
    for number, text in spans.hidden:
        account.set_aside.append(SetAside(number, "hidden" if text else "blank", text[:MAX_SHOWN_CHARS]))
    account.seen += len(spans.hidden)


def _region(spans: SpanGrid, pinned: int | None) -> Region:
    """The region of a table: rows of one text over the whole width are its title at the top, its notes at the end."""
    grid = spans.grid
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
    region = whole_region(grid, known, top=row)
    box, notes = _notes(spans, region)
    return replace(region, box=box, titles=tuple(titles), notes=tuple(notes))


def _notes(spans: SpanGrid, region: Region) -> tuple[Any, list[tuple[int, str]]]:
    """Take notes off the bottom: a text over all columns heads no rows there."""
    grid: Grid = spans.grid
    box = region.box
    notes: list[tuple[int, str]] = []
    bottom = box.bottom
    while bottom >= box.top + max(region.depth, 1):
        text = grid.columns[box.left][bottom] or ""
        if bottom in spans.wide_rows:
            if grid.kinds[bottom, box.left] != TEXT or is_total_label(text):
                break
            notes.append((bottom, text))
        elif grid.filled[bottom].any():
            break
        bottom -= 1
    if notes:
        box = replace(box, bottom=min(row for row, _ in notes) - 1)
    peeled, more = peel_notes(grid, box, region.depth)
    return peeled, [*more, *notes[::-1]]
