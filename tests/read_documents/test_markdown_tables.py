"""Markdown files: pipe tables and what surrounds them."""

from __future__ import annotations

from pathlib import Path

from tests.read_documents.document_tables import Got, read_all


def read_text(folder: Path, text: str) -> list[Got]:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return read_all(path)


def test_escaped_pipes_and_inline_code(tmp_path: Path) -> None:
    (table,) = read_text(
        tmp_path,
        "| op | meaning |\n|:---|---:|\n| `a \\| b` | either \\| or |\n| `x | y` | pipe in code |\n| \\* | star |\n",
    )
    assert table.rows == [("a | b", "either | or"), ("x | y", "pipe in code"), ("*", "star")]


def test_rows_without_outer_pipes_and_ragged_rows(tmp_path: Path) -> None:
    (table,) = read_text(tmp_path, "a | b\n--|--\n1 | 2\n3\n4 | 5 | 6\n\ntext | not a table\n")
    assert table.header == (("a",), ("b",), ())
    assert table.rows == [("1", "2", None), ("3", None, None), ("4", "5", "6")]
    assert len(table.account.repairs) == 2


def test_tables_in_code_are_no_tables(tmp_path: Path) -> None:
    assert read_text(tmp_path, "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n~~~md\n| a |\n|---|\n| 1 |\n~~~\n") == []


def test_heading_is_the_title_and_marks_are_taken_off(tmp_path: Path) -> None:
    (table,) = read_text(
        tmp_path,
        "# Big **plan**\n\n| *name* | [link](http://x.y) |\n|-|-|\n"
        "| __b__ &amp; c | a<br>b |\n| snake_case | 2*3*4 |\n",
    )
    assert table.title == "Big plan"
    assert table.names == ("name", "link")
    assert table.rows == [("b & c", "a\nb"), ("snake_case", "234")]


def test_several_tables_quotes_and_line_numbers(tmp_path: Path) -> None:
    first, second = read_text(
        tmp_path, "> | a | b |\n> |---|---|\n> | 1 | 2 |\n\n## Two\n| c |\n|---|\n| 3 |\r\n| 4 |\n"
    )
    assert first.rows == [("1", "2")]
    assert second.title == "Two"
    assert second.row_numbers == [8, 9]


def test_html_table_in_the_text_is_read_too(tmp_path: Path) -> None:
    first, second = read_text(tmp_path, "| a |\n|---|\n| 1 |\n\n<table><tr><th>b<th>c</tr>\n<tr><td>2<td>3</table>\n")
    assert first.names == ("a",)
    assert second.rows == [("2", "3")]


def test_total_row_is_marked(tmp_path: Path) -> None:
    (table,) = read_text(tmp_path, "|n|v|\n|-|-|\n|a|1|\n|b|2|\n|**Total**|3|\n")
    assert table.rollups == (2,)
