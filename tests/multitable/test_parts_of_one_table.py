"""Files with the same columns are parts of one table: answers are over all of them, and say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tablehound import Answer, ask
from tablehound.lake import Lake, index_sources
from tablehound.settings import Settings

Ask = Callable[[dict[str, str], str], Answer]

MONTHS = {
    "apr": "shop,guests\nNorth End,10\nSouth End,20\n",
    "may": "shop,guests\nNorth End,15\nWest End,5\n",
    "jun": "shop,guests\nNorth End,40\nSouth End,30\n",
}
SHOWS = {
    "shows_spring": "show,date,tickets\nAlpha,2019-03-02,100\nBeta,2019-04-07,200\n",
    "shows_autumn": "show,tickets,date\nGamma,50,2019-10-01\nDelta,70,2020-11-11\n",
}
CENSUS = {
    "towns_old": "town,people\nLyra,10\nMira,20\nNova,30\n",
    "towns_new": "town,people\nLyra,12\nMira,26\nNova,35\n",
}


@pytest.fixture
def over(tmp_path: Path) -> Iterator[Ask]:
    lakes: list[Lake] = []

    def run(files: dict[str, str], question: str) -> Answer:
        source = tmp_path / "source"
        source.mkdir()
        for name, text in files.items():
            (source / f"{name}.csv").write_text(text, encoding="utf-8")
        index_sources([str(source)], tmp_path / "lake", Settings(workers=1))
        lakes.append(Lake.open(tmp_path / "lake"))
        return ask(question, lakes[-1], Settings())

    yield run
    for lake in lakes:
        lake.close()


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the total number of guests?", "120"),
        ("How many guests did North End have?", "65"),
        ("How many guests did North End have in June?", "40"),
        ("How many shops are there?", "3"),
    ],
)
def test_months_add_up_unless_one_is_named(over: Ask, question: str, value: str) -> None:
    answer = over(MONTHS, question)
    assert answer.values == (value,)
    assert ("June" in question) != any("may.csv" in said for said in answer.assumptions)


def test_conditions_hold_in_every_part(over: Ask) -> None:
    """The dates that a condition names are those of all parts, not of the one that was found first."""
    assert over(SHOWS, "How many shows took place in 2019?").values == ("3",)


def test_lists_of_the_same_things_do_not_add_up(over: Ask) -> None:
    answer = over(CENSUS, "What is the total number of people?")
    assert not answer.answered
    assert "towns_old.csv" in " ".join(answer.missing)
