"""How columns read: kinds, ambiguity, codes, missing values, units and scales."""

from __future__ import annotations

import datetime as dt

import pytest

from tablehound.lake import Reading, canonical_of_text, canonicals_of_text, parse, read_column
from tablehound.lake.values import ReadingBuilder


def values(texts: list[str], name: str = "") -> list[object]:
    reading = read_column(texts, name)
    return [parse(text, reading) for text in texts]


@pytest.mark.parametrize(
    ("name", "texts", "kind"),
    [
        ("code", ["007", "012"], "text"),
        ("zip", ["90210", "10001"], "text"),
        ("model", ["RS125", "RS250"], "text"),
        ("phone_id", ["1", "2"], "number"),
        ("ZipCode", ["90210", "10001"], "text"),
        ("phone", ["5551234567", "5559876543"], "text"),
        ("tel", ["+49 30 123456", "+1 555 123"], "text"),
        ("card", ["4111111111111111111", "4111111111111111112"], "text"),
        ("score", ["3-1", "2-2"], "text"),
        ("time", ["10:30", "11:45"], "time"),
        ("reading", ["1:30", "11:45"], "text"),
        ("lap", ["1:30", "2:45"], "number"),
        ("version", ["1.8", "1.10", "1.1"], "text"),
        ("part number", ["1E3", "1000", "32E0134"], "text"),
        ("ticket no", ["1001", "1002", "A-17", "1004"], "text"),
        ("born", ["43831", "43832"], "date"),
        ("country", ["NO", "NO"], "text"),
        ("season", ["2004-05", "2005-06"], "text"),
        ("version", ["1.2.3", "1.2.4"], "text"),
        ("address", ["192.168.1.1", "10.0.0.1"], "text"),
        ("size", ["M", "L", "XL"], "text"),
        ("record", ["30 - 14 - 1", "29 - 12 - 1", "9 - 1 - 0"], "text"),
        ("score", ["7.9 (51)", "18.13 (121)"], "text"),
        ("dates", ["apr 12 - 15", "jul 5 - 8"], "text"),
        ("track", ["T1", "T2", "T3"], "text"),
        ("day", ["sunday , september 7 , 2008", "monday , september 8 , 2008"], "date"),
        ("grade", ["C", "D", "C"], "text"),
        ("title", ["One", "2012", "Dangerous", "Bad", "Thriller"], "text"),
        ("name", ["50 Cent", "2 Pac", "Prince", "Madonna"], "text"),
        ("country", ["NA", "US", "DE"], "text"),
        ("years", ["1995", "1996"], "number"),
        ("place", ["1st", "2nd", "23rd"], "number"),
        ("chapter", ["I", "II", "III", "IV"], "number"),
        ("flag", ["0", "1", "0"], "number"),
        ("flag", ["T", "F"], "boolean"),
        ("flag", ["yes", "No", "YES", ""], "boolean"),
        ("flag", ["true", "0", "one", "zero", "no"], "boolean"),
        ("active", ["2005-", "1999-"], "text"),
        ("letter", ["n"], "text"),
        ("month", ["2004-07", "2005-12"], "date"),
        ("empty", ["", "  "], "empty"),
        ("", ["n/a", "-"], "text"),
    ],
)
def test_kinds(name: str, texts: list[str], kind: str) -> None:
    assert read_column(texts, name).kind == kind


def test_blank_null_and_literal_na_are_three_things() -> None:
    codes = read_column(["NA", "US", "", "\\N"])
    assert parse("NA", codes) == "NA"
    assert parse("", codes) is None
    assert parse("\\N", codes) is None
    assert (codes.blanks, codes.nulls) == (1, 1)
    numbers = read_column(["NA", "1", "2", ""])
    assert parse("NA", numbers) is None
    assert (numbers.kind, numbers.blanks, numbers.nulls, numbers.exceptions) == ("number", 1, 1, 0)


def test_exceptions_are_counted_and_keep_their_text() -> None:
    reading = read_column(["1", "2", "3", "4", "dnf", "dnf"])
    assert (reading.kind, reading.exceptions, reading.confidence) == ("number", 2, 0.8)
    assert parse("dnf", reading) == "dnf"


def test_day_and_month_that_both_fit_are_marked() -> None:
    reading = read_column(["01/02/2014", "03/04/2014"])
    assert reading.kind == "date"
    assert reading.ambiguous
    assert "dmy" in reading.note
    assert "mdy" in reading.note
    assert not read_column(["01/02/2014", "13/04/2014"]).ambiguous


def test_points_that_fit_both_ways_are_marked() -> None:
    assert read_column(["1.234", "5.678"]).ambiguous
    reading = read_column(["1.234", "5.678", "0.5"])
    assert (reading.decimal, reading.ambiguous) == (".", False)
    assert values(["2.012", "3.102", "20"]) == [2.012, 3.102, 20]
    assert values(["1.234.567", "1.234", "12"]) == [1_234_567, 1234, 12]


