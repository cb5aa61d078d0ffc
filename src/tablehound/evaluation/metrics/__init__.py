"""Metrics, each with its definition and source. Rates are 0 to 1."""

from __future__ import annotations

from tablehound.evaluation.metrics.answers import answer_f1, denotation_match, same_value
from tablehound.evaluation.metrics.arithmetic import arithmetic_match, as_number
from tablehound.evaluation.metrics.claims import ClaimScores, claim_scores
from tablehound.evaluation.metrics.headers import header_bert_f1, header_similarity
from tablehound.evaluation.metrics.intervals import wilson_interval
from tablehound.evaluation.metrics.multitable import (
    header_exact_match,
    information_recall,
    separation,
    sub_answerability,
)
from tablehound.evaluation.metrics.retrieval import (
    f1_at,
    full_recall_at,
    precision_at,
    recall_at,
    reciprocal_rank,
    selection_accuracy,
)
from tablehound.evaluation.metrics.seeking import (
    GroupOutcome,
    GroupScores,
    efficiency,
    format_robustness,
    group_scores,
    hit_any,
    hit_final,
    hit_first,
    hit_rate_by_round,
    worst_case_drop,
)
from tablehound.evaluation.metrics.significance import Comparison, bootstrap_interval, compare

__all__ = [
    "ClaimScores",
    "Comparison",
    "GroupOutcome",
    "GroupScores",
    "answer_f1",
    "arithmetic_match",
    "as_number",
    "bootstrap_interval",
    "claim_scores",
    "compare",
    "denotation_match",
    "efficiency",
    "f1_at",
    "format_robustness",
    "full_recall_at",
    "group_scores",
    "header_bert_f1",
    "header_exact_match",
    "header_similarity",
    "hit_any",
    "hit_final",
    "hit_first",
    "hit_rate_by_round",
    "information_recall",
    "precision_at",
    "recall_at",
    "reciprocal_rank",
    "same_value",
    "selection_accuracy",
    "separation",
    "sub_answerability",
    "wilson_interval",
    "worst_case_drop",
]
