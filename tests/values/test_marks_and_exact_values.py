"""What programs and answers do with values that are marked, exact, or counted in unlike units."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tablehound.api import ask
from tablehound.lake import Lake, index_sources
from tablehound.program import Program, ProgramResult, View
from tablehound.settings import Settings

Make = Callable[[str], Lake]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """A lake of one CSV text."""
    opened: list[Lake] = []

    def lake_of(text: str) -> Lake:
        folder = tmp_path / str(len(opened))
        folder.mkdir()
        (folder / "things.csv").write_text(text, encoding="utf-8")
        index_sources([str(folder)], tmp_path / f"{len(opened)}.lake", Settings(workers=1))
        opened.append(Lake.open(tmp_path / f"{len(opened)}.lake"))
        return opened[-1]

    yield lake_of
    for lake in opened:
        lake.close()


def run(lake: Lake, sql: str) -> ProgramResult:
    from tablehound.execution import run_program

    return run_program(lake, Program(sql, {"T1": View(tuple(lake.table_ids()))}), Settings())


WARDS = "Ward,Visits,Beds\nAlder,120,7\nBirch,<5,9\nCedar,64,12\nDoum,1-9,8\nElm,*,11\n"


def test_a_sum_over_bounds_is_doubtful_and_says_of_which_cell(make: Make) -> None:
    lake = make(WARDS)
    result = run(lake, 'SELECT sum("Visits") FROM T1')
    assert result.doubts == (
        "T1.\"Visits\": some of its cells are bounds of a number, such as '<5'",
        "T1.\"Visits\": some of its numbers are hidden by '*'",
    )
    assert run(lake, """SELECT sum("Visits") FROM T1 WHERE "Ward" IN ('Alder', 'Cedar')""").doubts == ()
    assert run(lake, 'SELECT sum("Beds") FROM T1').doubts == ()


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("How many visits did Birch have?", ("<5",)),
        ("How many visits did Alder have?", ("120",)),
        ("How many wards had more than 20 visits?", ("2",)),
        ("Which ward had the most visits?", ("Alder",)),
        ("How many wards had more than 3 visits?", ()),
        ("Which ward had the fewest visits?", ()),
        ("What is the total number of visits?", ()),
    ],
)
def test_bounds_decide_or_leave_open(make: Make, question: str, values: tuple[str, ...]) -> None:
    answer = ask(question, make(WARDS))
    assert (answer.values if answer.answered and not answer.doubtful else ()) == values


def test_look_ups_print_the_cell(make: Make) -> None:
    lake = make("Account,Balance,Rate,Opens\nA,1234567890123456.78,3.10,9:05 AM\nB,2.50,3.1,10:15 PM\n")
    assert ask("What is the balance of A?", lake).values == ("1234567890123456.78",)
    assert ask("What is the rate of A?", lake).values == ("3.10",)
    assert ask("What is the rate of B?", lake).values == ("3.1",)
    assert run(lake, 'SELECT max("Opens") FROM T1').shown == (("10:15 PM",),)
    assert run(lake, 'SELECT sum("Opens") FROM T1').error is not None


def test_a_sum_that_overflows_is_rounded(make: Make) -> None:
    lake = make("n,x\na,99999999999999999999.123456789012345678\nb,99999999999999999998.123456789012345678\n")
    result = run(lake, 'SELECT sum("x" * 1000000000000) FROM T1')
    assert result.ok, result.error
    assert float(result.rows[0][0]) == pytest.approx(2e32)


def test_unlike_scales_are_not_compared(make: Make) -> None:
    lake = make("Firm,Revenue (EUR thousand),Cost EUR,Weight kg\nA,12,900,3\nB,15,99000,4\n")
    assert "multiply the latter by 0.001" in (
        run(lake, 'SELECT "Firm" FROM T1 WHERE "Revenue (EUR thousand)" > "Cost EUR"').error or ""
    )
    assert "cannot be added" in (run(lake, 'SELECT "Cost EUR" + "Weight kg" FROM T1').error or "")
    assert run(lake, 'SELECT "Revenue (EUR thousand)" * 1000 - "Cost EUR" FROM T1').ok


def test_a_product_of_a_percentage_without_the_hundred_is_noted(make: Make) -> None:
    lake = make("Firm,Revenue,Tax\nA,1200,19%\nB,1500,7%\n")
    assert any("0 to 100" in warning for warning in run(lake, 'SELECT "Revenue" * "Tax" FROM T1').warnings)
    assert run(lake, 'SELECT "Revenue" * "Tax" / 100 FROM T1').warnings == ()


def test_answers_name_unit_and_scale(make: Make) -> None:
    answer = ask("What is the revenue of A?", make("Firm,Revenue (EUR thousand)\nA,1234\nB,1500\n"))
    assert (answer.values, answer.unit, answer.scale) == (("1234",), "EUR", 1000)
    assert answer.counted_in == "thousand EUR"
    assert "1234 thousand EUR" in answer.sentence


def test_a_bare_number_that_only_fits_converted_is_not_decided(make: Make) -> None:
    lake = make("Town,People (thousands)\nAlder,4200\nBirch,950\nCedar,12500\n")
    assert ask("Which towns have more than 4 million people?", lake).values == ("Alder", "Cedar")
    assert ask("Which towns have more than 4000 people?", lake).values == ("Alder", "Cedar")
    assert not ask("Which towns have more than 4,000,000 people?", lake).answered
    answer = ask("Which towns have less than 4,000,000 people?", lake)
    assert not answer.answered
    assert any("4,000,000 or 4000" in part for part in answer.missing)


def test_numbers_inside_names_are_not_computed_with(make: Make) -> None:
    lake = make("Model,Type\nAgilent 1260,pump\nTecan 30,reader\nCFX96,cycler\n")
    assert not ask("What is the total model?", lake).answered
    assert not ask("What is the average model?", lake).answered
