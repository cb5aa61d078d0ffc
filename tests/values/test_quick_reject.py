"""Texts that are told by their beginning to be no values: the parsers they are spared would find nothing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablehound.lake import Reading, canonical_texts
from tablehound.lake.values import ReadingBuilder, canonical_in_column
from tablehound.lake.values.dates.forms import date_form
from tablehound.lake.values.missing import missing
from tablehound.lake.values.numbers.forms import number_form
from tablehound.lake.values.numbers.roman import parse_roman
from tablehound.lake.values.quick_reject import (
    are_plain_texts,
    cannot_be_date,
    is_plain_text,
    is_score,
    mask_plain_texts,
    starts_with_calendar_word,
)
from tablehound.lake.values.tally import Tally

WORDS = [
    "the",
    "The",
    "a",
    "may",
    "May",
    "march",
    "mayor",
    "sun",
    "sunday",
    "first",
    "twenty",
    "two",
    "million",
    "about",
    "approx",
    "ca",
    "USD",
    "usd",
    "won",
    "Rs",
    "kr",
    "fr",
    "T",
    "t",
    "x",
    "XIV",
    "mix",
    "texas",
    "paris",
    "km",
    "goals",
    "st",
    "th",
    "of",
    "at",
    "no",
    "yes",
    "NA",
    "tba",
    "unknown",
    "null",
    "e",
    "E",
    "jan",
    "januar",
    "janvier",
    "enero",
    "mai",
    "JAN",
    "M",
    "K",
    "B",
    "s",
    "mon",
]
MARKS = [
    " ",
    "  ",
    "-",
    " - ",
    "/",
    ":",
    ".",
    ",",
    " , ",
    "+",
    "=",
    "(",
    ")",
    "%",
    "$",
    "€",
    "'",
    "\n",
    "é",
    "²",
    "*",
    "[1]",
    "½",
    "‰",
    "de",
]
TEXTS = st.lists(
    st.one_of(st.sampled_from(WORDS), st.sampled_from(MARKS), st.integers(0, 2300).map(str)), min_size=1, max_size=7
).map("".join)


@given(text=TEXTS)
@settings(max_examples=600, deadline=None)
def test_nothing_is_missed(text: str) -> None:
    if is_plain_text(text) or are_plain_texts([text]):
        assert missing(text) is None
        assert number_form(text) is None
        assert date_form(text) is None
        assert parse_roman(text) is None
    if is_score(text) or starts_with_calendar_word(text):
        assert number_form(text) is None
    if cannot_be_date(text):
        assert date_form(text) is None


@given(texts=st.lists(TEXTS, min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_many_texts_are_judged_as_each_is(texts: list[str]) -> None:
    assert mask_plain_texts(pl.Series(texts)).to_list() == [is_plain_text(text) for text in texts]


@given(texts=st.lists(TEXTS, min_size=1, max_size=20))
@settings(max_examples=200, deadline=None)
def test_forms_in_long_columns_of_texts_are_those_of_single_texts(texts: list[str]) -> None:
    text = Reading()
    forms = canonical_texts(pa.array(texts), [text], np.zeros(len(texts), np.uint32))
    assert forms.to_pylist() == [canonical_in_column(one, text) for one in texts]


def test_currency_words_before_an_amount_are_seen_in_long_columns_too() -> None:
    forms = canonical_texts(pa.array(["euro 8148", "baht 5"]), [Reading()], np.zeros(2, np.uint32))
    assert forms.to_pylist() == ["8148", "5"]


@pytest.mark.parametrize("text", ["² may", "²²²²", "1/²/2014", "①①①①", "٣ may ٢٠١٤"])
def test_digits_that_are_no_decimals_do_not_fail(text: str) -> None:
    for reading in (Reading(), Reading("number"), Reading("date", styles=("year", "compact"))):
        assert canonical_in_column(text, reading) is not None


@given(texts=st.lists(st.one_of(st.none(), TEXTS, st.integers(0, 10**9).map(str)), max_size=20), cut=st.integers(0, 20))
@settings(max_examples=150, deadline=None)
def test_texts_count_together_as_they_count_alone(texts: list[str | None], cut: int) -> None:
    alone, together = Tally(), Tally()
    for text in dict.fromkeys(texts):
        if text is not None:
            alone.add([text] * texts.count(text))
    together.add(texts)
    assert alone == together


@pytest.mark.parametrize(
    "texts", [["texas 3", "the who"], ["2 - 1", "10 - 0"], ["l 91 - 95 (ot)"], ["1999 games"], ["21 , 22"], ["7f04"]]
)
def test_names_and_scores_are_texts(texts: list[str]) -> None:
    assert ReadingBuilder("name").add(texts).finish().kind == "text"
