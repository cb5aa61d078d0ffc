"""Which actual value of a column a phrase means."""

from __future__ import annotations

from typing import Any

import pytest

from tablehound.execution import ground_value


@pytest.mark.parametrize(
    ("column", "phrase", "value", "how"),
    [
        (0, "Paris", "Paris", "exact"),
        (0, "  pARIS ", "Paris", "case"),
        (0, "Pariss", "Paris", "fuzzy"),
        (1, "2148000", "2,148,000", "value"),
        (1, "2.148 million", "2,148,000", "value"),
        (2, "2 May 1048", "1048-05-02", "value"),
    ],
)
def test_the_nearest_value_comes_first(lake: Any, column: int, phrase: str, value: str, how: str) -> None:
    best = ground_value(lake, "cities", column, phrase)[0]
    assert (best.text, best.how) == (value, how)
    assert 0 < best.score <= 1


def test_nothing_near(lake: Any) -> None:
    assert ground_value(lake, "cities", 0, "Quetzaltenango") == []


def test_scores_fall(lake: Any) -> None:
    scores = [found.score for found in ground_value(lake, "countries", 1, "Itly")]
    assert scores == sorted(scores, reverse=True)


def test_no_such_column(lake: Any) -> None:
    with pytest.raises(IndexError):
        ground_value(lake, "cities", 9, "x")
