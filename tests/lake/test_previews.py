"""Previews keep the structure of a table whatever is in its cells, and say what they leave out."""

from __future__ import annotations

import csv
import dataclasses
import html
import re
from collections.abc import Sequence
from html.parser import HTMLParser

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablehound.lake import Column, Provenance, Table, TableInfo, preview, shows_whole
from tablehound.settings import SeekSettings, TableFormat

SEEK = SeekSettings()
WHOLE = dataclasses.replace(SEEK, preview_chars=2**31 - 1)
FORMATS: tuple[TableFormat, ...] = ("markdown", "html", "csv")


def make(header: Sequence[str], rows: Sequence[Sequence[str | None]], format: str = "csv", id: str = "t1") -> Table:
    """A table of these texts."""
    arrays = [pa.array([row[i] for row in rows], pa.string()) for i in range(len(header))]
    arrays.append(pa.array(range(len(rows)), pa.int64()))
    cells = pa.table(arrays, names=[*(f"c{i}" for i in range(len(header))), "row"])
    columns = tuple(Column(name, name) for name in header)
    return Table(TableInfo(id, columns, len(rows), Provenance("x", format)), cells)


def unescape(text: str) -> str:
    """Undo the escapes of Markdown and CSV."""
    found = re.compile(r"\\(u[0-9a-f]{4}|.)", re.DOTALL)
    short = {"n": "\n", "r": "\r", "t": "\t"}
    return found.sub(
        lambda m: chr(int(m[1][1:], 16)) if m[1][0] == "u" and len(m[1]) > 1 else short.get(m[1], m[1]), text
    )


class _Rows(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.rows: list[list[str]] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.tags.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] in (["td"], ["th"]):
            self.rows[-1][-1] += data

    def handle_entityref(self, name: str) -> None:
        self.handle_data(html.unescape(f"&{name};"))

    def handle_charref(self, name: str) -> None:
        self.handle_data(chr(int(name)))


def parse_html(text: str) -> list[list[str]]:
    """Rows of an HTML table, header first."""
    parser = _Rows()
    parser.feed(text)
    assert not parser.tags
    return parser.rows


def parse_csv(text: str) -> list[list[str]]:
    """Rows of a CSV table, header first, without the closing note."""
    lines = [line for line in text.split("\n") if not line.startswith("# (")]
    return [[unescape(cell) for cell in row] for row in csv.reader(lines)]


def split_markdown(line: str) -> list[str]:
    """Cells of a line, by pipes that no backslash escapes."""
    cells, cell, position = [], "", 2
    while position < len(line):
        if line[position] == "\\":
            cell += line[position : position + 2]
            position += 2
        elif line.startswith(" | ", position) or line[position:] == " |":
            cells.append(unescape(cell))
            cell, position = "", position + 3
        else:
            cell += line[position]
            position += 1
    return cells


def read_back(text: str, format: str) -> list[list[str]]:
    """Rows of a rendering, header first."""
    if format == "markdown":
        lines = [line for line in text.split("\n") if line.startswith("|")]
        return [split_markdown(line) for number, line in enumerate(lines) if number != 1]
    return parse_html(text) if format == "html" else parse_csv(text)


texts = st.text(max_size=12) | st.sampled_from(
    [
        "|",
        "\\",
        "\\|",
        "a | b",
        "\n",
        "| --- |",
        "</td>",
        "<script>",
        "&amp;",
        '"',
        '","',
        "```",
        "# x",
        "…",
        " x ",
        "\x07",
    ]
)
grids = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.lists(texts, min_size=width, max_size=width),
        st.lists(st.lists(st.none() | texts, min_size=width, max_size=width), max_size=6),
    )
)


@settings(max_examples=200, deadline=None)
@given(grid=grids, format=st.sampled_from(FORMATS))
def test_a_whole_table_can_be_read_back(grid: tuple[list[str], list[list[str | None]]], format: TableFormat) -> None:
    header, rows = grid
    text = preview(make(header, rows), dataclasses.replace(WHOLE, table_format=format))
    n_lines = {"markdown": 2, "html": 3, "csv": 1}[format] + len(rows) + (not rows)
    assert len(text.split("\n")) == n_lines, "a row is a line"
    assert read_back(text, format) == [header, *([cell or "" for cell in row] for row in rows)]


