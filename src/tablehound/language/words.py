"""Words: tokens with their places, stems, and the parts of identifiers such as ``avgTempC`` or ``date_of_birth``."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

_TOKEN = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}/\d{1,2}/\d{2,4}"  # dates stay whole
    r"|(?!\d+(?:st|nd|rd|th)\b)[^\W_]*(?:[^\W\d_]\d|\d[^\W\d_])[^\W_]*"  # K2, 100m
    r"|[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:st|nd|rd|th)?(?!\w)|\d+"
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*(?:\.(?=[^\W\d_]\.))?|[^\W_]+|[%$€£#&/+-]",
    re.UNICODE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LETTER_DIGIT = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text. ``start`` and ``end`` are character offsets; ``text`` is as written, ``norm`` is folded."""

    text: str
    norm: str
    stem: str
    start: int
    end: int

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()


@lru_cache(maxsize=65_536)
def fold(text: str) -> str:
    """Case-folded, without accents, one kind of quote and dash, single spaces."""
    text = text.replace("’", "'").replace("‘", "'").replace("–", "-").replace("—", "-").replace("−", "-")
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(text.casefold().split())


@lru_cache(maxsize=1)
def _stemmer() -> object:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=1)
def _irregular() -> dict[str, str]:
    """Irregular form → stem."""
    data = tomllib.loads(files(__package__).joinpath("irregular_stems.toml").read_text(encoding="utf-8"))
    return {form: root for root, forms in data.items() for form in forms.split()}


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """English Snowball stem of a folded word, after a few irregular forms; a possessive ``'s`` is dropped."""
    word = word.removesuffix("'s").removesuffix("'")
    return _irregular().get(word) or plain_stem(word)


@lru_cache(maxsize=65_536)
def plain_stem(word: str) -> str:
    """English Snowball stem of a folded word of more than three letters."""
    if len(word) <= 3 or not word.isascii():
        return word
    result: str = _stemmer().stemWord(word)  # type: ignore[attr-defined]
    return result


def tokens(text: str) -> list[Token]:
    """The words, numbers and dates of a text, in order."""
    found = []
    for match in _TOKEN.finditer(text):
        norm = fold(match.group())
        if norm.endswith("'s"):
            norm = norm[:-2]
        found.append(Token(match.group(), norm, stem(norm), match.start(), match.end()))
    return found


@lru_cache(maxsize=65_536)
def identifier_words(name: str) -> tuple[str, ...]:
    """Folded words of a header: spaces, snake case, camel case, dots and letter-digit borders all separate.

    >>> identifier_words("avgTempC2020")
    ('avg', 'temp', 'c', '2020')
    """
    parts: list[str] = []
    for chunk in re.split(r"[\s_\-./\\|:;,()\[\]{}'\"’?!*]+", name):
        for piece in _CAMEL.split(chunk):
            parts.extend(p for p in _LETTER_DIGIT.split(piece) if p)
    return tuple(fold(p) for p in parts if fold(p))


def stems(text: str) -> tuple[str, ...]:
    """Stems of a header or phrase's words."""
    return tuple(stem(word) for word in identifier_words(text))


def word_list(text: str) -> list[str]:
    """Words separated by spaces."""
    return text.split()
