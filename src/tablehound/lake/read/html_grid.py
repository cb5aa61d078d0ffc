"""Span grids: the slots that the cells of an HTML table fill, by the forming algorithm of the HTML standard.

Source: WHATWG HTML, "Forming a table" (row groups bound row spans, a span of 0 rows goes to the end of its group).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.grid import Box
from tablehound.lake.read.html_text import Seen, is_hidden, text_of

MAX_COLSPAN, MAX_ROWSPAN = 1_000, 65_534
"""The bounds of the HTML standard."""
_NUMBER = re.compile(r"\s*\+?(\d{1,9})")


@dataclass(slots=True)
class SpanGrid:
    """The cells of one table by row, spans as merges."""

    rows: list[list[str | None]] = field(default_factory=list)
    merges: list[Box] = field(default_factory=list)
    head_rows: int = 0
    """Rows in ``thead``, or rows of nothing but ``th``, at the top."""
    labelled_rows: int = 0
    """Rows of a ``th`` and then plain cells: their first cell is a label of the row."""
    cells: int = 0
    links: int = 0
    """Cells that hold a link."""


def span_grid(table: Any, seen: Seen, max_cells: int, where: str) -> SpanGrid:
    """Lay out a table.

    Raises:
        BrokenSourceError: spans blow the table up beyond ``max_cells`` slots.
    """
    grid = SpanGrid()
    still_head = True
    slots = 0
    for group, rows in _groups(table):
        start = len(grid.rows)
        open_spans: dict[int, Box] = {}
        for offset, cells in enumerate(rows):
            row = start + offset
            shown = [cell for cell in cells if not is_hidden(cell)]
            last = start + len(rows) - 1
            texts = _lay(grid, shown, row, last, open_spans, seen)
            # A blank corner is often a plain cell.
            headed = any(cell.tag == "th" for cell in shown) and not any(
                cell.tag == "td" and text_of(cell, Seen()) for cell in shown
            )
            grid.labelled_rows += len(shown) > 1 and shown[0].tag == "th" and all(c.tag == "td" for c in shown[1:])
            slots += len(texts)
            if slots > max_cells:
                raise BrokenSourceError(f"a table spans more than {max_cells} cells", where=where)
            grid.rows.append(texts)
            if still_head and (group == "thead" or headed or not shown):
                grid.head_rows = row + 1
            else:
                still_head = False
    while grid.head_rows and not any(grid.rows[grid.head_rows - 1]):
        grid.head_rows -= 1
    return grid


def _lay(
    grid: SpanGrid, cells: list[Any], row: int, last: int, open_spans: dict[int, Box], seen: Seen
) -> list[str | None]:
    texts: list[str | None] = []
    column = 0
    taken = {c for c, box in open_spans.items() if box.bottom >= row}
    for cell in cells:
        while column in taken:
            column += 1
        wide = min(max(_span(cell.get("colspan"), 1), 1), MAX_COLSPAN)
        high = min(_span(cell.get("rowspan"), 1), MAX_ROWSPAN)
        bottom = last if high == 0 else min(row + high - 1, last)
        # A span stops where a cell from above is in the way: cells never overlap.
        right = column
        while right + 1 < column + wide and right + 1 not in taken:
            right += 1
        texts.extend([None] * (right + 1 - len(texts)))
        texts[column] = text_of(cell, seen) or None
        grid.cells += 1
        grid.links += len(cell) > 0 and cell.find(".//a") is not None
        box = Box(row, column, bottom, right)
        if box.height > 1 or box.width > 1:
            grid.merges.append(box)
            if box.height > 1:
                open_spans.update(dict.fromkeys(range(column, right + 1), box))
        column = right + 1
    return texts


def _span(text: str | None, otherwise: int) -> int:
    match = _NUMBER.match(text or "")
    return int(match.group(1)) if match else otherwise


def _groups(table: Any) -> Iterator[tuple[str, list[list[Any]]]]:
    """Row groups in the order shown (``tfoot`` last), each with its rows of cells."""
    loose: list[list[Any]] = []
    feet: list[list[list[Any]]] = []
    for child in table:
        if child.tag == "tr":
            loose.append(_cells(child))
        elif child.tag in ("td", "th"):
            loose.append([child])
        elif child.tag in ("thead", "tbody", "tfoot"):
            if loose:
                yield "tbody", loose
                loose = []
            rows = _rows(child)
            if child.tag == "tfoot":
                feet.append(rows)
            else:
                yield child.tag, rows
    if loose:
        yield "tbody", loose
    for rows in feet:
        yield "tfoot", rows


def _rows(group: Any) -> list[list[Any]]:
    """Rows of a group; cells that lack a row make up one."""
    rows: list[list[Any]] = []
    stray: list[Any] = []
    for child in group:
        if child.tag == "tr":
            rows.append(_cells(child))
        elif child.tag in ("td", "th"):
            stray.append(child)
    return [stray, *rows] if stray else rows


def _cells(row: Any) -> list[Any]:
    return [child for child in row if child.tag in ("td", "th")]
