"""Three things that are not values: a blank cell, a null token, and a placeholder such as the literal ``NA``.

* *blank*: nothing but white space. Never a value.
* *null token*: what programs write for "no value" (``NULL``, ``\\N``, ``#N/A``). Never a value.
* *placeholder*: what people write (``NA``, ``n/a``, ``-``, ``tba``). No value in a column of numbers, dates or
  booleans; a text like any other in a column of texts, so that a country code ``NA`` or a surname survives.
"""

from __future__ import annotations

from typing import Literal

Missing = Literal["blank", "null", "placeholder"]

EDGES = (
    " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u200c\u200d\u2060"
)
"""White space and zero-width characters, which surround texts in exported files; spelled out, because libraries differ
in what they strip."""

NULL_TOKENS = frozenset({"NULL", "\\N", "#N/A", "<NA>", "<null>", "<NULL>", "(null)", "(NULL)", "#NULL!", "[NULL]"})

PLACEHOLDERS = frozenset(
    {
        "na",
        "n/a",
        "n / a",
        "n.a.",
        "n . a .",
        "n.a",
        "n/d",
        "n.d.",
        "nd",
        "none",
        "null",
        "nan",
        "nat",
        "#n/a",
        "#na",
        "#value!",
        "#ref!",
    }
    | {"#div/0!", "#num!", "#name?", "-", "--", "---", "–", "—", "−", "―", "?", "??", "???", ".", "..", "...", "…", "*"}
    | {
        ":",
        "tba",
        "tbd",
        "tbc",
        "unknown",
        "not available",
        "not applicable",
        "not known",
        "missing",
        "(blank)",
        "n/k",
        "/",
    }
    | {"unk", "undefined", "no data", "not applicable.", "‡", "†"}
)


def bare(text: str) -> str:
    """The text without surrounding white space and zero-width characters."""
    return text.strip(EDGES)


def missing(text: str) -> Missing | None:
    """Which kind of missing a text is, or None for anything else."""
    stripped = bare(text)
    if not stripped:
        return "blank"
    if stripped in NULL_TOKENS:
        return "null"
    if len(stripped) <= 16 and stripped.casefold() in PLACEHOLDERS:
        return "placeholder"
    return None
