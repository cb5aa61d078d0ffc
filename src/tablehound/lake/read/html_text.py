"""What a person reads in an HTML cell: visible text with its line breaks, without footnote marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_BLOCKS = frozenset(
    ("address", "article", "aside", "blockquote", "dd", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
     "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section", "tr", "ul")
)  # fmt: skip
_SILENT = frozenset(
    ("script", "style", "template", "noscript", "head", "title", "meta", "link", "colgroup", "datalist", "object",
     "svg", "math", "iframe")
)  # fmt: skip
_HIDDEN_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_MARK = re.compile(
    r"\s*(?:[\[(]\s*(?:[a-z]{1,3}|[ivx]+|\d{1,4}|note \d+|nb \d+|[*†‡§¶#]+)\s*[\])]|[*†‡§¶]+)\s*", re.IGNORECASE
)
_LINKED_MARK = re.compile(r"\s*[\[(]?\s*(?:[a-z]{1,3}|\d{1,4}|[*†‡§¶#]+)\s*[\])]?\s*", re.IGNORECASE)
_NOTE_CLASSES = frozenset(("reference", "footnote", "footnote-ref", "noteref", "fn", "cite_ref"))
MAX_DEPTH = 500
"""Elements nested deeper within a cell are read as one run of text."""


@dataclass(slots=True)
class Seen:
    """What was left out while texts were taken, for the account."""

    marks: int = 0
    hidden: int = 0
    cut: int = 0
    max_chars: int = 1_000_000


def is_hidden(element: Any) -> bool:
    """Whether the element itself says that it is not shown."""
    return element.get("hidden") is not None or bool(_HIDDEN_STYLE.search(element.get("style") or ""))


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
    for child in element:
        tag = child.tag
        if not isinstance(tag, str) or tag in _SILENT or tag == "table":
            pass
        elif is_hidden(child):
            seen.hidden += 1
        elif tag == "br":
            pieces.append("\n")
        elif _is_mark(child):
            seen.marks += 1
        elif tag == "select":
            pieces.append(_selected(child))
        elif depth > MAX_DEPTH:
            pieces.append(_flat("".join(child.itertext())))
        else:
            block = tag in _BLOCKS
            pieces.append("\n" if block else "")
            _collect(child, pieces, seen, depth + 1)
            pieces.append("\n" if block else "")
        if child.tail:
            pieces.append(_flat(child.tail))


def _flat(text: str) -> str:
    return text.replace("\n", " ").replace("\r", " ")


def _is_mark(element: Any) -> bool:
    """A footnote mark: raised, and bracketed, a dagger, or a link into the page."""
    if element.tag not in ("sup", "a", "span"):
        return False
    text = "".join(element.itertext()) if len(element) < 20 else ""
    if not text.strip() or len(text) > 16:
        return False
    classes = set((element.get("class") or "").lower().split())
    raised = element.tag == "sup" or bool(classes & _NOTE_CLASSES)
    if not raised:
        return False
    links = [element] if element.tag == "a" else element.findall(".//a")
    into_page = any((link.get("href") or "").startswith("#") for link in links)
    if into_page or classes & _NOTE_CLASSES:
        return _LINKED_MARK.fullmatch(text) is not None or _MARK.fullmatch(text) is not None
    return _MARK.fullmatch(text) is not None


def _selected(element: Any) -> str:
    options = list(element.iter("option"))
    chosen = [option for option in options if option.get("selected") is not None] or options[:1]
    return " ".join("".join(option.itertext()) for option in chosen)


def _stand_in(element: Any) -> str:
    """What a cell without text shows instead: the description of an image, the value of a field."""
    for child in element.iter("img", "input"):
        if child.tag == "img":
            shown = child.get("alt")
        elif (child.get("type") or "text").lower() in ("text", "number", "date", "email", "url", "tel"):
            shown = child.get("value")
        else:
            shown = None
        if shown and shown.strip():
            return " ".join(shown.split())
    return ""
