"""A small ensemble of regression trees, evaluated and explained with numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

BLOCK = 16
"""Trees scored at a time."""


@dataclass(frozen=True, slots=True)
class LeafMasks:
    """Trees as conditions that rule leaves out (QuickScorer, Lucchese et al. 2015).

    A false condition rules out the leaves of its left branch; the first leaf that is left is the one that is reached.
    """

    feature: NDArray[np.intp]
    """(T, K) per tree and condition, filled up with conditions that are always true."""
    threshold: NDArray[np.float32]
    """(T, K)"""
    keeps: Array
    """(T, K) leaves that a false condition leaves, one bit each (32 or 64 bits)."""
    leaf_begin: NDArray[np.intp]
    """(T,) where a tree's leaves begin in ``leaves``."""
    leaves: NDArray[np.float64]

    @classmethod
    def of(cls, trees: Trees) -> LeafMasks | None:
        """None when a tree has more than 64 leaves."""
        leaves: list[float] = []
        leaf_begin: list[int] = []
        conditions: list[list[tuple[int, np.float32, int]]] = []

        def add(node: int, first: int) -> int:
            """Returns how many leaves the branch has; ``first`` is the number of its first one."""
            if trees.left[node] == node:
                leaves.append(float(trees.value[node]))
                return 1
            n_left = add(int(trees.left[node]), first)
            # Features are float32: the largest float32 that is not above the threshold asks the same.
            rounded = np.float32(trees.threshold[node])
            if rounded > trees.threshold[node]:
                rounded = np.nextafter(rounded, np.float32(-np.inf), dtype=np.float32)
            conditions[-1].append((int(trees.feature[node]), rounded, ((1 << n_left) - 1) << first))
            return n_left + add(int(trees.right[node]), first + n_left)

        most = 1
        for root in trees.root:
            conditions.append([])
            leaf_begin.append(len(leaves))
            most = max(most, add(int(root), 0))
        if most > 64:
            return None
        bits = 32 if most <= 32 else 64
        shape = (len(conditions), most)
        feature = np.zeros(shape, np.intp)
        threshold = np.full(shape, np.inf, np.float32)
        keeps = np.full(shape, (1 << bits) - 1, np.uint32 if bits == 32 else np.uint64)
        for tree, own in enumerate(conditions):
            for place, (asked, limit, ruled_out) in enumerate(own):
                feature[tree, place] = asked
                threshold[tree, place] = limit
                keeps[tree, place] = ((1 << bits) - 1) & ~ruled_out
        return cls(feature, threshold, keeps, np.array(leaf_begin, np.intp), np.array(leaves, np.float64))

    def scores(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """(F, C) features -> (C,) scores."""
        total = np.zeros(features.shape[1])
        every = self.keeps.dtype.type(np.iinfo(self.keeps.dtype).max)
        # A few trees at a time stay in the processor's cache.
        for start in range(0, len(self.feature), BLOCK):
            some = slice(start, start + BLOCK)
            true = features[self.feature[some]] <= self.threshold[some, :, None]
            left = np.bitwise_and.reduce(np.where(true, every, self.keeps[some, :, None]), axis=1)
            lowest = left & (~left + self.keeps.dtype.type(1))
            # A power of two is exact as a float, so its exponent is the leaf's number.
            leaf = np.frexp(lowest.astype(np.float64))[1] - 1
            total += self.leaves[self.leaf_begin[some, None] + leaf].sum(axis=0)
        return total


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
    masks: LeafMasks | None = field(default=None, compare=False)
    """The same trees for fast scoring; see :meth:`with_masks`."""

    def with_masks(self) -> Trees:
        """The same trees, prepared for fast scoring when no tree has more than 64 leaves."""
        return replace(self, masks=LeafMasks.of(self))

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
        if self.masks is None:
            at: Array = np.broadcast_to(self.root, (len(features), len(self.root)))
            for _ in range(self.depth):
                at = self._down(features, at)
            walked: NDArray[np.float64] = self.value[at].astype(np.float64).sum(axis=1)
            return walked
        return self.masks.scores(np.ascontiguousarray(features.T))

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
