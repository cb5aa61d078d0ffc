"""Readings that would be wrong are refused or replaced: one small table for each kind."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Ask, values

SPANS = """Viaduct,Land,Opened,Length (ft)
Alder,Avalon,1961,328
Birch,Borealis,1968,500
Cedar,Avalon,1975,410
Doum,Cimmeria,1930,900
"""
TRADE = """Deal No,Area,Goods,Units,Unit cost,Sum ($)
501,East,Bolt,6,2.0,12
502,West,Nut,9,1.0,9
503,East,Nut,11,1.0,11
504,West,Gear,14,9.0,126
505,Mid,Bolt,3,2.0,6
"""
FETES = """Fete,Held on,Guests
Lantern,2019-05-04,1900
Kite,2017-08-01,2500
Harvest,2021-09-30,2030
"""
LANDS = """Thing,Capital,People,Tongue,Melts (°C),Boils over (°C)
Avalon,Lyra,900,Avalonian,,70
Borealis,Nova,1200,Boreal,10,80
Cimmeria,Quill,300,Cimmerian,20,90
"""
CREW = """crew_id,member,age,wage,walks,post
1,Ana,34,100,one,deck
2,Bo,42,200,two,deck
3,Cy,29,300,two,bridge
"""


def ages(first: str, second: str) -> str:
    return f"{first} is older than {second}."


@pytest.mark.parametrize(
    ("question", "table", "right"),
    [
        ("Which viaduct opened between 1960 and 1970?", SPANS, ["Alder", "Birch"]),
        ("What is the total sum per area?", TRADE, ["East", "23.0", "West", "135.0", "Mid", "6.0"]),
        ("How many deals per area?", TRADE, ["East", "2", "West", "2", "Mid", "1"]),
        ("Which area has the most units?", TRADE, ["West"]),
        ("How many deals had more than 5 and less than 10 units?", TRADE, ["2"]),
        ("How many areas are there?", TRADE, ["3"]),
        ("Which goods have the lowest average unit cost?", TRADE, ["Nut"]),
        ("Which fete was held first?", FETES, ["Kite"]),
        ("Which fete was held last?", FETES, ["Harvest"]),
        ("Which fetes took place before 2020?", FETES, ["Lantern", "Kite"]),
        ("What is the total number of walks?", CREW, ["5"]),
        ("What is the total number of walks of deck members?", CREW, ["3"]),
        ("What is the length of Alder in metres?", SPANS, ["99.9744"]),
        ("How many crew members have a wage over 150?", CREW, ["2"]),
    ],
)
def test_the_right_reading_is_taken(ask: Ask, question: str, table: str, right: list[str]) -> None:
    given = values(ask(question, table))
    assert [_plain(v) for v in given] == [_plain(v) for v in right]


def _plain(value: str) -> str:
    try:
        return f"{float(value):.6g}"
    except ValueError:
        return value


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("What is the melts of Avalon?", LANDS),
        ("What is the currency of Lyra?", LANDS),
        ("How many people of Lyra?", LANDS),
        ("Which member lived the longest?", CREW),
        ("What is the length of Alder in dollars?", SPANS),
        ("What is the length of Alder in kilograms?", SPANS),
        ("Which goods were not sold in the East?", TRADE),
        ("What is the average wage per planet?", CREW),
    ],
)
def test_no_other_column_is_taken_instead(ask: Ask, question: str, table: str) -> None:
    decision, _ = ask(question, table)
    assert not decision.sufficient, decision.program


@pytest.mark.parametrize(
    ("claim", "table", "verdict"),
    [
        ("Ana is older than Bo.", CREW, "False"),
        ("Bo is older than Ana.", CREW, "True"),
        ("East has more units than West.", TRADE, "False"),
        ("All crew members have a wage over 150.", CREW, "False"),
        ("Alder is heavier than Birch.", SPANS, None),
        ("Most viaducts are in Avalon.", SPANS, "False"),
        ("Alder is the longest viaduct.", SPANS, "False"),
        ("Alder exceeded its length.", SPANS, None),
        ("Alder and Birch are heavy.", SPANS, None),
        ("Alder is grander than Avalon.", SPANS, None),
    ],
)
def test_a_claim_is_tested_whole_or_not_at_all(ask: Ask, claim: str, table: str, verdict: str | None) -> None:
    given = values(ask(claim, table, task="fact_verification"))
    assert given == ([] if verdict is None else [verdict])


def test_a_bound_in_another_unit_is_converted_to_the_columns(ask: Ask) -> None:
    decision, _ = ask("How many viaducts are longer than 150 metres?", SPANS)
    assert values((decision, _)) == ["2"]
    assert any("took 150 as 492.126" in said for said in decision.assumptions)
    decision, _ = ask("How many viaducts are longer than 150 kilograms?", SPANS)
    assert not decision.sufficient


def test_a_converted_unit_is_said(ask: Ask) -> None:
    decision, _ = ask("What is the length of Birch in metres?", SPANS)
    assert decision.unit == "metres"
    assert any("converted from ft" in said for said in decision.assumptions)
    decision, _ = ask("What is the length of Birch?", SPANS)
    assert decision.unit == "ft"
