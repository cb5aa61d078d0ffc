"""Scores of candidates: a log-linear model over their features, with "the table does not say" as one more reading.

Weights are data (``weights.json``), learned from questions and answers alone, without programs (the log-linear
semantic parser over candidates of Pasupat and Liang, ACL 2015, with an empty reading for abstention).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from tablehound.backbone.rules.admitting import admissible
from tablehound.backbone.rules.candidates import Generator
from tablehound.backbone.rules.features import Features, Scored, describe
from tablehound.backbone.rules.plan import Result
from tablehound.backbone.rules.readings import candidates
from tablehound.language.lexicon import is_function
from tablehound.language.question import Analysis
from tablehound.linking.profile import TableProfile
from tablehound.settings import Task


@lru_cache(maxsize=1)
def weights() -> dict[str, dict[str, float]]:
    """Task → feature → weight."""
    data: dict[str, dict[str, float]] = json.loads(
        files(__package__).joinpath("weights.json").read_text(encoding="utf-8")
    )
    return data


@dataclass(frozen=True, slots=True)
class Reading:
    """All readings of a question over one table, best first; ``refusal`` is the probability that none is right."""

    best: tuple[Scored, ...]
    refusal: float

    @property
    def confidence(self) -> float:
        return self.best[0].share if self.best else 0.0


def result_key(result: Result) -> tuple[str, ...]:
    """Results that are the same answer have the same key."""
    return tuple(sorted({f"{v:.6g}" if isinstance(v, float) else str(v) for v in result}))


def refusal_features(analysis: Analysis) -> Features:
    """Features of the empty reading."""
    content = sum(not is_function(t.norm) for t in analysis.tokens)
    return {"refuse": 1.0, "refuse_length": content / 10.0, f"refuse&intent={analysis.intent}": 1.0}


def dot(features: Features, task: Task) -> float:
    """The score of features."""
    known = weights().get(task, {})
    return sum(value * known.get(name, 0.0) for name, value in features.items())


def read(analysis: Analysis, table: TableProfile) -> Reading:
    """Score every reading of a question over a table."""
    gen = Generator(analysis, table)
    scored = [describe(gen, candidate) for candidate in candidates(gen)]
    scored = admissible(gen, scored)
    if not scored:
        return Reading((), 1.0)
    totals = [dot(s.features, analysis.task) for s in scored]
    null = dot(refusal_features(analysis), analysis.task) if analysis.task == "tableqa" else -math.inf
    top = max(*totals, null)
    masses = [math.exp(t - top) for t in totals]
    whole = sum(masses) + math.exp(null - top)
    by_result: dict[tuple[str, ...], float] = {}
    for s, mass in zip(scored, masses, strict=True):
        key = result_key(s.result)
        by_result[key] = by_result.get(key, 0.0) + mass
    final = [
        replace(s, score=t, share=by_result[result_key(s.result)] / whole) for s, t in zip(scored, totals, strict=True)
    ]
    ranked = sorted(enumerate(final), key=lambda pair: (-pair[1].share, -pair[1].score, pair[0]))
    return Reading(tuple(s for _, s in ranked), math.exp(null - top) / whole)
