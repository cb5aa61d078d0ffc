"""What is asked, before any table is looked at."""

from __future__ import annotations

import pytest

from tablehound.language import analyse
from tablehound.language.literals import date_parts, literals
from tablehound.language.words import identifier_words, stem, tokens


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("How many cities are in Avalon?", "count"),
        ("What is the number of cities?", "count"),
        ("What is the total population?", "sum"),
        ("What is the average age of the players?", "avg"),
        ("How many more goals did Ann score than Bo?", "diff"),
        ("How much taller is A than B?", "diff"),
        ("What is the difference between A and B?", "diff"),
        ("What percentage of cities are in Avalon?", "share"),
        ("Is Nova in Avalon?", "yesno"),
        ("Which city is the largest?", "lookup"),
        ("Which city has the least number of people?", "lookup"),
        ("Which river has the largest mean discharge?", "lookup"),
        ("Who won in 2012?", "lookup"),
    ],
)
def test_intent(question: str, intent: str) -> None:
    assert analyse(question, "tableqa").intent == intent


@pytest.mark.parametrize(
    ("question", "op", "low", "high"),
    [
        ("with more than 3 goals", ">", 3.0, None),
        ("with at least 3 goals", ">=", 3.0, None),
        ("with 3 or more goals", ">=", 3.0, None),
        ("with fewer than 3 goals", "<", None, 3.0),
        ("with at most three goals", "<=", None, 3.0),
        ("between 3 and 5 goals", "between", 3.0, 5.0),
        ("after 1990", ">", 1990.0, None),
        ("before 1990", "<", None, 1990.0),
        ("since 1990", ">=", 1990.0, None),
        ("from 1990 to 2000", "between", 1990.0, 2000.0),
        ("over 1.5 million people", ">", 1_500_000.0, None),
    ],
)
def test_comparisons(question: str, op: str, low: float | None, high: float | None) -> None:
    (found,) = analyse(f"How many players {question}?", "tableqa").comparisons
    assert found.op == op
    assert (found.low.number if found.low else None) == low
    assert (found.high.number if found.high else None) == high


@pytest.mark.parametrize(
    ("question", "high", "nth", "take"),
    [
        ("Which is the largest city?", True, 1, 0),
        ("Which is the smallest city?", False, 1, 0),
        ("Which is the second largest city?", True, 2, 0),
        ("Which is the 3rd highest peak?", True, 3, 0),
        ("Name the top 5 players.", True, 1, 5),
    ],
)
def test_superlatives(question: str, high: bool, nth: int, take: int) -> None:
    (found,) = analyse(question, "tableqa").superlatives
    assert (found.high, found.nth, found.take) == (high, nth, take)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on March 3, 2012", (2012, 3, 3)),
        ("on 3rd of March 2012", (2012, 3, 3)),
        ("in may 2010", (2010, 5, None)),
        ("on 2012-03-04", (2012, 3, 4)),
        ("in 1999", (1999, None, None)),
    ],
)
def test_dates(text: str, expected: tuple[int | None, ...]) -> None:
    (found,) = literals(tokens(text))
    assert found.date == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("twenty-three", 23.0),
        ("fourteen thousand, six hundred and seventy-six", 14_676.0),
        ("2 million", 2e6),
        ("1,014", 1014.0),
        ("one thousand and fourteen", 1014.0),
    ],
)
def test_numbers(text: str, number: float) -> None:
    assert [found.number for found in literals(tokens(text))] == [number]


def test_a_month_name_alone_may_be_a_verb() -> None:
    assert literals(tokens("it may rain")) == []


def test_parts_of_a_date() -> None:
    assert date_parts("7 jun 1998 (final)") == (1998, 6, 7)
    assert date_parts("13/05/2001") == (2001, 5, 13)
    assert date_parts("nothing") is None


def test_words_of_identifiers() -> None:
    assert identifier_words("avgTempC2020") == ("avg", "temp", "c", "2020")
    assert identifier_words("date_of-birth (UTC)") == ("date", "of", "birth", "utc")


def test_stems_join_forms_of_a_word() -> None:
    assert stem("cities") == stem("city")
    assert stem("won") == stem("wins") == stem("winner")
    assert stem("born") == stem("birth")
