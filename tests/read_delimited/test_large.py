"""Large files are read block by block: the same rows, in bounded memory, whatever lies at the edge of a block."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.delimited import decode
from tablehound.lake.read.delimited.large import blocks
from tablehound.lake.read.delimited.reader import read
from tablehound.settings import ReadSettings
from tests.read_delimited.reading import Tables, read_all

Rows = list[tuple[str | None, ...]]
COUNT = 400


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every file large, and blocks small."""
    monkeypatch.setattr(decode, "WHOLE_BYTES", 0)
    monkeypatch.setattr(blocks, "HEAD_BYTES", 1_000)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1_500)


def load(path: Path, content: str | bytes, settings: ReadSettings | None = None) -> Tables:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_all(path, settings=settings or ReadSettings())


def body(count: int = COUNT) -> list[str]:
    return [f"{i},name {i},2020-01-{i % 28 + 1:02d},{i}.5" for i in range(count)]


def expected(count: int = COUNT) -> Rows:
    return [tuple(line.split(",")) for line in body(count)]


HEADER = "id,name,day,price"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_clean(tmp_path: Path, end: str, last: bool) -> None:
    text = end.join([HEADER, *body()]) + (end if last else "")
    ((draft, rows),) = load(tmp_path / "a.csv", text)
    assert rows == expected()
    assert draft.account.repairs == []


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig", "gbk"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    word = "北京" if encoding == "gbk" else "Málaga"
    lines = [line.replace("name", word) for line in body()]
    ((_, rows),) = load(tmp_path / "a.csv", "\n".join([HEADER, *lines, ""]).encode(encoding))
    assert rows == [tuple(line.split(",")) for line in lines]


def test_row_numbers_go_on_over_blocks(tmp_path: Path) -> None:
    lines = body()
    lines[200] = ""
    path = tmp_path / "a.csv"
    path.write_text("\n".join([HEADER, *lines, ""]), encoding="utf-8")
    numbers: list[int] = []
    for draft in read(SourceFile(path, "a.csv")):
        for batch in draft.record_batches():
            numbers += batch.column("row").to_pylist()
    assert numbers == [i + 2 for i in range(COUNT) if i != 200]


def test_line_ends_within_cells_over_the_edge_of_a_block(tmp_path: Path) -> None:
    lines = [f'{i},"name\nof {i}, ""so"" called",2020-01-01,{i}.5' for i in range(COUNT)]
    ((_, rows),) = load(tmp_path / "a.csv", "\n".join([HEADER, *lines, ""]))
    assert rows == [(str(i), f'name\nof {i}, "so" called', "2020-01-01", f"{i}.5") for i in range(COUNT)]


def test_broken_rows_among_clean_ones(tmp_path: Path) -> None:
    lines = body()
    lines[100] += ",more,and,more"
    lines[150] = '150,"name 150,2020-01-11,150.5'
    lines[250] = "250,name 250,,2020-01-27,250.5"
    ((draft, rows),) = load(tmp_path / "a.csv", "\n".join([HEADER, *lines, ""]))
    wanted = expected()
    wanted[150] = ("150", '"name 150', "2020-01-11", "150.5")
    wanted[250] = ("250", "name 250", "2020-01-27", "250.5")
    del wanted[100]
    assert rows == wanted
    assert [aside.row for aside in draft.account.set_aside if aside.reason != "header"] == [102]


def test_second_table_far_down(tmp_path: Path) -> None:
    second = [f"{i},{i * 2}" for i in range(300)]
    (one, first), (two, rest) = load(tmp_path / "a.csv", "\n".join([HEADER, *body(), "key,double", *second, ""]))
    assert first == expected()
    assert rest == [tuple(line.split(",")) for line in second]
    assert two.header == (("key",), ("double",))
    assert one.account.seen + two.account.seen == COUNT + 302


def test_notes_at_the_end(tmp_path: Path) -> None:
    ((draft, rows),) = load(tmp_path / "a.csv", "\n".join([HEADER, *body(), "", "Source: a register", ""]))
    assert rows == expected()
    assert [aside.reason for aside in draft.account.set_aside] == ["header", "blank", "note"]


def test_long_cells_are_cut_and_reported(tmp_path: Path) -> None:
    lines = body()
    lines[300] = "300," + "x" * 500 + ",2020-01-01,1.5"
    ((draft, rows),) = load(tmp_path / "a.csv", "\n".join([HEADER, *lines, ""]), ReadSettings(max_cell_chars=100))
    assert rows[300][1] == "x" * 100
    assert len(draft.account.repairs) == 1


def test_rows_that_nobody_asked_for_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join([HEADER, *body(), ""]), encoding="utf-8")
    (draft,) = list(read(SourceFile(path, "a.csv")))
    assert draft.account.kept == COUNT
