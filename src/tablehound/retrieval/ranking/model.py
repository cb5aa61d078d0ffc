"""The learned ranking: term necessity and trees over structural features, in one small file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablehound.errors import UsageError
from tablehound.retrieval.ranking.question import TermNeed
from tablehound.retrieval.ranking.shortlist import DENSE, Shortlist
from tablehound.retrieval.ranking.trees import Trees

FORMAT = 1
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
            "format": FORMAT,
            "name": self.name,
            "features": list(self.features),
            "priors": dict(sorted(self.need.priors.items())),
            "depth": self.trees.depth,
            "terms": kept,
        }
        counts = np.array([self.need.counts[term] for term in kept], np.int32).reshape(-1, 2)
        trees = self.trees
        np.savez_compressed(
            path,
            about=np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), np.uint8),
            counts=counts,
            feature=trees.feature,
            threshold=trees.threshold,
            left=trees.left,
            right=trees.right,
            value=trees.value,
            root=trees.root,
        )

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
        try:
            with np.load(path, allow_pickle=False) as data:
                arrays: dict[str, NDArray[Any]] = dict(data)
            about = json.loads(arrays["about"].tobytes().decode())
        except (OSError, ValueError, KeyError) as error:
            raise UsageError(f"{path} holds no ranking weights: {error}") from error
        if about.get("format") != FORMAT:
            raise UsageError(f"{path} is of format {about.get('format')}", remedy="train the ranking again")
        return cls(
            name=about["name"],
            features=tuple(about["features"]),
            need=TermNeed(
                about["priors"],
                {t: (int(h), int(s)) for t, (h, s) in zip(about["terms"], arrays["counts"], strict=True)},
            ),
            trees=Trees(
                arrays["feature"],
                arrays["threshold"],
                arrays["left"],
                arrays["right"],
                arrays["value"],
                arrays["root"],
                int(about["depth"]),
            ).with_masks(),
        )


@lru_cache(maxsize=4)
def load_model(path: str | None = None, *, dense: bool = False) -> RankingModel:
    """The weights in a file, or those that come with the package (for lakes with vectors when ``dense``)."""
    with_vectors = SHIPPED / "structure-dense.npz"
    shipped = with_vectors if dense and with_vectors.is_file() else SHIPPED / "structure.npz"
    return RankingModel.load(Path(path) if path else shipped)
