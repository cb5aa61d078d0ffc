"""Numbers spelled out in English words: cardinals, ordinals, year style, decimals by ``point``, scale words."""

from __future__ import annotations

import itertools
import re
from decimal import Decimal

_UNITS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
} | {"fourty": 40}
_SCALES = {
    "thousand": 3,
    "lakh": 5,
    "lac": 5,
    "million": 6,
    "crore": 7,
    "billion": 9,
    "trillion": 12,
    "quadrillion": 15,
    "quintillion": 18,
    "sextillion": 21,
    "septillion": 24,
    "octillion": 27,
    "nonillion": 30,
    "decillion": 33,
}
_ORDINALS = {
    "zeroth": "zero",
    "first": "one",
    "second": "two",
    "third": "three",
    "fifth": "five",
    "eighth": "eight",
    "ninth": "nine",
    "twelfth": "twelve",
} | {
    word + "th" if not word.endswith("y") else word[:-1] + "ieth": word
    for word in [*_UNITS, *_TENS, *_SCALES, "hundred"]
    if word not in {"zero", "one", "two", "three", "five", "eight", "nine", "twelve"}
}
_SIGNS = {"minus": -1, "negative": -1, "plus": 1}
STARTERS = frozenset([*_UNITS, *_TENS, *_ORDINALS, *_SIGNS, "a", "an", "oh", "point", "hundred", *_SCALES])
"""First words of numbers."""
SPELLING_WORDS = STARTERS | {"and"}
"""All words of numbers."""
_WORD = re.compile(r"[a-z]+")
_ONLY = re.compile(r"[a-z]+(?:[\s,-]+[a-z]+)*,?")


def starts_spelled(lowered: str) -> bool:
    """Whether the first word of a lower-case text can begin a spelled-out number (quick)."""
    found = _WORD.match(lowered)
    return found is not None and found.group() in STARTERS


def parse_spelled(text: str) -> tuple[Decimal, bool] | None:
    """The number that words write, and whether it is an ordinal; None for anything else.

    >>> parse_spelled("fourteen thousand, six hundred and seventy-six")
    (Decimal('14676'), False)
    >>> parse_spelled("minus seventy-two point zero five"), parse_spelled("twenty fourteen"), parse_spelled("one two")
    ((Decimal('-72.05'), False), (Decimal('2014'), False), None)
    """
    lowered = text.strip().lower()
    if not starts_spelled(lowered) or not _ONLY.fullmatch(lowered):
        return None
    words = _WORD.findall(lowered)
    sign = 1
    if words[0] in _SIGNS:
        sign = _SIGNS[words.pop(0)]
    if not words:
        return None
    ordinal = words[-1] in _ORDINALS
    if ordinal:
        words[-1] = _ORDINALS[words[-1]]
    shift = 0
    if "point" in words:
        at = words.index("point")
        words, fraction = words[:at], words[at + 1 :]
        while fraction and fraction[-1] in _SCALES:
            shift += _SCALES[fraction.pop()]
        digits = _fraction(fraction)
        if digits is None or ordinal:
            return None
        whole = _cardinal(words) if words else 0
        if whole is None:
            return None
        return sign * Decimal(f"{whole}.{digits}").scaleb(shift), False
    if words in (["a"], ["an"]):
        return None
    number = _cardinal(words)
    if number is None:
        number = _year(words)
    return None if number is None else (sign * Decimal(number), ordinal)


def _fraction(words: list[str]) -> str | None:
    if not words:
        return None
    if all(word in _UNITS or word == "oh" for word in words) and all(_UNITS.get(word, 0) < 10 for word in words):
        return "".join(str(_UNITS.get(word, 0)) for word in words)
    number = _cardinal(words)
    return None if number is None else str(number)


def _cardinal(words: list[str]) -> int | None:
    """Sum of groups below a thousand, each with a scale word smaller than the one before."""
    total, last_scale = 0, 999
    group: list[str] = []
    pending = [word for i, word in enumerate(words) if not (word == "and" and 0 < i < len(words) - 1)]
    if len(pending) != len(words) and any(a == b == "and" for a, b in itertools.pairwise(words)):
        return None
    i = 0
    while i < len(pending):
        word = pending[i]
        if word not in _SCALES:
            group.append(word)
            i += 1
            continue
        power = 0
        while i < len(pending) and pending[i] in _SCALES:
            power += _SCALES[pending[i]]
            i += 1
        worth = _below_thousand(group) if group else (1 if total == 0 else None)
        if worth is None or power >= last_scale:
            return None
        total, last_scale, group = total + worth * 10**power, power, []
    if group:
        worth = _below_thousand(group)
        if worth is None or (total and worth >= 10**last_scale):
            return None
        total += worth
    return total if pending else None


def _below_thousand(words: list[str]) -> int | None:
    """``three``, ``twenty one``, ``two hundred six``, also ``fourteen hundred`` and ``a hundred``."""
    if words and words[0] in {"a", "an"}:
        if len(words) == 1:
            return 1
        words = ["one", *words[1:]]
    if "hundred" in words:
        at = words.index("hundred")
        head = _below_hundred(words[:at]) if at else 1
        rest = _below_hundred(words[at + 1 :]) if at + 1 < len(words) else 0
        return None if head is None or rest is None or head == 0 else head * 100 + rest
    return _below_hundred(words)


def _below_hundred(words: list[str]) -> int | None:
    if len(words) == 1:
        return _UNITS.get(words[0], _TENS.get(words[0]))
    if len(words) == 2 and words[0] in _TENS and 0 < _UNITS.get(words[1], 0) < 10:
        return _TENS[words[0]] + _UNITS[words[1]]
    return None


def _year(words: list[str]) -> int | None:
    """Two halves of a year: ``nineteen ninety-five``, ``twenty fourteen``, ``nineteen oh five``."""
    for at in (1, 2):
        head = _below_hundred(words[:at])
        tail = words[at:]
        if head is None or not 10 <= head <= 99 or not tail:
            continue
        if tail[0] == "oh" and len(tail) == 2 and 0 < _UNITS.get(tail[1], 0) < 10:
            return head * 100 + _UNITS[tail[1]]
        rest = _below_hundred(tail)
        if rest is not None and rest >= 10:
            return head * 100 + rest
    return None