@settings(max_examples=100, deadline=None)
@given(grid=grids, format=st.sampled_from(FORMATS))
def test_transposed_it_can_be_read_back_too(
    grid: tuple[list[str], list[list[str | None]]], format: TableFormat
) -> None:
    header, rows = grid
    text = preview(make(header, rows), dataclasses.replace(WHOLE, table_format=format, transpose=True))
    expected = [list(line) for line in zip(header, *([cell or "" for cell in row] for row in rows), strict=True)]
    assert read_back(text, format) == expected


@settings(max_examples=100, deadline=None)
@given(
    n_rows=st.integers(1, 200),
    width=st.integers(1, 60),
    length=st.integers(0, 300),
    chars=st.integers(0, 2000),
    line=st.integers(20, 500),
    matched=st.lists(st.integers(0, 300), max_size=12),
    format=st.sampled_from(FORMATS),
)
def test_a_preview_is_bounded_and_says_what_it_leaves_out(
    n_rows: int, width: int, length: int, chars: int, line: int, matched: list[int], format: TableFormat
) -> None:
    cell = "|x" * (length // 2)
    table = make([f"c{i}" for i in range(width)], [[f"{r}.{c}{cell}" for c in range(width)] for r in range(n_rows)])
    seek = dataclasses.replace(SEEK, preview_chars=chars, max_line_chars=line, table_format=format)
    text = preview(table, seek, matched)
    rows = read_back(text, format)
    assert len({len(row) for row in rows}) == 1, "all rows have the same cells"
    if shows_whole(table, seek):
        assert len(rows) == 1 + n_rows
        return
    labels = [row[0] for row in rows[1:]]
    shown = [int(label.rstrip("*")) - 1 for label in labels if label[0] != "…"]
    wanted = [row for row in dict.fromkeys(matched[: seek.max_matched_rows]) if row < n_rows]
    assert set(wanted) <= set(shown)
    assert {int(label[:-1]) - 1 for label in labels if label.endswith("*")} == set(wanted)
    left_out = sum(int(label.split()[1]) for label in labels if label[0] == "…")
    assert len(shown) + left_out == n_rows
    assert f"{len(shown)} of {n_rows} rows shown" in text
    kept = len(rows[0]) - 1
    if not rows[0][-1].startswith("… "):
        assert kept == width
    else:
        assert rows[0][-1] == f"… {width - kept + 1} more columns"
    for row, label in zip(rows[1:], labels, strict=True):
        if label[0] != "…":
            number = int(label.rstrip("*")) - 1
            for column, seen in enumerate(row[1 : 1 + min(kept, width)]):
                raw = f"{number}.{column}{cell}"
                assert seen == raw or seen == "…" or (seen.endswith("…") and raw.startswith(seen[:-1]))


def test_a_long_row_keeps_all_of_its_short_cells() -> None:
    table = make(["id", "text", "year"], [[str(i), "long " * 200, "1999"] for i in range(3)])
    text = preview(table, dataclasses.replace(SEEK, table_format="csv"), (1, 2))
    row = read_back(text, "csv")[1]
    assert (row[1], row[3]) == ("0", "1999")
    assert row[2].endswith("…")
    assert len(text.split("\n")[1]) <= SEEK.max_line_chars + 10
    assert "3 cells cut" in text


def test_formats() -> None:
    rows = [["1", "2"]]
    assert preview(make(["a", "b"], rows, "csv"), SEEK) == "a,b\n1,2"
    assert preview(make(["a", "b"], rows, "html"), SEEK).startswith("<table>")
    assert preview(make(["a", "b"], rows, "xlsx"), SEEK).startswith("| a | b |")
    mixed = dataclasses.replace(SEEK, table_format="mixed")
    seen = {preview(make(["a", "b"], rows, id=f"t{i}"), mixed) for i in range(30)}
    assert len(seen) == 3
    assert preview(make(["a", "b"], rows, id="t7"), mixed) == preview(make(["a", "b"], rows, id="t7"), mixed)


def test_match_only_shows_matched_rows_only() -> None:
    table = make(["a"], [[str(i)] for i in range(9)])
    seek = dataclasses.replace(SEEK, match_only=True, table_format="csv")
    rows = read_back(preview(table, seek, (4, 7)), "csv")
    assert [row[0] for row in rows[1:]] == ["… 4 rows", "5*", "… 2 rows", "8*", "… 1 row"]
    assert not shows_whole(table, seek)


@pytest.mark.parametrize("format", FORMATS)
def test_tables_without_rows_or_columns(format: TableFormat) -> None:
    seek = dataclasses.replace(SEEK, table_format=format)
    assert "no rows" in preview(make(["a"], []), seek)
    assert preview(make([], []), seek) == "(no columns)"
