"""The coverage score: what it prefers, its range, training and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablehound.errors import UsageError
from tablehound.retrieval.coverage import (
    CoverageExample,
    CoverageModel,
    CoverageOptions,
    coverage_score,
    train_coverage,
)

EXAMPLES = [
    CoverageExample(f"how old is the oldest {thing}", (f"{thing} name", "age", "country"), (1,), (("title", "price"),))
    for thing in ("singer", "driver", "pilot", "farmer", "nurse", "clerk")
]


@settings(deadline=None)
@given(st.text(max_size=40), st.lists(st.text(max_size=12), max_size=5))
def test_it_lies_between_0_and_1(part: str, columns: list[str]) -> None:
    assert 0.0 <= coverage_score(part, columns) <= 1.0 + 1e-9


def test_columns_that_hold_the_words_cover_more() -> None:
    assert coverage_score("population of the city", ["city", "population"]) > coverage_score(
        "population of the city", ["city", "mayor"]
    )
    assert coverage_score("home team", ["homeTeam"]) == coverage_score("home team", ["home_team"]) == pytest.approx(1.0)
    assert coverage_score("anything", []) == coverage_score("", ["name"]) == 0.0


def test_more_columns_never_cover_less() -> None:
    columns = ["year", "name", "capacity", "location"]
    scores = [coverage_score("where was the largest stadium built", columns[:n]) for n in range(1, 5)]
    assert scores == sorted(scores)


def test_training_teaches_words_that_are_not_alike(tmp_path: Path) -> None:
    options = CoverageOptions(epochs=30, min_count=2)
    model = train_coverage(EXAMPLES, tmp_path / "c.npz", options=options)
    asked = "how old is the oldest dancer"
    assert model.score(asked, ("dancer name", "age")) > model.score(asked, ("dancer name", "country"))
    again = CoverageModel.load(tmp_path / "c.npz")
    assert again.score(asked, ("dancer name", "age")) == pytest.approx(
        model.score(asked, ("dancer name", "age")), abs=1e-2
    )


def test_training_is_the_same_every_time() -> None:
    one, two = (train_coverage(EXAMPLES, options=CoverageOptions(epochs=2, min_count=2)) for _ in range(2))
    assert np.array_equal(one.asked, two.asked)


def test_what_cannot_be_trained_or_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no examples"):
        train_coverage([])
    with pytest.raises(UsageError, match="holds no coverage weights"):
        CoverageModel.load(tmp_path / "absent.npz")
