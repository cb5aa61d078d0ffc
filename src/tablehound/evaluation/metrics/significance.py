"""Is one run better than another? Paired tests over the same questions, and bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tablehound.errors import MissingExtraError

BOOTSTRAP_SAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs on the same questions. ``difference`` is the mean of A less the mean of B."""

    count: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    """95% bootstrap interval of the difference."""
    high: float
    p_bootstrap: float
    """Two-sided: how often a resampled difference falls on the other side of zero, doubled."""
    p_wilcoxon: float
    p_t: float


def compare(a: Sequence[float], b: Sequence[float], *, seed: int = 0, samples: int = BOOTSTRAP_SAMPLES) -> Comparison:
    """Compare per-question scores of two runs, paired by question.

    The paired bootstrap resamples questions (Efron and Tibshirani, 1993; Koehn, 2004); Wilcoxon's signed-rank test
    and the paired t test are scipy's. Where all differences are zero no test says anything: their p is 1.

    Raises:
        ValueError: the runs are of different length, or empty.
        MissingExtraError: scipy is not installed.
    """
    import numpy as np

    try:
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError("scipy is not installed", remedy="pip install 'tablehound[bench]'") from error

    if len(a) != len(b) or not a:
        raise ValueError(f"paired runs must have the same questions: {len(a)} and {len(b)}")
    left, right = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    gaps = left - right
    means = _resampled_means(gaps, seed, samples)
    low, high = np.quantile(means, [0.025, 0.975])
    below, above = float(np.mean(means <= 0)), float(np.mean(means >= 0))
    same = bool(np.all(gaps == 0))
    constant = bool(np.all(gaps == gaps[0]))
    return Comparison(
        count=len(gaps),
        mean_a=float(left.mean()),
        mean_b=float(right.mean()),
        difference=float(gaps.mean()),
        low=float(low),
        high=float(high),
        p_bootstrap=min(1.0, 2 * min(below, above)),
        p_wilcoxon=1.0 if same else float(stats.wilcoxon(left, right).pvalue),
        # A constant difference has no variance: t is infinite unless there is but one question or no difference.
        p_t=1.0 if same or len(gaps) < 2 else 0.0 if constant else float(stats.ttest_rel(left, right).pvalue),
    )


def bootstrap_interval(
    scores: Sequence[float], *, seed: int = 0, samples: int = BOOTSTRAP_SAMPLES
) -> tuple[float, float]:
    """95% percentile bootstrap interval of a mean, for scores that are not just 0 or 1 (else use Wilson's)."""
    import numpy as np

    if not scores:
        return 0.0, 1.0
    low, high = np.quantile(_resampled_means(np.asarray(scores, dtype=float), seed, samples), [0.025, 0.975])
    return float(low), float(high)


def _resampled_means(values, seed: int, samples: int):  # type: ignore[no-untyped-def]
    """Means of ``samples`` resamples, drawn in blocks so that memory stays bounded."""
    import numpy as np

    random = np.random.default_rng(seed)
    block = max(1, min(samples, 4_000_000 // len(values)))
    means = []
    for start in range(0, samples, block):
        picks = random.integers(0, len(values), size=(min(block, samples - start), len(values)))
        means.append(values[picks].mean(axis=1))
    return np.concatenate(means)
