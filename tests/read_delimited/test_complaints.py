"""One test per fault that people report of readers of delimited text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound.errors import BrokenSourceError, SettingError, UnsupportedSourceError
from tablehound.lake.read.contract import Overrides, SourceFile, TableDraft
from tablehound.lake.read.delimited.reader import read
from tablehound.settings import ReadSettings
from tests.read_delimited.reading import Load


def names(draft: TableDraft) -> list[str]:
    return [" ".join(levels) for levels in draft.header]


def reasons(draft: TableDraft) -> list[str]:
    return [aside.reason for aside in draft.account.set_aside]


def test_rows_before_a_change_of_width_stay(load: Load) -> None:
    text = "a,b\n" + "".join(f"{i},{i + 1}\n" for i in range(20)) + "".join(f"{i},{i},{i}\n" for i in range(30))
    found = load(text)
    cells = [cell for _, rows in found for row in rows for cell in row if cell is not None]
    assert sum(len(rows) for _, rows in found) == 50
    assert cells.count("19") >= 2


def test_file_of_three_lines(load: Load) -> None:
    ((draft, rows),) = load("a,b,c\n1,2,3\n4,5,6\n")
    assert names(draft) == ["a", "b", "c"]
    assert rows == [("1", "2", "3"), ("4", "5", "6")]


def test_title_above_the_header(load: Load) -> None:
    ((draft, rows),) = load("Sales by region\n\nregion,units,price\nnorth,3,1.5\nsouth,4,2.5\neast,5,3.5\n")
    assert names(draft) == ["region", "units", "price"]
    assert draft.title == "Sales by region"
    assert len(rows) == 3
    assert reasons(draft)[:2] == ["preamble", "blank"]


def test_title_padded_to_full_width(load: Load) -> None:
    ((draft, rows),) = load("Sales by region,,\n,,\nregion,units,price\nnorth,3,1.5\nsouth,4,2.5\neast,5,3.5\n")
    assert (draft.title, names(draft), len(rows)) == ("Sales by region", ["region", "units", "price"], 3)


def test_second_header_level_is_header(load: Load) -> None:
    text = "region,2023,,2024,\n,Q1,Q2,Q1,Q2\nnorth,3,4,5,6\nsouth,4,5,6,7\neast,1,2,3,4\nwest,9,8,7,6\n"
    ((draft, rows),) = load(text)
    assert draft.header == (("region",), ("2023", "Q1"), ("2023", "Q2"), ("2024", "Q1"), ("2024", "Q2"))
    assert draft.account.header_rows == (1, 2)
    assert rows[0] == ("north", "3", "4", "5", "6")


def test_units_below_the_names_are_header(load: Load) -> None:
    ((draft, rows),) = load("site,mass,speed\n-,kg,m/s\nA,3,4.5\nB,4,5.5\nC,5,6.5\nD,6,7.5\n")
    assert draft.account.header_rows in ((1,), (1, 2))
    assert len(rows) == 6 - len(draft.account.header_rows)


@pytest.mark.parametrize("token", ["NA", "null", "N/A", "None", "nan", "-", "#N/A", "NULL"])
def test_null_tokens_stay_text(load: Load, token: str) -> None:
    ((_, rows),) = load(f"country,code\nNamibia,{token}\nNorway,NO\nPeru,PE\n")
    assert rows[0] == ("Namibia", token)


def test_empty_quoted_and_missing_cells_differ(load: Load) -> None:
    ((draft, rows),) = load('a,b,c\n1,"",x\n2,,y\n3,z\n4,v,w\n5,v,w\n')
    assert rows[:3] == [("1", "", "x"), ("2", "", "y"), ("3", "z", None)]
    assert any("missing" in repair for repair in draft.account.repairs)


def test_leading_zeros_and_spaces_stay(load: Load) -> None:
    ((_, rows),) = load("code,name\n007, Bond \n0042,Ann\n")
    assert rows == [("007", " Bond "), ("0042", "Ann")]


def test_comma_decimals_are_not_split(load: Load) -> None:
    ((draft, rows),) = load("item;price\napple;1.234,56\npear;0,99\nplum;12,00\n")
    assert draft.account.dialect["delimiter"] == ";"
    assert rows[0] == ("apple", "1.234,56")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "name,city\nJosé,Málaga\nMüller,Köln\nPeña,Cádiz\n"),
        ("gbk", "姓名,城市\n张伟,北京\n王芳,上海\n李娜,广州\n"),
        ("big5", "姓名,城市\n張偉,臺北\n王芳,高雄\n"),
        ("cp1251", "имя,город\nИван,Москва\nОльга,Тверь\n"),
        ("koi8-r", "имя,город\nИван,Москва\nОльга,Тверь\n"),
        ("cp932", "名前,都市\n田中さん,東京\nスズキ,大阪\n"),
        ("euc-kr", "이름,도시\n김철수,서울\n이영희,부산\n"),
        ("cp1253", "όνομα,πόλη\nΓιώργος,Αθήνα\nΜαρία,Θεσσαλονίκη\n"),
        ("cp1250", "jméno,město\nJiří,Plzeň\nŽofie,Třebíč\n"),
        ("utf-16", "a,b\n1,é\n2,ü\n"),
        ("utf-16-le", "name,count\nAnn,11\nBob,22\n"),
        ("utf-32", "a,b\n1,é\n2,ü\n"),
        ("utf-8-sig", "a,b\n1,é\n2,ü\n"),
    ],
)
def test_encodings(load: Load, encoding: str, text: str) -> None:
    ((draft, rows),) = load(text.encode(encoding))
    lines = [tuple(line.split(",")) for line in text.splitlines()]
    assert [tuple(names(draft)), *rows] == lines
    assert draft.account.dialect["encoding"]


def test_utf8_with_a_few_foreign_bytes(load: Load) -> None:
    text = "name,city\nJosé,Málaga\nMüller,Köln\n".encode() + "Peña,Cádiz\n".encode("cp1252")
    ((draft, rows),) = load(text)
    assert rows == [("José", "Málaga"), ("Müller", "Köln"), ("Peña", "Cádiz")]
    assert "foreign" in draft.account.dialect["encoding_by"]


def test_byte_order_mark_is_not_part_of_a_name(load: Load) -> None:
    ((draft, _),) = load(b"\xef\xbb\xbfid,name\n1,Ann\n2,Bob\n")
    assert names(draft) == ["id", "name"]


def test_names_that_differ_in_case_are_both_kept(load: Load) -> None:
    ((draft, rows),) = load("id,ID\n1,a\n2,b\n")
    assert names(draft) == ["id", "ID"]
    assert rows == [("1", "a"), ("2", "b")]


def test_header_only(load: Load) -> None:
    ((draft, rows),) = load("id,name,city\n")
    assert (names(draft), rows) == (["id", "name", "city"], [])


def test_empty_file_is_no_table(load: Load) -> None:
    assert load("") == []
    assert load("\n\n  \n") == []


def test_no_header(load: Load) -> None:
    ((draft, rows),) = load("1,2.5,2020-01-01\n2,3.5,2020-01-02\n3,4.5,2020-01-03\n")
    assert draft.header == ((), (), ())
    assert len(rows) == 3


def test_zero_byte_in_the_middle(load: Load) -> None:
    text = "id,name\n" + "".join(f"{i},n{i}\n" for i in range(100))
    at = int(len(text) * 0.6)
    ((_, rows),) = load(text[:at] + "\0" + text[at:])
    assert len(rows) == 100
    assert rows[-1] == ("99", "n99")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(load: Load, end: str) -> None:
    ((_, rows),) = load(end.join(["a,b", "1,2", "3,4", ""]))
    assert rows == [("1", "2"), ("3", "4")]


def test_mixed_line_ends(load: Load) -> None:
    ((_, rows),) = load("a,b\r\n1,2\n3,4\r5,6\r\n")
    assert rows == [("1", "2"), ("3", "4"), ("5", "6")]


def test_line_ends_within_quotes_stay_as_they_were(load: Load) -> None:
    ((_, rows),) = load('a,b\r\n1,"x\r\ny"\r\n2,z\r\n')
    assert rows == [("1", "x\r\ny"), ("2", "z")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "#", "~", "^", "||", "::", "|~|", ", ", "\t\t"])
def test_delimiters(load: Load, delimiter: str) -> None:
    table = [["name", "count", "day"], ["ann lee", "3", "2020-01-01"], ["bob", "40", "2020-01-02"], ["cy", "5", ""]]
    ((draft, rows),) = load("\n".join(delimiter.join(row) for row in table) + "\n")
    assert [names(draft), *map(list, rows)] == table


def test_columns_lined_up_with_spaces(load: Load) -> None:
    text = (
        "name      count  day\nann lee       3  2020-01-01\nbob          40  2020-01-02\ncy            5  2020-01-03\n"
    )
    ((draft, rows),) = load(text, "a.txt")
    assert names(draft) == ["name", "count", "day"]
    assert rows[0] == ("ann lee", "3", "2020-01-01")


def test_several_tables(load: Load) -> None:
    text = (
        "Stores\nstore,city\nA,Rome\nB,Oslo\nC,Bonn\n\n"
        "Staff\nname,age,store\nAnn,31,A\nBob,42,B\nCy,53,C\n\nSource: us\n"
    )
    (one, first), (two, second) = load(text)
    assert (names(one), len(first), one.title) == (["store", "city"], 3, "Stores")
    assert (names(two), len(second), two.title) == (["name", "age", "store"], 3, "Staff")
    assert two.notes == ("Source: us",)
    assert (one.provenance.ordinal, two.provenance.ordinal) == (0, 1)


def test_second_table_without_a_blank_line(load: Load) -> None:
    text = "store,units\nA,1\nB,2\nC,3\nname,age,store\nAnn,31,A\nBob,42,B\nCy,53,C\n"
    assert [names(draft) for draft, _ in load(text)] == [["store", "units"], ["name", "age", "store"]]


def test_header_repeated_on_every_page(load: Load) -> None:
    page = "name,age\nAnn,31\nBob,42\n"
    ((draft, rows),) = load(page * 5)
    assert len(rows) == 10
    assert reasons(draft).count("header repeated") == 4


@pytest.mark.parametrize("rows", ["Ann,31\nBob,42\nCy,53\n", "Ann,x\nBob,y\nCy,z\n", '"Ann, A",31\nBob,42\nCy,53\n'])
def test_header_line_that_comes_twice_is_no_row(load: Load, rows: str) -> None:
    ((draft, found),) = load("name,age\nname,age\n" + rows)
    assert draft.header == (("name", "name"), ("age", "age"))
    assert len(found) == 3


def test_rows_that_are_all_alike_are_no_header(load: Load) -> None:
    ((draft, found),) = load("7,x\n" * 200)
    assert (draft.header, len(found)) == (((), ()), 200)


def test_notes_below(load: Load) -> None:
    ((draft, rows),) = load("name,age,city\nAnn,31,Rome\nBob,42,Oslo\n* estimates\nSource: census\n")
    assert len(rows) == 2
    assert draft.notes == ("* estimates", "Source: census")


def test_comment_lines(load: Load) -> None:
    ((draft, rows),) = load("# made by hand\nid,name\n1,Ann\n# checked\n2,Bob\n3,Cy\n")
    assert names(draft) == ["id", "name"]
    assert len(rows) == 3
    assert "comment" in reasons(draft)


def test_quote_that_never_closes(load: Load) -> None:
    text = 'id,name,city\n1,Ann,Rome\n2,"Bob,Oslo\n3,Cy,Bonn\n4,Di,Kyiv\n5,Ed,Riga\n'
    ((_, rows),) = load(text)
    assert len(rows) == 5
    assert rows[1] == ("2", '"Bob', "Oslo")


def test_inch_marks_are_not_quotes(load: Load) -> None:
    ((_, rows),) = load('id,size,n\n1,5" pipe,3\n2,6" pipe,4\n3,7" bolt,5\n')
    assert rows == [("1", '5" pipe', "3"), ("2", '6" pipe', "4"), ("3", '7" bolt', "5")]


def test_backslash_escapes(load: Load) -> None:
    ((draft, rows),) = load('id,said\n1,"a \\"quoted\\" word"\n2,"x, \\"y\\""\n3,plain\n')
    assert rows[0] == ("1", 'a "quoted" word')
    assert rows[1] == ("2", 'x, "y"')
    assert draft.account.dialect["escape"] == "backslash"


def test_field_too_many_is_put_where_it_fits(load: Load) -> None:
    body = "".join(f"{i},2020-01-{i:02d},{i}.5,word\n" for i in range(1, 20))
    ((draft, rows),) = load("id,day,value,note\n" + body + "20,2020-01-20,,7.5,word\n21,2020-01-21,8.5,a, b\n")
    assert rows[19] == ("20", "2020-01-20", "7.5", "word")
    assert rows[20] == ("21", "2020-01-21", "8.5", "a, b")
    assert len(draft.account.repairs) == 2


def test_lost_delimiter_is_put_back(load: Load) -> None:
    body = "".join(f"{i},2020-01-{i:02d},A-{i:03d}\n" for i in range(1, 20))
    ((_, rows),) = load("id,day,code\n" + body + "202020-01-20,A-020\n")
    assert rows[-1] == ("20", "2020-01-20", "A-020")


def test_row_that_fits_nothing_is_set_aside(load: Load) -> None:
    body = "".join(f"{i},2020-01-{i:02d},{i}.5\n" for i in range(1, 20))
    ((draft, rows),) = load("id,day,value\n" + body + "a,b,c,d,e,f,g\n" + "20,2020-01-20,1.5\n")
    assert len(rows) == 20
    (aside,) = [aside for aside in draft.account.set_aside if aside.reason != "header"]
    assert (aside.row, aside.text) == (21, "a,b,c,d,e,f,g")


def test_row_numbers_are_those_of_the_source(load: Load, tmp_path: Path) -> None:
    path = tmp_path / "n.csv"
    path.write_text("title\n\na,b\n1,2\n\n3,4\n", encoding="utf-8")
    (draft,) = read(SourceFile(path, "n.csv"))
    (batch,) = draft.record_batches()
    assert batch.column("row").to_pylist() == [4, 6]


def test_row_names_without_a_header_field(load: Load) -> None:
    ((draft, rows),) = load("mpg,cyl\nMazda,21.0,6\nDatsun,22.8,4\nHornet,21.4,6\n")
    assert draft.header == ((), ("mpg",), ("cyl",))
    assert rows[0] == ("Mazda", "21.0", "6")


def test_overrides_are_obeyed(load: Load) -> None:
    pinned = Overrides(encoding="latin-1", delimiter="|", quote="", header_rows=0)
    ((draft, rows),) = load('a|"b\n1|"2\n', overrides=pinned)
    assert draft.header == ((), ())
    assert rows == [("a", '"b'), ("1", '"2')]


def test_skipped_rows_are_set_aside(load: Load) -> None:
    ((draft, rows),) = load("x,y\nfoo,bar\na,b\n1,2\n", overrides=Overrides(skip_rows=2, header_rows=1))
    assert names(draft) == ["a", "b"]
    assert rows == [("1", "2")]
    assert len(draft.account.set_aside) == 3


def test_binary_data_is_refused(load: Load) -> None:
    with pytest.raises(UnsupportedSourceError, match="binary"):
        load(bytes(range(256)) * 20)


def test_running_text_is_refused(load: Load) -> None:
    text = (
        "This is a letter, not a table. It goes on for a while, as letters do.\n"
        "The second line has one comma, which says little.\nThe third line has none at all.\n"
        "\nWith kind regards, and with thanks for your time, from all of us, always,\nthe people of the office.\n"
    )
    with pytest.raises(UnsupportedSourceError, match="running text"):
        load(text, "letter.txt")


def test_limits(load: Load) -> None:
    with pytest.raises(BrokenSourceError, match="columns"):
        load(",".join(map(str, range(50))) + "\n", settings=ReadSettings(max_columns=40))
    with pytest.raises(BrokenSourceError, match="bytes"):
        load("a,b\n1,2\n", settings=ReadSettings(max_source_bytes=3))
    ((draft, rows),) = load('a,b\n1,"' + "x" * 50 + '"\n2,y\n', settings=ReadSettings(max_cell_chars=10))
    assert rows[0] == ("1", "x" * 10)
    assert any("cut" in repair for repair in draft.account.repairs)


def test_encoding_that_is_given(load: Load) -> None:
    ((draft, rows),) = load("é,ü\nà,1\nç,2\n".encode("mac_roman"), overrides=Overrides(encoding="mac_roman"))
    assert (names(draft), rows) == (["é", "ü"], [("à", "1"), ("ç", "2")])
    ((draft, _),) = load(b"\xef\xbb\xbfid,name\n1,Ann\n2,Bob\n", overrides=Overrides(encoding="utf-8"))
    assert names(draft) == ["id", "name"]
    with pytest.raises(SettingError, match="no encoding"):
        load("a,b\n1,2\n", overrides=Overrides(encoding="no-such"))


def test_how_many_lines_a_quoted_cell_may_have_is_a_setting(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    long = "\n".join(f"line {i}" for i in range(30))
    rows = "".join(f'{i},"x, y",{i}.5\n' for i in range(20))
    path.write_text(f'id,text,n\n{rows}20,"{long}",1.5\n{rows}', encoding="utf-8")

    def cells(lines: int) -> list[str]:
        (draft,) = read(SourceFile(path, "a.csv", settings=ReadSettings(max_cell_lines=lines)))
        return [text for batch in draft.record_batches() for text in batch.column(1).to_pylist()]

    assert long in cells(100)
    assert long not in cells(10)


def test_how_many_repairs_are_listed_is_a_setting(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    good = "".join(f"{i},n{i},{i}.5\n" for i in range(50))
    path.write_text(f"id,name,n\n{good}" + "".join(f"{i},n{i}\n" for i in range(9)), encoding="utf-8")
    (draft,) = read(SourceFile(path, "a.csv", settings=ReadSettings(max_listed_rows=4)))
    list(draft.record_batches())
    assert len(draft.account.repairs) == 5
    assert draft.account.repairs[-1].startswith("5 more")
