"""A small clean file takes the fast path; the result is what the stages would have made of it."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.delimited import reader
from tablehound.lake.read.delimited.fast_path import clean_table
from tablehound.lake.read.delimited.reader import read
from tablehound.settings import ReadSettings

NAMES = ["id", "name", "day", "price", "city", "units", "first name", "Größe"]
WORDS = ["ann", "north west", "Käse", "O'Neil", "x-ray", "5 km", "Smith & Co", "a.b", "東京", "u\u2028v", "it's", "'q'"]
Found = list[tuple[object, ...]]


@st.composite
def clean(draw: st.DrawFn) -> str:
    """Tables that may take the fast path, and some that are a line end or a delimiter away from it."""
    width, count = draw(st.integers(2, 5)), draw(st.integers(3, 12))
    name = draw(st.sampled_from([",", "#", ";", "\t", "|", "~", "^"]))
    number = st.integers(0, 9_999).map(str)
    day = st.dates().map(lambda date: f"2{date.isoformat()[1:]}")
    kinds = draw(st.lists(st.sampled_from([number, day, st.sampled_from(WORDS)]), min_size=width, max_size=width))
    kinds[draw(st.integers(0, width - 1))] = number
    rows = [draw(st.permutations(NAMES))[:width]]
    rows += [[draw(kind) for kind in kinds] for _ in range(count)]
    if draw(st.integers(0, 4)) == 0:
        rows.insert(1, rows[0])
    quoting = draw(st.sampled_from(["never", "never", "always", "at random"]))
    lines = [name.join(written(text, quoting, name, draw) for text in row) for row in rows]
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(1, count))
        extra = draw(st.sampled_from([name, f"{name}x", "\r", "\x85", ""]))
        lines[at] = lines[at] + extra if extra else ""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(lines) + draw(st.sampled_from(["", end]))


def written(text: str, quoting: str, delimiter: str, draw: st.DrawFn) -> str:
    """A cell in quotes or without; one in quotes may hold the delimiter and quotes."""
    if quoting == "never" or (quoting == "at random" and draw(st.booleans())):
        return text
    if draw(st.integers(0, 5)) == 0:
        text += draw(st.sampled_from([f"{delimiter} and {text}", ' "so called"', " b"]))
    return '"' + text.replace('"', '""') + '"'


def load(data: bytes, limits: ReadSettings | None = None) -> Found:
    """All that a reader hands over, but for the dialect."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(data)
        found: Found = []
        for draft in read(SourceFile(path, "a.csv", settings=limits or ReadSettings())):
            batches = [batch.to_pydict() for batch in draft.record_batches()]
            account = draft.account
            counts = (account.seen, account.kept, account.header_rows, tuple(account.set_aside))
            found.append((draft.header, draft.title, draft.notes, batches, *counts, account.dialect["delimiter"]))
        return found


def with_and_without(data: bytes, limits: ReadSettings | None = None) -> tuple[Found, Found]:
    fast = load(data, limits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "clean_table", lambda data: None)
        return fast, load(data, limits)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(clean())
def test_the_fast_path_is_what_the_stages_make(text: str) -> None:
    fast, staged = with_and_without(text.encode())
    assert fast == staged


@settings(max_examples=100, deadline=None, derandomize=True)
@given(clean())
def test_clean_cells_are_what_splitting_gives(text: str) -> None:
    proven = clean_table(text.encode())
    if proven is not None:
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        if proven.quote:
            assert proven.rows() == list(csv.reader(lines, delimiter=proven.delimiter, strict=True))
        else:
            assert proven.rows() == [line.split(proven.delimiter) for line in lines]
        assert {len(row) for row in proven.rows()} == {proven.width}


@pytest.mark.parametrize(
    "last", ["3,c", "3,c,3.5,more", "3,c,3.5\n\n", "3,c,3.5\r", "3,c,3.5\rx,y,4.5", "3,c,\x85,3.5"]
)
def test_a_line_of_another_width_or_end_is_not_clean(last: str) -> None:
    assert clean_table(f"id,name,price\n1,a,1.5\n2,b,2.5\n{last}".encode()) is None


@pytest.mark.parametrize(
    "line",
    [
        '3,"c" x,3.5',
        '3,x "c",3.5',
        '3, "c",3.5',
        '3,"c,3.5',
        '3,"c\nd",3.5',
        '3,"c\rd",3.5',
        '3,"c\\"d",3.5',
        '3,"c"d",3.5',
        '3,"c,3.5"',
        "3,\x02,3.5",
    ],
)
def test_a_quote_out_of_place_is_not_clean(line: str) -> None:
    start = 'id,name,price\n1,"a, b",1.5\n2,"say ""b""",2.5\n'
    proven = clean_table(start.encode() + b"4,d,1\n")
    assert proven is not None
    assert proven.rows(1, 3) == [["1", "a, b", "1.5"], ["2", 'say "b"', "2.5"]]
    assert clean_table(f"{start}{line}\n".encode()) is None


def test_the_fast_path_keeps_the_rows_of_a_batch(tmp_path: Path) -> None:
    data = "id,name\n" + "".join(f"{i},n{i}\n" for i in range(10))
    fast, staged = with_and_without(data.encode(), ReadSettings(batch_rows=4))
    assert fast == staged
    assert [len(batch["row"]) for batch in fast[0][3]] == [4, 4, 2]  # type: ignore[attr-defined]


def test_the_fast_path_cuts_long_cells_too(tmp_path: Path) -> None:
    data = "id,name\n" + "".join(f"{i},n{i}\n" for i in range(10)) + f"10,{'x' * 90}\n"
    fast, staged = with_and_without(data.encode(), ReadSettings(max_cell_chars=50))
    assert fast == staged
    assert fast[0][3][0]["c1"][-1] == "x" * 50  # type: ignore[index]


@pytest.mark.parametrize("size", [(1 << 15) - 1, 1 << 15, (1 << 15) + 1, (1 << 15) + 700])
def test_files_around_the_size_of_one_read(size: int) -> None:
    text = "id,name\n" + "".join(f"{i:05d},name\n" for i in range(3_200))
    text = text[: size - 6] + "\n"
    text = text[: text.rindex("\n", 0, len(text) - 1) + 1]
    text = text[:-1] + "x" * (size - len(text)) + "\n"
    (found,) = load(text.encode())
    assert len(text) == size
    assert found[4] == text.count("\n")
