"""Grids of texts as Markdown, HTML or CSV, one line per row. No cell can break the structure or the line.

Every escape can be undone: in Markdown a backslash escapes ``\\``, ``|`` and control characters (``\\n``, ``\\t``,
``\\u0007``); HTML uses character references; in CSV a cell with special characters is quoted, and line breaks and
control characters are written as in Markdown, so that a row stays one line.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Protocol

CUT = "…"
"""Marks a cut cell and a gap."""

# Control characters, line and paragraph separators, and marks that change the direction of what follows.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Style(Protocol):
    """One way to write a grid."""

    def length(self, text: str) -> int:
        """Characters of a cell as written."""
        ...

    def document(self, header: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
        """The grid as text, with a closing note unless it is empty."""
        ...


def _visible(match: re.Match[str]) -> str:
    return _SHORT.get(match[0]) or f"\\u{ord(match[0]):04x}"


class _Markdown:
    def length(self, text: str) -> int:
        return len(self._cell(text))

    def document(self, header: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
        lines = [self._line(header), "|" + " --- |" * len(header), *map(self._line, rows)]
        return "\n".join([*lines, f"({note})"] if note else lines)

    def _line(self, cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(self._cell, cells)) + " |"

    def _cell(self, text: str) -> str:
        return _UNSAFE.sub(_visible, text.replace("\\", "\\\\").replace("|", "\\|"))


class _Html:
    def length(self, text: str) -> int:
        return len(self._cell(text))

    def document(self, header: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
        lines = ["<table>", self._line(header, "th"), *(self._line(row, "td") for row in rows), "</table>"]
        return "\n".join([*lines, f"<p>({html.escape(note)})</p>"] if note else lines)

    def _line(self, cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{self._cell(cell)}</{tag}>" for cell in cells) + "</tr>"

    def _cell(self, text: str) -> str:
        return _UNSAFE.sub(lambda match: f"&#{ord(match[0])};", html.escape(text, quote=False))


class _Csv:
    def length(self, text: str) -> int:
        return len(self._cell(text))

    def document(self, header: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
        # An empty line would be no row.
        lines = [",".join(map(self._cell, row)) or '""' for row in (header, *rows)]
        return "\n".join([*lines, f"# ({note})"] if note else lines)

    def _cell(self, text: str) -> str:
        escaped = _UNSAFE.sub(_visible, text.replace("\\", "\\\\"))
        if any(mark in escaped for mark in ',"`') or escaped.startswith("#") or escaped != escaped.strip():
            return '"' + escaped.replace('"', '""') + '"'
        return escaped


STYLES: dict[str, Style] = {"csv": _Csv(), "html": _Html(), "markdown": _Markdown()}
