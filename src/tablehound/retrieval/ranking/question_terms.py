"""The terms of a question, weighted by rarity in the lake and by how often such a term is in the right table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.ranking.spelling import nearest_term
from tablehound.retrieval.terms.index import TermIndex
from tablehound.retrieval.terms.tokenizer import terms

Array = NDArray[Any]

# Chosen by hand; the weights of the trees are learned from what they give.
SMOOTHING = 8.0
"""Sightings that the prior of a term's class counts for."""
MIN_KNOWN = 5
"""Sightings from which on a word's own count is enough."""
CONTEXT = 0.7
"""How far the words beside a number move its chance."""
PROBABLE = (0.01, 0.99)
"""Chances that are neither never nor always, so that their odds are finite."""
FLOOR = 0.02
"""Least weight of a term that occurs in some table: without better evidence, common terms still count."""
MAX_TERMS = 64
"""Distinct terms of a question that are looked at."""


def term_class(term: str) -> str:
    """The class whose prior a term falls back to: numbers by digits, words together."""
    return f"number{min(len(term), 5)}" if term[0].isdigit() else "word"


@dataclass(frozen=True, slots=True)
class TermNeed:
    """How likely the table that answers a question is to contain a term of it (Zhao and Callan 2010, "Term necessity
    prediction"): counted over questions with known tables, smoothed towards the prior of the term's class."""

    priors: Mapping[str, float]
    counts: Mapping[str, tuple[int, int]]
    """Term -> (questions whose table contains it, questions with it)."""

    def probability(
        self, term: str, context: Sequence[str] = (), *, without: Mapping[str, tuple[int, int]] | None = None
    ) -> float:
        """Chance that the right table contains the term; ``without`` takes counts away (held-out training data).

        ``context`` are the keys of :func:`contexts`: the words beside a number (or a word that is not known) move the
        chance, as *than 50* and *50 years* are less often in the table than *in 1950*.
        """
        prior = self.priors.get(term_class(term), 0.5)
        chance, seen = self._smoothed(term, prior, without)
        if not context or not (term[0].isdigit() or seen < MIN_KNOWN):
            return chance
        moved = _logit(chance)
        for key in context:
            moved += CONTEXT * (_logit(self._smoothed(key, prior, without)[0]) - _logit(prior))
        return float(1 / (1 + np.exp(-moved)))

    def _smoothed(self, key: str, prior: float, without: Mapping[str, tuple[int, int]] | None) -> tuple[float, int]:
        held, seen = self.counts.get(key, (0, 0))
        if without is not None and key in without:
            less = without[key]
            held, seen = max(held - less[0], 0), max(seen - less[1], 0)
        return (held + SMOOTHING * prior) / (seen + SMOOTHING), seen


def contexts(sequence: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Distinct term -> two keys: its class with the term before its first use, and with the term after it."""
    out: dict[str, tuple[str, str]] = {}
    for i, term in enumerate(sequence):
        if term not in out:
            own = term_class(term)
            before = sequence[i - 1] if i else "^"
            after = sequence[i + 1] if i + 1 < len(sequence) else "$"
            out[term] = (f"{_plain(before)} {own}", f"{own} {_plain(after)}")
    return out


def _plain(term: str) -> str:
    return term_class(term) if term[0].isdigit() else term


def _logit(chance: float) -> float:
    chance = min(max(chance, PROBABLE[0]), PROBABLE[1])
    return float(np.log(chance / (1 - chance)))


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The terms of a question with their statistics in the lake and the model."""

    sequence: tuple[int, ...]
    """Index of the distinct term at each place of the question."""
    terms: tuple[str, ...]
    """Distinct terms, in order of first use; one that occurs in no table may be replaced by its nearest neighbour."""
    rarity: Array
    """(T,) inverse table frequency of each term."""
    weight: Array
    """(T,) how much the term counts for a table that contains it: the Robertson and Sparck Jones weight
    ``logit(need) - logit(share of tables)``, at least ``FLOOR``; 0 for terms of no table."""
    frequency: Array
    """(T,) tables that contain the term."""

    @property
    def numeric(self) -> Array:
        """(T,) which terms are numbers."""
        return np.array([term[0].isdigit() for term in self.terms], bool)


def weigh(
    text: str,
    indexes: Sequence[TermIndex],
    need: TermNeed,
    *,
    without: Mapping[str, tuple[int, int]] | None = None,
) -> tuple[QuestionTerms, list[list[int]]]:
    """The question's terms and, per segment, their numbers (-1 where it lacks the term)."""
    sequence = terms(text)
    written = list(dict.fromkeys(sequence))[:MAX_TERMS]
    place = {term: i for i, term in enumerate(written)}
    distinct = list(written)
    numbers = [[index.number(term) for term in distinct] for index in indexes]
    for i, term in enumerate(written):
        if all(known[i] < 0 for known in numbers):
            other = nearest_term(term, indexes)
            if other is not None and other not in place:
                distinct[i] = other
                for index, known in zip(indexes, numbers, strict=True):
                    known[i] = index.number(other)
    frequency = np.zeros(len(distinct))
    for index, known in zip(indexes, numbers, strict=True):
        for i, number in enumerate(known):
            if number >= 0:
                run = index.pairs(number)
                frequency[i] += run.stop - run.start
    total = sum(index.n_tables for index in indexes)
    rarity = np.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
    beside = contexts(sequence)
    chance = np.array([need.probability(term, beside[term], without=without) for term in written])
    chance = np.clip(chance, *PROBABLE)
    common = (frequency + 0.5) / (total + 1)
    weight = np.maximum(np.log(chance / (1 - chance)) - np.log(common / (1 - common)), FLOOR) * (frequency > 0)
    question = QuestionTerms(
        tuple(place[t] for t in sequence if t in place), tuple(distinct), rarity, weight, frequency
    )
    return question, numbers
