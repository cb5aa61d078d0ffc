"""What other columns of a table, and the types of its source, decide about the values of a column."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tablehound.execution import run_program
from tablehound.lake import Lake, Reading, index_sources, typed_column
from tablehound.program import Program, View
from tablehound.settings import Settings


def readings(folder: Path) -> dict[str, Reading]:
    index_sources([str(folder)], folder.with_suffix(".lake"), Settings(workers=1))
    with Lake.open(folder.with_suffix(".lake")) as lake:
        (info,) = lake.infos()
        return {column.name: column.reading for column in info.columns}


def of_csv(tmp_path: Path, text: str) -> dict[str, Reading]:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "things.csv").write_text(text, encoding="utf-8")
    return readings(folder)


@pytest.mark.parametrize(
    ("text", "decimal", "ambiguous"),
    [
        ("a;b\n1.234;1,5\n5.678;2,25\n", ",", False),
        ("a;b\n1.234;1.234.567\n5.678;2.345.678\n", ",", False),
        ("a;b\n1.234;1.5\n5.678;2.25\n", ".", False),
        ("a;b\n1.234;x\n5.678;y\n", ".", True),
        ("a;b\n1.234;20\n5.678;7\n", ".", True),
    ],
)
def test_other_columns_decide_what_a_point_is(tmp_path: Path, text: str, decimal: str, ambiguous: bool) -> None:
    reading = of_csv(tmp_path, text)["a"]
    assert (reading.decimal, reading.ambiguous) == (decimal, ambiguous)


@pytest.mark.parametrize(
    ("header", "kinds"),
    [
        ("Start,Second", ("time", "time")),
        ("Lap,Second", ("number", "number")),
        ("First,Second", ("text", "text")),
    ],
)
def test_other_columns_decide_what_a_clock_reading_is(tmp_path: Path, header: str, kinds: tuple[str, str]) -> None:
    found = of_csv(tmp_path, f"{header}\n1:05,2:40\n1:15,3:00\n")
    assert tuple(reading.kind for reading in found.values()) == kinds


def test_numbers_of_a_typed_source_are_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    table = pa.table(
        {
            "id": pa.array([2**64 - 1, 2**64 - 2], pa.uint64()),
            "x": [math.inf, 1.5],
            "part no": [1, 2],
            "zip": [90210, 10001],
            "code": ["1E3", "007"],
        }
    )
    pq.write_table(table, folder / "things.parquet")
    index_sources([str(folder)], tmp_path / "lake", Settings(workers=1))
    with Lake.open(tmp_path / "lake") as lake:
        (info,) = lake.infos()
        assert [column.kind for column in info.columns] == ["number", "number", "number", "text", "text"]
        assert typed_column(lake.table(info.id), 0).to_pylist() == [2**64 - 1, 2**64 - 2]
        result = run_program(lake, Program("SELECT sum(id), max(id) FROM T1", {"T1": View((info.id,))}), Settings())
        assert result.rows == ((2**65 - 3, 2**64 - 1),)


def test_a_number_whose_percent_format_was_forgotten_is_a_percentage(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Year", "Growth"], [2020, 0.05], [2021, 0.07], [2022, 0.06], [2023, 1]):
        sheet.append(row)
    for cell in ("B2", "B3", "B5"):
        sheet[cell].number_format = "0%"
    (tmp_path / "source").mkdir()
    book.save(tmp_path / "source" / "things.xlsx")
    index_sources([str(tmp_path / "source")], tmp_path / "lake", Settings(workers=1))
    with Lake.open(tmp_path / "lake") as lake:
        (info,) = lake.infos()
        assert info.columns[1].reading.unit == "%"
        assert typed_column(lake.table(info.id), 1).to_pylist() == [5, 7, 6, 100]
