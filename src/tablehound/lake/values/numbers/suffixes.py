"""Suffixes of numbers: units, scales, footnotes, ordinals, a trailing minus."""

from __future__ import annotations

import re
from typing import NamedTuple

from tablehound.lake.values.dates.names import MONTHS
from tablehound.lake.values.numbers.ambiguous_suffixes import FLAGS, POWERS, SIDES, is_ambiguous_suffix
from tablehound.lake.values.units.known import Unit, is_money, magnitude_of, unit_of

_FOOTNOTE = re.compile(r"(?:\s*(?:\[[^\[\]]{1,40}\]|[*†‡§¶#^¤]+|(?:^|(?<=[\d)\]]))[¹²³⁴⁵⁶⁷⁸⁹]))+$")
_FOOTNOTE_ENDS = frozenset("]*†‡§¶#^¤¹²³⁴⁵⁶⁷⁸⁹")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b|\.$|º|ª", re.I)
_PARENTHESIS = re.compile(r"\s*\(([^()]{1,40})\)$")
_GLUED_MONEY = re.compile(r"((?i:k|m|mn|bn|b|mio|mrd))([$€£¥₹]|[A-Z]{3})")
_DECADE = re.compile(r"(?:1[0-9]|20)[0-9]0")


class Suffix(NamedTuple):
    """What follows the digits."""

    unit: Unit | None = None
    power: int = 0
    style: str = ""
    minus: bool = False
    suffix: str = ""
    spaced: bool = False


def parse_suffix(tail: str, digits: str, money: Unit | None) -> Suffix | None:
    """What follows the digits; None where it makes the text something else."""
    if not tail:
        return Suffix(money)
    style, minus, magnitude = "", False, 0
    stripped = tail
    if tail[-1] in _FOOTNOTE_ENDS:
        stripped = _FOOTNOTE.sub("", tail)
        if stripped != tail:
            style = "footnote"
    note = _PARENTHESIS.search(stripped) if stripped.endswith(")") else None
    if note:
        stripped, style = stripped[: note.start()], "note"
    ordinal = _ORDINAL.match(stripped)
    if ordinal and digits.isdigit() and money is None:
        stripped, style = stripped[ordinal.end() :], "ordinal"
    elif stripped == "." and not digits.isdigit():
        return None
    glued = stripped[:1] not in ("", " ")
    word = stripped.strip()
    if word == "-":
        # ``2005-`` is a span of years that goes on.
        if len(digits) == 4 and digits.isdecimal() and 1000 <= int(digits) <= 2200:
            return None
        return Suffix(money, style=style or "trailing minus", minus=True)
    if not word:
        return Suffix(money, style=style)
    if word.endswith("-") and unit_of(word[:-1]) is not None:
        word, minus = word[:-1].rstrip(), True
    if glued and not (word[0].isalpha() or word[0] in "%‰$€£¥₹₩₽₺°′″º'\"°"):
        return None
    head, _, remainder = word.partition(" ")
    priced = money is not None or _is_money(remainder)
    if word in SIDES:
        return Suffix(money, 0, style or "unit", minus, word.rstrip("."), not glued)
    if word in FLAGS and not glued and not priced:
        return Suffix(unit_of(word) or _noun(word), 0, style or "unit", minus, word, spaced=True)
    if is_ambiguous_suffix(head) and not priced and not remainder:
        unit = unit_of("K" if head == "k" else head) or _noun(head)
        return Suffix(unit, 0, style or "unit", minus, head, not glued)
    power = _power(head, remainder, priced=priced, glued=glued)
    if power is None and money is None and len(head) > 1:
        # Glued together such as 3m€, 10kUSD, 5 M€.
        split = _GLUED_MONEY.fullmatch(head)
        if split and _is_money(split[2]):
            power, remainder = magnitude_of(split[1], money=True), split[2] + remainder
    if power is not None:
        magnitude, word, style = power, remainder.strip(), style or "magnitude"
        if not word:
            return Suffix(money, magnitude, style, minus)
    found = unit_of(word) or (None if glued and power is None and len(head) < 3 else _noun(word))
    if found is None or (money is not None and found.name != money.name):
        return None
    if word == "s" and glued and _DECADE.fullmatch(digits):
        style = "decade"
    if not style or style == "magnitude":
        style = {"percent": "percent"}.get(found.dimension, "currency" if _is_money(word) else "unit")
    return Suffix(found, magnitude, style, minus)


def _power(head: str, remainder: str, *, priced: bool, glued: bool) -> int | None:
    """The power of ten of a scale word behind a number: certain beside a currency, and of a capital before a noun."""
    power = magnitude_of(head, money=priced)
    if power is None and head in ("T", "M", "B") and (priced or (glued and head != "T" and remainder[:1].islower())):
        return POWERS[head.lower()]
    return power


def _is_money(text: str) -> bool:
    return bool(text) and is_money(unit_of(text))


_NOT_NOUNS = frozenset({*MONTHS, "am", "pm", "a.m", "p.m", "to", "and", "or", "x", "v", "vs", "of", "at", "by"})
_NOUN = re.compile(r"[^\W\d_][^\W\d_]*\.?(?: [^\W\d_]+\.?)?")


def _noun(word: str) -> Unit | None:
    """A counted noun of one or two words (``12 goals``): a unit only if the column agrees on it."""
    if len(word) > 24 or not _NOUN.fullmatch(word):
        return None
    name = word.casefold()
    if name.split(" ")[0].rstrip(".") in _NOT_NOUNS:
        return None
    return Unit(name.removesuffix("s") if len(name) > 3 else name, f"noun {name.removesuffix('s')}")
