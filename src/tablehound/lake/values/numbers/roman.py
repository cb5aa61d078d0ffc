"""Roman numerals in their standard subtractive form, 1 to 3999."""

from __future__ import annotations

import re

_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_WORTH = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_LIKE_WORDS = frozenset(
    {"XL", "CD", "MD", "DC", "MI", "DI", "LI", "MC", "CV", "CC", "MM", "CM", "MV", "MIX", "DIM", "DVI"}
)
"""Numerals that more often are sizes, abbreviations or words."""


def parse_roman(text: str) -> int | None:
    """The number that a numeral of one case writes, or None.

    >>> parse_roman("MMXIV"), parse_roman("xvi"), parse_roman("IIII"), parse_roman("Iv")
    (2014, 16, None, None)
    """
    if not text or not (text.isupper() or text.islower()):
        return None
    upper = text.upper()
    if not _ROMAN.fullmatch(upper):
        return None
    worth = [_WORTH[letter] for letter in upper]
    return sum(-w if any(w < later for later in worth[i + 1 : i + 2]) else w for i, w in enumerate(worth))


def fits_among_numbers(text: str) -> bool:
    """Whether a numeral may be taken for one where the rest of its column is numbers: no lone ``x``, ``D`` or ``m``."""
    return (text.isupper() and (len(text) >= 2 or text in "IVX")) or (text.islower() and is_clear_roman(text))


def is_clear_roman(text: str) -> bool:
    """Whether a numeral is long enough, and unlike a word, to suggest by itself that its column is Roman."""
    return len(text) >= 2 and text.upper() not in _LIKE_WORDS
