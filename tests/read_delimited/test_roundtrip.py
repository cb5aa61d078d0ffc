"""Random tables in random dialects and pollutions come back as they were."""

from __future__ import annotations

import csv
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.delimited import decode
from tablehound.lake.read.delimited.large import blocks
from tablehound.lake.read.delimited.reader import read

WORDS = ["ann", "north west", "Käse", "O'Neil", "x-ray", "Łódź", "5 km", "Smith & Co", "été", "a.b", "東京"]
NAMES = ["id", "name", "day", "price", "city", "units", "code", "remark", "Größe", "first name", "total"]


@dataclass(frozen=True)
class Written:
    """A table and the file it was written to."""

    header: list[str]
    rows: list[list[str]]
    data: bytes
    around: int
    """Records that are not of the table."""


def column(kind: str, rows: int) -> st.SearchStrategy[list[str]]:
    cell: st.SearchStrategy[str]
    if kind == "int":
        cell = st.integers(0, 99_999).map(str)
    elif kind == "float":
        cell = st.integers(0, 99_999).map(lambda n: f"{n / 100:.2f}")
    elif kind == "date":
        cell = st.dates().map(lambda day: f"2{day.isoformat()[1:]}")
    elif kind == "code":
        cell = st.integers(100, 999).map(lambda n: f"AB-{n}")
    else:
        cell = st.sampled_from(WORDS)
    return st.lists(cell, min_size=rows, max_size=rows)


@st.composite
def written(draw: st.DrawFn, *, least: int = 3, most: int = 25) -> Written:
    width = draw(st.integers(2, 6))
    count = draw(st.integers(least, most))
    header = draw(st.permutations(NAMES))[:width]
    kinds = ["int", *draw(st.lists(st.sampled_from(["int", "float", "date", "code", "text"]), min_size=width - 1))]
    columns = [draw(column(kind, count)) for kind in draw(st.permutations(kinds[:width]))]
    rows = [list(row) for row in zip(*columns, strict=True)]
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", "#", "~", "^"]))
    quoting: Literal[0, 1] = draw(st.sampled_from([0, 1]))
    if draw(st.booleans()) and "text" in kinds:
        # Cells that need quotes: delimiters, quotes, line ends.
        at = [i for i, cells in enumerate(columns) if cells and cells[0] in WORDS]
        for i in at:
            for row in rows:
                row[i] += draw(st.sampled_from(["", "", f" a{delimiter}b", ' "so"', "\nnext", '"']))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows([header, *rows])
    text, around = buffer.getvalue(), 0
    if draw(st.booleans()):
        text, around = f"Table of things{end}{end}{text}", around + 2
    if draw(st.booleans()):
        text, around = f"{text}{end}Source: a list of things{end}", around + 2
    elif draw(st.booleans()):
        text = text.removesuffix(end)
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    return Written(header, rows, text.encode(encoding), around)


def load(data: bytes) -> tuple[list[list[str]], list[list[list[str | None]]], int, int]:
    """Headers and rows per table, records seen, and records kept and set aside."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(data)
        headers, tables, seen, accounted = [], [], 0, 0
        for draft in read(SourceFile(path, "a.csv")):
            rows: list[list[str | None]] = []
            for batch in draft.record_batches():
                cells = [batch.column(i).to_pylist() for i in range(batch.num_columns - 1)]
                rows += [list(row) for row in zip(*cells, strict=True)]
            headers.append([levels[0] if levels else "" for levels in draft.header])
            tables.append(rows)
            seen += draft.account.seen
            accounted += draft.account.kept + len(draft.account.set_aside)
        return headers, tables, seen, accounted


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(written())
def test_tables_come_back(table: Written) -> None:
    headers, tables, seen, accounted = load(table.data)
    assert headers == [table.header]
    assert tables == [table.rows]
    assert seen == accounted == len(table.rows) + 1 + table.around


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(written(least=20, most=60))
def test_large_files_are_read_like_small_ones(table: Written) -> None:
    small = load(table.data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decode, "WHOLE_BYTES", 0)
        patch.setattr(blocks, "HEAD_BYTES", 256)
        patch.setattr(blocks, "BLOCK_BYTES", 300)
        large = load(table.data)
    assert large[1] == small[1]
    assert large[2:] == small[2:]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(written(least=8), st.data())
def test_no_row_is_lost_when_rows_are_broken(table: Written, data: st.DataObject) -> None:
    text = table.data.decode("utf-16" if table.data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    lines = text.split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        line = lines[at]
        cut = data.draw(st.integers(0, len(line)))
        lines[at] = line[:cut] + data.draw(st.sampled_from(['"', ",", ";", "", "\0", "'"])) + line[cut + 1 :]
    _, _, seen, accounted = load("\n".join(lines).encode())
    assert seen == accounted


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    from tablehound.errors import SourceError

    try:
        _, _, seen, accounted = load(data)
    except SourceError:
        return
    assert seen == accounted


PIECES = ["alpha", "beta, gamma", "1, 2, 3, 4", "one;two", "the end.", "a,b,c,d,e"]
LINES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map(" ".join)
BODIES = st.lists(LINES | st.just(""), min_size=1, max_size=5).map("\n".join)


@settings(deadline=None)
@given(
    st.lists(st.tuples(BODIES, BODIES, LINES), min_size=1, max_size=12),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_cells_of_several_lines_come_back(texts: list[tuple[str, str, str]], quoting: Literal[0, 1]) -> None:
    file = io.StringIO()
    writer = csv.writer(file, quoting=quoting)
    writer.writerow(["id", "note", "more", "text", "n"])
    rows = [[str(1000 + number), *row, f"{number}.5"] for number, row in enumerate(texts * 3)]
    writer.writerows(rows)
    headers, tables, _, _ = load(file.getvalue().encode())
    assert (headers, tables) == ([["id", "note", "more", "text", "n"]], [rows])
