"""What a result says, how an answer is worded, and answerability by execution."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from tablehound.program import CellRef, ProgramResult
from tablehound.steps import Judgement, judge
from tablehound.steps.answering import word_sentence
from tests.seek.scripted import PAPER, Bench, patterns, select_file, sql

EVIDENCE = (CellRef("t", 0, 0, "x"),)


def result(*rows: tuple[Any, ...], evidence: tuple[CellRef, ...] = EVIDENCE) -> ProgramResult:
    return ProgramResult(rows=rows, evidence=evidence)


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        ([(12,)], ("12",)),
        ([(12.0,)], ("12",)),
        ([(0.1 + 0.2,)], ("0.3",)),
        ([(Decimal("1.50"),)], ("1.5",)),
        ([(dt.date(2014, 6, 10),)], ("2014-06-10",)),
        ([("007",)], ("007",)),
        ([("a",), (None,), ("b",)], ("a", "b")),
        ([("a", 1)], ("a", "1")),
        ([(True,)], ("true",)),
    ],
)
def test_values(rows: list[tuple[Any, ...]], values: tuple[str, ...]) -> None:
    assert judge(result(*rows), "tableqa") == Judgement("strong", values)


@pytest.mark.parametrize("rows", [[], [(None,)], [("",)], [(float("nan"),)], [(None, None), ("  ", None)]])
def test_empty_results_answer_nothing(rows: list[tuple[Any, ...]]) -> None:
    assert judge(result(*rows), "tableqa").strength == "none"


def test_an_error_answers_nothing() -> None:
    assert judge(ProgramResult(error="no such column"), "tableqa").strength == "none"


def test_a_count_of_nothing_is_weak() -> None:
    assert judge(result((0,), evidence=()), "tableqa").strength == "weak"
    assert judge(result((0,)), "tableqa").strength == "strong"


@pytest.mark.parametrize(
    ("cell", "verdict"), [(True, "supported"), (False, "refuted"), (1, "supported"), ("No", "refuted")]
)
def test_verdicts(cell: Any, verdict: str) -> None:
    assert judge(result((cell,)), "fact_verification").verdict == verdict


def test_rows_that_agree_are_one_verdict() -> None:
    assert judge(result((True,), (True,)), "fact_verification").verdict == "supported"


@pytest.mark.parametrize("rows", [[("maybe",)], [(True,), (False,)], [(None,)], [(17,)]])
def test_results_that_are_no_verdict(rows: list[tuple[Any, ...]]) -> None:
    assert judge(result(*rows), "fact_verification").strength == "none"


@pytest.mark.parametrize(
    ("offered", "sentence"),
    [
        ("", "12 goals."),
        ("Ann Lee scored {answer} in 2012.", "Ann Lee scored 12 goals in 2012."),
        ("Ann Lee scored 12 goals.", "Ann Lee scored 12 goals."),
        ("Ann Lee scored 13 goals.", "12 goals."),
        ("She scored 12 goals in 30 games.", "12 goals."),
    ],
)
def test_a_sentence_may_hold_no_number_of_its_own(offered: str, sentence: str) -> None:
    assert word_sentence("goals of Ann Lee in 2012?", Judgement("strong", ("12",)), "goals", offered) == sentence


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("judging"))


COUNT = "SELECT count(*) FROM T1 WHERE goals > 8"
CHECKED = PAPER.with_values(**{"seek.check_by_execution": True})


def test_a_table_whose_rows_satisfy_the_conditions_beats_one_that_only_sounds_right(bench: Bench) -> None:
    nothing = sql("SELECT count(*) FROM T1 WHERE goals > 100")
    script = [patterns("goals"), select_file("goals_2013"), nothing, sql(COUNT)]
    answer, _ = bench.run(script, settings=CHECKED, seek__max_steps=4)
    assert answer.values == ("1",)
    assert bench.names(answer.tried) == ["goals_2013", "goals_2012"]


def test_the_check_can_be_switched_off(bench: Bench) -> None:
    nothing = sql("SELECT count(*) FROM T1 WHERE goals > 100")
    answer, _ = bench.run([patterns("goals"), select_file("goals_2013"), nothing])
    assert answer.values == ("0",)


def test_a_weak_answer_stands_when_nothing_beats_it_and_says_so(bench: Bench) -> None:
    nothing = sql("SELECT count(*) FROM T1 WHERE goals > 100")
    answer, _ = bench.run(
        [patterns("goals"), select_file("goals_2013"), nothing, nothing], settings=CHECKED, seek__max_steps=4
    )
    assert answer.values == ("0",)
    assert "no row satisfies the conditions" in answer.assumptions
    assert bench.names(answer.tried)[-1] == "goals_2013"
