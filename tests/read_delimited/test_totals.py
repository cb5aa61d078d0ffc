"""Total rows of delimited text are marked, as those of workbooks are, so that sums leave them out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.delimited.reader import read


def rollups(path: Path, text: str, encoding: str = "utf-8") -> tuple[int, ...]:
    path.write_text(text, encoding=encoding)
    (draft,) = read(SourceFile(path, path.name))
    assert sum(batch.num_rows for batch in draft.record_batches()) == draft.account.kept
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


def test_numbers_on_several_lines_of_a_cell_are_not_added_up(tmp_path: Path) -> None:
    text = 'team,won\nA,1\nB,"2\n3"\nC,4\nD,5\nTotal,10\n'
    assert rollups(tmp_path / "a.csv", text) == (4,)


def test_a_row_is_a_total_when_a_third_of_its_columns_add_up(tmp_path: Path) -> None:
    rows = "".join(f"{name},{i},{i + 1},{i + 2},{i + 3}\n" for i, name in enumerate("abc"))
    assert rollups(tmp_path / "a.csv", f"n,p,q,r,s\n{rows}Total,3,6,1,1\n") == (3,)
    assert rollups(tmp_path / "a.csv", f"n,p,q,r,s\n{rows}Total,1,1,1,15\n") == ()


def test_later_totals_know_of_earlier_ones_in_columns_that_were_not_needed_then(tmp_path: Path) -> None:
    text = "area,n,m\na,1,10\nb,2,20\nSubtotal,3,30\nc,4,40\nd,5,50\nSubtotal,9,1\nTotal,0,120\n"
    assert rollups(tmp_path / "a.csv", text) == (2, 5, 6)


TOTALS = [
    "Total", "Subtotal", "Totaal", "Totale", "Overall", "Sum", "All", "Aggregate", "Gesamt", "Insgesamt",
    "Zwischensumme", "Somme", "Suma", "Razem", "Yhteensä", "Ogółem", "Итого", "Всего",
    "合计", "小计", "合計", "小計", "총계", "합계",
]  # fmt: skip
AVERAGES = ["Average", "Avg", "Mean", "Durchschnitt", "Mittelwert", "Moyenne", "Promedio", "Gemiddelde", "平均"]


@pytest.mark.parametrize("word", TOTALS)
def test_every_word_for_a_total_is_seen_in_a_small_file(tmp_path: Path, word: str) -> None:
    assert rollups(tmp_path / "a.csv", f"name,n,m\nx,1,4\ny,2,5\n{word},3,9\n") == (2,)


@pytest.mark.parametrize("word", AVERAGES)
def test_every_word_for_an_average_is_seen_in_a_small_file(tmp_path: Path, word: str) -> None:
    assert rollups(tmp_path / "a.csv", f"name,n,m\nx,1,4\ny,3,6\n{word},2,5\n") == (2,)
