"""Whole columns in Arrow give what single texts give, whatever the length of the column."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablehound.lake import bounds_in_column, canonical_column, canonical_texts, parse, read_column, typed_array
from tablehound.lake.values import canonical_in_column

TEXTS = st.one_of(
    st.none(),
    st.sampled_from(
        ["", " ", "NA", "-", "NULL", "x", "yes", "no", "T", "XVI", "iv", "007", "(12)", "12 km", "$5", "5%"]
    ),
    st.sampled_from(
        ["5M", "5.2M", "600K", "300 K", "3B", "1.2B", "12 m", "9m", "2T", "7mm", "5‰", "1990s", "1½", "% 5", "$(6.50)"]
    ),
    st.sampled_from(
        ["5.6.2020", "5/13/2020", "05JAN2020", "20200102T030405", "5. Januar 2020", "Mon Jan  6 10:20:30 2020"]
    ),
    st.sampled_from(
        ["<5", ">64", "1-9", "100+", "*", "3:45", "12:30", "9:05 AM", "1:02:33", "1h 30m", "45m", "490 BC", "AD 79"]
    ),
    st.sampled_from(
        ["4522.3 b", "12 p", ":", "5.00 CR", "6.00 DR", "1E3", "32E0134", "5 million", "1.10", "1.1", "+47 123"]
    ),
    st.sampled_from(["1234567890123456.78", "0.12345678901234567", "12345678901234567890"]),
    st.integers(-(10**6), 10**6).map(str),
    st.integers(-(10**9), 10**9).map(lambda n: f"{n:,}"),
    st.decimals(-1000, 1000, places=2).map(str),
    st.decimals(-1000, 1000, places=3).map(lambda d: str(d).replace(".", ",")),
    st.dates(dt.date(1900, 1, 1), dt.date(2040, 1, 1)).map(str),
    st.dates(dt.date(1900, 1, 1), dt.date(2040, 1, 1)).map(lambda d: f"{d.day}/{d.month}/{d.year}"),
    st.text(max_size=8),
)


def expected_type(values: list[Any], kind: str) -> list[Any]:
    return [None if isinstance(v, str) and kind != "text" else v for v in values]


@given(texts=st.lists(TEXTS, min_size=1, max_size=30))
@settings(max_examples=150, deadline=None)
def test_long_columns_read_like_short_ones(texts: list[str | None]) -> None:
    array = pa.array(texts, pa.string())
    repeated = pa.concat_arrays([array] * (1 + 600 // len(texts)))
    short, long = read_column(array), read_column(repeated)
    assert (long.kind, long.decimal, long.thousands, long.date_order, long.unit, long.styles) == (
        short.kind,
        short.decimal,
        short.thousands,
        short.date_order,
        short.unit,
        short.styles,
    )
    parsed = [None if text is None else parse(text, short) for text in texts]
    for column in (typed_array(array, short), typed_array(repeated, short)):
        got = column.slice(0, len(texts)).to_pylist()
        for text, value, cell in zip(texts, parsed, got, strict=True):
            if isinstance(value, str) and short.kind != "text":
                assert cell is None, text
            elif isinstance(cell, dt.datetime) and not isinstance(value, dt.datetime):
                assert cell.date() == value
            elif isinstance(cell, Decimal) and isinstance(value, float):
                assert float(cell) == value, text
            else:
                assert cell == value, text
    forms = [None if text is None else canonical_in_column(text, short) for text in texts]
    assert canonical_column(array, short).to_pylist() == forms
    assert canonical_column(repeated, short).slice(0, len(texts)).to_pylist() == forms


@given(columns=st.lists(st.lists(TEXTS, min_size=1, max_size=20), min_size=1, max_size=6), seed=st.integers(0, 9))
@settings(max_examples=100, deadline=None)
def test_texts_of_many_columns_read_together_like_each_column_alone(columns: list[list[str | None]], seed: int) -> None:
    readings = [read_column(texts) for texts in columns]
    flat = [(text, number) for number, texts in enumerate(columns) for text in texts]
    order = np.random.default_rng(seed).permutation(len(flat))
    texts = pa.array([flat[i][0] for i in order], pa.string())
    of = np.array([flat[i][1] for i in order], np.uint32)
    alone = [None if text is None else canonical_in_column(text, readings[number]) for text, number in flat]
    assert canonical_texts(texts, readings, of).to_pylist() == [alone[i] for i in order]


@given(texts=st.lists(TEXTS, min_size=1, max_size=30))
@settings(max_examples=200, deadline=None)
def test_exceptions_are_the_cells_that_keep_their_text_and_are_no_bounds(texts: list[str | None]) -> None:
    reading = read_column(texts)
    kept = [
        text
        for text in texts
        if text is not None and isinstance(parse(text, reading), str) and bounds_in_column(text, reading) is None
    ]
    assert reading.kind == "text" or reading.exceptions == len(kept), kept


@given(texts=st.lists(TEXTS, max_size=40), cut=st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_parse_never_fails(texts: list[str | None], cut: int) -> None:
    reading = read_column(texts[:cut])
    for text in texts:
        if text is not None:
            parse(text, reading)
            canonical_in_column(text, reading)


@given(text=st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_survives(text: str) -> None:
    reading = read_column([text])
    value = parse(text, reading)
    assert value is None or reading.kind != "text" or str(value) in text


def test_types() -> None:
    def type_of(texts: list[str]) -> str:
        return str(typed_array(pa.array(texts), read_column(texts)).type)

    assert type_of(["1", "2"]) == "int64"
    assert type_of(["1", "2.5"]) == "double"
    assert type_of(["1.0", "2.0"]) == "int64"
    assert type_of(["2014-01-02"]) == "date32[day]"
    assert type_of(["2014-01-02 10:00", "2014-01-03"]) == "timestamp[us]"
    assert type_of(["yes", "no"]) == "bool"
    assert type_of(["a", "b"]) == "string"
    assert type_of(["99999999999999999", "1"]) == "int64"
    assert type_of(["9:05 AM", "5:30 PM"]) == "time64[us]"


def test_a_scale_in_the_name_changes_no_canonical_form() -> None:
    texts = pa.array(["12.3", "4"])
    reading = read_column(texts, "Revenue (millions)")
    assert canonical_texts(texts, [reading], np.zeros(2, np.uint32)).to_pylist() == ["12.3", "4"]


@pytest.mark.parametrize("repeats", [1, 600])
def test_no_digit_is_lost(repeats: int) -> None:
    texts = ["1234567890123456.78", "2.50", "0.12345678901234567"] * repeats
    array = typed_array(pa.array(texts), read_column(texts))
    assert [str(value) for value in array.to_pylist()[:3]] == [
        "1234567890123456.78000000000000000",
        "2.50000000000000000",
        "0.12345678901234567",
    ]
    long = ["1e-30", "1234567890123456.78"] * repeats
    assert str(typed_array(pa.array(long), read_column(long)).type) == "double"


@pytest.mark.slow
def test_a_million_plain_numbers_are_read_in_bulk() -> None:
    texts = pa.array([str(7 * i) for i in range(1_000_000)])
    reading = read_column(texts, "n")
    # One by one they would take minutes.
    assert typed_array(texts, reading)[999_999].as_py() == 7 * 999_999
