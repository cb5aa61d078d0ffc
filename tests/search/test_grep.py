"""Matching cells of both engines, and look-ups of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablehound.errors import PatternError
from tablehound.retrieval import Pattern, ScanEngine, columns_with_values_like, open_engine, overlaps
from tablehound.retrieval.scan import choose_rows
from tablehound.retrieval.value_index import IndexEngine
from tablehound.retrieval.value_index.matched_rows import choose


@pytest.fixture(params=[True, False], ids=["index", "scan"])
def lake(request: pytest.FixtureRequest, make_lake: Callable[[], Any]) -> Any:
    lake = make_lake()
    lake.add("a", ["City", "Founded"], [["New York", "1624"], ["Paris", "-250"], ["Boston", "7 September 1630"]])
    lake.add("b", ["Place", "Visitors"], [["new york", "1,014"], ["Rome", "12"], ["paris ", "900"]])
    lake.add("c", ["York", "x"], [["London", "1014.0"], ["Berlin", None]])
    if request.param:
        lake.index()
    return lake


def test_matches_are_sorted_and_name_headers(lake: Any) -> None:
    found = [
        (m.table_id, m.row, m.column, m.text, m.pattern)
        for m in open_engine(lake).cells([Pattern("york"), Pattern("new")])
    ]
    assert found == [
        ("a", 0, 0, "New York", 0),
        ("a", 0, 0, "New York", 1),
        ("b", 0, 0, "new york", 0),
        ("b", 0, 0, "new york", 1),
        ("c", None, 0, "York", 0),
    ]
    assert len(open_engine(lake).cells([Pattern("york")], limit=2)) == 2
    assert [m.table_id for m in open_engine(lake).cells([Pattern("york")], table_ids=["c", "b"])] == ["b", "c"]


def test_columns_scope_a_pattern(lake: Any) -> None:
    assert [m.table_id for m in open_engine(lake).cells([Pattern("york", columns=("PLACE", "city"))])] == ["a", "b"]
    assert [m.table_id for m in open_engine(lake).cells([Pattern("york", columns=("visitors",))])] == []


def test_values_match_however_they_are_written(lake: Any) -> None:
    assert [m.text for m in open_engine(lake).cells([Pattern("1014", "value")])] == ["1,014", "1014.0"]
    assert [m.text for m in open_engine(lake).cells([Pattern("NEW YORK", "value")])] == ["New York", "new york"]
    over = Pattern("", "range", low="900", low_open=True, columns=("visitors",))
    assert [m.text for m in open_engine(lake).cells([over])] == ["1,014"]
    assert [m.text for m in open_engine(lake).cells([Pattern("", "range", low="1630-01-01", high="1630-12-31")])] == [
        "7 September 1630"
    ]


def test_case_can_matter(lake: Any) -> None:
    assert [m.table_id for m in open_engine(lake).cells([Pattern("New", case_sensitive=True)])] == ["a"]


def test_a_refused_pattern_is_said(lake: Any) -> None:
    with pytest.raises(PatternError):
        open_engine(lake).cells([Pattern("a(?=b)")])


def test_overlaps_count_shared_values_by_key(lake: Any) -> None:
    assert [(o.table_id, o.column, o.overlap) for o in overlaps(lake, "a", 0)] == [("b", 0, 2)]
    assert overlaps(lake, "c", 1) == []


def test_misspelt_values_are_found(lake: Any) -> None:
    found = columns_with_values_like(lake, "Nw York", 3)
    assert [match.text for match in found] == ["New York", "new york"]
    assert found[0].columns == (("a", 0),)


@given(
    matches=st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.integers(0, 5)), max_size=30),
    per_pattern=st.integers(0, 3),
    limit=st.integers(0, 6),
)
def test_both_ways_of_choosing_rows_agree(matches: list[tuple[int | None, int]], per_pattern: int, limit: int) -> None:
    import numpy as np

    masks: dict[int, int] = {}
    for row, pattern in matches:
        if row is not None:
            masks[row] = masks.get(row, 0) | 1 << pattern
    rows = sorted(masks)
    chosen = choose(
        np.array(rows, np.int64), np.array([masks[r] for r in rows], np.uint64), per_pattern=per_pattern, limit=limit
    )
    assert chosen == choose_rows(matches, per_pattern=per_pattern, limit=limit)


def test_rows_with_more_patterns_come_first(lake: Any) -> None:
    engine = IndexEngine(lake) if lake.segments("values") else ScanEngine(lake)
    patterns = [Pattern("o"), Pattern("1"), Pattern("paris")]
    assert engine.rows("a", patterns, per_pattern=1, limit=5) == (0, 1)
    assert engine.rows("a", patterns, per_pattern=2, limit=5) == (0, 2, 1)
    assert engine.rows("a", patterns, per_pattern=2, limit=1) == (0,)


def test_a_text_has_the_same_value_in_a_short_and_a_long_column(make_lake: Callable[[], Any]) -> None:
    lake = make_lake()
    lake.add("long", ["what"], [["euro 2008"], *([f"word {i} of many"] for i in range(700))])
    lake.add("short", ["what"], [["euro 2008"], ["of 5 cups"], ["none"]])
    lake.index()
    patterns = [Pattern("", "range", low="2000", high="2010"), Pattern("2008", "value")]
    assert IndexEngine(lake).cells(patterns) == ScanEngine(lake).cells(patterns)
