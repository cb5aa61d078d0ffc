"""Question or claim."""

from __future__ import annotations

import pytest

from tablehound.language import decide_task


@pytest.mark.parametrize(
    "text",
    [
        "How many goals did Ann Lee score?",
        "In 2012, which player scored most?",
        "list the clubs founded before 1900",
        "Name the city with the most rain",
        "population of Oslo",
        "What's the capital of Peru",
        "total rain in Leeds and York",
        "Ann Lee's club?",
        "average height of buildings completed after 2010",
        "films directed by Ann Lee",
    ],
)
def test_questions(text: str) -> None:
    assert decide_task(text) == "tableqa"


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee scored 12 goals in 2012.",
        "diamond is harder than quartz",
        "there are 5 clubs in Leeds",
        "Rovers was founded before United",
        "Leeds opened its park in 1902",
        "The total length is 12 km",
        "no player scored more than Ann Lee has",
        "Is diamond harder than quartz?",
        "Did Ann Lee score 12 goals?",
    ],
)
def test_claims(text: str) -> None:
    assert decide_task(text) == "fact_verification"
