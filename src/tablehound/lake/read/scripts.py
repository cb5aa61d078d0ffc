"""Tell the old encodings of a script apart by the letters that a text in them would have.

Detectors need long texts; tables hold short ones. What is sure even in a few words: running Cyrillic, Greek, Hebrew or
Arabic is made of the letters of that script with capitals at the start of words, and Chinese, Japanese and Korean are
pairs whose first bytes come from the few hundred most used characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

SINGLE_BYTE = (
    "cp1251",
    "koi8_r",
    "cp866",
    "iso8859_5",
    "cp1253",
    "iso8859_7",
    "cp1255",
    "cp1256",
    "cp874",
    "mac_cyrillic",
)
DOUBLE_BYTE = ("gb18030", "big5", "cp932", "euc_jp", "euc_kr")
WESTERN = ("cp1252", "cp1250", "cp1254", "cp1257", "mac_roman", "cp850", "cp437")

_COMMON_CYRILLIC = frozenset("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґў")
_COMMON_HANGUL = frozenset(
    "이다는을를의가에하고지사어기서나대한국시도인정부산구성원자리수로제일해아은전라마보주상경장동과들그면만안여스있것김박최영민"
    "오신조유임울천광남북강울세종충청호선진현중문명분관용개단공학물품번가격날짜름소년월요금"
)
_RARE_CYRILLIC = frozenset("ъэщѓќљњџ")
# The letters with marks of each language: a text is taken to be in one of them, or in several of one encoding.
_LANGUAGES: dict[str, tuple[str, ...]] = {
    "cp1252": (
        "éèêàçùûîïôœâëüÿæ",
        "äöüßé",
        "áéíóúñü",
        "ãõçáéíóúâêôà",
        "àèéìòùî",
        "åäöøæéü",
        "ðþæöáéíóúý",
        "ëïéèöü",
        "çàéèíïóòúü",
    ),
    "cp1250": ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "ăâîșțşţ", "čćđšž", "čšž"),
    "cp1254": ("ğışçöüâîûİ",),
    "cp1257": ("āčēģīķļņšūž", "ąčęėįšųūž", "õäöüšž"),
}
_PUNCTUATION = frozenset("–—‘’“”„…€•°©®™·«»§±²³£¥½¼¾ºª¿¡\u00a0×µ†‡‰‹›")
_WORD = re.compile(r"[^\W\d_]+")
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[¹²³¼½¾±¬¦¨¯´¸÷×¤¶§©®°µ¡¿‡†‰º](?=[^\W\d_])")


def judge(sample: bytes, *, western: bool) -> str | None:
    """The encoding in which the sample reads as words of its script, or none when nothing is convincing."""
    names: Iterable[str] = WESTERN if western else (*SINGLE_BYTE, *DOUBLE_BYTE, *WESTERN)
    best, best_score = None, 0.0
    for name in names:
        text = sample.decode(name, errors="replace")
        wrong = text.count("\ufffd")
        # A few broken characters do not speak against an encoding of pairs; many do.
        if wrong > (0.02 * len(sample) if name in DOUBLE_BYTE else 0):
            continue
        score = _score(text, name)
        if score > best_score:
            best, best_score = name, score
    return best if best_score >= 0.55 else None


def _score(text: str, name: str) -> float:
    high = [char for char in text if char > "\x7f"]
    if not high:
        return 0.0
    if name in DOUBLE_BYTE:
        return _east_asian(high, text.encode(name, errors="ignore"), name)
    if name in WESTERN:
        return _latin(text, high, name)
    return _alphabet(text, high, name)


def _latin(text: str, high: list[str], name: str) -> float:
    languages = _LANGUAGES.get(name, _LANGUAGES["cp1252"])
    letters = [char.lower() if char != "İ" else char for char in high if char not in _PUNCTUATION]
    marks = len(high) - len(letters)
    best = max(sum(char in language for char in letters) for language in languages)
    whole = "".join(languages)
    several = 0.9 * sum(char in whole for char in letters)
    # A capital within a word, or a sign between letters, is what a wrong table makes.
    odd = sum(
        not (word.islower() or word.isupper() or word[1:].islower())
        for word in _WORD.findall(text)
        if not word.isascii()
    )
    odd += len(_SIGN_IN_WORD.findall(text))
    prior = {"cp1252": 0.06, "cp1250": 0.02, "cp1254": 0.0, "cp1257": 0.0}.get(name, -0.05)
    return (max(best, several) + 0.85 * marks - odd) / len(high) * 0.9 + prior


def _alphabet(text: str, high: list[str], name: str) -> float:
    script = {"cp1253": "GREEK", "iso8859_7": "GREEK", "cp1255": "HEBREW", "cp1256": "ARABIC", "cp874": "THAI"}.get(
        name, "CYRILLIC"
    )
    own = sum(char.isalpha() and unicodedata.name(char, "").startswith(script) for char in high)
    fair = sum(char in _PUNCTUATION for char in high)
    score = (own + 0.7 * fair) / len(high)
    words = [word for word in _WORD.findall(text) if len(word) > 1 and not word.isascii()]
    if not words or not own:
        return 0.0
    if script in ("CYRILLIC", "GREEK"):
        # Words in lower case, in capitals, or with one capital in front.
        well = sum(word.islower() or word.isupper() or word[1:].islower() for word in words)
        lower = sum(char.islower() for char in high) / len(high)
        score *= (0.3 + 0.7 * well / len(words)) * (0.8 + 0.2 * lower)
        mixed = sum(any(char.isascii() for char in word) for word in words)
        score *= 1 - 0.7 * mixed / len(words)
    if script == "GREEK":
        # The final sigma stands at the end of words and nowhere else.
        odd = sum("ς" in word[:-1] or word.endswith("σ") for word in words)
        score *= 1 - 0.8 * odd / len(words)
    if script == "THAI":
        # Every byte above 160 is a Thai letter or mark: whatever has high bytes looks Thai. Vowel signs open no word.
        tokens = [token for token in re.findall(r"[^\s,;\t|]+", text) if not token.isascii()]
        odd = sum(
            not token[0].isalpha() or len(token) < 3 or re.search("[A-Za-z]", token) is not None for token in tokens
        )
        vowels = sum(char in "ะัาำิีึืุูเแโใไ่้๊๋" for char in high) / len(high)
        score = _thai_share(high) * (1 - odd / max(len(tokens), 1)) * min(1.0, vowels / 0.3) * 0.95
    if script == "CYRILLIC":
        common = sum(char.lower() in _COMMON_CYRILLIC for char in high) - sum(
            char.lower() in _RARE_CYRILLIC for char in high
        )
        score *= 0.6 + 0.4 * common / len(high)
    return score + {"cp1251": 0.02, "cp1253": 0.02}.get(name, 0.0)


def _thai_share(high: list[str]) -> float:
    """The share of Thai letters and marks."""
    return sum("\u0e01" <= char <= "\u0e4e" for char in high) / len(high)


def _east_asian(high: list[str], encoded: bytes, name: str) -> float:
    kana = sum("\u3040" <= char <= "\u30ff" for char in high)
    hangul = sum("\uac00" <= char <= "\ud7a3" for char in high)
    han = sum("\u4e00" <= char <= "\u9fff" for char in high)
    marks = sum("\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uff60" for char in high)
    # The half of the table that holds the characters in daily use, by their first byte.
    level = {"gb18030": (0xB0, 0xD7), "big5": (0xA4, 0xC6), "euc_kr": (0xB0, 0xC8), "euc_jp": (0xB0, 0xCF)}.get(name)
    daily = han + hangul
    if level is not None and han:
        low, top = level
        firsts = [char.encode(name, errors="ignore")[:1] for char in high if "\u4e00" <= char <= "\u9fff"]
        daily = sum(first != b"" and low <= first[0] <= top for first in firsts) + hangul
    if name in ("euc_jp", "cp932"):
        # Japanese without kana is rare; half-width katakana is what other texts look like in Shift-JIS.
        half = sum("\uff61" <= char <= "\uff9f" for char in high)
        score = (kana + 0.9 * daily + marks - half) / len(high)
        return score * (1.0 if kana else 0.7)
    if name == "euc_kr":
        known = sum(char in _COMMON_HANGUL for char in high)
        score = (hangul + 0.3 * han + marks) / len(high) * (0.6 + 0.4 * min(1.0, 2 * hangul / len(high)))
        return score * (0.7 + 0.3 * min(1.0, 3 * known / max(hangul, 1)))
    return (0.95 * daily + marks + 0.3 * kana) / len(high)
