"""The curated lexicon, read from ``lexicon.toml`` on first use."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from tablehound.language.words import stem

AnswerType = Literal["number", "date", "text", "any"]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words that the rules know, folded. Stems where noted."""

    function_words: frozenset[str]
    grammar_words: frozenset[str]
    carrier_words: frozenset[str]
    """May stay unlinked where they are not asked for."""
    class_words: frozenset[str]
    """Last words of names that say only what kind of thing is named."""
    relation_words: frozenset[str]
    """Verbs that a join between two tables says."""
    measures: frozenset[str]
    auxiliaries: frozenset[str]
    """Verbs that a question begins with when yes or no is asked for."""
    question_leads: frozenset[str]
    noun_ends: frozenset[str]
    """End the name of what is asked for."""
    asking_verbs: frozenset[str]
    """Verbs between what is asked for and its conditions."""
    key_words: frozenset[str]
    """Last words of headers whose values are keys."""
    units: frozenset[str]
    """Stems."""
    lower_is_better: frozenset[str]
    """Stems of header words whose best value is the smallest."""
    synonyms: dict[str, tuple[str, ...]]
    """Stem of an asked word → stems of header words that may answer it, best first."""
    abbreviations: dict[str, tuple[str, ...]]
    high: dict[str, str]
    low: dict[str, str]
    comparatives: dict[str, tuple[str, str]]
    ordinals: dict[str, int]
    value_aliases: dict[str, tuple[str, ...]]
    """Words of a question → other writings of the value."""
    bounds_before: dict[str, tuple[tuple[str, ...], ...]]
    """Comparison → phrases before a number that say it, each as its words."""
    bounds_behind: dict[str, tuple[tuple[str, ...], ...]]


_WORD_SETS = (
    "function_words", "grammar_words", "carrier_words", "relation_words", "class_words", "measures", "auxiliaries",
    "question_leads", "noun_ends", "asking_verbs", "key_words",
)  # fmt: skip


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon."""
    text = files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
    data: dict[str, Any] = tomllib.loads(text)
    words: dict[str, Any] = {name: frozenset(data[name].split()) for name in _WORD_SETS}
    return Lexicon(
        **words,
        units=frozenset(stem(word) for word in data["units"].split()),
        lower_is_better=frozenset(stem(word) for word in data["lower_is_better"].split()),
        synonyms=_synonyms(data["synonyms"]),
        abbreviations={short: tuple(full.split()) for short, full in data["abbreviations"].items()},
        high=data["high"],
        low=data["low"],
        comparatives={word: (way, about) for word, (way, about) in data["comparatives"].items()},
        ordinals=data["ordinals"],
        bounds_before=_phrases(data["bounds_before"]),
        bounds_behind=_phrases(data["bounds_behind"]),
        value_aliases={word: tuple(others.split("|")) for word, others in data["value_aliases"].items()},
    )


def _phrases(table: dict[str, str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {op: tuple(tuple(phrase.split()) for phrase in text.split("|")) for op, text in table.items()}


def _synonyms(table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """By stem; words of one stem put together."""
    found: dict[str, list[str]] = {}
    for word, others in table.items():
        found.setdefault(stem(word), []).extend(stem(other) for other in others.split())
    return {word: tuple(dict.fromkeys(others)) for word, others in found.items()}


def is_function(norm: str) -> bool:
    """Whether a folded word needs no link."""
    return norm in lexicon().function_words


def is_carrier(norm: str) -> bool:
    """Whether a folded word carries a question along and states no fact by itself."""
    return norm in lexicon().carrier_words or norm in lexicon().function_words


def expand(words: tuple[str, ...]) -> tuple[str, ...]:
    """Header words with the abbreviations among them written out."""
    known = lexicon().abbreviations
    return tuple(full for word in words for full in known.get(word, (word,)))
