"""HTML pages: span grids, heads, nested and layout tables, visible text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound.errors import BrokenSourceError
from tablehound.settings import ReadSettings
from tests.read_documents.document_tables import read_all, read_page


def test_rowspan_does_not_shift_cells(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path,
        """<table><tr><th>Country<th>City<th>People</tr>
        <tr><td rowspan=2>Norway<td>Oslo<td>700</tr><tr><td>Bergen<td>290</tr>
        <tr><td>Italy<td colspan=2>none</tr></table>""",
    )
    assert table.rows == [("Norway", "Oslo", "700"), ("Norway", "Bergen", "290"), ("Italy", "none", "none")]


def test_span_of_zero_rows_and_spans_beyond_the_table_stop_at_their_group(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path,
        """<table><thead><tr><th>a<th>b</thead><tbody><tr><td rowspan=0>x<td>1<tr><td>2</tbody>
        <tbody><tr><td rowspan=99>y<td>3<tr><td>4</tbody></table>""",
    )
    assert table.rows == [("x", "1"), ("x", "2"), ("y", "3"), ("y", "4")]


def test_broken_spans_count_as_one(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path, "<table><tr><th>a<th>b<tr><td colspan=foo>1<td>2<tr><td colspan=''>3<td rowspan=-2>4</table>"
    )
    assert table.rows == [("1", "2"), ("3", "4")]


def test_two_head_rows_become_paths(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path,
        """<table><thead><tr><th rowspan=2>Name<th colspan=2>2024</tr><tr><th>Q1<th>Q2</tr></thead>
        <tr><td>a<td>1<td>2</table>""",
    )
    assert table.header == (("Name",), ("2024", "Q1"), ("2024", "Q2"))


def test_head_of_data_cells_over_numbers_is_found(tmp_path: Path) -> None:
    (table,) = read_page(tmp_path, "<table><tr><td>Name<td>N<tr><td>a<td>1<tr><td>b<td>2</table>")
    assert table.names == ("Name", "N")


def test_caption_is_the_title_and_a_heading_replaces_it(tmp_path: Path) -> None:
    first, second = read_page(
        tmp_path,
        """<h2>Cities<sup>[<a href="#x">edit</a>]</sup></h2>
        <table><caption>By <b>size</b></caption><tr><th>a<tr><td>1</table>
        <h3>Towns</h3><table><tr><th>b<tr><td>2</table>""",
    )
    assert first.title == "By size"
    assert second.title == "Towns"


def test_row_over_the_whole_width_at_the_top_is_the_title(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path, "<table><tr><th colspan=2>Medals<tr><th>Nation<th>Gold<tr><td>NOR<td>16<tr><td>GER<td>12</table>"
    )
    assert table.title == "Medals"
    assert table.names == ("Nation", "Gold")


def test_nested_table_is_a_table_of_its_own(tmp_path: Path) -> None:
    outer, inner = read_page(
        tmp_path,
        """<table><tr><th>k<th>v<tr><td>a<td>1 <table><tr><th>x<th>y<tr><td>8<td>9</table>
        <tr><td>b<td>2<tr><td>c<td>3</table>""",
    )
    assert outer.rows == [("a", "1"), ("b", "2"), ("c", "3")]
    assert inner.rows == [("8", "9")]


def test_layout_tables_are_left_out_and_reported(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path,
        """<table role="presentation"><tr><td>logo<td>menu</table>
        <table><tr><td><h1>Site</h1><td><form><input></form></table>
        <table><tr><td><table><tr><th>a<th>b<tr><td>1<td>2</table><td>side</table>
        <table><tr><td><a href=x>one</a><td><a href=y>two</a></table>""",
    )
    assert table.names == ("a", "b")
    assert table.account.repairs == [
        "3 tables before this one are layout or empty, and left out: “logo menu”, “Site”, “side”",
        "1 tables after this one are layout or empty, and left out: “one two”",
    ]


def test_footnote_marks_and_hidden_elements_are_not_text(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path,
        """<table><tr><th>Name<sup class="reference"><a href="#n1">[1]</a></sup><th>Area
        <tr><td><span style="display:none">00123</span>Oslo<sup>[a]</sup><td>454 km<sup>2</sup>
        <tr><td>Rome<sup>†</sup><script>x()</script><style>y</style><td hidden>9</td><td>1,285<!-- c --></table>""",
    )
    assert table.names == ("Name", "Area")
    assert table.rows == [("Oslo", "454 km2"), ("Rome", "1,285")]
    assert "3 footnote marks left out" in table.account.repairs


def test_entities_breaks_and_white_space(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path,
        "<table><tr><th>a<th>b<tr><td>&lt;x&gt; &amp; &eacute;&nbsp;y<td>one<br>two<p>three\n   four</p></table>",
    )
    assert table.rows == [("<x> & é y", "one\ntwo\nthree four")]


def test_foot_comes_last_and_a_total_in_it_is_marked(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path,
        """<table><thead><tr><th>n<th>v</thead><tfoot><tr><td>Total<td>3</tfoot>
        <tbody><tr><td>a<td>1<tr><td>b<td>2</tbody></table>""",
    )
    assert table.rows[-1] == ("Total", "3")
    assert table.rollups == (2,)


def test_image_descriptions_and_fields_stand_in_for_missing_text(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path, '<table><tr><th>flag<th>n<tr><td><img src=x alt="Norway"><td><input value="5"><tr><td>x<td>6</table>'
    )
    assert table.rows == [("Norway", "5"), ("x", "6")]


def test_declared_and_undeclared_encodings(tmp_path: Path) -> None:
    text = '<meta charset="{}"><table><tr><th>Stadt<th>n<tr><td>Zürich – Köln<td>1</table>'
    for name in ("utf-8", "windows-1252", "utf-16"):
        path = tmp_path / f"{name}.html"
        path.write_bytes(text.format(name).encode(name))
        (table,) = read_all(path)
        assert table.rows == [("Zürich – Köln", "1")], name


def test_hidden_table_is_read_and_reported(tmp_path: Path) -> None:
    (table,) = read_page(tmp_path, '<div style="display: none"><table><tr><th>a<th>b<tr><td>1<td>2</table></div>')
    assert table.account.ambiguities == ["the table is hidden on the page"]


def test_spans_that_blow_a_table_up_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.html"
    path.write_text("<table>" + "<tr><td colspan=1000 rowspan=65534>x" * 3_000 + "</table>", encoding="utf-8")
    with pytest.raises(BrokenSourceError, match="spans more than 100000 cells"):
        read_all(path, ReadSettings(max_sheet_cells=100_000))


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.html"
    path.write_text("<table><tr><th>a<td>" * 100 + "x", encoding="utf-8")
    with pytest.raises(BrokenSourceError, match="nested too deep"):
        read_all(path)


@pytest.mark.parametrize("text", ["", "   ", "<p>no table</p>", "<table></table>", "<table><tr></tr></table>"])
def test_page_without_a_table_gives_none(tmp_path: Path, text: str) -> None:
    assert read_page(tmp_path, text) == []


def test_labels_of_rows_do_not_make_a_header(tmp_path: Path) -> None:
    (table,) = read_page(tmp_path, "<table><tr><th>Born<td>Oslo<tr><th>Died<td>Rome<tr><th>Known for<td>maps</table>")
    assert table.header == ((), ())
    assert table.rows[0] == ("Born", "Oslo")


def test_blank_corner_does_not_hide_the_header(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path, "<table><tr><td><th>2019<th>2020<tr><th>Oslo<td>1<td>2<tr><th>Rome<td>3<td>4</table>"
    )
    assert table.header == ((), ("2019",), ("2020",))
    assert table.rows == [("Oslo", "1", "2"), ("Rome", "3", "4")]
