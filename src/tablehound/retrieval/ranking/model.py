"""The learned ranking: term necessity and trees over structural features, in one small file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.ranking.question_terms import TermNeed
from tablehound.retrieval.ranking.relative import DENSE
from tablehound.retrieval.ranking.shortlist import Shortlist
from tablehound.retrieval.ranking.trees import Trees
from tablehound.retrieval.weight_file import load_weights, save_weights

FORMAT = 1
TREE_ARRAYS = ("feature", "threshold", "left", "right", "value", "root")
SHIPPED = Path(__file__).with_name("weights")


@dataclass(frozen=True, slots=True)
class RankingModel:
    """Weights of ``rank=structure``."""

    name: str
    """Version and training data, for people."""
    features: tuple[str, ...]
    need: TermNeed
    trees: Trees

    def scores(self, found: Shortlist) -> NDArray[np.float64]:
        """(C,) scores of the tables of a shortlist; higher is better."""
        if not len(found.table):
            return np.zeros(0)
        return self.trees.scores(found.matrix(self.features))

    def explain(self, found: Shortlist, places: Sequence[int]) -> list[dict[str, float]]:
        """Feature -> contribution for the tables at ``places``; contributions and ``base`` add up to the score."""
        matrix = found.matrix(self.features)[list(places)]
        base, parts = self.trees.contributions(matrix)
        return [
            {"base": base} | {name: float(part) for name, part in zip(self.features, row, strict=True) if part}
            for row in parts
        ]

    def save(self, path: Path) -> None:
        """Write as one compressed file."""
        kept = sorted(self.need.counts)
        about = {
            "name": self.name,
            "features": list(self.features),
            "priors": dict(sorted(self.need.priors.items())),
            "depth": self.trees.depth,
            "terms": kept,
        }
        counts = np.array([self.need.counts[term] for term in kept], np.int32).reshape(-1, 2)
        arrays = {name: getattr(self.trees, name) for name in TREE_ARRAYS}
        save_weights(path, FORMAT, about, {"counts": counts, **arrays})

    @property
    def uses_vectors(self) -> bool:
        """Whether it was trained with dense vectors beside."""
        return any(name in self.features for name in DENSE)

    @classmethod
    def load(cls, path: Path) -> RankingModel:
        """Read a file that ``save`` wrote.

        Raises:
            UsageError: no such file, or of another format.
        """
        about, arrays = load_weights(path, FORMAT, "ranking")
        counts = {t: (int(held), int(seen)) for t, (held, seen) in zip(about["terms"], arrays["counts"], strict=True)}
        feature, threshold, left, right, value, root = (arrays[name] for name in TREE_ARRAYS)
        trees = Trees(feature, threshold, left, right, value, root, int(about["depth"]))
        return cls(about["name"], tuple(about["features"]), TermNeed(about["priors"], counts), trees.with_masks())


@lru_cache(maxsize=4)
def load_model(path: str | None = None, *, embedder: str | None = None) -> RankingModel:
    """The weights in a file, or those of the package: for lakes with vectors of that embedder, where it has such."""
    shipped = {file.name: file for file in SHIPPED.iterdir()}
    default = shipped.get(f"structure-{embedder}.npz", SHIPPED / "structure.npz")
    return RankingModel.load(Path(path) if path else default)
