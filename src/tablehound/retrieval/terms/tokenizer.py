"""Terms: how texts of cells, headers and questions become stemmed words and numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+", re.UNICODE)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_MONTHS = {
    "jan": "januari", "feb": "februari", "mar": "march", "apr": "april", "jun": "june", "jul": "juli", "aug":
    "august", "sep": "septemb", "sept": "septemb", "oct": "octob", "nov": "novemb", "dec": "decemb",
}  # fmt: skip
"""Short month -> the stem of the long one."""


@lru_cache(maxsize=1)
def stemmer() -> Callable[[str], str]:
    """The English Snowball stemmer (Porter 2)."""
    import snowballstemmer

    stem: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem


def number_term(token: str) -> str:
    """Canonical writing of a token of digits: ``1,014`` and ``1014.0`` give ``1014``.

    >>> number_term("1,014"), number_term("007"), number_term("2.50")
    ('1014', '7', '2.5')
    """
    if _GROUPED.fullmatch(token):
        token = token.replace(",", "")
    whole, dot, rest = token.replace(",", ".").partition(".")
    if "." in rest:
        return token
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (dot + rest if rest else "")


def fold(text: str) -> str:
    """Lower case without accents: ``Nicolás`` and ``NICOLAS`` are one word."""
    text = text.lower()
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def tokens(text: str) -> list[str]:
    """Folded words and numbers of a text, in order, unstemmed."""
    return TOKEN.findall(fold(text))


def word_spans(folded: str) -> list[tuple[int, int]]:
    """Begin and end of each word and number of a folded text, in the order of :func:`tokens`."""
    return [match.span() for match in TOKEN.finditer(folded)]


def terms(text: str) -> list[str]:
    """Stemmed words and canonical numbers of a text, in order.

    >>> terms("The winners scored 1,014 points")
    ['the', 'winner', 'score', '1014', 'point']
    """
    # Most cells are one plain number or words that were seen before.
    if text.isdecimal() and text.isascii():
        return [text.lstrip("0") or "0"]
    return [term_of(token) for token in tokens(text)]


@lru_cache(maxsize=200_000)
def term_of(token: str) -> str:
    """The term of a folded token: the stem of a word, the canonical writing of a number."""
    if token[0].isdigit():
        return number_term(token)
    return _MONTHS.get(token) or stemmer()(token)
