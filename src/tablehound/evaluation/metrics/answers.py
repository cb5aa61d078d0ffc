"""Is an answer right? Values are compared as values: numbers and dates however written, text by case and accents."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

from tablehound.evaluation.metrics.arithmetic import as_number

_TOLERANCE = 1e-6


def normal_text(text: str) -> str:
    """Case-folded, accents and surrounding punctuation removed, white space folded.

    The normalisation of WikiTableQuestions' official evaluator (Pasupat and Liang, 2015), without its removal of
    bracketed parts.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    plain = plain.translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2014: "-", 0x2212: "-"})
    return re.sub(r"\s+", " ", plain).strip(" \t\n.,;:'\"").casefold()


def same_value(left: str, right: str) -> bool:
    """Whether two texts are the same value: equal numbers (relative tolerance 1e-6), dates, or texts."""
    if normal_text(left) == normal_text(right):
        return True
    from tablehound.lake import canonical_of_text

    one, other = canonical_of_text(left.strip()), canonical_of_text(right.strip())
    if one is None or other is None:
        return False
    if one == other:
        return True
    numbers = as_number(left), as_number(right)
    if numbers[0] is None or numbers[1] is None:
        return False
    return math.isclose(numbers[0], numbers[1], rel_tol=_TOLERANCE)


def _matched(predicted: Sequence[str], gold: Sequence[str]) -> int:
    """Size of the greedy one-to-one matching of equal values (exact, since equality is nearly transitive)."""
    left = list(gold)
    hits = 0
    for value in predicted:
        for place, other in enumerate(left):
            if same_value(value, other):
                del left[place]
                hits += 1
                break
    return hits


def denotation_match(predicted: Sequence[str], gold: Sequence[str]) -> bool:
    """Denotation accuracy of one question: the predicted values are the gold values, as multisets.

    Source: Pasupat and Liang, Compositional Semantic Parsing on Semi-Structured Tables (2015).
    """
    return len(predicted) == len(gold) and _matched(predicted, gold) == len(gold)


def answer_f1(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of the predicted values against the gold values. Both empty is 1 (nothing to say, nothing said)."""
    if not predicted and not gold:
        return 1.0
    hits = _matched(predicted, gold)
    return 2 * hits / (len(predicted) + len(gold))
