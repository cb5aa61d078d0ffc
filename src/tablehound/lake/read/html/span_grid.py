"""Span grids: the slots that the cells of an HTML table fill, by the forming algorithm of the HTML standard.

Source: WHATWG HTML, "Forming a table" (row groups bound row spans, a span of 0 rows goes to the end of its group).
Columns in which no cell begins are passed over: a heading that spans 1,000 columns of a table of three is no table of
1,000 columns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.cell_kinds import kinds_of
from tablehound.lake.read.html.cells import Seen, hidden_how, text_of
from tablehound.lake.read.html.rows import HtmlRow, row_groups, take_hidden
from tablehound.lake.read.layout.grid import MAX_MERGED_CELLS, Box, Grid

MAX_COLSPAN, MAX_ROWSPAN = 1_000, 65_534
"""The bounds of the HTML standard."""
MAX_SPANNED_OF_FEW = 1_000_000
"""Slots that the spans of few cells may cover; a page whose spans cover more is an attack."""
MAX_SPARSE = 50
"""Slots for each cell of a larger table; what has more is an attack, too."""
_NUMBER = re.compile(r"\s*\+?(\d{1,9})")


@dataclass(slots=True)
class _Cell:
    """A cell with the slots that it fills."""

    tag: str
    text: str
    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class _Line:
    """What of one row distinguishes heads from bodies."""

    cells: list[_Cell]
    group: str
    covered: bool
    """A filled cell of a row above reaches into it."""

    @property
    def filled(self) -> list[_Cell]:
        return [cell for cell in self.cells if cell.text]

    @property
    def is_lone(self) -> bool:
        """One text at the left edge is all that it has."""
        filled = self.filled
        return len(filled) == 1 and not self.covered and filled[0].left == 0

    @property
    def is_named(self) -> bool:
        """It can name columns: it has more than one text."""
        return len(self.filled) + self.covered > 1


@dataclass(slots=True)
class SpanGrid:
    """The cells of one table, spans as merges."""

    grid: Grid
    head_rows: int = 0
    """Rows in ``thead``, or rows of nothing but ``th``, at the top."""
    labelled_rows: int = 0
    """Rows of a ``th`` and then plain cells: their first cell is a label of the row."""
    wide_rows: frozenset[int] = frozenset()
    """Rows of one text over several columns, below the first row of several texts: headings of sections, or notes.
    They are no merges of the grid: the text is in the first column only."""
    cells: int = 0
    links: int = 0
    """Cells with a link."""
    passed_over: list[tuple[int, int]] = field(default_factory=list)
    """First and last of each run of 0-based columns in which no cell begins."""
    hidden: list[tuple[int, str]] = field(default_factory=list)
    """Numbers and texts of rows that the page does not show."""


def span_grid(table: Any, seen: Seen, max_cells: int, where: str) -> SpanGrid:
    """Lay out a table.

    Raises:
        BrokenSourceError: spans, or rows times columns, blow the table up beyond a limit.
    """
    groups = row_groups(table)
    hidden = take_hidden(groups)
    lines: list[_Line] = []
    numbers: list[int] = []
    links = slots = spanned = 0
    for group in groups:
        last = len(lines) + len(group.rows) - 1
        above: list[_Cell] = []
        for row in group.rows:
            index = len(lines)
            above = [cell for cell in above if cell.bottom >= index]
            cells = _lay(row, index, last, above, seen)
            lines.append(_Line(cells, group.kind, any(cell.text for cell in above)))
            numbers.append(row.number)
            links += sum(len(cell) > 0 and cell.find(".//a") is not None for cell in row.cells)
            slots += len(cells)
            spanned += len(above)
            if slots > max_cells or spanned > _limit(slots, max_cells):
                raise _too_large(_limit(slots, max_cells), where)
            tall = [cell for cell in cells if cell.bottom > index]
            if tall:
                above = sorted((*above, *tall), key=lambda cell: cell.left)
    starts = sorted({cell.left for line in lines for cell in line.cells})
    area = len(starts) * len(lines)
    if area > max_cells or area > max(MAX_SPANNED_OF_FEW, MAX_SPARSE * slots):
        raise _too_large(min(max(MAX_SPANNED_OF_FEW, MAX_SPARSE * slots), max_cells), where)
    head_rows = _head_rows(lines)
    wide = _wide_rows(lines, head_rows)
    grid = _grid(lines, starts, wide, _limit(slots, max_cells), where)
    if hidden:
        grid.row_numbers = numbers
    right = max((cell.right for line in lines for cell in line.cells), default=-1)
    gaps = [(a + 1, b - 1) for a, b in pairwise([*starts, right + 1]) if b > a + 1]
    if gaps:
        grid.column_numbers = starts
    labelled = sum(
        len(line.cells) > 1 and [cell.tag == "th" for cell in line.cells].count(True) == 1 and line.cells[0].tag == "th"
        for line in lines
    )
    return SpanGrid(grid, head_rows, labelled, wide, slots, links, gaps, hidden)


def _lay(row: HtmlRow, index: int, last: int, above: list[_Cell], seen: Seen) -> list[_Cell]:
    """Place the cells of a row in the slots that cells from above leave free."""
    laid: list[_Cell] = []
    column = at = 0
    for cell in row.cells:
        hidden = None
        if cell.keys():
            hidden = hidden_how(cell)
            seen.hidden += hidden is not None
            if hidden == "gone":
                continue
        while at < len(above) and above[at].left <= column:
            column = max(column, above[at].right + 1)
            at += 1
        right, bottom = column, index
        if cell.keys():
            right += min(max(_span(cell.get("colspan"), 1), 1), MAX_COLSPAN) - 1
            high = min(_span(cell.get("rowspan"), 1), MAX_ROWSPAN)
            bottom = last if high == 0 else min(max(index, index + high - 1), last)
            if at < len(above):
                # A span stops where a cell from above is in the way: cells never overlap.
                right = min(right, above[at].left - 1)
        laid.append(_Cell(cell.tag, "" if hidden else text_of(cell, seen), index, column, bottom, right))
        column = right + 1
    return laid


def _grid(lines: list[_Line], starts: list[int], wide: frozenset[int], limit: int, where: str) -> Grid:
    import numpy as np

    columns: list[list[str | None]] = [[None] * len(lines) for _ in starts]
    place = {start: index for index, start in enumerate(starts)}
    merges: list[Box] = []
    covered = 0
    for row, line in enumerate(lines):
        for cell in line.cells:
            left = right = place[cell.left]
            columns[left][row] = cell.text or None
            if cell.right > cell.left:
                right = bisect_right(starts, cell.right) - 1
            if (right > left or cell.bottom > row) and not (row in wide and cell.text):
                merges.append(Box(row, left, cell.bottom, right))
                covered += merges[-1].height * merges[-1].width
                if covered > limit:
                    raise _too_large(limit, where)
    kinds = np.zeros((len(lines), len(columns)), dtype=np.uint8)
    for index, column in enumerate(columns):
        kinds[:, index] = kinds_of(column)
    return Grid(columns, kinds, tuple(merges))


def _head_rows(lines: list[_Line]) -> int:
    """How many rows at the top the page marks as heads: those in ``thead``, or of nothing but ``th``.

    Once a row has named the columns, a lone ``th`` at the left edge is the heading of a section or the label of a row
    without values. A declared head ends with its ``thead``.
    """
    depth = 0
    named = explicit = False
    for row, line in enumerate(lines):
        if line.group == "thead":
            explicit = True
        elif line.cells and not _is_head(lines, row, named, explicit):
            break
        named = named or line.is_named
        depth = row + 1
    while depth and not lines[depth - 1].filled:
        depth -= 1
    return depth


def _is_head(lines: list[_Line], row: int, named: bool, explicit: bool) -> bool:
    line = lines[row]
    filled = line.filled
    if not any(cell.tag == "th" for cell in line.cells) or any(cell.tag == "td" for cell in filled):
        return False
    if named and (line.is_lone or (explicit and not _splits(lines[row - 1], line))):
        return False
    first = filled[0].left if filled else 0
    blanks = [cell for cell in line.cells if cell.tag == "td"]
    # A blank corner is often a plain cell, and so is a spacer in the first row.
    return not blanks or all(cell.left < first for cell in blanks) or (not named and line.is_named)


def _splits(upper: _Line, lower: _Line) -> bool:
    """Whether the lower row names the parts of a heading in the upper one."""
    wide = [cell for cell in upper.filled if cell.right > cell.left and cell.bottom == cell.top]
    return any(sum(head.left <= cell.left <= head.right for cell in lower.filled) > 1 for head in wide)


def _wide_rows(lines: list[_Line], head_rows: int) -> frozenset[int]:
    first = next((row for row, line in enumerate(lines) if line.is_named), len(lines))
    lone = (row for row in range(max(first + 1, head_rows), len(lines)) if lines[row].is_lone)
    texts = ((row, lines[row].filled[0]) for row in lone)
    return frozenset(row for row, cell in texts if cell.right > cell.left and cell.bottom == row)


def _limit(cells: int, max_cells: int) -> int:
    """How many slots the spans of a table of so many cells may cover."""
    return min(max(MAX_SPANNED_OF_FEW, MAX_SPARSE * cells), MAX_MERGED_CELLS, max_cells)


def _too_large(limit: int, where: str) -> BrokenSourceError:
    return BrokenSourceError(f"a table spans more than {limit} cells", where=where)


def _span(text: str | None, otherwise: int) -> int:
    match = _NUMBER.match(text or "")
    return int(match.group(1)) if match else otherwise
