"""Worked examples of the metrics, computed by hand or by another library."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tablehound.evaluation import metrics as m

RANKED = ["a", "b", "c", "d"]


def test_precision_recall_and_f1_at_k() -> None:
    # Relevant: b, d, x. Among the first 2: b. P = 1/2, R = 1/3, F1 = 2/5.
    assert m.precision_at(RANKED, {"b", "d", "x"}, 2) == 1 / 2
    assert m.recall_at(RANKED, {"b", "d", "x"}, 2) == 1 / 3
    assert m.f1_at(RANKED, {"b", "d", "x"}, 2) == pytest.approx(2 / 5)
    assert m.f1_at(RANKED, {"x"}, 4) == 0.0


def test_a_short_list_is_punished_in_precision_only() -> None:
    assert m.precision_at(["a"], {"a"}, 5) == 1 / 5
    assert m.f1_at(["a"], {"a"}, 5) == 1.0


def test_full_recall_selection_and_reciprocal_rank() -> None:
    assert m.full_recall_at(RANKED, {"a", "c"}, 3)
    assert not m.full_recall_at(RANKED, {"a", "c"}, 2)
    assert m.selection_accuracy(["a", "b"], {"b", "a"})
    assert not m.selection_accuracy(["a", "b"], {"a"})
    assert m.reciprocal_rank(RANKED, {"c"}) == 1 / 3
    assert m.reciprocal_rank(RANKED, {"x"}) == 0.0


def test_hits_of_a_trajectory() -> None:
    tried = ("b", "gold", "c")
    assert not m.hit_first(tried, "gold")
    assert m.hit_any(tried, "gold")
    assert not m.hit_final(tried, "gold")
    assert not m.hit_final((), "gold")


def test_group_recall_and_discrimination() -> None:
    group = frozenset({"g", "s1", "s2"})
    outcomes = [
        m.GroupOutcome(("g",), "g", group),  # hit, DS@1, all, final
        m.GroupOutcome(("s1", "g", "x"), "g", group),  # hit by its trajectory, DS@all only
        m.GroupOutcome(("x", "s1"), "g", group),  # hit by its final table, no DS
        m.GroupOutcome(("s1", "x"), "g", group),  # no hit: a sibling in passing does not count
        m.GroupOutcome((), "g", group),
    ]
    scores = m.group_scores(outcomes)
    assert (scores.gr, scores.group_hits, scores.count) == (3 / 5, 3, 5)
    assert (scores.ds_first, scores.ds_all, scores.ds_final) == (1 / 3, 2 / 3, 1 / 3)


def test_scores_of_no_outcome_are_zero() -> None:
    assert m.group_scores([]) == m.GroupScores(0.0, 0.0, 0.0, 0.0, 0, 0)


@given(st.lists(st.tuples(st.lists(st.sampled_from(["g", "s", "x"]), max_size=4)), max_size=30))
def test_discrimination_agrees_with_counting_again(trajectories: list[tuple[list[str]]]) -> None:
    tried = [trajectory[0] for trajectory in trajectories]
    hits = [t for t in tried if "g" in t or t[-1:] == ["s"]]
    scores = m.group_scores([m.GroupOutcome(tuple(t), "g", frozenset("gs")) for t in tried])
    assert scores.gr == pytest.approx(len(hits) / len(tried) if tried else 0)
    assert scores.ds_all == pytest.approx(np.mean(["g" in t for t in hits]) if hits else 0)
    assert scores.ds_final == pytest.approx(np.mean([t[-1] == "g" for t in hits]) if hits else 0)
    assert scores.ds_first == pytest.approx(np.mean([t[0] == "g" for t in hits]) if hits else 0)


def test_efficiency_and_hits_by_round() -> None:
    assert m.efficiency(0.45, 0.6) == pytest.approx(0.75)
    assert m.efficiency(0.45, 0.0) == 0.0
    # Question 1 finds g after one refinement; question 2 has it at once and stops; question 3 never has any.
    assert m.hit_rate_by_round([["x", "g"], ["g"], []], ["g", "g", "g"]) == [1 / 3, 2 / 3]
    assert m.hit_rate_by_round([], []) == []


def test_format_robustness() -> None:
    scores = {"markdown": 0.8, "html": 0.6, "csv": 0.7}
    assert m.worst_case_drop(scores) == pytest.approx(0.25)
    assert m.format_robustness(scores) == pytest.approx(0.7 * 0.75)
    assert m.format_robustness({}) == 0.0
    assert m.worst_case_drop({"a": 0.0}) == 0.0


def test_accuracy_of_claims_by_label() -> None:
    predicted = ["supported", "refuted", None, "supported", "refuted"]
    gold = ["supported", "supported", "supported", "refuted", "refuted"]
    assert m.claim_scores(predicted, gold) == m.ClaimScores(2 / 5, 1 / 3, 1 / 2, 4 / 5)


def test_arithmetic_match_to_two_decimals_or_relative() -> None:
    assert m.arithmetic_match(["3.14159"], [3.14])
    assert not m.arithmetic_match(["3.15"], [3.14])
    assert m.arithmetic_match(["1,000.4", "2"], [2, 1000.4])
    assert not m.arithmetic_match(["1"], [1, 1])
    assert not m.arithmetic_match(["about one"], [1])
    assert m.arithmetic_match(["1000001"], [1e6], relative=1e-5)
    assert not m.arithmetic_match(["1000001"], [1e6], relative=1e-8)


def test_decomposition_rates() -> None:
    needed = [("t", "a"), ("t", "b"), ("u", "c"), ("u", "d")]
    assert m.information_recall([("t", "a"), ("u", "c"), ("v", "z")], needed) == 1 / 2
    assert m.separation([["t"], ["u", "v"]], ["t", "u"]) == 1 / 2
    assert m.sub_answerability([True, False, True, True]) == 3 / 4
    assert m.sub_answerability([]) == 0.0


def test_header_exact_match_ignores_style() -> None:
    assert m.header_exact_match(["birth_date", "Name", None], ["Birth Date", "title", "x"]) == 1 / 3


def test_significance_agrees_with_scipy() -> None:
    random = np.random.default_rng(1)
    a, b = random.random(60), random.random(60) - 0.1
    result = m.compare(a.tolist(), b.tolist())
    assert result.p_wilcoxon == pytest.approx(stats.wilcoxon(a, b).pvalue)
    assert result.p_t == pytest.approx(stats.ttest_rel(a, b).pvalue)
    independent = stats.bootstrap((a - b,), np.mean, method="percentile", n_resamples=10_000, rng=2)
    assert result.low == pytest.approx(independent.confidence_interval.low, abs=0.01)
    assert result.high == pytest.approx(independent.confidence_interval.high, abs=0.01)
    assert result.difference == pytest.approx(float(np.mean(a - b)))


def test_equal_runs_are_not_different() -> None:
    result = m.compare([1, 0, 1], [1, 0, 1])
    assert (result.difference, result.p_bootstrap, result.p_wilcoxon, result.p_t) == (0, 1, 1, 1)


def test_runs_of_different_length_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="same questions"):
        m.compare([1.0], [1.0, 0.0])


def test_bootstrap_interval_is_the_same_for_the_same_seed() -> None:
    scores = [0.1, 0.4, 0.35, 0.8, 0.9, 0.2]
    low, high = m.bootstrap_interval(scores)
    assert (low, high) == m.bootstrap_interval(scores)
    assert low < sum(scores) / len(scores) < high
    assert m.bootstrap_interval([]) == (0.0, 1.0)
    assert not math.isnan(low)
