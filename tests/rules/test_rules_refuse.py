"""Tables that sound right and lack the fact are refused, and what is missing is named."""

from __future__ import annotations

import pytest

from tests.rules.conftest import CITIES, RACES, Ask


@pytest.mark.parametrize(
    ("question", "table", "missing"),
    [
        ("What is the population of Atlantis?", CITIES, "Atlantis"),
        ("What is the unemployment rate of Nova?", CITIES, "unemployment"),
        ("Who designed the town hall of Nova?", CITIES, "designed"),
        ("What is the population density of Nova?", CITIES, "density"),
        ("Who won the Winter Cup in 2021?", RACES, "Winter"),
        ("Who won the Spring Cup in 1975?", RACES, "1975"),
        ("How many spectators watched the Spring Cup in 2020?", RACES, "spectators"),
        ("What was the temperature in Mira?", CITIES, "temperature"),
        ("Which currency is used in the country of Nova?", CITIES, "currency"),
    ],
)
def test_what_is_not_there_is_refused(ask: Ask, question: str, table: str, missing: str) -> None:
    decision, _ = ask(question, table)
    assert not decision.sufficient
    assert decision.program is None
    assert any(missing in part.text for part in decision.missing), decision.missing


def test_file_names_count_only_when_not_blind(ask: Ask) -> None:
    seen, _ = ask("How many things have a population over 100000?", blind=False)
    assert seen.sufficient
    unseen, _ = ask("How many things have a population over 100000?", blind=True)
    assert unseen.program is None or "things" not in unseen.program.text


def test_a_claim_about_something_else_is_not_judged(ask: Ask) -> None:
    decision, _ = ask("Atlantis has a larger population than Nova.", CITIES, task="fact_verification")
    assert not decision.sufficient


def test_nothing_shown_is_insufficient() -> None:
    from tablehound.backbone import AnswerRequest
    from tablehound.backbone.rules import RulesBackbone
    from tablehound.settings import Settings

    decision = RulesBackbone(None, Settings()).answer(AnswerRequest("How many?", "tableqa", ()))  # type: ignore[arg-type]
    assert not decision.sufficient
