"""Worked examples of the answer metrics."""

from __future__ import annotations

import pytest

from tablehound.evaluation.metrics import answer_f1, denotation_match, same_value, wilson_interval


@pytest.mark.parametrize(
    ("left", "right"),
    [("1,014", "1014"), ("Zürich", "zurich"), ("10.50", "10.5"), ("31 July 1954", "1954-07-31"), ("“A” ", '"a"')],
)
def test_the_same_value_in_two_writings(left: str, right: str) -> None:
    assert same_value(left, right)


@pytest.mark.parametrize(("left", "right"), [("1,014", "1,015"), ("Oslo", "Bergen"), ("1954-07-31", "1954-08-31")])
def test_different_values(left: str, right: str) -> None:
    assert not same_value(left, right)


def test_denotation_is_a_multiset() -> None:
    assert denotation_match(["b", "A", "a"], ["a", "a", "B"])
    assert not denotation_match(["a"], ["a", "a"])
    assert not denotation_match([], ["a"])


def test_answer_f1_of_two_of_three() -> None:
    # 2 hits, 3 predicted, 4 gold: P = 2/3, R = 1/2, F1 = 4/7.
    assert answer_f1(["1", "2", "x"], ["1", "2", "3", "4"]) == pytest.approx(4 / 7)
    assert answer_f1([], []) == 1.0
    assert answer_f1(["1"], []) == 0.0


def test_wilson_interval_of_eight_in_ten() -> None:
    # Agresti and Coull (1998) give 0.490 to 0.943 for 8 of 10.
    low, high = wilson_interval(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
