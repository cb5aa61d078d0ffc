"""Tables of Markdown files: pipe tables of GitHub's dialect, and HTML tables written into the text.

text -> blocks -> cells -> assemble -> totals; HTML goes to the reader of pages.
Cells give the text a person sees: escapes and entities resolved, emphasis, code and link marks taken off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.html.reader import read_text
from tablehound.lake.read.layout.assemble import draft_of_rows
from tablehound.lake.read.markdown.blocks import MAX_NESTING, Blocks, PipeTable, blocks
from tablehound.lake.read.markdown.cells import split_cells, visible
from tablehound.lake.read.text.document import document_encoding, document_text
from tablehound.lake.table import Provenance

_LINE_END = re.compile(r"\r\n|\r")
_FOOTNOTE_MARK = re.compile(r"\s*\[\^([^\]\s]+)\](?!\()")


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read every table of a file.

    Raises:
        BrokenSourceError: the file is beyond the limit for documents.
    """
    encoding = document_encoding(source)
    found = blocks(_LINE_END.sub("\n", document_text(source, encoding)))
    for draft in _drafts(found, source):
        draft.account.repairs.extend(encoding.faults.drain())
        yield draft


def _drafts(found: Blocks, source: SourceFile) -> Iterator[TableDraft]:
    ordinal = 0
    for table in found.tables:
        draft = _Cells(found, source).draft(table, ordinal)
        if draft is not None:
            yield draft
            ordinal += 1
    if any("<table" in piece.lower() for piece in found.html):
        yield from read_text("\n".join(found.html), source, ordinal)


class _Cells:
    """The cells of one table, and what its account reports of them."""

    def __init__(self, found: Blocks, source: SourceFile) -> None:
        self._found, self._source = found, source
        self._marks: list[str] = []
        self._cut = 0

    def _text(self, cell: str) -> str | None:
        if "[^" in cell and "`" not in cell:
            cell = self._without_marks(cell)
        text = visible(cell, self._found.links)
        limit = self._source.settings.max_cell_chars
        if len(text) > limit:
            self._cut += 1
            text = text[:limit]
        return text or None

    def _without_marks(self, cell: str) -> str:
        """The cell without marks of footnotes that the file has, unless it is nothing but a mark."""
        known = self._found.footnotes
        marks = [mark for mark in _FOOTNOTE_MARK.findall(cell) if mark in known]
        rest = _FOOTNOTE_MARK.sub(lambda match: "" if match.group(1) in known else match.group(), cell)
        if not marks or not rest.strip():
            return cell
        self._marks += marks
        return rest

    def draft(self, table: PipeTable, ordinal: int) -> TableDraft | None:
        head, rule, *body = table.lines
        width = len(split_cells(rule[1]))
        rows: list[list[str | None]] = []
        short = long = 0
        for number, line in (head, *body):
            cells = split_cells(line)
            if len(cells) > width:
                kept = split_cells(line, keep_code=True)
                cells = kept if len(kept) <= width or len(kept) < len(cells) else cells
            short += len(cells) < width and number > head[0]
            long += len(cells) > width
            rows.append([self._text(cell) for cell in cells])
        source = self._source
        draft = draft_of_rows(
            rows,
            Provenance(source.name, "markdown", source.member, ordinal=ordinal),
            title=table.caption or table.heading,
            row_numbers=[head[0], *(number for number, _ in body)],
            batch_rows=source.settings.batch_rows,
        )
        if draft is None:
            return None
        notes = [table.heading] if table.caption and table.heading else []
        notes += [f"[^{mark}]: {self._found.footnotes[mark]}" for mark in dict.fromkeys(self._marks)]
        draft.notes = tuple(notes)
        repairs = draft.account.repairs
        if short:
            repairs.append(f"{short} rows have fewer cells than the header")
        if long:
            repairs.append(f"{long} rows have more cells than the header; the table was widened")
        if self._marks:
            repairs.append(f"{len(self._marks)} footnote marks left out")
        if self._cut:
            repairs.append(f"{self._cut} cells cut to {source.settings.max_cell_chars} characters")
        if table.in_html:
            draft.account.ambiguities.append("the table stands within a block of HTML, where pages show it as text")
        if table.ended_by is not None:
            number, line = table.ended_by
            draft.account.ambiguities.append(f"line {number} begins a block of its own, and is no row: {line[:100]}")
        if self._found.too_deep:
            draft.account.ambiguities.append(f"quotes and lists nested deeper than {MAX_NESTING} levels are not read")
        return draft
