"""Confidence intervals of rates."""

from __future__ import annotations

import math


def wilson_interval(hits: float, count: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """The 95% Wilson score interval of a rate (Wilson, 1927). ``hits`` of ``count``; (0, 1) when there are none."""
    if count == 0:
        return 0.0, 1.0
    rate = hits / count
    spread = z * math.sqrt(rate * (1 - rate) / count + z * z / (4 * count * count))
    middle = rate + z * z / (2 * count)
    scale = 1 + z * z / count
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
