"""Matches that fit together: number under its header, words and numbers in one row, phrases that fill a cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablehound.retrieval.ranking.question_terms import TermNeed
from tablehound.retrieval.ranking.shortlist import DenseScores, Shortlist, shortlist
from tablehound.retrieval.terms.index import TermIndex, TermIndexWriter

NEED = TermNeed({"word": 0.6, "number2": 0.8, "number1": 0.8}, {})
FITTING = [["Driver", "Laps"], ["Anna Berg", "63"], ["Carl Dahl", "12"]]
CROSSED = [["Laps", "Driver"], ["Anna Berg", "63"], ["Carl Dahl", "12"]]
IDLE = [["Driver", "Time", "Laps"], ["Anna Berg", "63", "12"], ["Carl Dahl", "12", "40"]]
APART = [["Driver", "Laps"], ["Anna Berg", "12"], ["Carl Dahl", "63"]]
LONGER = [["Driver", "Laps"], ["Anna Berg of Oslo", "63 of 70"], ["Carl Dahl", "12"]]
OTHERS = [[["Town", "Mayor"], [f"place {i}", f"name {i}"]] for i in range(30)]


def _found(tables: Sequence[list[list[str]]], question: str, dense: DenseScores | None = None) -> Shortlist:
    writer = TermIndexWriter()
    for rows in tables:
        writer.add(rows[0], [[row[i] for row in rows[1:]] for i in range(len(rows[0]))])
    index = TermIndex(tuple(str(i) for i in range(len(tables))), writer.arrays())
    return shortlist([index], question, NEED, size=10, dense=dense)


@pytest.mark.parametrize(
    ("feature", "worse"),
    [
        ("numbers_under_header", CROSSED),
        ("aligned_row", IDLE),
        ("row_words_with_numbers", APART),
        ("exact_row", APART),
        ("exact_row_and_header", LONGER),
        ("exact_cell", LONGER),
    ],
)
def test_a_table_in_which_the_matches_fit_together_scores_higher(feature: str, worse: list[list[str]]) -> None:
    found = _found([FITTING, worse, *OTHERS], "anna berg had 63 laps")
    assert found.table.tolist()[:2] == [0, 1]
    fitting, other = found.features[feature][:2]
    assert fitting > other >= 0


def test_what_few_of_the_best_tables_hold_counts_more() -> None:
    tables = [[["Driver"], [f"Anna {name}"]] for name in ("Berg", "Dahl", "Dahl", "Dahl", "Dahl")]
    found = _found([*tables, *OTHERS], "anna berg or anna dahl")
    local = found.features["local_held"]
    assert local[0] > local[1] == pytest.approx(local[2])


def test_a_word_that_no_cell_holds_is_covered_by_a_near_column() -> None:
    near = np.array([[0.2, 0.1, 0.1, 0.9], [0.2, 0.1, 0.1, 0.3]])
    size = 2 + len(OTHERS)
    scores = DenseScores([np.zeros(size)], [np.zeros(size)], lambda chosen: near[: len(chosen)])
    found = _found([FITTING, APART, *OTHERS], "anna berg racer", scores)
    covered, unheld = found.features["dense_covered"], found.features["dense_unheld"]
    assert covered[0] > covered[1] and unheld[0] > unheld[1]


CELLS = st.sampled_from(["", "red fox", "fox", "red 7", "7", "a b a", "12 red"])


@settings(deadline=None)
@given(st.lists(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=4), min_size=1, max_size=4))
def test_every_feature_is_finite_and_shares_are_shares(tables: list[list[list[str]]]) -> None:
    found = _found(tables, "the red fox 7 a b")
    for name, values in found.features.items():
        assert len(values) == len(found.table) and np.isfinite(values).all()
        if name.startswith(("exact_", "best_", "aligned_", "row_w", "under")) and name != "best_row_count":
            assert (values >= -1e-9).all() and (values <= 1 + 1e-9).all(), name
