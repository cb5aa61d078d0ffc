"""Patterns of every kind for exactness, and google-re2 as the judge that shares no code with the engine."""

from __future__ import annotations

from collections.abc import Iterable

import re2

LITERALS = ["united states", "new york|los angeles", "colou?r", "s$", "^a", "^5$", "^$", "^the ", r"\b1st\b", r"\bus\b"]
CLASSES = [r"^\d+$", r"^19\d\d$", r"\d+ - \d+", "[aeiou]{4}", r"^\S+ \S+ \S+$", r"(january|june|july) \d{1,2}", r"\.5$"]
BEYOND_ASCII = ["süper", "SÜPER", "ÉTOILE|étoile", "İstanbul", "[à-ü]", "ß", "σ", "Ж", "K", "ſ", "(?i:K)elvin"]
NO_TRIGRAM = [r"\w+", ".", "a", "5", r"\d", "[^a-z]", "x*", "", r"\s\s", r"[\s\S]{60}", "(?-i:a)b", "(?s)a.b", "(?m)^b"]
HOSTILE = ["(a+)+$", "(a|aa)+$", "(x|y)*z", r"(\w+\s?)+!$", ".*.*.*.*q", r"([a-z]+)*\d", "a.*b.*c.*d", r"^(.+)+,$"]
WRITTEN = [*LITERALS, *CLASSES, *BEYOND_ASCII, *NO_TRIGRAM, *HOSTILE, "(?:(?:a?){20})a{20}", "[0-9]{1,3},[0-9]{3}"]


def exact_patterns(words: Iterable[str], count: int = 300) -> list[str]:
    """The patterns above, filled up to ``count`` with literals drawn evenly from the words of a corpus."""
    literals = sorted({word for word in words if 2 < len(word) < 30})
    wanted = count - len(WRITTEN)
    literals = literals[:: max(1, len(literals) // wanted)][:wanted]
    return WRITTEN + [re2.escape(text).replace("\\ ", " ") for text in literals]


_WORD = r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}"


def judged_by_re2(text: str) -> str:
    """What google-re2 has to be given for the same pattern: its short classes and word boundaries know ASCII only.

    Boundaries are rewritten at the two ends of a pattern, where they stand next to a word character.
    """
    text = text.replace(r"[\s\S]", "(?s:.)")
    if text.startswith(r"\b"):
        text = rf"(?:\A|[^{_WORD}])" + text[2:]
    if text.endswith(r"\b"):
        text = text[:-2] + rf"(?:[^{_WORD}]|\z)"
    text = text.replace(r"\w", f"[{_WORD}]").replace(r"\d", r"\p{Nd}")
    text = text.replace(r"\S", r"[^\s\x{85}\x{A0}\p{Z}]")
    text = text.replace(r"\s", r"[\t\n\v\f\r \x{85}\x{A0}\p{Z}]") if "[^" not in text else text
    return "(?i)" + text
