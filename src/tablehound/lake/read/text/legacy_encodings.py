"""Tell old encodings apart by how well the text that each makes of some bytes reads.

Each candidate decodes the sample; the characters above 127 are judged by how often they occur in a language of that
encoding and by where they stand: letters within words, capitals at their start, signs by numbers and between spaces.
The logarithms are added up, with the share of files that are in the encoding to begin with (naive Bayes). A place
that cannot be decoded counts as one very unlikely character: one bad byte does not outweigh a thousand good rows.
What detectors look at in long texts, such as pairs of letters, tables do not have enough of.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from tablehound.lake.read.text import letter_frequencies, symbols
from tablehound.lake.read.text.letter_frequencies import CANDIDATES, Candidate

_BROKEN = math.log(1e-5)
"""A place that cannot be decoded, or a control character."""
_ANY = 2e-4
"""A letter that no language of an encoding has."""
_ABROAD = 0.1
_MINOR = 0.1
_LEAST = 2e-5
"""No letter counts as less likely than that: any one place may be broken."""
_CLOSE = 2.5
"""Scores that differ by less leave a choice open."""
_MOST_BYTES = 1 << 12
"""About as many bytes are judged: two hundred words."""
_FIRST_CELLS = 20
_FINALISTS = 5
_DIGITS = re.compile(rb"(?:[\x81-\xfe][0-9]){2}|[0-9]+")
_CELL_ENDS = re.compile(rb"[\r\n\t,;\"]+")
"""Bytes that are never the second half of a character."""
_LETTER_SIGNS = frozenset("ºªµƒ")
_Context = tuple[str, str, str, str, str]
_MARKED_LANGUAGES = frozenset({"cs", "sk", "pl", "hu", "tr", "lv", "lt", "vi", "fi", "et"})
_LANGUAGE_SHARES = {"is": 0.03, "ca": 0.2, "et": 0.15, "fi": 0.5, "sl": 0.4, "ro": 0.6, "be": 0.2, "sr": 0.4, "bg": 0.5}
_LANGUAGE_SHARES |= {"it": 0.7, "sv": 0.5, "da": 0.5, "nl": 0.7, "pt": 0.8, "hr": 0.6, "sk": 0.6}
# Letters that stand only before or after some others: what tells Portuguese from Hungarian, Icelandic from Turkish.
_NEXT: dict[str, dict[str, float]] = {
    "ã": {"o": 1.0, "e": 0.5, "n": 0.3, "s": 0.2, "": 0.2},
    "õ": {"e": 1.0, "s": 0.3},
    "þ": dict.fromkeys("aáeéiíoóuúyýöæjrv", 1.0),
}
_NOT_NEXT = 0.07
_NEXT_FREE = frozenset({"et", "vi"})
_INITIAL = {("is", "ð"): 0.02, ("tr", "ğ"): 0.02, ("tr", "ı"): 0.3, ("de", "ß"): 0.01}
_FINAL_ONLY = frozenset("ςךםןףץ")
_NEVER_FINAL = frozenset("σכנצ")
_THAI_BEFORE = frozenset("เแโใไ")


@dataclass(frozen=True, slots=True)
class Judged:
    """The encoding in which a sample reads best."""

    name: str
    confidence: float
    rival: str | None = None
    """Another one that reads nearly as well and makes another text of it."""


def judge(sample: bytes) -> Judged:
    """The likeliest of the old encodings for some lines with bytes above 127."""
    cells = _distinct(sample)
    first = cells[:: -(-len(cells) // _FIRST_CELLS)]
    ranked = sorted(((_score(first, one), one) for one in CANDIDATES), key=lambda pair: -pair[0])
    if len(cells) > len(first):
        ranked = sorted(((_score(cells, one), one) for _, one in ranked[:_FINALISTS]), key=lambda pair: -pair[0])
    best, found = ranked[0]
    text = sample.decode(found.name, "replace")
    for score, other in ranked[1:]:
        if sample.decode(other.name, "replace") != text:
            near = best - score
            return Judged(found.name, round(1 / (1 + math.exp(-near)), 3), other.name if near < _CLOSE else None)
    return Judged(found.name, 1.0)


def _distinct(sample: bytes) -> list[tuple[bytes, float]]:
    """Cells with high bytes and their weights: what comes a thousand times is hardly more evidence than once."""
    # Digits are alike, but for those that are a part of the characters of four bytes in GB 18030.
    sample = _DIGITS.sub(lambda found: found[0] if found[0][0] > 0x7F else b"0", sample)
    counts = Counter(cell for cell in _CELL_ENDS.split(sample) if not cell.isascii())
    # Spread over the sample: what is odd in a file often stands in one place of it.
    step = -(-sum(map(len, counts)) // _MOST_BYTES)
    taken = dict(islice(counts.items(), 0, None, max(step, 1)))
    seen = set().union(*taken)
    for cell, count in counts.items():
        # A byte that is rare may be the one in which two encodings differ.
        if not seen.issuperset(cell):
            taken[cell] = count
            seen.update(cell)
    return [(cell, 1 + 0.2 * math.log(count)) for cell, count in taken.items()]


def _score(cells: Sequence[tuple[bytes, float]], candidate: Candidate) -> float:
    contexts: dict[_Context, float] = {}
    for cell, weight in cells:
        framed = f"\n\n{cell.decode(candidate.name, 'replace')}\n\n"
        for at in range(2, len(framed) - 2):
            if framed[at] > "\x7f":
                context = (framed[at - 2], framed[at - 1], framed[at], framed[at + 1], framed[at + 2])
                contexts[context] = contexts.get(context, 0.0) + weight
    score = math.log(candidate.share)
    if candidate.script in _PAIRS:
        judged = _PAIRS[candidate.script]
        if not any("\u3040" <= context[2] <= "\ud7a3" for context in contexts):
            # Nothing but marks: no text in a language of East Asia.
            score += _BROKEN
        return score + sum(weight * judged(context, candidate) for context, weight in contexts.items())
    own: list[tuple[_Context, float, float]] = []
    for context, weight in contexts.items():
        char = context[2]
        if (char.isalpha() or unicodedata.category(char) == "Mn") and char not in _LETTER_SIGNS:
            own.append((context, weight, _shape(*context[:4])))
        else:
            score += weight * _other(context)
    if own:
        words = _latin if candidate.script == "latin" else _alphabet
        minor = math.log(_MINOR)
        score += max(words(own, one) + (minor if one in candidate.minor else 0.0) for one in candidate.languages)
    return score


def _other(context: _Context) -> float:
    """The logarithm for a character that is no letter."""
    char = context[2]
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Co", "Cn"):
        return _BROKEN
    return math.log(symbols.in_place(*context))


@cache
def _shares(language: str) -> dict[str, float]:
    latin = language in letter_frequencies.LATIN
    groups = (letter_frequencies.LATIN if latin else letter_frequencies.ALPHABETS)[language].split("|")
    shares = letter_frequencies.SHARES if latin else letter_frequencies.ALPHABET_SHARES
    found = {char: share for group, share in zip(groups, shares, strict=True) for char in group}
    if latin and language != "en":
        # Names from abroad, which every table of names has some of.
        for char, share in _shares("en").items():
            found[char] = max(found.get(char, 0.0), _ABROAD * share)
    return found


def _latin(contexts: Sequence[tuple[_Context, float, float]], language: str) -> float:
    shares = _shares(language)
    score = math.log(_LANGUAGE_SHARES.get(language, 1.0))
    together = 0.7 if language in _MARKED_LANGUAGES else 0.3
    for (_, left, char, right, _), weight, shape in contexts:
        lower = char.lower()
        share = shares.get(lower[-1], _ANY) * shape
        if left > "\x7f" and left.isalpha():
            share *= together
        if lower in _NEXT and language not in _NEXT_FREE:
            share *= _NEXT[lower].get(right.lower() if right.isalpha() else "", _NOT_NEXT)
        if not left.isalpha():
            share *= _INITIAL.get((language, lower), 1.0)
        score += weight * math.log(max(share, _LEAST))
    return score


def _shape(left2: str, left: str, char: str, right: str) -> float:
    """How likely a letter is at its place in a word: small or capital, within the word or by itself."""
    before, after = left.isalpha(), right.isalpha()
    if not before and not after:
        if left.isdigit() or right.isdigit():
            return 0.01
        return 0.15 if char.islower() else 0.05
    if char.isupper():
        if before:
            return 0.25 if left.isupper() and not right.islower() else 0.01 if left.isupper() else 0.003
        return 0.2
    if char.islower():
        if right.isupper():
            return 0.005
        if before:
            return 0.02 if left.isupper() and left2.isupper() else 1.0
        return 0.4 if not left.isdigit() else 0.1
    return 1.0


def _alphabet(contexts: Sequence[tuple[_Context, float, float]], language: str) -> float:
    shares = _shares(language)
    score = math.log(_LANGUAGE_SHARES.get(language, 1.0))
    for (_, left, char, right, _), weight, shape in contexts:
        share = shares.get(char.lower(), 0.0)
        # Letters of Latin words in an Arabic or Hebrew encoding, or of a related language.
        share = share * shape if share else _foreign_letter(char, language)
        if (left.isascii() and left.isalpha()) or (right.isascii() and right.isalpha()):
            share *= 0.02
        if char in _FINAL_ONLY and right.isalpha():
            share *= 0.01
        elif char in _NEVER_FINAL and not right.isalpha() and left.isalpha():
            share *= 0.1
        if language == "th":
            share *= _thai(left, char, right)
        score += weight * math.log(max(share, _LEAST))
    return score


def _foreign_letter(char: str, language: str) -> float:
    script = unicodedata.name(char, "").split(" ", 1)[0]
    own = {"el": "GREEK", "he": "HEBREW", "ar": "ARABIC", "fa": "ARABIC", "th": "THAI"}.get(language, "CYRILLIC")
    return 3e-4 if script == own else 1e-5


def _thai(left: str, char: str, right: str) -> float:
    """Vowel signs and tone marks follow a letter, some vowels come before one."""
    if char in _THAI_BEFORE:
        return 1.0 if "\u0e01" <= right <= "\u0e2e" else 0.02
    follows = unicodedata.category(char) == "Mn" or char in "ะาำๆ"
    if follows and not "\u0e01" <= left <= "\u0e4e":
        return 0.002
    return 1.0


def _beside(left: str, right: str) -> float:
    """A character of pairs next to ASCII letters is less likely, between two of them it is hardly meant."""
    beside = (left.isascii() and left.isalpha()) + (right.isascii() and right.isalpha())
    return (1.0, 0.3, 0.02)[beside]


def _pair(context: _Context, candidate: Candidate, level: Callable[[str], float]) -> float:
    _, left, char, right, _ = context
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Co", "Cn"):
        return _BROKEN
    if char in letter_frequencies.CJK_MARKS:
        share = 0.01
    elif "\uff01" <= char <= "\uff5e":
        share = 0.001
    else:
        share = level(char)
    # The second byte of a pair may be an ASCII letter, which any other encoding has to explain as a letter.
    plain = sum(byte < 0x80 for byte in char.encode(candidate.name, "ignore"))
    return math.log(share * _beside(left, right)) + 3.0 * plain


def _first(char: str, name: str) -> int:
    encoded = char.encode(name, "ignore")
    return encoded[0] if len(encoded) == 2 else 0


def _gb(context: _Context, candidate: Candidate) -> float:
    def level(char: str) -> float:
        if char in letter_frequencies.HAN_SIMPLE:
            return 0.0013
        if "\u4e00" <= char <= "\u9fff":
            return {True: 1.2e-4, False: 3e-6}[0xB0 <= _first(char, "gb2312") <= 0xD7]
        return 2e-5 if "\u3040" <= char <= "\u30ff" else 1e-6

    return _pair(context, candidate, level)


def _big5(context: _Context, candidate: Candidate) -> float:
    def level(char: str) -> float:
        if char in letter_frequencies.HAN_FULL:
            return 0.0013
        if "\u4e00" <= char <= "\u9fff":
            return 1e-4 if 0xA4 <= _first(char, "big5") <= 0xC6 else 3e-6
        return 1e-6

    return _pair(context, candidate, level)


def _jis(context: _Context, candidate: Candidate) -> float:
    def level(char: str) -> float:
        if "\u3040" <= char <= "\u30ff":
            return 0.007
        if "\uff61" <= char <= "\uff9f":
            return _half_width(context)
        if char in letter_frequencies.HAN_JAPANESE:
            return 0.0013
        if "\u4e00" <= char <= "\u9fff":
            return 1.2e-4 if 0x88 <= _first(char, "cp932") <= 0x98 else 3e-6
        return 1e-5 if candidate.name == "cp932" else 1e-6

    return _pair(context, candidate, level)


def _half_width(context: _Context) -> float:
    """Katakana of one byte come in runs; any two high bytes of another encoding look like a few of them."""
    around = sum("\uff61" <= char <= "\uff9f" for char in context)
    return (0.0, 2e-4, 4e-4, 0.002, 0.005, 0.01)[around]


def _ksc(context: _Context, candidate: Candidate) -> float:
    def level(char: str) -> float:
        if char in letter_frequencies.HANGUL:
            return 0.0025
        if "\uac00" <= char <= "\ud7a3":
            return 1.2e-4 if _first(char, "euc_kr") else 1e-6
        return 4e-6 if "\u4e00" <= char <= "\u9fff" else 1e-6

    return _pair(context, candidate, level)


_PAIRS: dict[str, Callable[[_Context, Candidate], float]] = {"gb": _gb, "big5": _big5, "jis": _jis, "ksc": _ksc}


def explain(sample: bytes, names: Iterable[str] = ()) -> list[tuple[str, float]]:
    """The score of each candidate, best first: for looking into a choice."""
    wanted = set(names)
    scored = [(one.name, _score(_distinct(sample), one)) for one in CANDIDATES if not wanted or one.name in wanted]
    return sorted(scored, key=lambda pair: -pair[1])