def test_indian_grouping() -> None:
    assert values(["12,34,567", "1,000", "99"]) == [1_234_567, 1000, 99]


@pytest.mark.parametrize(
    ("name", "text", "scale", "unit"),
    [
        ("price_div10", "4.5", 1, None),
        ("age_sub10", "4.5", 1, None),
        ("deaths_per_million", "4.5", 1, None),
        ("win_pct", "45", 1, "%"),
        ("win_pct", "0.45", 1, None),
        ("Revenue ($ millions)", "12.3", 1e6, "USD"),
        ("Population (thousands)", "1,234.5", 1e3, None),
        ("Sales in 000s", "7", 1e3, None),
        ("Turnover (€m)", "3", 1e6, "EUR"),
        ("Area (km²)", "12.5", 1, "km²"),
        ("growth %", "4", 1, "%"),
        ("Share_in_percent", "4.9", 1, "%"),
        ("Height (m)", "1.85", 1, "m"),
    ],
)
def test_a_name_gives_scale_and_unit_and_changes_no_value(name: str, text: str, scale: float, unit: str | None) -> None:
    reading = read_column([text, "0.5"], name)
    assert parse(text, reading) == float(text.replace(",", ""))
    assert (reading.scale, reading.unit) == (scale, unit)


@pytest.mark.parametrize(
    ("texts", "expected", "unit"),
    [
        (["45%", "12.5 %"], [45, 12.5], "%"),
        (["0.45", "12%", "5 %"], ["0.45", 12, 5], "%"),
        (["500.00 CR", "450.00 DR"], [500, -450], None),
        (["490 BC", "AD 79", "1066"], [-490, 79, 1066], None),
        (["4522.3 b", "5820 p", "5421.5", ":"], [4522.3, 5820, 5421.5, None], None),
        (["1h 30m", "45m", "2h 05m"], [90, 45, 125], "min"),
        (["12 km", "800 m", "3 km"], [12, 0.8, 3], "km"),
        (["$5", "$1.2 million", "$3bn"], [5, 1_200_000, 3_000_000_000], "USD"),
        (["5 000 EUR", "12 EUR"], [5000, 12], "EUR"),
        (["12 goals", "1 goal", "3 goals"], [12, 1, 3], "goal"),
        (["1", "T2", "T2", "4", "5="], [1, 2, 2, 4, 5], None),
        (["1993[citation needed]", "1994", "n / a"], [1993, 1994, None], None),
        (["100-", "5"], [-100, 5], None),
        (["435 (2003)", "12 (2004)"], [435, 12], None),
        (["(5)", "7", "-3"], [-5, 7, -3], None),
        (["10k", "2 million", "5"], [10_000, 2_000_000, 5], None),
    ],
)
def test_units_in_cells(texts: list[str], expected: list[float | None], unit: str | None) -> None:
    reading = read_column(texts)
    assert [parse(text, reading) for text in texts] == expected
    assert reading.unit == unit


def test_several_currencies_are_not_numbers_to_add() -> None:
    assert read_column(["$5", "€6", "£7"]).kind == "text"


def test_bare_years_among_dates() -> None:
    reading = read_column(["2014-06-10", "2015-01-02", "1 May 2001", "1999"])
    assert parse("1999", reading) == dt.date(1999, 1, 1)
    assert "first of January" in reading.note


def test_two_digit_years() -> None:
    reading = read_column(["13/06/85", "14/06/05", "15/07/99"])
    assert parse("13/06/85", reading) == dt.date(1985, 6, 13)
    assert parse("14/06/05", reading) == dt.date(2005, 6, 14)


def test_zones_become_universal_time() -> None:
    assert values(["2014-06-10T13:45:00+02:00"]) == [dt.datetime(2014, 6, 10, 11, 45)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,014", "1014"),
        ("one thousand and fourteen", "1014"),
        ("$1,014.50", "1014.5"),
        ("10 June 2014", "2014-06-10"),
        ("yes", "true"),
        ("12 km", "12"),
        ("45%", "45"),
        ("007", None),
        ("50 Cent", None),
        ("Paris", None),
        ("XVI", None),
        ("", None),
        ("NA", None),
    ],
)
def test_texts_without_a_column(text: str, expected: str | None) -> None:
    assert canonical_of_text(text) == expected


def test_all_that_a_text_can_mean() -> None:
    assert set(canonicals_of_text("1.234")) == {"1.234", "1234"}
    assert set(canonicals_of_text("03/04/2014")) == {"2014-03-04", "2014-04-03"}


def test_builder_takes_batches() -> None:
    builder = ReadingBuilder("n")
    for batch in (["1", "2"], [None, ""], ["3,5"]):
        builder.add(batch)
    assert builder.finish().decimal == ","


def test_an_unread_column_gives_its_text() -> None:
    assert parse(" Paris ", Reading()) == "Paris"
