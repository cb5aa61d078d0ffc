"""Names of columns are distinct whatever the case, and the source's own is kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tablehound.lake import Reading
from tablehound.lake.ingest.column_names import distinct_names, make_column


def test_names() -> None:
    header = [("id",), ("ID",), (), ("Sales\n (USD)",), ("2024", "Q1", "Sales"), ("2024", "2024", "Total"), ("  ",)]
    assert distinct_names(header) == [
        "id",
        "ID 2",
        "column 3",
        "Sales (USD)",
        "2024 / Q1 / Sales",
        "2024 / Total",
        "column 7",
    ]


def test_a_made_up_name_leaves_the_given_ones_alone() -> None:
    assert distinct_names([("id",), ("ID",), ("id 2",), ("column 4",), ()]) == [
        "id",
        "ID 3",
        "id 2",
        "column 4",
        "column 5",
    ]
    assert distinct_names([(), ("column 1",)]) == ["column 1 2", "column 1"]


def test_columns_keep_what_the_source_said() -> None:
    column = make_column(("2024", "Q1"), "2024 / Q1", Reading())
    assert (column.original, column.path, column.inferred) == ("2024 / Q1", ("2024", "Q1"), False)
    assert make_column((), "column 3", Reading()).inferred
    assert make_column((" id\n",), "id", Reading()).original == " id\n"


@given(st.lists(st.lists(st.text(max_size=4), max_size=2), max_size=12))
def test_always_distinct(header: list[list[str]]) -> None:
    names = [name.casefold() for name in distinct_names(header)]
    assert len(set(names)) == len(names)
    assert all(names)
