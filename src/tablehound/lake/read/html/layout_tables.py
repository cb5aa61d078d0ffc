"""HTML tables that only arrange parts of a page."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tablehound.lake.read.html.cells import Seen, text_of
from tablehound.lake.read.html.rows import own_elements, row_groups

_ROLES = frozenset(("presentation", "none", "navigation"))
_PAGE_PARTS = ("iframe", "nav", "article", "main")
_HEADED_PARTS = ("form", "h1", "h2")
_LONG = 300
"""Characters of a text that is no value of a table."""
MAX_EXCERPTS, EXCERPT_CHARS = 5, 60


def is_layout(table: Any) -> bool:
    """Whether a table only arranges parts of the page."""
    if (table.get("role") or "").lower() in _ROLES:
        return True
    if next((True for _ in table.iterancestors("template")), False):
        return True  # a pattern for a script, which shows it filled in or never
    if own_elements(table, "th", "caption"):
        return False
    own = own_elements(table, "td")
    if not own or _holds(table, _PAGE_PARTS):
        return True
    if next((inner for inner in table.iter("table") if inner is not table), None) is None:
        return len(own) == 1 or (_holds(table, _HEADED_PARTS) and not _is_regular(table))
    if _holds(table, _HEADED_PARTS):
        return True
    # Tables within tables: the outer one is data only if most of its cells say something themselves.
    speaking = sum(cell.find(".//table") is None and bool(text_of(cell, Seen())) for cell in own)
    return speaking < 4 or speaking * 2 < len(own)


def excerpt(table: Any) -> str:
    """The first words of a table, for saying which one was left out."""
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


def _holds(table: Any, tags: tuple[str, ...]) -> bool:
    return any(next(table.iter(tag), None) is not None for tag in tags)


def _is_regular(table: Any) -> bool:
    """Rows of the same cells, most of them filled with short texts, in columns that all say something."""
    rows = [row.cells for group in row_groups(table) for row in group.rows if row.cells]
    texts = [[text_of(cell, Seen()) for cell in row] for row in rows]
    width, count = Counter(map(len, rows)).most_common(1)[0]
    fit = [row for row in texts if len(row) == width]
    if width < 2 or len(rows) < (3 if _holds(table, ("h1",)) else 2) or count < 0.75 * len(rows):
        return False
    if any(len(text) > _LONG for row in texts for text in row):
        return False
    return all(2 * sum(bool(row[column]) for row in fit) > len(fit) for column in range(width))
