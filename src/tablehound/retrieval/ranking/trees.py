"""A small ensemble of regression trees, evaluated and explained with numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Trees:
    """All nodes of all trees in flat arrays; a leaf is its own child."""

    feature: NDArray[np.int16]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float32]
    """Output of a leaf; for an inner node the mean output below it."""
    root: NDArray[np.int32]
    depth: int

    @classmethod
    def from_dump(cls, trees: Sequence[Mapping[str, Any]]) -> Trees:
        """From the ``tree_info`` of LightGBM's ``Booster.dump_model()``."""
        feature: list[int] = []
        threshold: list[float] = []
        left: list[int] = []
        right: list[int] = []
        value: list[float] = []
        root: list[int] = []
        deepest = 0

        def add(node: Mapping[str, Any], depth: int) -> int:
            nonlocal deepest
            deepest = max(deepest, depth)
            here = len(feature)
            inner = "split_feature" in node
            feature.append(int(node["split_feature"]) if inner else 0)
            threshold.append(float(node["threshold"]) if inner else 0.0)
            value.append(float(node["internal_value"] if inner else node["leaf_value"]))
            left.append(here)
            right.append(here)
            if inner:
                left[here] = add(node["left_child"], depth + 1)
                right[here] = add(node["right_child"], depth + 1)
            return here

        for tree in trees:
            root.append(add(tree["tree_structure"], 0))
        return cls(
            np.array(feature, np.int16),
            np.array(threshold, np.float64),
            np.array(left, np.int32),
            np.array(right, np.int32),
            np.array(value, np.float32),
            np.array(root, np.int32),
            deepest,
        )

    def scores(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """(C, F) features -> (C,) scores."""
        at: Array = np.broadcast_to(self.root, (len(features), len(self.root)))
        for _ in range(self.depth):
            at = self._down(features, at)
        scores: NDArray[np.float64] = self.value[at].astype(np.float64).sum(axis=1)
        return scores

    def _down(self, features: NDArray[np.float32], at: Array) -> Array:
        """One step towards the leaves, for all tables and trees at once."""
        begin = np.arange(len(features))[:, None] * features.shape[1]
        asked = features.ravel().take(begin + self.feature.take(at))
        return np.where(asked <= self.threshold.take(at), self.left.take(at), self.right.take(at))

    def contributions(self, features: NDArray[np.float32]) -> tuple[float, NDArray[np.float64]]:
        """Bias and (C, F) contributions whose sum with the bias is the score: at each step down a tree, the change
        of the mean output goes to the feature that was asked (Saabas 2014)."""
        n, width = features.shape
        begin = np.arange(n)[:, None] * width
        out = np.zeros(n * width)
        at: Array = np.broadcast_to(self.root, (n, len(self.root)))
        for _ in range(self.depth):
            down = self._down(features, at)
            change = self.value.take(down).astype(np.float64) - self.value.take(at)
            out += np.bincount((begin + self.feature.take(at)).ravel(), weights=change.ravel(), minlength=n * width)
            at = down
        return float(self.value[self.root].astype(np.float64).sum()), out.reshape(n, width)
