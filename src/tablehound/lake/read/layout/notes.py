"""Text that is no table: titles above tables, notes below and beside them."""

from __future__ import annotations

import re

from tablehound.lake.read.layout.grid import Box, Grid
from tablehound.lake.read.layout.parts import Part, is_lone, shrink

# What decides, all by hand, checked on the labelled workbooks of SSTQA.
LONG_CHARS = 40
"""A longer text of several words below a table is a note, whatever it begins with."""
MAX_LINES = 6
"""Rows of a text outside of tables; more are a table of one column."""
MAX_DISTANCE = 12
"""Rows and columns between such a text and the table that it belongs to."""
HEAD_ROWS = 50
"""Rows of a part that are searched for one of several cells, which makes it a table."""

_NOTE = re.compile(
    r"^\s*(?:notes?\b|source|sources\b|remarks?\s*[:：]|\*|†|‡|\(\d+\)|\[\w\]|注|说明|备注|資料|来源)", re.I
)
_ITEM = re.compile(r"\s*(?:\(?(?:(?P<number>\d{1,2})|(?P<letter>[a-z]))[).:]|[•·▪])\s+\S", re.I)
"""A line of a list of notes: it is a note if the list begins with its first number or letter, or with a note."""


def peel_notes(grid: Grid, box: Box, depth: int) -> tuple[Box, list[tuple[int, str]]]:
    """Take rows of one text off the bottom: footnotes and sources."""
    notes: list[tuple[int, str]] = []
    items: list[tuple[int, str]] = []
    bottom = box.bottom
    while bottom > box.top + depth and box.width > 1 and depth:
        cells = grid.cells(bottom, box.left, box.right)
        if cells and (not is_lone(grid, bottom, box) or cells[0][0] < bottom):
            break
        if cells:
            text = grid.raw(cells[0]).strip()
            wide = grid.box_at(*cells[0]).width > 1
            if _NOTE.match(text) or (len(text) > LONG_CHARS and (wide or box.width > 2) and " " in text):
                notes += [*items, (bottom, text)]
                items = []
            elif _ITEM.match(text):
                items.append((bottom, text))
            else:
                break
        bottom -= 1
    if items and bottom > box.top + depth and _begins(items[-1][1]):
        notes += items
    if not notes:
        return box, []
    return shrink(grid, Box(box.top, box.left, notes[-1][0] - 1, box.right)) or box, notes[::-1]


def _begins(text: str) -> bool:
    """Whether a line is the first of its list."""
    item = _ITEM.match(text)
    return item is not None and (item["number"] or item["letter"] or "").lower() in ("1", "a")


def take_titles(grid: Grid, table: Part) -> None:
    """Give a table that the source declares the lines right above it, each one text within its columns.

    What the table takes counts as blank for all that is looked for afterwards.
    """
    box = table.box
    lines: list[tuple[int, str]] = []
    row = box.top - 1
    while row >= 0 and grid.filled[row, box.left : box.right + 1].any():
        cells = grid.cells(row, box.left, box.right)
        if len(cells) > 1 or not grid.all_texts(cells):
            return
        place = grid.box_at(*cells[0])
        if place.top < row or place.left < box.left or place.right > box.right:
            return
        lines.append((row, grid.raw(cells[0]).strip()))
        row -= 1
    for row, _ in lines:
        grid.filled[row, box.left : box.right + 1] = False
    table.titles[:0] = lines[::-1]


def attach_texts(grid: Grid, parts: list[Part]) -> list[Part]:
    """Give text outside of tables to the table next to it: above it a title, below or beside it a note."""
    tables = [part for part in parts if part.box.height > 1 and (part.defined or _has_pairs(grid, part.box))]
    if not tables:
        # A header without rows may have a title as well.
        tables = [part for part in parts if _has_pairs(grid, part.box) and _is_header(grid, part.box)]
    if not tables:
        return parts
    kept = []
    for part in parts:
        lines = None if part.defined else _text_lines(grid, part)
        above = [table for table in tables if table.box.bottom < part.box.top]
        note = bool(lines and above and _NOTE.match(lines[0][1]))
        owner = _owner(part, above if note else tables) if lines is not None else None
        if lines is None or owner is None:
            kept.append(part)
            continue
        if part.box.bottom < owner.box.top:
            for table in tables:
                # A title over several tables side by side is the title of each.
                beside = (
                    table.box.top == owner.box.top
                    and part.box.left <= table.box.right
                    and table.box.left <= part.box.right
                )
                if table is owner or beside:
                    table.titles[:0] = [*part.titles, *lines]
        else:
            owner.notes.extend([*part.titles, *lines])
    return kept


def _has_pairs(grid: Grid, box: Box) -> bool:
    """Some row near the top has more than one cell."""
    rows = range(box.top, min(box.bottom, box.top + HEAD_ROWS) + 1)
    return box.width > 1 and any(len(grid.cells(row, box.left, box.right)) > 1 for row in rows)


def _is_header(grid: Grid, box: Box) -> bool:
    cells = grid.cells(box.top, box.left, box.right)
    return box.height == 1 and len(cells) == box.width and grid.all_texts(cells)


def _text_lines(grid: Grid, part: Part) -> list[tuple[int, str]] | None:
    """The lines of a part that is text in one column of few rows; none for anything else."""
    box = part.box
    lines = []
    if box.height > MAX_LINES:
        return None
    for row in range(box.top, box.bottom + 1):
        cells = grid.cells(row, box.left, box.right)
        if len(cells) > 1 or not grid.all_texts(cells):
            return None
        if cells and cells[0][0] == row:
            lines.append((row, grid.raw(cells[0]).strip()))
    return lines


def _owner(part: Part, tables: list[Part]) -> Part | None:
    """The nearest table, one in the same columns first; none if it is too far away."""

    def above(table: Part) -> bool:
        return table.box.top > part.box.bottom

    def distance(table: Part) -> tuple[int, int, int]:
        top = min([table.box.top, *(row for row, _ in table.titles)])
        rows = max(top - part.box.bottom, part.box.top - table.box.bottom, 0)
        columns = max(table.box.left - part.box.right, part.box.left - table.box.right, 0)
        return (0 if columns == 0 else 1, rows + columns, 0 if above(table) else 1)

    owner = min((table for table in tables if table is not part), key=distance, default=None)
    if owner is None:
        return None
    beside, far, _ = distance(owner)
    below = owner.box.bottom < part.box.top
    return owner if far <= MAX_DISTANCE or (below and not beside) else None
