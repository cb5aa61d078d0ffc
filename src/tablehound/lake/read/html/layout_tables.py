"""HTML tables that only arrange parts of a page."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tablehound.lake.read.html.cells import Seen, text_of
from tablehound.lake.read.html.rows import own_elements, row_groups

_ROLES = frozenset(("presentation", "none", "navigation"))
_PAGE_PARTS = ("iframe", "nav", "article", "main")
_HEADED_PARTS = ("form", "h1", "h2")
# What decides that a table is data, all by hand.
MAX_VALUE_CHARS = 300
"""Characters of the longest value of a table."""
MIN_OWN_CELLS, OWN_ONE_IN = 4, 2
"""A table around other tables has so many cells with text of their own, one in so many of its cells."""
MIN_WIDTH, MIN_ROWS, MIN_ROWS_WITH_TITLE = 2, 2, 3
"""The least table among parts of a page; with the title of the page (``h1``) in it, it takes more rows."""
REGULAR_SHARE = 0.75
"""Share of its rows that have equally many cells."""
FILLED_ONE_IN = 2
"""More than one in so many cells of each of its columns is filled."""

MAX_EXCERPTS, EXCERPT_CHARS = 5, 60
"""Tables that an account names, and how much of each."""


def is_layout(table: Any) -> bool:
    """Whether a table only arranges parts of the page."""
    if (table.get("role") or "").lower() in _ROLES:
        return True
    if next((True for _ in table.iterancestors("template")), False):
        return True  # a pattern for a script, which shows it filled in or never
    if own_elements(table, "th", "caption"):
        return False
    own = own_elements(table, "td")
    if not own or _contains(table, _PAGE_PARTS):
        return True
    if next((inner for inner in table.iter("table") if inner is not table), None) is None:
        return len(own) == 1 or (_contains(table, _HEADED_PARTS) and not _is_regular(table))
    if _contains(table, _HEADED_PARTS):
        return True
    # Tables within tables: the outer one is data only if most of its cells have text of their own.
    filled = sum(cell.find(".//table") is None and bool(text_of(cell, Seen())) for cell in own)
    return filled < MIN_OWN_CELLS or OWN_ONE_IN * filled < len(own)


def excerpt(table: Any) -> str:
    """The first words of a table, for reporting which one was left out."""
    words: list[str] = []
    for cell in own_elements(table, "caption", "td", "th"):
        words += text_of(cell, Seen()).split()
        if sum(map(len, words)) > EXCERPT_CHARS:
            break
    text = " ".join(words)
    return text if len(text) <= EXCERPT_CHARS else f"{text[: EXCERPT_CHARS - 1]}…"


def left_out(excerpts: list[str], where: str) -> str:
    """The line of an account on tables that are none."""
    named = [f"“{text}”" for text in excerpts if text]
    more = ", …" if len(named) > MAX_EXCERPTS else ""
    shown = f": {', '.join(named[:MAX_EXCERPTS])}{more}" if named else ""
    return f"{len(excerpts)} tables {where} this one are layout or empty, and left out{shown}"


def _contains(table: Any, tags: tuple[str, ...]) -> bool:
    return any(next(table.iter(tag), None) is not None for tag in tags)


def _is_regular(table: Any) -> bool:
    """Rows of the same cells, most of them filled with short texts, in columns that are mostly filled."""
    rows = [row.cells for group in row_groups(table) for row in group.rows if row.cells]
    texts = [[text_of(cell, Seen()) for cell in row] for row in rows]
    width, count = Counter(map(len, rows)).most_common(1)[0]
    fit = [row for row in texts if len(row) == width]
    least = MIN_ROWS_WITH_TITLE if _contains(table, ("h1",)) else MIN_ROWS
    if width < MIN_WIDTH or len(rows) < least or count < REGULAR_SHARE * len(rows):
        return False
    if any(len(text) > MAX_VALUE_CHARS for row in texts for text in row):
        return False
    return all(FILLED_ONE_IN * sum(bool(row[column]) for row in fit) > len(fit) for column in range(width))
