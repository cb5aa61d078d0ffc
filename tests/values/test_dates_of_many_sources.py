"""Dates as programs and other languages write them, and dates that could be something else."""

from __future__ import annotations

import datetime as dt

import pytest

from tablehound.lake import canonical_of_text, parse, read_column


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Mon Jan  6 10:20:30 2020", dt.datetime(2020, 1, 6, 10, 20, 30)),
        ("Mon Jan 06 10:20:30 +0100 2020", dt.datetime(2020, 1, 6, 9, 20, 30)),
        ("06/Jan/2020:10:20:30 +0000", dt.datetime(2020, 1, 6, 10, 20, 30)),
        ("2020-01-02 03:04:05 UTC", dt.datetime(2020, 1, 2, 3, 4, 5)),
        ("20200102T030405", dt.datetime(2020, 1, 2, 3, 4, 5)),
        ("20200102T030405.25Z", dt.datetime(2020, 1, 2, 3, 4, 5, 250_000)),
        ("05JAN2020", dt.date(2020, 1, 5)),
        ("5. Januar 2020", dt.date(2020, 1, 5)),
        ("Montag, 5. Januar 2020", dt.date(2020, 1, 5)),
        ("3. März 2020", dt.date(2020, 3, 3)),
        ("1er janvier 2020", dt.date(2020, 1, 1)),
        ("15 août 2020", dt.date(2020, 8, 15)),
        ("5 de enero de 2020", dt.date(2020, 1, 5)),
        ("10 de maio de 2019", dt.date(2019, 5, 10)),
        ("5 gennaio 2020", dt.date(2020, 1, 5)),
        ("3 mei 2020", dt.date(2020, 5, 3)),
    ],
)
def test_written_by_programs_and_in_other_languages(text: str, value: dt.date) -> None:
    reading = read_column([text, text])
    assert (reading.kind, parse(text, reading)) == ("date", value)
    assert canonical_of_text(text) == value.isoformat()


def test_words_that_are_no_months_make_no_dates() -> None:
    for text in ("5 men 2020", "12 sets 2014", "Model 5, 2020", "2014 out 12"):
        assert read_column([text]).kind == "text", text


def test_part_numbers_that_fit_as_dates_are_said() -> None:
    parts = ["11-22-33", "11-23-44", "10-22-33", "11-29-13"]
    assert read_column(parts, "part").ambiguous
    assert not read_column(parts, "birth date").ambiguous


def test_another_mark_may_mean_another_order() -> None:
    reading = read_column(["5/13/2020", "6/20/2020", "5.6.2020"])
    assert (reading.date_order, reading.ambiguous) == ("mdy", True)
    assert not read_column(["5/13/2020", "6/20/2020", "5/6/2020"]).ambiguous
