"""What a person reads in an HTML cell: visible text with its line breaks, without footnote marks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from tablehound.lake.read.html.formulas import drawn_text, svg_title
from tablehound.lake.read.html.superscripts import (
    NOTES,
    SuperscriptStyle,
    is_note_link,
    is_superscript,
    meaning_of_subscript,
    meaning_of_superscript,
)

_BLOCKS = frozenset(
    ("address", "article", "aside", "blockquote", "dd", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
     "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section", "ul")
)  # fmt: skip
_SILENT = frozenset(("script", "style", "head", "title", "meta", "link", "colgroup", "datalist"))
_UNSEEN = frozenset(("template", "noscript", "object", "iframe"))
"""Their content is shown only where something else fails, or never."""
_PARTS = frozenset(("table", "tr", "td", "th", "caption", "thead", "tbody", "tfoot"))
"""Nested tables, and cells that lack an end tag before them: they are read on their own."""
_GONE = re.compile(r"(?:^|;)\s*display\s*:\s*none", re.IGNORECASE)
_INVISIBLE = re.compile(r"(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
MAX_DEPTH = 500
"""Elements nested deeper within a cell are read as one run of text."""
MAX_EXAMPLES = 5
MAX_SUPERSCRIPT_CHARS = 40
"""Longer superscripts are text like any other. By hand."""
_DOUBTS = {
    "mark": "raised text after a number or a word is read as a footnote mark and left out",
    "power": "a number raised after another is read as its power",
    "cents": "two raised digits after an amount are read as its cents",
}


@dataclass(slots=True)
class Seen:
    """What was left out while texts were taken, for the account."""

    marks: int = 0
    hidden: int = 0
    cut: int = 0
    max_chars: int = 1_000_000
    style: SuperscriptStyle = NOTES
    doubts: dict[str, list[str]] = field(default_factory=dict)

    def doubt(self, kind: str, before: str, mark: str) -> None:
        words = before.split()
        last = words[-1][-20:] if words else ""
        self.doubts.setdefault(kind, []).append(f"{last}^{mark}" if kind == "power" else f"{last} ({mark})")

    def ambiguities(self) -> list[str]:
        """What was read in its usual meaning, but may mean something else."""
        lines = []
        for kind, cases in self.doubts.items():
            more = f" and {len(cases) - MAX_EXAMPLES} more" if len(cases) > MAX_EXAMPLES else ""
            lines.append(f"{_DOUBTS[kind]}: {', '.join(cases[:MAX_EXAMPLES])}{more}")
        return lines


def hidden_how(element: Any) -> Literal["gone", "invisible"] | None:
    """How the element itself hides its content, if it does: without a place on the page, or leaving a blank there."""
    if element.get("hidden") is not None:
        return "gone"
    style = element.get("style")
    if not style:
        return None
    if _GONE.search(style):
        return "gone"
    return "invisible" if _INVISIBLE.search(style) else None


def is_hidden(element: Any) -> bool:
    """Whether the element itself hides its content."""
    return hidden_how(element) is not None


def text_of(element: Any, seen: Seen) -> str:
    """Visible text of an element; nested tables are left out, they are tables of their own."""
    if len(element):
        pieces: list[str] = []
        _collect(element, pieces, seen, 0)
        lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
        text = "\n".join(line for line in lines if line) or _stand_in(element)
    else:
        text = " ".join((element.text or "").split())
    if len(text) > seen.max_chars:
        seen.cut += 1
        text = text[: seen.max_chars]
    return text


def _collect(element: Any, pieces: list[str], seen: Seen, depth: int) -> None:
    if element.text:
        pieces.append(_flat(element.text))
    after_mark: int | None = None
    for child in element:
        tag = child.tag
        if not isinstance(tag, str) or tag in _SILENT or tag in _PARTS:
            pass
        elif is_hidden(child) or (tag in _UNSEEN and (len(child) or (child.text or "").strip())):
            seen.hidden += 1
        elif tag == "br":
            pieces.append("\n")
        elif tag in ("svg", "math"):
            pieces.append(f" {drawn_text(child)} ")
        elif tag == "select":
            pieces.append(_selected(child))
        elif depth > MAX_DEPTH:
            pieces.append(_flat("".join(child.itertext())))
        elif tag in ("sup", "sub") or (tag in ("a", "span", "small", "font") and _is_set_off(child, pieces)):
            if _set_off(child, pieces, seen, depth):
                if after_mark is not None and not "".join(pieces[after_mark:]).strip(" ,;"):
                    del pieces[after_mark:]  # a separator of two marks is left out with them
                after_mark = len(pieces)
        else:
            block = tag in _BLOCKS
            pieces.append("\n" if block else "")
            _collect(child, pieces, seen, depth + 1)
            pieces.append("\n" if block else "")
        if child.tail:
            pieces.append(_flat(child.tail))


def _is_set_off(child: Any, pieces: list[str]) -> bool:
    return is_superscript(child) or (
        child.tag == "a" and child.get("href") is not None and is_note_link(child, _end(pieces))
    )


def _set_off(child: Any, pieces: list[str], seen: Seen, depth: int) -> bool:
    """Add a superscript or subscript, as what it means after the text before it; true if it is a mark and left out."""
    inner: list[str] = []
    before = _end(pieces)
    _collect(child, inner, seen, depth + 1)
    text = "".join(inner)
    if len(text) > MAX_SUPERSCRIPT_CHARS:
        pieces.append(text)
        return False
    text = " ".join(text.split())
    if child.tag == "sub":
        pieces.append(meaning_of_subscript(child, text, before))
        return False
    if child.tag != "a" or is_superscript(child):
        meaning = meaning_of_superscript(child, text, before, seen.style)
        if meaning.doubt:
            seen.doubt(meaning.doubt, before, text)
        if meaning.text is not None:
            pieces.append(meaning.text)
            return False
    seen.marks += 1
    return True


def _end(pieces: list[str]) -> str:
    """The last characters so far."""
    end = ""
    for piece in reversed(pieces[-MAX_SUPERSCRIPT_CHARS:]):
        end = piece + end
        if len(end) > MAX_SUPERSCRIPT_CHARS:
            break
    return end[-MAX_SUPERSCRIPT_CHARS:]


def _flat(text: str) -> str:
    return text.replace("\n", " ").replace("\r", " ")


def _selected(element: Any) -> str:
    options = list(element.iter("option"))
    chosen = [option for option in options if option.get("selected") is not None] or options[:1]
    return " ".join("".join(option.itertext()) for option in chosen)


def _stand_in(element: Any) -> str:
    """What a cell without text shows instead: the description of an image, the value of a field."""
    for child in element.iter("img", "input", "svg"):
        if child.tag == "svg":
            shown = svg_title(child)
        elif child.tag == "img":
            shown = child.get("alt")
        elif (child.get("type") or "text").lower() in ("text", "number", "date", "email", "url", "tel"):
            shown = child.get("value")
        else:
            shown = None
        if shown and shown.strip():
            return " ".join(shown.split())
    return ""
