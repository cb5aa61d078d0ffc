"""Superscripts and subscripts of HTML cells: footnote marks, powers, ordinals, fractions.

Plain text has no superscripts, and ``100`` with a superscript ``1`` is not 1001. What a reader of the page takes it for
decides: a footnote mark is left out, a power is written with ``^``, and anything else after a number never runs
together with its digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# What decides, all by hand.
MAX_MARK_CHARS = 16
"""Characters of the longest footnote mark."""
MAX_NUMBER_CHARS = 3
"""Digits of the largest footnote number or power."""
MAX_CHILDREN = 20
"""An element with more is no mark."""
MAX_STEPS_BACK = 20
"""Elements before a superscript in which the text before it is looked for."""
MAX_HOUR, MAX_MINUTE = 24, 59
"""Of a time of day written with superscript minutes."""

_MARK = re.compile(
    r"\s*(?:[\[(]\s*(?:[a-z]{1,3}|[ivx]+|\d{1,4}|note \d+|nb \d+|[*†‡§¶#]+)\s*[\])]|[*†‡§¶]+)\s*", re.IGNORECASE
)
_LINKED_MARK = re.compile(r"\s*[\[(]?\s*(?:[a-z]{1,3}|\d{1,4}|[*†‡§¶#]+)\s*[\])]?\s*", re.IGNORECASE)
_EDITORIAL = re.compile(r"\s*(?:\[[^\[\]]{1,40}\][\s,;]*)+", re.IGNORECASE)
"""Superscripts in square brackets: ``[1]``, ``[n 2]``, ``[citation needed]``."""
_NOTE_CLASSES = frozenset(("reference", "footnote", "footnote-ref", "noteref", "fn", "cite_ref"))
_SUPERSCRIPT_CLASSES = frozenset(("sup", "superscript"))
_SUPERSCRIPT_CSS = re.compile(r"vertical-align\s*:\s*(?:super|text-top)", re.IGNORECASE)
_NOTE_LINK = re.compile(r"#(?:.*[^a-z])?(?:f[nt]|foot|note|cite|ref|ednt?|n\d)", re.IGNORECASE)
_INLINE = frozenset(("b", "strong", "i", "em", "u", "span", "a", "font", "small", "big", "tt", "code", "bdi", "nobr"))

_BARE_MARK = re.compile(r"(?:\d{1,3}|[a-z]|ii|iii|iv|vi|vii|viii|ix)(?:[,;](?:\d{1,3}|[a-z]))*", re.IGNORECASE)
"""A footnote mark without brackets: numbers or letters, or a list of them."""
_SIGNED = re.compile(r"[-−–+]\d+(?:\.\d+)?")
_ORDINAL = re.compile(r"st|nd|rd|th|er|re|ère|e?me|ème|de|ste|os?|as?|es?", re.IGNORECASE)
_ORDINAL_LETTERS, _VARIABLES = frozenset("eoªº"), frozenset("nxk")
_FRACTION = re.compile(r"\d+[/⁄]\d+")
_UNIT_FOLLOWS = re.compile(r"\s*[/·]?\s*[^\W\d_]")
_TIMES_TEN = re.compile(r"[×x·∙⋅*]\s*10\Z", re.IGNORECASE)
_NUMBER_END = re.compile(r"(?:\A|[^\d.,])(\d[\d.,]*)\Z")
_WORD_END = re.compile(r"[^\W\d_]+\Z")
_SYMBOL = re.compile(r"[a-zµΑ-ωà-öø-ÿа-яё]{1,2}", re.IGNORECASE)
_BRACKET = re.compile(r"\([^()\s]*[-+−*/·][^()\s]*\)\Z")
_CLOSING = frozenset(")]}%‰°.,;:!?…\"'”’»$€£¥*®™")
"""Signs at the end of a text. After others, such as ``#`` or ``+``, a superscript is part of a formula."""
_CURRENCY = re.compile(r"[$€£¥]|\b(?:USD|EUR|GBP|CHF)\b")


@dataclass(frozen=True, slots=True)
class SuperscriptStyle:
    """What superscripts mean in a table, as far as one cell alone does not show it."""

    powers: bool = False
    """Superscript numbers after a plain number are powers of it, not footnote marks."""
    minor: bool = False
    """They are the minutes of a time or the cents of a price."""
    letters: bool = False
    """Single letters after a number are endings of ordinals or exponents, not footnote marks."""


