"""Total rows of delimited text are marked, as those of workbooks are, so that sums leave them out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound.lake.read.delimited import read
from tablehound.lake.read.draft import SourceFile


def rollups(path: Path, text: str, encoding: str = "utf-8") -> tuple[int, ...]:
    path.write_text(text, encoding=encoding)
    (draft,) = read(SourceFile(path, path.name))
    assert sum(batch.num_rows for batch in draft.batches) == draft.account.kept
    return draft.rollup_rows


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_grand_total_in_a_csv_doubles_no_sum(tmp_path: Path, encoding: str) -> None:
    text = "Order,Region,Units\n1001,East,7\n1002,West,5\n1003,East,9\nTotal,,21\n"
    assert rollups(tmp_path / "a.csv", text, encoding) == (3,)


def test_subtotals_are_marked_too(tmp_path: Path) -> None:
    text = "area;n\nnorth;2\nsouth;3\nSubtotal;5\neast;4\nwest;6\nSubtotal;10\nTotal;15\n"
    assert rollups(tmp_path / "a.csv", text) == (2, 5, 6)


def test_a_row_that_is_called_total_but_adds_nothing_up_is_a_row(tmp_path: Path) -> None:
    assert rollups(tmp_path / "a.csv", "brand,sold\nShell,12\nTotal,7\nEsso,5\n") == ()


def test_words_with_sum_in_them_cost_only_a_look(tmp_path: Path) -> None:
    assert rollups(tmp_path / "a.csv", "name,n\nsummer,1\nSumatra,2\nmedia,3\n") == ()
