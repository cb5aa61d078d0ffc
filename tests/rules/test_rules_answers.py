"""Questions of every kind over one table: the program that the rules write gives the right cells."""

from __future__ import annotations

import pytest

from tests.rules.conftest import CITIES, RACES, Ask, values

LOOKUPS = [
    ("What is the population of Nova?", CITIES, ["250000"]),
    ("How many people live in Puck?", CITIES, ["75000"]),
    ("Who is the mayor of Quill?", CITIES, ["Flo Orr"]),
    ("When was Orion founded?", CITIES, ["1901"]),
    ("Which cities are in Avalon?", CITIES, ["Lyra", "Mira"]),
    ("Which country is Puck in?", CITIES, ["Cimmeria"]),
    ("Who won the Spring Cup in 2021?", RACES, ["Di Ray"]),
    ("Which team did Cy Dunn race for?", RACES, ["Blue"]),
]
SUPERLATIVES = [
    ("Which city has the largest population?", CITIES, ["Quill"]),
    ("Which city has the smallest area?", CITIES, ["Orion"]),
    ("Which city has the second largest population?", CITIES, ["Nova"]),
    ("What is the oldest city?", CITIES, ["Lyra"]),
    ("Which city in Avalon has the smallest population?", CITIES, ["Mira"]),
    ("Who had the fastest time?", RACES, ["Ann Lee"]),
    ("Which winner has the most prize money?", RACES, ["Ann Lee"]),
]
AGGREGATES = [
    ("How many cities are in Borealis?", CITIES, ["2"]),
    ("How many cities have a population over 100,000?", CITIES, ["3"]),
    ("How many cities were founded before 1500?", CITIES, ["3"]),
    ("How many cities have a population between 70,000 and 130,000?", CITIES, ["3"]),
    ("How many cities have a population of at least 98000?", CITIES, ["4"]),
    ("What is the total population of the cities in Cimmeria?", CITIES, ["385000"]),
    ("What is the average population of the cities in Avalon?", CITIES, ["109000.0"]),
    ("How many races did Ann Lee win?", RACES, ["3"]),
    ("How many different teams are there?", RACES, ["3"]),
]
COMPARED = [
    ("How many more people live in Nova than in Lyra?", CITIES, ["130000"]),
    ("Which city has a larger population, Mira or Puck?", CITIES, ["Mira"]),
    ("What is the difference in population between Quill and Nova?", CITIES, ["60000"]),
    ("Which team has the most wins?", RACES, ["Red"]),
]


@pytest.mark.parametrize(("question", "table", "expected"), LOOKUPS + SUPERLATIVES + AGGREGATES + COMPARED)
def test_answers(ask: Ask, question: str, table: str, expected: list[str]) -> None:
    answer = ask(question, table)
    assert answer[0].sufficient, answer[0].missing
    assert sorted(values(answer)) == sorted(expected), answer[0].program


@pytest.mark.parametrize(
    ("header", "question"),
    [
        ("cityName,popTotal", "What is the population of Nova?"),
        ("city_name,pop", "What is the population of Nova?"),
        ("CITY,POPULATION (2020)", "What is the population of Nova?"),
        ("city,dob", "What is the date of birth of Nova?"),
        ("city,qty", "What is the quantity of Nova?"),
        ("city,avgTempC", "What is the average temperature of Nova?"),
    ],
)
def test_columns_are_known_in_any_writing(ask: Ask, header: str, question: str) -> None:
    assert values(ask(question, f"{header}\nLyra,17\nNova,25\nPuck,31\n")) in (["25"], ["25.0"])


@pytest.mark.parametrize("number", ["1014", "1,014", "one thousand and fourteen"])
def test_numbers_are_known_by_value(ask: Ask, number: str) -> None:
    table = 'town,inhabitants\nLyra,"1,014"\nNova,"2,500"\nPuck,"3,100"\n'
    assert values(ask(f"Which town has {number} inhabitants?", table)) == ["Lyra"]


def test_assumptions_are_said(ask: Ask) -> None:
    decision, _ = ask("What is the size of Nova?")
    assert decision.sufficient
    assert decision.assumptions == ("took 'size' as column 'area_km2'",)


def test_the_same_question_gives_the_same_program(ask: Ask) -> None:
    first, second = (ask("Which city has the largest population?")[0].program for _ in range(2))
    assert first == second


def test_names_with_quotes_are_quoted(ask: Ask) -> None:
    table = 'the "best" name,it\'s size\nO\'Neil "X",12\nLee,15\nRay,18\n'
    decision, _ = ask("What is the size of Lee?", table)
    assert decision.program is not None


def test_rows_that_add_up_others_are_left_out(ask: Ask) -> None:
    decision, _ = ask("What is the total population?")
    assert decision.program is not None
    assert "NOT T1._rollup" in decision.program.text