NOTES = SuperscriptStyle()
"""The usual meaning: footnote marks."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a superscript or subscript adds to the text before it."""

    text: str | None
    """None for a footnote mark."""
    doubt: str = ""
    """``mark`` or ``power``, if that is the usual meaning but not the only one."""


def superscript_style(table: Any) -> SuperscriptStyle:
    """What all superscripts of a table together show."""
    bases: list[tuple[str, str]] = []
    letters: set[str] = set()
    for element in table.iter("sup"):
        shown = _compact(element)
        before = text_before(element)
        number = _NUMBER_END.search(before)
        if number is None or not shown or _is_mark(element, shown) or _is_power_of_ten(element, before):
            continue
        if shown.isdecimal() and len(shown) <= MAX_NUMBER_CHARS:
            bases.append((number.group(1), shown))
        elif len(shown) == 1 and shown.isalpha():
            letters.add(shown.lower())
    base = bases[0][0] if bases else ""
    exponents = {shown for _, shown in bases}
    powers = all(other == base for other, _ in bases) and (base == "10" or (base == "2" and len(exponents) > 1))
    two = bool(exponents) and all(len(shown) == 2 for shown in exponents)
    minor = two and any(shown.startswith("0") for shown in exponents)
    return SuperscriptStyle(powers, minor and not powers, bool(letters) and letters <= {*_ORDINAL_LETTERS, *_VARIABLES})


def is_superscript(element: Any) -> bool:
    """Whether the element is shown as a superscript."""
    if element.tag == "sup":
        return True
    if element.tag not in ("span", "a", "small", "font"):
        return False
    classes = _classes(element)
    return bool(classes & (_SUPERSCRIPT_CLASSES | _NOTE_CLASSES)) or bool(
        _SUPERSCRIPT_CSS.search(element.get("style") or "")
    )


def is_note_link(element: Any, before: str) -> bool:
    """A link that is a footnote mark without being a superscript: ``[2]``, or ``2`` if it leads to a note."""
    href = element.get("href") or ""
    text = "".join(element.itertext()) if len(element) < MAX_CHILDREN else ""
    if "#" not in href or not text.strip() or len(text) > MAX_MARK_CHARS or not before.strip():
        return False
    mark = _MARK.fullmatch(text) is not None
    if mark and text.strip().startswith("["):
        return True
    glued = not before[-1].isspace() and (mark or _LINKED_MARK.fullmatch(text) is not None)
    return glued and _NOTE_LINK.search(href) is not None


def meaning_of_superscript(element: Any, text: str, before: str, style: SuperscriptStyle) -> Meaning:
    """What a superscript with some visible text means after another text."""
    shown = "".join(text.split())
    if _is_mark(element, text):
        return Meaning(None)
    if not before or not shown:
        return Meaning(_apart("", text, element))
    if _fraction_follows(element):
        return Meaning(f" {shown}" if before[-1].isdecimal() else shown)
    if shown.isdecimal() and _is_power_of_ten(element, before):
        return Meaning(f"^{shown}")
    if before[-1].isdecimal():
        return _after_number(shown, before, style) or Meaning(_apart(before, text, element))
    if not _BARE_MARK.fullmatch(shown):
        return Meaning(_apart(before, text, element))
    if before[-1].isspace():
        goes_on = (element.tail or "")[:1].isalnum()  # an isotope, or a number in front of its word
        return Meaning(_apart(before, text, element)) if goes_on else Meaning(None, "mark")
    word = _WORD_END.search(before)
    if word is not None:
        return Meaning(shown) if _takes_power(word.group()) else Meaning(None, "mark")
    if shown in ("2", "3") and _BRACKET.search(before):
        return Meaning(shown)
    return Meaning(None, "mark") if before[-1] in _CLOSING else Meaning(_apart(before, text, element))


def meaning_of_subscript(element: Any, text: str, before: str) -> str:
    """The text of a subscript: ``CO2``, but ``1010_2``."""
    return f"_{text}" if before[-1:].isdecimal() and text[:1].isdecimal() else _apart(before, text, element)


