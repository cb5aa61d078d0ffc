"""What in a Markdown file is a table, and what is code, a comment, a quote or a list: named for what went wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound.settings import ReadSettings
from tests.read_documents.document_tables import Got, read_all

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


def read_text(folder: Path, text: str, settings: ReadSettings | None = None) -> list[Got]:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return read_all(path, settings)


def indented(text: str, by: str) -> str:
    return "".join(f"{by}{line}" for line in text.splitlines(keepends=True))


@pytest.mark.parametrize(
    "before",
    [
        "```inline``` text\n",
        "> ```\n> code\n",
        "- ```sh\n  ls\n  ```\n",
        "- x\n  ```sh\n  ls\n    ```\n",
        "```\ncode\n```python\n| x | y |\n|---|---|\n```\n",
        "~~~\n```\n~~~\n",
        "- a\n  - b\n\n    ```\n    | x |\n    |---|\n    ```\n",
    ],
)
def test_table_after_code_is_read(tmp_path: Path, before: str) -> None:
    (table,) = read_text(tmp_path, f"{before}\n{TABLE}")
    assert table.rows == [("1", "2")]
    assert table.row_numbers == [before.count("\n") + 4]


@pytest.mark.parametrize(
    "text",
    [
        indented(TABLE, "    "),
        "text\n\n" + indented(TABLE, "\t"),
        "1.  y\n\n" + indented(f"```\n{TABLE}```\n", "    "),
        f"<!--\n{TABLE}-->\n",
        f"<!--\n\n{TABLE}\n-->\n",
        indented(f"```\n{TABLE}```\n", "> "),
        f"<pre>\n{TABLE}</pre>\n",
        "---\ntitle: a | b\n---\ntext\n",
        "```html\n<table><tr><th>a<th>b<tr><td>1<td>2</table>\n```\n",
    ],
)
def test_code_and_comments_are_no_tables(tmp_path: Path, text: str) -> None:
    assert read_text(tmp_path, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "- | a | b |\n  |---|---|\n  | 1 | 2 |\n",
        "- a | b\n  --|--\n  1 | 2\n",
        "1. one\n\n   | a | b |\n   |---|---|\n   | 1 | 2 |\n",
        "> - | a | b |\n>   |---|---|\n>   | 1 | 2 |\n",
        "> | a | b |\n> |---|---|\n| 1 | 2 |\n",
        indented(TABLE, "   "),
        f"- item\n{TABLE}",
        f"1. one\n   - two\n{indented(TABLE, '  ')}",
        f"> text\n{TABLE}",
    ],
)
def test_table_in_lists_and_quotes_is_read(tmp_path: Path, text: str) -> None:
    (table,) = read_text(tmp_path, text)
    assert (table.names, table.rows) == (("a", "b"), [("1", "2")])


@pytest.mark.parametrize("box", ["!!! note", '??? tip "Title"', '=== "Tab"\n'])
def test_table_in_a_box_or_tab_is_read(tmp_path: Path, box: str) -> None:
    inner = f"=== 'Inner'\n\n{indented(TABLE, '    ')}\n"
    text = f"{box}\n{indented(TABLE, '    ')}\n{indented(inner, '    ')}\n{indented(TABLE, '    ')}"
    first, second, third = read_text(tmp_path, text)
    assert first.rows == second.rows == third.rows == [("1", "2")]
    assert third.row_numbers == [text.count("\n")]


def test_quote_in_a_quote_does_not_continue_the_table(tmp_path: Path) -> None:
    first, second = read_text(tmp_path, indented(TABLE, "> ") + indented(TABLE.replace("1", "3"), ">> "))
    assert (first.rows, second.rows) == ([("1", "2")], [("3", "2")])
    assert not first.account.ambiguities


def test_list_below_the_rows_is_named(tmp_path: Path) -> None:
    (table,) = read_text(tmp_path, "a | b\n--|--\n1 | 2\n- 5 | 6\n")
    assert table.rows == [("1", "2")]
    assert "- 5 | 6" in table.account.ambiguities[0]


def test_table_within_html_is_read_and_reported(tmp_path: Path) -> None:
    (table,) = read_text(tmp_path, f"<div>\n{TABLE}</div>\n")
    assert table.rows == [("1", "2")]
    assert "HTML" in table.account.ambiguities[0]


def test_reference_links_and_footnotes_are_resolved(tmp_path: Path) -> None:
    (table,) = read_text(
        tmp_path,
        "| a[^n] | b |\n|---|---|\n| [x][1] | 5[^1] |\n| [y] | [^2] |\n| z[^3] | 7 |\n\n"
        "[1]: http://x\n[y]: http://y\n[^1]: estimated\n[^2]: none\n[^n]: name of it\n",
    )
    assert table.names == ("a", "b")
    assert table.rows == [("x", "5"), ("y", "[^2]"), ("z[^3]", "7")]
    assert table.notes == ("[^n]: name of it", "[^1]: estimated")
    assert "2 footnote marks left out" in table.account.repairs


def test_caption_and_attributes_below_the_rows_are_no_rows(tmp_path: Path) -> None:
    one, two = read_text(tmp_path, f"Heading\n=======\n\n{TABLE}{{: .wide}}\n\n{TABLE}Table: the\ncaption\n")
    assert (one.rows, one.title) == ([("1", "2")], "Heading")
    assert (two.rows, two.title, two.notes) == ([("1", "2")], "the caption", ("Heading",))


def test_cut_cells_are_reported(tmp_path: Path) -> None:
    (table,) = read_text(tmp_path, f"| a |\n|---|\n| {'x' * 50} |\n", ReadSettings(max_cell_chars=10))
    assert table.rows == [("x" * 10,)]
    assert "1 cells cut to 10 characters" in table.account.repairs


def test_html_table_has_the_heading_above_it(tmp_path: Path) -> None:
    (table,) = read_text(tmp_path, "# Big <plan>\n\nUse `<table>`.\n\n<table><tr><th>a<tr><td>1</table>\n")
    assert (table.title, table.rows) == ("Big", [("1",)])


@pytest.mark.parametrize(
    "line",
    [
        "- item | x\n",
        "> text | x\n",
        "| a | b |\n",
        "```x`y\n",
        "[r]: http://x\n",
        "[^1]: x\n",
        "text | x\n",
        "|--|--|\n",
    ],
)
def test_long_files_are_gone_through_once(tmp_path: Path, line: str) -> None:
    # Looking back from each line would take minutes.
    assert read_text(tmp_path, f"{TABLE}\n" + line * 8_000)
