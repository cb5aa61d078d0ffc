"""Which programs a join that repeats rows makes wrong."""

from __future__ import annotations

import pytest

from tablehound.execution import adds_up_rows


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*) FROM T1 JOIN T2 ON T1.a = T2.a",
        "SELECT b, sum(x) FROM T1 JOIN T2 USING (a) GROUP BY b",
        "SELECT b FROM T1 JOIN T2 USING (a) GROUP BY b QUALIFY dense_rank() OVER (ORDER BY count(*) DESC) = 1",
    ],
)
def test_counts_and_sums_do(text: str) -> None:
    assert adds_up_rows(text)


@pytest.mark.parametrize(
    "text",
    ["SELECT b FROM T1 JOIN T2 USING (a)", "SELECT max(x) FROM T1", "SELECT count(DISTINCT b) FROM T1", "no SQL at ("],
)
def test_look_ups_extremes_and_distinct_counts_do_not(text: str) -> None:
    assert not adds_up_rows(text)