def text_before(element: Any) -> str:
    """The text right before an element, within its cell."""
    for _ in range(MAX_STEPS_BACK):
        previous = element.getprevious()
        if previous is None:
            parent = element.getparent()
            if parent is None:
                return ""
            if (parent.text or "").strip() or parent.tag not in _INLINE:
                return parent.text or ""
            element = parent
            continue
        text = previous.tail or ("".join(previous.itertext()) if isinstance(previous.tag, str) else "")
        if text:
            return str(text)
        element = previous
    return ""


def _after_number(shown: str, before: str, style: SuperscriptStyle) -> Meaning | None:
    number = _NUMBER_END.search(before)
    if _SIGNED.fullmatch(shown):
        return Meaning(f"^{shown}")
    if shown.isdecimal() and number is not None:
        if style.powers and number.group(1) in ("10", "2"):
            return Meaning(f"^{shown}", "power")
        if style.minor and len(shown) == 2:
            return Meaning(_minor(number.group(1), shown, before))
        if _CURRENCY.search(before) and len(shown) == 2 and number.group(1).isdecimal():
            return Meaning(f".{shown}", "cents")
    if len(shown) > 1 and _ORDINAL.fullmatch(shown):
        return Meaning(shown)
    if style.letters and shown.isalpha() and len(shown) == 1:
        return Meaning(shown if shown.lower() in _ORDINAL_LETTERS else f"^{shown}")
    if _FRACTION.fullmatch(shown):
        return Meaning(f" {shown}")
    if _BARE_MARK.fullmatch(shown):
        return Meaning(None, "mark")
    return Meaning(f"^{shown}") if shown[0].isdecimal() else None


def _minor(number: str, shown: str, before: str) -> str:
    clock = number.isdecimal() and int(number) <= MAX_HOUR and int(shown) <= MAX_MINUTE and not _CURRENCY.search(before)
    return f":{shown}" if clock else f".{shown}"


def _takes_power(word: str) -> bool:
    """Whether a superscript number after a word belongs to it: a unit, a variable, an element, a function."""
    if len(word) == 2 and word.isupper():
        return False  # a code, such as UK
    return _SYMBOL.fullmatch(word) is not None or word.lower() in _powered_words()


@cache
def _powered_words() -> frozenset[str]:
    """Words that are raised to a power, beside symbols of one or two letters."""
    return frozenset(Path(__file__).with_name("powered.txt").read_text(encoding="utf-8").split())


def _is_power_of_ten(element: Any, before: str) -> bool:
    """A superscript of ``×10``, or of a bare 10 in front of a unit."""
    if _TIMES_TEN.search(before):
        return True
    number = _NUMBER_END.search(before)
    return number is not None and number.group(1) == "10" and _UNIT_FOLLOWS.match(element.tail or "") is not None


def _fraction_follows(element: Any) -> bool:
    """``<sup>3</sup>/<sub>4</sub>``."""
    following = element.getnext()
    return following is not None and following.tag == "sub" and (element.tail or "").strip() in ("/", "⁄")


def _apart(before: str, text: str, element: Any) -> str:
    """The text, set off from digits that it must not run together with."""
    if before[-1:].isdecimal() and text[:1].isdecimal():
        text = f" {text}"
    return f"{text} " if text[-1:].isdecimal() and (element.tail or "")[:1].isdecimal() else text


def _is_mark(element: Any, text: str) -> bool:
    """Brackets, a dagger, or a link into a page: a footnote mark after any text."""
    if _EDITORIAL.fullmatch(text):
        return True
    if not text or len(text) > MAX_MARK_CHARS:
        return False
    links = [element] if element.tag == "a" else element.findall(".//a") if len(element) else []
    if _classes(element) & _NOTE_CLASSES or any("#" in (link.get("href") or "") for link in links):
        return _LINKED_MARK.fullmatch(text) is not None or _MARK.fullmatch(text) is not None
    return _MARK.fullmatch(text) is not None


def _classes(element: Any) -> set[str]:
    return set((element.get("class") or "").lower().split())


def _compact(element: Any) -> str:
    text = "".join(element.itertext()) if len(element) < MAX_CHILDREN else ""
    return "".join(text.split())
