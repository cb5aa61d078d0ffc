"""What a program sees, and what comes back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from tablehound.execution import run_program
from tablehound.program import Program, ProgramResult, View
from tablehound.settings import Settings

Run = Callable[..., ProgramResult]


def test_columns_are_typed_by_their_reading(run: Run) -> None:
    result = run("SELECT City, Population, Founded, capital FROM T1 WHERE City = 'Rome'")
    assert result.rows == (("Rome", 2_873_000, dt.date(753, 4, 21), True),)
    assert result.columns == ("City", "Population", "Founded", "capital")


def test_select_star_shows_the_lakes_columns_only(run: Run) -> None:
    assert run("SELECT * FROM T2").columns == ("id", "Country", "Area")


def test_helper_columns_exist_when_named(run: Run) -> None:
    result = run('SELECT _row, _table, "Area (raw)" FROM T2 ORDER BY _row')
    assert result.rows == ((0, "countries", "10"), (1, "countries", "20.5"), (2, "countries", "x"))


def test_rollup_rows_are_left_out_and_said(run: Run) -> None:
    result = run("SELECT sum(Population) FROM T1")
    assert result.rows == ((6_373_000,),)
    assert any("roll-up" in warning for warning in result.warnings)
    assert run("SELECT Population FROM T1 WHERE _rollup").rows == ((6_373_000,),)


def test_cells_that_do_not_read_are_null_and_counted(run: Run) -> None:
    result = run("SELECT sum(place), count(place), count(*) FROM race")
    assert result.rows == ((10, 4, 5),)
    assert '1 cells of Race."place" are no number and count as NULL' in result.warnings
    assert run('SELECT "place (raw)" FROM race WHERE place IS NULL').rows == (("ret",),)


def test_union_clusters_are_stacked_by_alignment(run: Run) -> None:
    result = run("SELECT Team, Wins, Note, _table FROM T3 ORDER BY Wins")
    assert result.rows == (
        ("C", 1, None, "y2020"),
        ("A", 3, "p", "y2019"),
        ("B", 5, "q", "y2019"),
        ("A", 7.5, None, "y2020"),
    )


def test_rows_over_the_limit_are_cut_and_marked(run: Run) -> None:
    result = run("SELECT a FROM range(100) t(a)", max_result_rows=10)
    assert len(result.rows) == 10
    assert result.truncated
    assert any("cut off" in warning for warning in result.warnings)
    assert not run("SELECT a FROM range(10) t(a)", max_result_rows=10).truncated


def test_order_survives_the_row_limit(run: Run) -> None:
    result = run("SELECT a FROM range(100000) t(a) ORDER BY a DESC", max_result_rows=3)
    assert result.rows == ((99_999,), (99_998,), (99_997,))


def test_an_empty_result_is_no_error(run: Run) -> None:
    result = run("SELECT City FROM T1 WHERE Population > 9e9")
    assert result.ok
    assert result.rows == ()
    assert any("empty" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT Citty FROM T1", ['"Citty"', 'T1."City"']),
        ("SELECT T1.populaton FROM T1", ["populaton", 'T1."Population"']),
        ("SELECT * FROM Cities", ["Cities", "Empty, Race, T1, T2, T3"]),
        ("SELECT sum(City) FROM T1", ["VARCHAR", "TRY_CAST"]),
        ("SELECT City FROM T1 WHERE Population = 'many'", ["many", "BIGINT"]),
        ("SELECT FROM WHERE", ["syntax"]),
        ("", ["empty"]),
    ],
)
def test_errors_say_what_to_repair(run: Run, text: str, said: list[str]) -> None:
    result = run(text)
    assert not result.ok
    for words in said:
        assert words in str(result.error)
    assert "__T1" not in str(result.error)


def test_other_languages_are_refused(lake: Any) -> None:
    result = run_program(lake, Program("print(1)", {}, language="python"), Settings())
    assert "SQL" in str(result.error)


def test_a_column_without_values_compares_with_anything(run: Run) -> None:
    assert run("SELECT count(*) FROM Empty WHERE a > 5 OR a = 'x' OR b IS NOT NULL").rows == ((0,),)


def test_names_that_are_no_identifiers(lake: Any) -> None:
    program = Program('SELECT count(*) FROM "big table"', {"big table": View(("cities",))})
    assert run_program(lake, program, Settings()).rows == ((4,),)


def test_a_view_of_many_files_counts_as_one_table(
    make_lake: Callable[[dict[str, dict[str, list[str | None]]]], Any],
) -> None:
    lake = make_lake({f"m{n:03}": {"Month": [str(n)], "Sales": ["10"]} for n in range(243)})
    view = View(tuple(f"m{n:03}" for n in range(243)))
    result = run_program(lake, Program("SELECT count(DISTINCT _table), sum(Sales) FROM T1", {"T1": view}), Settings())
    assert result.rows == ((243, 2430),)
    union = " UNION ALL ".join(f"SELECT Sales FROM a{n}" for n in range(243))
    each = {f"a{n}": View((f"m{n:03}",)) for n in range(243)}
    refused = run_program(lake, Program(union, each), Settings())
    assert refused.error is not None and "name that view once" in refused.error


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("DATE 'infinity'", "infinity"),
        ("DATE '290000-01-01'", "290000-01-01"),
        ("DATE '0044-03-15 (BC)'", "0044-03-15 (BC)"),
        ("TIMESTAMP '-infinity'", "-infinity"),
        ("TIMESTAMP '0044-03-15 (BC) 10:00:00'", "0044-03-15 (BC) 10:00:00"),
        ("340282366920938463463374607431768211455::UHUGEINT", 2**128 - 1),
        ("TIME '24:00:00'", "24:00:00"),
        ("TIME '10:00:00'", dt.time(10)),
        ("TIMETZ '10:00:00+02'", "10:00:00+02"),
        ("'\\xAA\\x00'::BLOB", "\\xAA\\x00"),
        ("'1010'::BIT", "1010"),
        ("INTERVAL 3 MONTH", "3 months"),
        ("TIMESTAMP_NS '2020-01-01 00:00:00.123456789'", "2020-01-01 00:00:00.123456789"),
        ("[DATE 'infinity']", "[infinity]"),
        ("NULL::UHUGEINT", None),
    ],
    ids=str,
)
def test_values_that_python_cannot_hold_are_the_engines_texts(run: Run, expression: str, value: Any) -> None:
    result = run(f'SELECT {expression} AS "a b", City FROM T1 ORDER BY City LIMIT 1')
    assert result.error is None
    assert result.rows == ((value, "Milan"),)
    assert result.columns == ("a b", "City")
