"""The text of formulas (MathML) and drawings (SVG) within HTML cells, in one line."""

from __future__ import annotations

from typing import Any

_UNSEEN = frozenset(("annotation", "annotation-xml", "mphantom", "none", "mprescripts"))


def drawn_text(element: Any, depth: int = 0) -> str:
    """What a person reads in a formula or a drawing."""
    if element.tag == "svg":
        return " ".join(" ".join("".join(text.itertext()).split()) for text in element.iter("text"))
    return " ".join(_formula(element, depth).split())


def svg_title(element: Any) -> str:
    """The title of a drawing, for those who cannot see it."""
    title = element.find("title")
    return " ".join("".join(title.itertext()).split()) if title is not None else element.get("aria-label") or ""


def _formula(element: Any, depth: int) -> str:
    tag = element.tag
    if not isinstance(tag, str) or tag in _UNSEEN or depth > 200:
        return ""
    parts = [_formula(child, depth + 1) for child in element if isinstance(child.tag, str)]
    if tag == "msup" and len(parts) == 2:
        return f"{parts[0]}^{_bracketed(parts[1])}"
    if tag == "msubsup" and len(parts) == 3:
        return f"{parts[0]}{parts[1]}^{_bracketed(parts[2])}"
    if tag == "mfrac" and len(parts) == 2:
        return f"{_bracketed(parts[0])}/{_bracketed(parts[1])}"
    if tag in ("msqrt", "mroot") and parts:
        return f"√{_bracketed(parts[0] if tag == 'mroot' else ''.join(parts))}"
    if tag == "mtable":
        return " ; ".join(parts)
    return (element.text or "").strip() + (" ".join(parts) if tag == "mtr" else "".join(parts))


def _bracketed(text: str) -> str:
    """In brackets, if it is more than one number or name."""
    return text if text.lstrip("-−").replace(".", "").isalnum() else f"({text})"
