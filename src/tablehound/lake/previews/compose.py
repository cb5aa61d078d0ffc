"""Previews: renderings of a table that keep its structure, whatever is in its cells (TableSeek's previews).

A small table is shown whole. Of a larger one: the header, head rows, and matched rows, with row numbers, marks where
rows were left out, and a closing line that says what is not shown. Which rows are shown does not depend on the format.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tablehound.lake.previews.rendering import CUT, STYLES, Style
from tablehound.lake.table import Table
from tablehound.settings import SeekSettings

_LEAST_CELL = 12
"""Characters that every cell of a shown column may have before columns are left out."""


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    cells: tuple[str, ...]


def shows_whole(table: Table, seek: SeekSettings) -> bool:
    """Whether the preview of a table is the whole table: its texts fit into ``preview_chars``."""
    if seek.match_only:
        return False
    left = seek.preview_chars - _size(table.header)
    if table.n_rows * len(table.header) > left:
        return False
    for row in table.rows():
        left -= _size(row)
        if left < 0:
            return False
    return left >= 0


def preview(table: Table, seek: SeekSettings, matched_rows: Sequence[int] = ()) -> str:
    """Render a table for a backbone or a person.

    Args:
        table: the table; its title and notes are not shown.
        seek: ``preview_chars`` (0-based budget of the head), ``max_matched_rows``, ``max_line_chars``,
            ``table_format``, ``transpose``, and ``match_only`` (header and matched rows only).
        matched_rows: 0-based rows, the most telling first; the first ``max_matched_rows`` are shown.

    Returns:
        Lines joined by newlines. Row labels are 1-based; ``*`` marks matched rows, ``…`` cut cells and gaps.
    """
    style = STYLES[_format(table, seek)]
    if not table.header:
        return "(no columns)"
    if shows_whole(table, seek):
        lines = [_Line("", _texts(row)) for row in table.rows()]
        grid = [table.header, *(line.cells for line in lines)]
        if seek.transpose:
            grid = list(zip(*grid, strict=True))
        return style.document(grid[0], grid[1:], "" if lines else "no rows")
    return _partial(table, seek, matched_rows, style)


def _partial(table: Table, seek: SeekSettings, matched_rows: Sequence[int], style: Style) -> str:
    matched = {row for row in list(matched_rows)[: seek.max_matched_rows] if 0 <= row < table.n_rows}
    head = 0 if seek.match_only else _head_rows(table, seek)
    shown = sorted({*range(head), *matched})
    rows = dict(zip(shown, (_texts(row) for row in table.rows(shown)), strict=True))
    width = _shown_columns([table.header, *rows.values()], seek.max_line_chars)
    left_out = len(table.header) - width
    more = (f"{CUT} {left_out} more columns",) if left_out else ()
    gap_more = (CUT,) if left_out else ()
    cutter = _Cutter(style, seek.max_line_chars)
    header = ("row", *cutter.cut(table.header[:width]), *more)
    lines: list[tuple[str, ...]] = []
    expected = 0
    for row, cells in rows.items():
        if row > expected:
            lines.append((_gap(row - expected), *("" for _ in range(width)), *gap_more))
        lines.append((f"{row + 1}{'*' if row in matched else ''}", *cutter.cut(cells[:width]), *gap_more))
        expected = row + 1
    if expected < table.n_rows:
        lines.append((_gap(table.n_rows - expected), *("" for _ in range(width)), *gap_more))
    grid = [header, *lines]
    if seek.transpose:
        grid = list(zip(*grid, strict=True))
    said = [f"{len(shown)} of {table.n_rows} rows shown"]
    if left_out:
        said.append(f"{left_out} of {len(table.header)} columns left out")
    if cutter.cuts:
        said.append(f"{cutter.cuts} cell{'s' if cutter.cuts > 1 else ''} cut, ending with {CUT}")
    if matched:
        said.append("* marks matched rows")
    return style.document(grid[0], grid[1:], "; ".join(said))


def _gap(n: int) -> str:
    return f"{CUT} {n} row{'s' if n > 1 else ''}"


def _format(table: Table, seek: SeekSettings) -> str:
    if seek.table_format == "as_stored":
        stored = table.info.provenance.format
        return stored if stored in STYLES else "markdown"
    if seek.table_format == "mixed":
        names = sorted(STYLES)
        return names[hashlib.sha256(table.id.encode()).digest()[0] % len(names)]
    return seek.table_format


def _texts(row: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(cell or "" for cell in row)


def _size(cells: Sequence[str | None]) -> int:
    return sum(len(cell or "") + 1 for cell in cells)


def _head_rows(table: Table, seek: SeekSettings) -> int:
    """How many head rows fit into ``preview_chars`` with the header, each row counted as it will be cut; at least 1."""
    left = seek.preview_chars - min(_size(table.header), seek.max_line_chars)
    n = 0
    for row in table.rows(range(min(table.n_rows, max(seek.preview_chars, 1)))):
        left -= min(_size(row), seek.max_line_chars)
        if left < 0 and n:
            break
        n += 1
        if left < 0:
            break
    return n


def _shown_columns(rows: Sequence[Sequence[str]], max_chars: int) -> int:
    """How many columns every line has room for, when no cell needs more than its first few characters."""
    width = len(rows[0])
    for row in rows:
        room = max_chars
        for index in range(width):
            room -= min(len(row[index]), _LEAST_CELL) + 1
            if room < 0:
                width = max(index, 1)
                break
    return width


class _Cutter:
    """Cuts the longest cells of a line until it fits, and counts the cells it cut."""

    def __init__(self, style: Style, max_chars: int) -> None:
        self._style = style
        self._max_chars = max_chars
        self.cuts = 0

    def cut(self, cells: Sequence[str]) -> tuple[str, ...]:
        lengths = [self._style.length(cell) for cell in cells]
        if sum(lengths) + len(cells) <= self._max_chars:
            return tuple(cells)
        cap = _level(lengths, self._max_chars - len(cells))
        return tuple(
            cell if length <= cap else self._cut(cell, cap) for cell, length in zip(cells, lengths, strict=True)
        )

    def _cut(self, cell: str, cap: int) -> str:
        self.cuts += 1
        kept = cell[: max(cap - 1, 1)]
        while len(kept) > 1 and self._style.length(kept) >= cap:
            kept = kept[: max(1, min(len(kept) - 1, len(kept) * cap // (self._style.length(kept) + 1)))]
        return kept + CUT


def _level(lengths: Sequence[int], room: int) -> int:
    """The largest cap under which lengths, each cut to it, fit into the room."""
    left, cap = room, 0
    ordered = sorted(lengths)
    for position, length in enumerate(ordered):
        cap = left // (len(ordered) - position)
        if length > cap:
            break
        left -= length
    return max(cap, 2)
