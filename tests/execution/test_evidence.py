"""The cells that a result rests on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablehound.program import ProgramResult

Run = Callable[..., ProgramResult]


def cells(result: ProgramResult) -> set[tuple[str, str]]:
    assert result.ok, result.error
    return {(cell.table_id, cell.text) for cell in result.evidence}


def test_rows_and_columns_used(run: Run) -> None:
    result = run("SELECT City FROM T1 WHERE Population > 2500000")
    assert cells(result) == {("cities", "Rome"), ("cities", "2,873,000")}
    assert {(cell.row, cell.column) for cell in result.evidence} == {(1, 0), (1, 1)}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT City FROM T1 ORDER BY Population DESC NULLS LAST LIMIT 1",
        "SELECT City FROM T1 WHERE Population = (SELECT max(Population) FROM T1)",
        "SELECT arg_max(City, Population) FROM T1",
        "WITH m AS (SELECT max(Population) AS p FROM T1) SELECT City FROM T1 JOIN m ON Population = m.p",
    ],
)
def test_the_extreme_row_only(run: Run, text: str) -> None:
    assert cells(run(text)) == {("cities", "Rome"), ("cities", "2,873,000")}


def test_maximum_alone(run: Run) -> None:
    assert cells(run("SELECT max(Population) FROM T1")) == {("cities", "2,873,000")}


def test_groups_that_are_returned(run: Run) -> None:
    result = run('SELECT "country id", count(*) AS n FROM T1 GROUP BY "country id" HAVING count(*) > 1')
    assert {cell.row for cell in result.evidence} == {1, 3}
    result = run('SELECT "country id" AS c, sum(Population) FROM T1 GROUP BY c ORDER BY 2 DESC LIMIT 1')
    assert {cell.row for cell in result.evidence} == {1, 3}


def test_join_names_cells_of_both_sides(run: Run) -> None:
    result = run("SELECT T1.City FROM T1 JOIN T2 ON T1.\"country id\" = T2.id WHERE T2.Country = 'France'")
    assert cells(result) == {("cities", "Paris"), ("cities", "1"), ("countries", "1"), ("countries", "France")}


def test_set_operations_and_common_tables(run: Run) -> None:
    result = run("SELECT City FROM T1 WHERE City LIKE 'P%' UNION SELECT Country FROM T2 WHERE id = 4")
    assert cells(result) == {("cities", "Paris"), ("countries", "Spain"), ("countries", "4")}
    result = run("WITH big AS (SELECT City FROM T1 WHERE Population > 2500000) SELECT count(*) FROM big")
    assert ("cities", "Rome") in cells(result)


def test_union_views_name_the_part(run: Run) -> None:
    result = run("SELECT Team FROM T3 WHERE Wins > 6")
    assert {(c.table_id, c.row, c.column, c.text) for c in result.evidence} == {
        ("y2020", 0, 1, "A"),
        ("y2020", 0, 0, "7.5"),
    }


def test_too_much_evidence_is_marked(run: Run) -> None:
    result = run("SELECT avg(Population) FROM T1", max_evidence_cells=2)
    assert len(result.evidence) == 2
    assert result.evidence_truncated
    assert not run("SELECT avg(Population) FROM T1").evidence_truncated


def test_join_reports(run: Run) -> None:
    (report,) = run('SELECT count(*) FROM T1 JOIN T2 ON T1."country id" = T2.id').joins
    assert (report.left, report.right) == ('T1."country id"', 'T2."id"')
    assert (report.left_rows, report.right_rows) == (4, 3)
    assert (report.left_matched, report.right_matched, report.result_rows) == (3, 2, 3)
    (report,) = run('SELECT count(*) FROM T1, T2 WHERE T1."country id" = T2.id').joins
    assert report.result_rows == 3


def test_a_join_that_matches_nothing_is_said(run: Run) -> None:
    result = run("SELECT count(*) FROM T1 JOIN T2 ON T1.City = T2.Country")
    assert any("matches no row" in warning for warning in result.warnings)
