"""Claims become programs that return one truth value."""

from __future__ import annotations

import pytest

from tests.rules.conftest import CITIES, RACES, Ask, values


@pytest.mark.parametrize(
    ("claim", "table", "truth"),
    [
        ("Quill has the largest population.", CITIES, "True"),
        ("Nova has the largest population.", CITIES, "False"),
        ("Nova has a larger population than Lyra.", CITIES, "True"),
        ("Puck has a larger population than Lyra.", CITIES, "False"),
        ("The population of Mira is 98000.", CITIES, "True"),
        ("The population of Mira is 99000.", CITIES, "False"),
        ("There are 2 cities in Avalon.", CITIES, "True"),
        ("There are 3 cities in Avalon.", CITIES, "False"),
        ("Ann Lee won the Spring Cup in 2020.", RACES, "True"),
        ("Bo Carr won the Spring Cup in 2020.", RACES, "False"),
        ("Ann Lee won 3 races.", RACES, "True"),
    ],
)
def test_claims(ask: Ask, claim: str, table: str, truth: str) -> None:
    answer = ask(claim, table, task="fact_verification")
    assert answer[0].sufficient, answer[0].missing
    assert values(answer) == [truth], answer[0].program
