"""Pins of workbooks lose nothing: rows that are pinned away are kept as words, and what is not read is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.contract import Overrides, SourceFile, TableDraft
from tablehound.lake.read.workbook.reader import read


@pytest.fixture
def drafts(tmp_path: Path) -> Callable[..., tuple[list[TableDraft], SourceFile]]:
    """The tables of a workbook of two visible sheets and a hidden one, with pins."""
    book = openpyxl.Workbook()
    data = book.active
    data.title = "Data"
    for row in (
        ["made by the office"],
        ["name", "n"],
        ["x", 1],
        ["y", 2],
        [None, None],
        ["day", "m"],
        ["z", 3],
        ["w", 4],
    ):
        data.append(row)
    other = book.create_sheet("Other")
    other.append(["k", "v"])
    other.append(["a", 5])
    book.create_sheet("Old").sheet_state = "hidden"
    book["Old"].append(["gone"])
    book.save(tmp_path / "x.xlsx")

    def of(**pins: object) -> tuple[list[TableDraft], SourceFile]:
        source = SourceFile(tmp_path / "x.xlsx", "x.xlsx", overrides=Overrides(**pins))  # type: ignore[arg-type]
        found = []
        for draft in read(source):
            list(draft.record_batches())
            found.append(draft)
        return found, source

    return of


def test_rows_that_are_pinned_away_are_kept_as_title_and_the_rest_is_cut_as_ever(
    drafts: Callable[..., tuple[list[TableDraft], SourceFile]],
) -> None:
    found, _ = drafts(sheets=("Data",), skip_rows=1)
    assert [draft.header for draft in found] == [(("name",), ("n",)), (("day",), ("m",))]
    assert found[0].title == "made by the office"
    account = found[0].account
    assert [(item.row, item.reason) for item in account.set_aside][:2] == [(1, "title"), (2, "header")]
    assert account.seen == account.kept + len(account.set_aside)


def test_rows_within_a_pinned_range_are_kept_too(
    drafts: Callable[..., tuple[list[TableDraft], SourceFile]],
) -> None:
    found, source = drafts(region="A1:B4", skip_rows=1)
    assert [(draft.title, draft.header) for draft in found] == [
        ("made by the office", (("name",), ("n",))),
        ("k | v", ((),) * 2),
    ]
    assert source.left_out == ["hidden sheet 'Old'"]


def test_sheets_of_which_nothing_is_left_are_named(
    drafts: Callable[..., tuple[list[TableDraft], SourceFile]],
) -> None:
    found, source = drafts(skip_rows=5)
    assert [draft.header for draft in found] == [(("day",), ("m",))]
    assert "sheet 'Other', of which nothing is left by what is pinned" in source.left_out


def test_a_pinned_sheet_that_is_not_there_is_reported_after_the_others(
    drafts: Callable[..., tuple[list[TableDraft], SourceFile]],
) -> None:
    with pytest.raises(BrokenSourceError, match="no sheet is called Nope") as raised:
        drafts(sheets=("Other", "Nope"))
    assert "Data" in str(raised.value.remedy)
