"""Distinguish old encodings by how well the text that each makes of some bytes reads.

Each candidate decodes the sample; the characters above 127 are judged by how often they occur in a language of that
encoding and by their places: letters within words, capitals at their start, signs by numbers and between spaces.
The logarithms are added up, with the share of files that are in the encoding to begin with (naive Bayes). A place
that cannot be decoded counts as one very unlikely character: one bad byte does not outweigh a thousand good rows.
Tables do not have enough of what detectors look at in long texts, such as pairs of letters.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from tablehound.lake.read.text.languages import ALPHABET_SHARES, LATIN_SHARES, Candidate, languages
from tablehound.lake.read.text.symbols import sign_likelihood


@dataclass(frozen=True, slots=True)
class Weights:
    """How likely characters are in their places. All were chosen by hand, on files of few rows in each encoding.

    A number counts as a factor of a likelihood unless it is described otherwise.
    """

    broken: float = 1e-5
    """Likelihood of a place that cannot be decoded, or of a control character."""
    least: float = 2e-5
    """No letter counts as less likely than that: any one place may be broken."""
    unlisted: float = 2e-4
    """Likelihood of a letter that no language of an encoding has."""
    english: float = 0.1
    """A letter of names from abroad, which every table of names has some of."""
    minor: float = 0.1
    """A language that is mostly written in another encoding."""
    close: float = 2.5
    """Difference of two scores up to which the second encoding is reported as a rival."""
    repeated: float = 0.2
    """What the logarithm of its count adds to the weight of a cell."""
    adjacent_marked: float = 0.7
    """A letter above ASCII next to another one, in a language that has many, and in one that has few."""
    adjacent: float = 0.3
    not_next: float = 0.07
    """A letter before one that does not follow it."""
    by_figure: float = 0.01
    """A letter alone, next to a digit; small; capital."""
    alone_small: float = 0.15
    alone_capital: float = 0.05
    capital_within_capitals: float = 0.25
    capital_between: float = 0.01
    """A capital between a capital and a small letter; after a small letter; at the start of a word."""
    capital_after_small: float = 0.003
    capital_first: float = 0.2
    small_before_capital: float = 0.005
    small_after_capitals: float = 0.02
    small_first: float = 0.4
    small_after_figure: float = 0.1
    related_letter: float = 3e-4
    """Likelihood of a letter of the script that the language lacks, and of one of another script."""
    foreign_letter: float = 1e-5
    beside_latin: float = 0.02
    """A letter of an alphabet next to one of ASCII."""
    final_within: float = 0.01
    """A final letter within a word, and a letter that has a final form at its end."""
    within_at_end: float = 0.1
    thai_before: float = 0.02
    """A vowel of Thai without the letter that it comes before, and a sign without the one that it follows."""
    thai_after: float = 0.002
    pair_mark: float = 0.01
    """Likelihood of characters of two bytes: marks, forms of full width, those of a language by how common they are."""
    pair_wide: float = 0.001
    han_common: float = 0.0013
    han_level_1: float = 1.2e-4
    big5_level_1: float = 1e-4
    han_level_2: float = 3e-6
    kana: float = 0.007
    kana_in_chinese: float = 2e-5
    hangul_common: float = 0.0025
    hangul_level_1: float = 1.2e-4
    han_in_korean: float = 4e-6
    other_in_japanese: float = 1e-5
    other: float = 1e-6
    plain_byte: float = 3.0
    """Logarithm that a second byte of ASCII adds: any other encoding has to explain it as a letter."""
    beside_letters: tuple[float, ...] = (1.0, 0.3, 0.02)
    """A character of pairs next to no, one or two letters of ASCII: between two of them it is hardly meant."""
    half_width: tuple[float, ...] = (0.0, 2e-4, 4e-4, 0.002, 0.005, 0.01)
    """Likelihood of katakana of one byte by how many of five characters are such: they come in runs."""


WEIGHTS = Weights()
_BROKEN, _MINOR = math.log(WEIGHTS.broken), math.log(WEIGHTS.minor)
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
# Letters that occur only before some others, as in Portuguese and Icelandic, and not in Hungarian and Turkish.
_NEXT: dict[str, dict[str, float]] = {
    "ã": {"o": 1.0, "e": 0.5, "n": 0.3, "s": 0.2, "": 0.2},
    "õ": {"e": 1.0, "s": 0.3},
    "þ": dict.fromkeys("aáeéiíoóuúyýöæjrv", 1.0),
}
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


def likeliest_encoding(sample: bytes) -> Judged:
    """The likeliest of the old encodings for some lines with bytes above 127."""
    cells = _distinct(sample)
    first = cells[:: -(-len(cells) // _FIRST_CELLS)]
    ranked = sorted(((_score(first, one), one) for one in languages().candidates), key=lambda pair: -pair[0])
    if len(cells) > len(first):
        ranked = sorted(((_score(cells, one), one) for _, one in ranked[:_FINALISTS]), key=lambda pair: -pair[0])
    best, found = ranked[0]
    text = sample.decode(found.name, "replace")
    for score, other in ranked[1:]:
        if sample.decode(other.name, "replace") != text:
            near = best - score
            return Judged(found.name, round(1 / (1 + math.exp(-near)), 3), other.name if near < WEIGHTS.close else None)
    return Judged(found.name, 1.0)


def _distinct(sample: bytes) -> list[tuple[bytes, float]]:
    """Cells with high bytes and their weights: what occurs a thousand times is hardly more evidence than once."""
    # Digits are alike, but for those that are a part of the characters of four bytes in GB 18030.
    sample = _DIGITS.sub(lambda found: found[0] if found[0][0] > 0x7F else b"0", sample)
    counts = Counter(cell for cell in _CELL_ENDS.split(sample) if not cell.isascii())
    # Spread over the sample: what is odd in a file is often in one place of it.
    step = -(-sum(map(len, counts)) // _MOST_BYTES)
    taken = dict(islice(counts.items(), 0, None, max(step, 1)))
    seen = set().union(*taken)
    for cell, count in counts.items():
        # A byte that is rare may be the one in which two encodings differ.
        if not seen.issuperset(cell):
            taken[cell] = count
            seen.update(cell)
    return [(cell, 1 + WEIGHTS.repeated * math.log(count)) for cell, count in taken.items()]


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
        score += max(words(own, one) + (_MINOR if one in candidate.minor else 0.0) for one in candidate.languages)
    return score


def _other(context: _Context) -> float:
    """The logarithm for a character that is no letter."""
    char = context[2]
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Co", "Cn"):
        return _BROKEN
    return math.log(sign_likelihood(*context))


@cache
def _shares(language: str) -> dict[str, float]:
    known = languages()
    latin = language in known.latin
    groups = (known.latin if latin else known.alphabets)[language].split("|")
    shares = LATIN_SHARES if latin else ALPHABET_SHARES
    found = {char: share for group, share in zip(groups, shares, strict=True) for char in group}
    if latin and language != "en":
        for char, share in _shares("en").items():
            found[char] = max(found.get(char, 0.0), WEIGHTS.english * share)
    return found


def _latin(contexts: Sequence[tuple[_Context, float, float]], language: str) -> float:
    shares = _shares(language)
    score = math.log(languages().shares.get(language, 1.0))
    adjacent = WEIGHTS.adjacent_marked if language in _MARKED_LANGUAGES else WEIGHTS.adjacent
    for (_, left, char, right, _), weight, shape in contexts:
        lower = char.lower()
        share = shares.get(lower[-1], WEIGHTS.unlisted) * shape
        if left > "\x7f" and left.isalpha():
            share *= adjacent
        if lower in _NEXT and language not in _NEXT_FREE:
            share *= _NEXT[lower].get(right.lower() if right.isalpha() else "", WEIGHTS.not_next)
        if not left.isalpha():
            share *= _INITIAL.get((language, lower), 1.0)
        score += weight * math.log(max(share, WEIGHTS.least))
    return score


def _shape(left2: str, left: str, char: str, right: str) -> float:
    """How likely a letter is at its place in a word: small or capital, within the word or by itself."""
    before, after = left.isalpha(), right.isalpha()
    if not before and not after:
        if left.isdigit() or right.isdigit():
            return WEIGHTS.by_figure
        return WEIGHTS.alone_small if char.islower() else WEIGHTS.alone_capital
    if char.isupper():
        if not before:
            return WEIGHTS.capital_first
        if not left.isupper():
            return WEIGHTS.capital_after_small
        return WEIGHTS.capital_between if right.islower() else WEIGHTS.capital_within_capitals
    if char.islower():
        if right.isupper():
            return WEIGHTS.small_before_capital
        if before:
            return WEIGHTS.small_after_capitals if left.isupper() and left2.isupper() else 1.0
        return WEIGHTS.small_first if not left.isdigit() else WEIGHTS.small_after_figure
    return 1.0


def _alphabet(contexts: Sequence[tuple[_Context, float, float]], language: str) -> float:
    shares = _shares(language)
    score = math.log(languages().shares.get(language, 1.0))
    for (_, left, char, right, _), weight, shape in contexts:
        share = shares.get(char.lower(), 0.0)
        # Letters of Latin words in an Arabic or Hebrew encoding, or of a related language.
        share = share * shape if share else _foreign_letter(char, language)
        if (left.isascii() and left.isalpha()) or (right.isascii() and right.isalpha()):
            share *= WEIGHTS.beside_latin
        if char in _FINAL_ONLY and right.isalpha():
            share *= WEIGHTS.final_within
        elif char in _NEVER_FINAL and not right.isalpha() and left.isalpha():
            share *= WEIGHTS.within_at_end
        if language == "th":
            share *= _thai(left, char, right)
        score += weight * math.log(max(share, WEIGHTS.least))
    return score


def _foreign_letter(char: str, language: str) -> float:
    script = unicodedata.name(char, "").split(" ", 1)[0]
    own = {"el": "GREEK", "he": "HEBREW", "ar": "ARABIC", "fa": "ARABIC", "th": "THAI"}.get(language, "CYRILLIC")
    return WEIGHTS.related_letter if script == own else WEIGHTS.foreign_letter


def _thai(left: str, char: str, right: str) -> float:
    """Vowel signs and tone marks follow a letter, some vowels come before one."""
    if char in _THAI_BEFORE:
        return 1.0 if "\u0e01" <= right <= "\u0e2e" else WEIGHTS.thai_before
    follows = unicodedata.category(char) == "Mn" or char in "ะาำๆ"
    if follows and not "\u0e01" <= left <= "\u0e4e":
        return WEIGHTS.thai_after
    return 1.0


def _pair(context: _Context, candidate: Candidate, level: Callable[[str], float]) -> float:
    _, left, char, right, _ = context
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Co", "Cn"):
        return _BROKEN
    if char in languages().cjk_marks:
        share = WEIGHTS.pair_mark
    elif "\uff01" <= char <= "\uff5e":
        share = WEIGHTS.pair_wide
    else:
        share = level(char)
    beside = (left.isascii() and left.isalpha()) + (right.isascii() and right.isalpha())
    plain = sum(byte < 0x80 for byte in char.encode(candidate.name, "ignore"))
    return math.log(share * WEIGHTS.beside_letters[beside]) + WEIGHTS.plain_byte * plain


def _first(char: str, name: str) -> int:
    encoded = char.encode(name, "ignore")
    return encoded[0] if len(encoded) == 2 else 0


def _gb(context: _Context, candidate: Candidate) -> float:
    def level(char: str) -> float:
        if char in languages().han_simple:
            return WEIGHTS.han_common
        if "\u4e00" <= char <= "\u9fff":
            return WEIGHTS.han_level_1 if 0xB0 <= _first(char, "gb2312") <= 0xD7 else WEIGHTS.han_level_2
        return WEIGHTS.kana_in_chinese if "\u3040" <= char <= "\u30ff" else WEIGHTS.other

    return _pair(context, candidate, level)


def _big5(context: _Context, candidate: Candidate) -> float:
    def level(char: str) -> float:
        if char in languages().han_full:
            return WEIGHTS.han_common
        if "\u4e00" <= char <= "\u9fff":
            return WEIGHTS.big5_level_1 if 0xA4 <= _first(char, "big5") <= 0xC6 else WEIGHTS.han_level_2
        return WEIGHTS.other

    return _pair(context, candidate, level)


def _jis(context: _Context, candidate: Candidate) -> float:
    def level(char: str) -> float:
        if "\u3040" <= char <= "\u30ff":
            return WEIGHTS.kana
        if "\uff61" <= char <= "\uff9f":
            return WEIGHTS.half_width[sum("\uff61" <= other <= "\uff9f" for other in context)]
        if char in languages().han_japanese:
            return WEIGHTS.han_common
        if "\u4e00" <= char <= "\u9fff":
            return WEIGHTS.han_level_1 if 0x88 <= _first(char, "cp932") <= 0x98 else WEIGHTS.han_level_2
        return WEIGHTS.other_in_japanese if candidate.name == "cp932" else WEIGHTS.other

    return _pair(context, candidate, level)


def _ksc(context: _Context, candidate: Candidate) -> float:
    def level(char: str) -> float:
        if char in languages().hangul:
            return WEIGHTS.hangul_common
        if "\uac00" <= char <= "\ud7a3":
            return WEIGHTS.hangul_level_1 if _first(char, "euc_kr") else WEIGHTS.other
        return WEIGHTS.han_in_korean if "\u4e00" <= char <= "\u9fff" else WEIGHTS.other

    return _pair(context, candidate, level)


_PAIRS: dict[str, Callable[[_Context, Candidate], float]] = {"gb": _gb, "big5": _big5, "jis": _jis, "ksc": _ksc}
