"""A number in an answer comes out of the tables, never out of the program's text."""

from __future__ import annotations

import pytest

from tablehound.execution.written_numbers import fault_of, own_numbers
from tablehound.program import Program, View
from tablehound.settings import Task
from tests.seek.scripted import GOALS, Bench, patterns, repaired, select, sql

VIEWS = {"T1": View(("a",)), "T2": View(("b",))}


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("SELECT goals FROM T1", "tableqa"),
        ("SELECT count(*) FROM t1", "tableqa"),
        ("SELECT sum(goals) / 1000000 FROM T1 WHERE year = 2012", "tableqa"),
        ("SELECT (SELECT max(goals) FROM T1) - (SELECT min(goals) FROM T2)", "tableqa"),
        ("WITH x AS (SELECT goals FROM T1) SELECT max(goals) FROM x", "tableqa"),
        ("SELECT * FROM T1", "tableqa"),
        ("SELECT goals FROM T1 UNION ALL SELECT goals FROM T2", "tableqa"),
        ("SELECT CASE WHEN goals > 3 THEN 'many' ELSE 'few' END FROM T1", "tableqa"),
        ("SELECT count(*) = 3 FROM T1", "fact_verification"),
        ("SELECT EXISTS (SELECT 1 FROM T1 WHERE goals = 3)", "fact_verification"),
        ("SELECT TRUE FROM T1 WHERE goals = 3", "fact_verification"),
        ("SELECT goals FROM", "tableqa"),
        ("SELECT sum(1) FROM T1 WHERE goals > 3", "tableqa"),
        ("SELECT sum(CASE WHEN goals > 3 THEN 1 ELSE 0 END) FROM T1", "tableqa"),
        ("WITH x AS (SELECT max(goals) AS v FROM T1) SELECT v * 1000 FROM x", "tableqa"),
        ("SELECT first_name || ' ' || last_name FROM T1", "tableqa"),
        ("SELECT round(100.0 * a / b, 1) || '%' FROM T1", "tableqa"),
        ("SELECT format('{:,.2f}', goals) FROM T1", "tableqa"),
        ("SELECT row_number() OVER (ORDER BY goals) FROM T1", "tableqa"),
    ],
)
def test_programs_that_rest_on_tables(text: str, task: Task) -> None:
    assert fault_of(Program(text, VIEWS), task) is None


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("SELECT 57.1", "tableqa"),
        ("SELECT 57.1 FROM T1", "tableqa"),
        ("SELECT 'Windhoek' FROM T1 WHERE country = 'Namibia'", "tableqa"),
        ("SELECT goals, 12 FROM T1", "tableqa"),
        ("SELECT x FROM (VALUES (1)) AS v(x)", "tableqa"),
        ("SELECT TRUE FROM T1", "fact_verification"),
        ("SELECT 1 = 1", "fact_verification"),
        ("SELECT max(999) FROM T1", "tableqa"),
        ("SELECT any_value('Nile') FROM T1", "tableqa"),
        ("SELECT 'x' || \"River\" FROM T1 LIMIT 1", "tableqa"),
        ("SELECT concat('about ', goals) FROM T1", "tableqa"),
        ("SELECT format('{} million', goals) FROM T1", "tableqa"),
        ("SELECT v FROM (SELECT 999 AS v FROM T1)", "tableqa"),
        ("SELECT r.v FROM (SELECT 999 FROM T1) AS r(v)", "tableqa"),
        ("WITH x AS (SELECT 999 AS v, goals FROM T1) SELECT x.v FROM x", "tableqa"),
        ("SELECT goals FROM T1 UNION ALL SELECT 5", "tableqa"),
        ("SELECT (SELECT 5) FROM T1", "tableqa"),
    ],
)
def test_programs_that_do_not(text: str, task: Task) -> None:
    assert fault_of(Program(text, VIEWS), task)


@pytest.mark.parametrize(
    ("text", "question", "numbers"),
    [
        ("SELECT a > 57.1 FROM T1", "the longest tunnel", ("57.1",)),
        ("SELECT a FROM T1 WHERE year = 2012 LIMIT 1", "In 2012?", ()),
        ("SELECT sum(a) / 1000000 FROM T1 WHERE n = 7", "seven, in millions?", ()),
        ("SELECT a FROM T1 WHERE b > 1014", "more than 1,014?", ()),
        ("SELECT a FROM T1 WHERE year BETWEEN 1990 AND 1999", "in the nineties?", ("1990", "1999")),
        ("SELECT FROM", "?", ()),
    ],
)
def test_numbers_that_the_question_does_not_have(text: str, question: str, numbers: tuple[str, ...]) -> None:
    assert own_numbers(Program(text, VIEWS), question) == numbers


def test_such_a_program_goes_back_for_repair(tmp_path_factory: pytest.TempPathFactory) -> None:
    bench = Bench(tmp_path_factory.mktemp("grounds"))
    script = [patterns("Cy Dunn", "goals"), select("T1"), sql("SELECT 13 FROM T1 LIMIT 1"), repaired(GOALS)]
    answer, backbone = bench.run(script)
    assert answer.values == ("12",)
    assert "not read from a table" in backbone.requests[-1].error
