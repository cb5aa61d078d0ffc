"""HTML pages: what went wrong once. Rows, columns, characters and numbers that were lost or changed without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound.errors import BrokenSourceError
from tests.read_documents.document_tables import Got, read_all, read_page


def read_bytes(folder: Path, data: bytes) -> Got:
    path = folder / "page.html"
    path.write_bytes(data)
    (table,) = read_all(path)
    return table


def cells(folder: Path, *shown: str) -> list[str | None]:
    """A column of cells as read."""
    rows = "".join(f"<tr><td>k{index}<td>{cell}" for index, cell in enumerate(shown))
    (table,) = read_page(folder, f"<table><tr><th>k<th>v{rows}</table>")
    return [row[1] for row in table.rows]


def test_bytes_that_do_not_fit_the_declared_encoding_are_not_lost(tmp_path: Path) -> None:
    table = read_bytes(tmp_path, b'<meta charset="utf-8"><table><tr><th>N<th>v<tr><td>Z\xfcrich<td>1</table>')
    assert table.rows == [("Zürich", "1")]
    assert table.account.repairs == ["the page says utf-8, which its bytes do not fit; read as cp1252"]


@pytest.mark.parametrize(
    ("declared", "used", "text"),
    [
        ("shift_jis", "cp932", "①髙橋"),
        ("x-sjis", "cp932", "日本①"),
        ("gb2312", "gb18030", "朱镕基"),
        ("euc-kr", "cp949", "똠방각하"),
        ("big5", "big5hkscs", "喺嘅"),
        ("iso-2022-jp", "iso2022_jp", "日本"),
        ("iso-8859-1", "cp1252", "€ “q”"),
        ("iso-8859-9", "cp1254", "“Şişli”"),
        ("windows-874", "cp874", "ไทย"),
    ],
)
def test_declared_encodings_are_read_as_browsers_read_them(tmp_path: Path, declared: str, used: str, text: str) -> None:
    page = f'<meta charset="{declared}"><table><tr><th>N<th>v<tr><td>{text}<td>1</table>'
    table = read_bytes(tmp_path, page.encode(used))
    assert table.rows == [(text, "1")]
    assert table.account.repairs == []


def test_characters_of_vendors_within_euc_jp(tmp_path: Path) -> None:
    page = '<meta charset="euc-jp"><table><tr><th>名<th>v<tr><td>日本@<td>1</table>'.encode("euc_jp")
    assert read_bytes(tmp_path, page.replace(b"@", b"\xad\xa1\xfc\xe2")).rows == [("日本①髙", "1")]


def test_a_few_foreign_bytes_in_a_declared_encoding_are_reported(tmp_path: Path) -> None:
    page = '<meta charset="euc-kr"><table><tr><th>N<th>v<tr><td>서울특별시 부산광역시@<td>1</table>'.encode("cp949")
    table = read_bytes(tmp_path, page.replace(b"@", b" \xff "))
    assert table.rows == [("서울특별시 부산광역시 ÿ", "1")]
    assert table.account.repairs == ["1 bytes do not fit euc-kr, and are read as Windows-1252"]


def test_nearly_valid_utf8_is_not_read_byte_by_byte(tmp_path: Path) -> None:
    page = '<meta charset="iso-8859-1"><table><tr><th>N<th>v<tr><td>Zürich, Köln, Genève, Málaga @<td>1</table>'
    table = read_bytes(tmp_path, page.encode().replace(b"@", b"\xe9"))
    assert table.rows == [("Zürich, Köln, Genève, Málaga é", "1")]
    assert len(table.account.repairs) == 2


@pytest.mark.parametrize("declared", ["unicode_escape", "rot13", "nonsense", "utf-16", "idna"])
def test_a_declared_encoding_that_cannot_be_meant_is_not_used(tmp_path: Path, declared: str) -> None:
    page = f'<meta charset="{declared}"><table><tr><th>N<th>v<tr><td>Zürich \\x41<td>1</table>'
    assert read_bytes(tmp_path, page.encode("cp1252")).rows == [("Zürich \\x41", "1")]


def test_a_declaration_in_a_comment_or_far_down_counts_as_browsers_count_it(tmp_path: Path) -> None:
    head = b'<!-- <meta charset="koi8-r"> -->' + b" " * 6000 + b'<meta charset="windows-1251">'
    table = read_bytes(tmp_path, head + "<table><tr><th>Имя<th>v<tr><td>Да<td>1</table>".encode("cp1251"))
    assert table.rows == [("Да", "1")]


def test_raised_marks_do_not_become_digits(tmp_path: Path) -> None:
    shown = (
        "100<sup>1</sup>",
        "200<sup>2,3</sup>",
        "9<sup>a</sup>",
        '5<sup><a href="https://x/y#fn1">1</a></sup>',
        '6<a href="#fn2">[2]</a>',
        "7 <sup>1</sup>",
        "8%<sup>2</sup>",
        '4<span style="vertical-align: super">3</span>',
        "Norway<sup>1</sup>",
    )
    assert cells(tmp_path, *shown) == ["100", "200", "9", "5", "6", "7", "8%", "4", "Norway"]


def test_marks_left_out_by_guess_are_reported(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path, "<table><tr><th>k<th>v<tr><td>a<td>100<sup>1</sup><tr><td>b<td>2<sup>[1]</sup></table>"
    )
    assert table.account.repairs == ["2 footnote marks left out"]
    assert table.account.ambiguities == [
        "raised text after a number or a word is read as a footnote mark and left out: 100 (1)"
    ]


def test_powers_stay_powers(tmp_path: Path) -> None:
    shown = ("1.5×10<sup>6</sup>", "10<sup>−3</sup>", "10<sup>3</sup>", "5 m<sup>2</sup>", "6 mi<sup>2</sup>")
    assert cells(tmp_path, *shown) == ["1.5×10^6", "10^−3", "10^3", "5 m2", "6 mi2"]
    assert cells(tmp_path, "2<sup>10</sup>", "2<sup>20</sup>") == ["2^10", "2^20"]
    assert cells(tmp_path, "10<sup>6</sup> t", "7<sup>1</sup>", "2 км<sup>2</sup>") == ["10^6 t", "7", "2 км2"]


def test_several_marks_in_a_row_and_editorial_ones_go_as_one(tmp_path: Path) -> None:
    shown = ("4<sup>1</sup>,<sup>2</sup>", "5<sup>[citation needed]</sup>", "6<sup>[n 1]</sup><sup>[a]</sup>")
    assert cells(tmp_path, *shown) == ["4", "5", "6"]


def test_links_within_the_page_that_are_no_notes_stay(tmp_path: Path) -> None:
    shown = ('Unary - <a href="op.html#the-dereference-operator">*</a> x', 'see <a href="#c2">2</a>')
    assert cells(tmp_path, *shown) == ["Unary - * x", "see 2"]


def test_ten_among_other_numbers_with_marks_has_a_mark(tmp_path: Path) -> None:
    assert cells(tmp_path, "10<sup>3</sup>", "12<sup>1</sup>", "7<sup>2</sup>") == ["10", "12", "7"]


def test_other_raised_text_never_runs_into_a_number(tmp_path: Path) -> None:
    shown = (
        "1<sup>st</sup>",
        "3<sup>1</sup>/<sub>2</sub>",
        "7–6<sup>7–3</sup>",
        "1010<sub>2</sub>",
        "CO<sub>2</sub>",
        "<sup>14</sup>C",
        "x<sup>2</sup>",
        "Windows<sup>TM</sup>",
    )
    read = ["1st", "3 1/2", "7–6^7–3", "1010_2", "CO2", "14C", "x2", "WindowsTM"]
    assert cells(tmp_path, *shown) == read
    assert cells(tmp_path, "9<sup>05</sup>", "10<sup>30</sup>") == ["9:05", "10:30"]
    assert cells(tmp_path, "$19<sup>99</sup>", "$5<sup>00</sup>") == ["$19.99", "$5.00"]
    assert cells(tmp_path, "1<sup>er</sup>", "2<sup>e</sup>") == ["1er", "2e"]


@pytest.mark.parametrize("cell", ["th", "td"])
def test_headings_of_sections_do_not_join_the_header(tmp_path: Path, cell: str) -> None:
    section = f"<tr><{cell} colspan=2>Group"
    head = "<thead><tr><th>A<th>B</thead><tbody>"
    for top in (head, "<tr><th>A<th>B"):
        (table,) = read_page(tmp_path, f"<table>{top}{section} 1<tr><td>x<td>1{section} 2<tr><td>y<td>2</table>")
        assert table.header == (("A",), ("B",))
        assert table.rows == [("Group 1", None), ("x", "1"), ("Group 2", None), ("y", "2")]


def test_second_band_of_a_head_is_still_found(tmp_path: Path) -> None:
    for top in ("<thead><tr><th>N<th colspan=2>2024</thead>", "<tr><th>N<th colspan=2>2024"):
        (table,) = read_page(tmp_path, f"<table>{top}<tr><th><th>Q1<th>Q2<tr><td>a<td>1<td>2</table>")
        assert table.header == (("N",), ("2024", "Q1"), ("2024", "Q2"))
    (table,) = read_page(
        tmp_path, "<table><thead><tr><th colspan=2>Title</thead><tr><th>a<th>b<tr><td>x<td>y<tr><td>z<td>w</table>"
    )
    assert (table.title, table.names) == ("Title", ("a", "b"))


def test_row_label_without_values_is_no_header(tmp_path: Path) -> None:
    (table,) = read_page(tmp_path, "<table><tr><th>Name<th>x<th>y<tr><th>Ann<td><td><tr><th>Bob<td>1<td>2</table>")
    assert table.names == ("Name", "x", "y")
    assert table.rows == [("Ann", None, None), ("Bob", "1", "2")]


def test_hidden_rows_are_set_aside(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path,
        """<table><tr><th>A<th>B<tr><td>1<td>2<tr style="display:none"><td>8<td>8<tr hidden><td>9<td>9
        <tbody style="display: none"><tr><td>7<td>7</tbody><tbody><tr><td>3<td>4</table>""",
    )
    assert table.rows == [("1", "2"), ("3", "4")]
    assert table.row_numbers == [2, 6]
    hidden = [(row.row, row.text) for row in table.account.set_aside if row.reason == "hidden"]
    assert hidden == [(3, "8 | 8"), (4, "9 | 9"), (5, "7 | 7")]


def test_hidden_cells_are_counted_and_invisible_ones_keep_their_place(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path,
        """<table><tr><th style="display:none">id<th>A<th>B<tr><td style="display:none">1<td>x<td>2
        <tr><td style="display:none">2<td style="visibility:hidden">y<td>3</table>""",
    )
    assert table.names == ("A", "B")
    assert table.rows == [("x", "2"), (None, "3")]
    assert table.account.repairs == ["4 hidden elements left out"]


def test_headings_and_forms_in_cells_do_not_make_layout(tmp_path: Path) -> None:
    for cell in ("<h2>Plan</h2>", "<form>Plan</form>"):
        (table,) = read_page(tmp_path, f"<table><tr><td>{cell}<td>5<tr><td>Basic<td>6<tr><td>Pro<td>9</table>")
        assert table.rows == [("Plan", "5"), ("Basic", "6"), ("Pro", "9")]


def test_tables_left_out_at_the_end_of_a_page_are_reported(tmp_path: Path) -> None:
    (table,) = read_page(tmp_path, "<table><tr><th>a<tr><td>1</table><table role=presentation><tr><td>foot</table>")
    assert table.account.repairs == ["1 tables after this one are layout or empty, and left out: “foot”"]


def test_head_below_the_body_is_the_head(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path, "<table><tbody><tr><td>x<td>1<tr><td>y<td>2</tbody><thead><tr><th>a<th>b</thead></table>"
    )
    assert table.names == ("a", "b")
    assert table.rows == [("x", "1"), ("y", "2")]


def test_text_over_the_whole_width_is_given_once(tmp_path: Path) -> None:
    (table,) = read_page(
        tmp_path,
        """<table><tr><th>A<th>B<th>C<tr><td colspan=3>Group 1<tr><td>x<td>1<td>2<tr><td colspan=1000>Group 2
        <tr><td>y<td colspan=2>n/a<tfoot><tr><td colspan=3>Source: x</tfoot></table>""",
    )
    assert table.rows == [("Group 1", None, None), ("x", "1", "2"), ("Group 2", None, None), ("y", "n/a", "n/a")]
    assert table.notes == ("Source: x",)


def test_total_over_the_whole_width_is_no_note(tmp_path: Path) -> None:
    (table,) = read_page(tmp_path, "<table><tr><th>A<th>B<tr><td>x<td>1<tr><td colspan=2>Total: 1</table>")
    assert table.rows[-1] == ("Total: 1", None)


@pytest.mark.parametrize(
    ("page", "rows"),
    [
        ("<tr><th>a<th>b<tr><td>long<wbr>word<td>5", [("longword", "5")]),
        ("<tr><th>a<th>b<tr><td>x<mark>y<td>5<tr><td>z<td>6", [("xy", "5"), ("z", "6")]),
        ("<tr><th>a<th>b<tr><td><ul><li>x<li>y<td>5", [("x\ny", "5")]),
        ("<form><tr><th>a<th>b<tr><td>x<td>5</form>", [("x", "5")]),
        ("<thead><th>a<th>b</thead><td>x<td>5<tr><td>y<td>6", [("x", "5"), ("y", "6")]),
        ("<tr><th>a<th>b<tr><td><svg><title>t</title><text>10</text></svg><td>5", [("10", "5")]),
        ("<tr><th>a<th>b<tr><td><math><mi>x</mi><mo>=</mo><mn>2</mn></math><td>5", [("x=2", "5")]),
        (
            "<tr><th>a<th>b<tr><td><math><msup><mn>10</mn><mn>3</mn></msup><annotation>q</annotation></math><td>5",
            [("10^3", "5")],
        ),
    ],
)
def test_missing_and_unusual_tags(tmp_path: Path, page: str, rows: list[tuple[str, str]]) -> None:
    (table,) = read_page(tmp_path, f"<table>{page}</table>")
    assert table.names == ("a", "b")
    assert table.rows == rows


def test_cells_without_a_row_share_one(tmp_path: Path) -> None:
    (table,) = read_page(tmp_path, "<table><td>1<td>2</table>")
    assert table.rows == [("1", "2")]


def test_table_in_a_template_is_none(tmp_path: Path) -> None:
    page = "<table><tr><th>a<tr><td>1</table><template><table><tr><th>{x}<tr><td>{y}</table></template>"
    (table,) = read_page(tmp_path, page)
    assert table.names == ("a",)
    assert len(table.account.repairs) == 1


def test_end_of_a_page_nested_too_deep_is_not_lost_silently(tmp_path: Path) -> None:
    with pytest.raises(BrokenSourceError, match="nested too deep"):
        read_page(tmp_path, "<table><tr><th>a<th>b" + "<tr><td>a<mark>b<td>2" * 3_000 + "</table>")


@pytest.mark.parametrize(
    "page",
    [
        "<tr><th>a<th>b</tr>" + "<tr><td rowspan=1000>x<td>1" * 5_000,
        "<tr>" + "<td>x" * 16_000 + "<tr><td>y" * 1_200,
    ],
)
def test_small_pages_that_blow_up_are_refused_at_once(tmp_path: Path, page: str) -> None:
    with pytest.raises(BrokenSourceError, match="spans more than"):
        read_page(tmp_path, f"<table>{page}</table>")


def test_columns_in_which_no_cell_begins_cost_nothing(tmp_path: Path) -> None:
    page = "<table><tr><th colspan=1000 rowspan=65534>x</tr>" + "<tr></tr>" * 5_000 + "<tr><td>y</table>"
    (table,) = read_page(tmp_path, page)
    assert len(table.header) == 2
    (table,) = read_page(tmp_path, "<table><tr>" + "<td colspan=1000>x" * 3_000 + "<tr><td>y</table>")
    assert len(table.header) == 3_000
