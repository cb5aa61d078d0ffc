"""Training of the coverage score by a margin ranking loss (DMRAL): a table covers a question better than the same
table without an answering column, and better than another table. Plain gradient descent in numpy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tablehound.errors import UsageError
from tablehound.retrieval.coverage.model import CoverageModel, column_terms
from tablehound.retrieval.terms.tokenizer import terms


@dataclass(frozen=True, slots=True)
class CoverageExample:
    """A question, the columns of a table that helps to answer it, and tables that do not."""

    question: str
    columns: tuple[str, ...]
    answering: tuple[int, ...]
    """Places of the columns that the answer needs."""
    others: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class CoverageOptions:
    """Options; the defaults are those of the shipped weights."""

    dimensions: int = 16
    epochs: int = 6
    learning_rate: float = 0.2
    margin: float = 0.1
    min_count: int = 5
    seed: int = 0


@dataclass(slots=True)
class _State:
    weight: NDArray[np.float64]
    asked: NDArray[np.float64]
    held: NDArray[np.float64]

    def score(self, words: NDArray[np.int64], names: NDArray[np.int64], equal: NDArray[np.float64]) -> _Scored:
        dots = self.asked[words] @ self.held[names].T
        learned = np.clip(dots, 0.0, 1.0)
        best = np.maximum(equal, learned)
        partner = best.argmax(axis=1)
        row = np.arange(len(words))
        peak = best[row, partner]
        # Only an unsaturated learned similarity moves with the vectors; a dead one still gets its gradient.
        moves = (equal[row, partner] < 1) & (dots[row, partner] < 1)
        weight = np.logaddexp(0.0, self.weight[words])
        total = weight.sum()
        return _Scored(words, names, partner, peak, moves, weight, float((weight * peak).sum() / total), float(total))

    def step(self, scored: _Scored, rate: float) -> None:
        """Move the score by gradient ascent (negative rate: descent)."""
        share = scored.weight / scored.total
        softplus = 1 / (1 + np.exp(-self.weight[scored.words]))
        np.add.at(self.weight, scored.words, rate * softplus * (scored.peak - scored.value) / scored.total)
        words, names = scored.words[scored.moves], scored.names[scored.partner[scored.moves]]
        scale = (rate * share[scored.moves])[:, None]
        asked, held = self.asked[words].copy(), self.held[names].copy()
        np.add.at(self.asked, words, scale * held)
        np.add.at(self.held, names, scale * asked)


@dataclass(frozen=True, slots=True)
class _Scored:
    words: NDArray[np.int64]
    names: NDArray[np.int64]
    partner: NDArray[np.int64]
    peak: NDArray[np.float64]
    moves: NDArray[np.bool_]
    weight: NDArray[np.float64]
    value: float
    total: float


def train_coverage(
    examples: Sequence[CoverageExample], path: Path | None = None, *, options: CoverageOptions | None = None
) -> CoverageModel:
    """Train on examples and, with ``path``, write the weights there.

    Raises:
        UsageError: no examples.
    """
    if not examples:
        raise UsageError("there are no examples to train the coverage score on")
    options = options or CoverageOptions()
    rng = np.random.default_rng(options.seed)
    word_count = Counter(t for e in examples for t in set(terms(e.question)))
    name_count = Counter(t for e in examples for t in column_terms(e.columns))
    words = {t: i for i, t in enumerate(sorted(t for t, n in word_count.items() if n >= options.min_count))}
    names = {t: i for i, t in enumerate(sorted(t for t, n in name_count.items() if n >= options.min_count))}
    scale = 0.3 / np.sqrt(options.dimensions)
    state = _State(
        np.zeros(len(words) + 1),
        rng.normal(0, scale, (len(words) + 1, options.dimensions)),
        # One more row, kept at zero, for column words without a vector.
        rng.normal(0, scale, (len(names) + 1, options.dimensions)),
    )
    state.asked[-1] = 0
    state.held[-1] = 0

    def prepared(asked: list[str], columns: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        held = column_terms(columns)
        if not held:
            return None
        equal = np.array([[float(a == h) for h in held] for a in asked])
        return np.array([names.get(h, len(names)) for h in held]), equal

    pairs = []
    for example in examples:
        asked = list(dict.fromkeys(terms(example.question)))
        if not asked:
            continue
        rows = np.array([words.get(term, len(words)) for term in asked])
        whole = prepared(asked, example.columns)
        less = [prepared(asked, [c for i, c in enumerate(example.columns) if i != gone]) for gone in example.answering]
        worse = [part for part in (*less, *(prepared(asked, other) for other in example.others)) if part is not None]
        if whole is not None:
            pairs += [(rows, whole, part) for part in worse]
    for epoch in range(options.epochs):
        rate = options.learning_rate * (1 - epoch / options.epochs)
        for number in rng.permutation(len(pairs)):
            rows, (good_names, good_equal), (bad_names, bad_equal) = pairs[number]
            good = state.score(rows, good_names, good_equal)
            bad = state.score(rows, bad_names, bad_equal)
            if good.value - bad.value < options.margin:
                state.step(good, rate)
                state.step(bad, -rate)
                state.asked[-1] = 0
                state.held[-1] = 0
    model = CoverageModel(
        words,
        names,
        np.logaddexp(0.0, state.weight).astype(np.float32),
        state.asked.astype(np.float32),
        state.held[:-1].astype(np.float32),
    )
    if path is not None:
        model.save(path)
    return model
