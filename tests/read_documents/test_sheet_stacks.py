"""Rows in the middle of a table that look like the header of another, and headers that do stand there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.read_documents.document_tables import read_book

Rows = list[list[Any]]


@pytest.mark.parametrize(
    "rows",
    [
        [["Route", "Formed", "Closed"], ["A", 1932, "1950s"], ["B", 1940, 1951], ["C", "1940s", "1950s"], ["D", 1, 2]],
        [
            ["Town", "Begun", "Ended"],
            ["A", 1854, 1860],
            ["B", 1858, None],
            ["C", "May 14, 1855", "by 1900"],
            ["D", 3, 4],
        ],
        [["n", "Win-Loss 1", "Win-Loss 2"], ["A", 1, 2], ["B", "0-0", "6-8"], ["Rank", 178, 103], ["D", 1, 2]],
        [["Comet", "By", "Period"], ["A", "x", 5.36], ["B", "y", 8.51], ["C", "z", "~7"], ["D", "q", 6.48]],
        [["n", "v", "w"], ["A", 1, 2], ["B", "none", 3], ["C", "few", 4], ["D", "none", "many"], ["E", 5, 6]],
    ],
)
def test_values_in_words_do_not_tear_a_table(tmp_path: Path, rows: Rows) -> None:
    (table,) = read_book(tmp_path, rows)
    assert len(table.rows) == len(rows) - 1


def test_a_title_and_a_header_of_another_width_begin_another_table(tmp_path: Path) -> None:
    rows = [["Name", "Job", "Town", "Year"], ["a", "b", "c", 1], ["d", "e", "f", 2], ["Rivers of Europe"]]
    first, second = read_book(tmp_path, [*rows, ["River", "Country"], ["Rhine", "DE"], ["Po", "IT"]])
    assert (first.names, len(first.rows)) == (("Name", "Job", "Town", "Year"), 2)
    assert (second.title, second.names, len(second.rows)) == ("Rivers of Europe", ("River", "Country"), 2)
