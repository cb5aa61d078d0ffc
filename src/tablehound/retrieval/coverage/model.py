"""Coverage: how much of a question part the columns of a table (or of several) can answer, 0 to 1.

Late interaction as in DMRAL: every word of the question part looks for its best partner among the words of the
columns, and the weighted mean of these best similarities is the score. Equal stems are 1; other pairs are as similar
as their learned vectors, so that *oldest* finds ``age`` and *where* finds ``location``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.terms.tokenizer import terms
from tablehound.retrieval.weight_file import load_weights, save_weights

FORMAT = 1
SHIPPED = Path(__file__).with_name("weights") / "coverage.npz"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def column_terms(columns: Sequence[str]) -> list[str]:
    """Distinct terms of column names, ``fullName`` and ``full_name`` taken apart."""
    return list(dict.fromkeys(t for column in columns for t in terms(_HUMP.sub(" ", column).replace("_", " "))))


@dataclass(frozen=True, slots=True)
class CoverageModel:
    """Weights and vectors of words, on the question's and on the columns' side."""

    words: dict[str, int]
    """Word of questions -> row."""
    names: dict[str, int]
    """Word of column names -> row."""
    weight: NDArray[np.float32]
    """(W,) how much a word of the question needs a partner; the last is for unknown words."""
    asked: NDArray[np.float32]
    """(W, D)"""
    held: NDArray[np.float32]
    """(N, D)"""

    def score(self, question_part: str, columns: Sequence[str]) -> float:
        """Coverage of the question part by the columns' names, 0 to 1; 0 without words."""
        asked, held = list(dict.fromkeys(terms(question_part))), column_terms(columns)
        if not asked or not held:
            return 0.0
        unknown = len(self.weight) - 1
        rows = [self.words.get(term, unknown) for term in asked]
        similarity = np.array([[float(a == h) for h in held] for a in asked])
        known = [(i, self.names[term]) for i, term in enumerate(held) if term in self.names]
        if known:
            places, numbers = (list(part) for part in zip(*known, strict=True))
            learned = np.clip(self.asked[rows] @ self.held[numbers].T, 0.0, 1.0)
            similarity[:, places] = np.maximum(similarity[:, places], learned)
        weight = self.weight[rows].astype(np.float64)
        return float((similarity.max(axis=1) * weight).sum() / max(float(weight.sum()), 1e-9))

    def save(self, path: Path) -> None:
        """Write as one compressed file."""
        about = {"words": list(self.words), "names": list(self.names)}
        arrays = {name: getattr(self, name).astype(np.float16) for name in ("weight", "asked", "held")}
        save_weights(path, FORMAT, about, arrays)

    @classmethod
    def load(cls, path: Path) -> CoverageModel:
        """Read a file that ``save`` wrote.

        Raises:
            UsageError: no such file, or of another format.
        """
        about, arrays = load_weights(path, FORMAT, "coverage")
        words = {word: i for i, word in enumerate(about["words"])}
        names = {name: i for i, name in enumerate(about["names"])}
        return cls(words, names, *(arrays[name].astype(np.float32) for name in ("weight", "asked", "held")))

    @classmethod
    def untrained(cls) -> CoverageModel:
        """Equal weights and no vectors: the share of the question's words that occur in column names."""
        return cls({}, {}, np.ones(1, np.float32), np.zeros((1, 1), np.float32), np.zeros((0, 1), np.float32))


@lru_cache(maxsize=4)
def load_coverage(path: str | None = None) -> CoverageModel:
    """The weights in a file, or those of the package, or the untrained score where it has none."""
    if path is None and not SHIPPED.is_file():
        return CoverageModel.untrained()
    return CoverageModel.load(Path(path) if path else SHIPPED)


def coverage_score(question_part: str, columns: Sequence[str]) -> float:
    """How much of a question part the columns can answer, 0 to 1.

    >>> coverage_score("", ["name"])
    0.0
    """
    return load_coverage().score(question_part, columns)
