"""Groups of rows: what heads them is a roll-up where it adds them up, and a label where it names them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tablehound.lake.read.rollups import rollup_rows
from tests.read_documents.document_tables import read_book

Rows = list[list[Any]]
PIVOT: Rows = [["North", 3], ["a", 1], ["b", 2], ["South", 7], ["c", 3], ["d", 4], ["Grand Total", 10]]


@pytest.mark.parametrize(
    ("rows", "rollups"),
    [
        (PIVOT, (0, 3, 6)),
        ([[f"  {label}" if len(label) == 1 else label, number] for label, number in PIVOT], (0, 3, 6)),
        (
            [["W", 10], *PIVOT[:-1], ["E", 5], ["N2", 5], ["x", 2], ["y", 3], ["Grand Total", 15]],
            (0, 1, 4, 7, 8, 11),
        ),
        ([["a", 5], ["b", 5], ["Total", 5]], ()),
        ([["a", 5], ["b", 6], ["Total", 13]], ()),
    ],
)
def test_grand_total_of_a_pivot_table_and_its_groups_are_roll_ups(
    tmp_path: Path, rows: Rows, rollups: tuple[int, ...]
) -> None:
    (table,) = read_book(tmp_path, [["Row Labels", "Sum"], *rows])
    assert table.rollups == rollups


def test_groups_of_a_pivot_table_in_several_columns(tmp_path: Path) -> None:
    rows = [["Row Labels", "Jan", "Feb"], *([label, number, 2.5 * number] for label, number in PIVOT)]
    (table,) = read_book(tmp_path, rows)
    assert table.rollups == (0, 3, 6)


def test_many_totals_that_do_not_add_up_take_no_time() -> None:
    n = 12_000
    labels = ["Total" if index % 10 == 9 else f"r{index}" for index in range(n)]
    numbers = [[str((index * 7919 + column) % 100_003) for index in range(n)] for column in range(10)]
    start = time.process_time()
    assert rollup_rows([labels, *numbers], n) == ()
    assert time.process_time() - start < 3
