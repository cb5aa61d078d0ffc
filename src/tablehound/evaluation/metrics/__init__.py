"""Metrics, each with its definition and source. Rates are 0 to 1."""

from __future__ import annotations

from tablehound.evaluation.metrics.answers import answer_f1, denotation_match, same_value
from tablehound.evaluation.metrics.intervals import wilson_interval

__all__ = ["answer_f1", "denotation_match", "same_value", "wilson_interval"]
