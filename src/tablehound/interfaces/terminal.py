"""Text for terminals: content of tables is untrusted, so control characters never reach one."""

from __future__ import annotations

import json
import math
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any


def printable(text: str) -> str:
    """The text on one line, with control, bidirectional and other invisible format characters made visible."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else {"\n": "⏎", "\t": "⇥", "\r": "␍"}.get(character, f"\\u{ord(character):04x}")
        for character in text
    )


def shorten(text: str, width: int) -> str:
    """The text cut to a width, the cut marked."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def grid(
    header: Sequence[str], rows: Iterable[Sequence[str | None]], *, max_width: int = 40, cut_last: bool = True
) -> str:
    """A text table. An absent cell is shown as ``·``, an empty text as nothing. The last column may be whole."""
    lines = [[shorten(printable(name), max_width) for name in header]]
    for row in rows:
        shown = ["·" if cell is None else printable(cell) for cell in row]
        last = shown[-1] if shown else ""
        cells = [shorten(text, max_width) for text in shown]
        lines.append(cells if cut_last or not cells else [*cells[:-1], last])
    widths = [max(_width(line[i]) for line in lines) for i in range(len(header))]
    aligned = [
        "  ".join(cell + " " * (w - _width(cell)) for cell, w in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([aligned[0], "  ".join("─" * min(w, max_width) for w in widths), *aligned[1:]])


def _width(text: str) -> int:
    """Columns on a terminal: wide East Asian characters take two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def emit(text: str = "") -> None:
    """One line of output."""
    sys.stdout.write(text + "\n")


def emit_json(data: Any) -> None:
    """One JSON document on one line. Dates and other plain objects become text."""
    sys.stdout.write(json.dumps(_finite(data), ensure_ascii=False, default=str, allow_nan=False) + "\n")


def complain(message: str) -> None:
    """One line on the error stream."""
    sys.stderr.write(f"tablehound: {printable(message)}\n")


def _finite(data: Any) -> Any:
    """Data with numbers that JSON has no form of (NaN, infinities) as texts."""
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data
