"""Encodings: signs are evidence as letters are, and what is broken at one place changes nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.delimited.reader import read

Load = Callable[[bytes], tuple[TableDraft, list[tuple[str | None, ...]]]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def load(data: bytes) -> tuple[TableDraft, list[tuple[str | None, ...]]]:
        path = tmp_path / "a.csv"
        path.write_bytes(data)
        rows: list[tuple[str | None, ...]] = []
        drafts: list[TableDraft] = []
        for draft in read(SourceFile(path, "a.csv")):
            drafts.append(draft)
            for batch in draft.record_batches():
                columns = [batch.column(i).to_pylist() for i in range(batch.num_columns - 1)]
                rows += list(zip(*columns, strict=True))
        (draft,) = drafts
        return draft, rows

    return load


def encoding_of(draft: TableDraft) -> str:
    return draft.account.dialect["encoding"]


@pytest.mark.parametrize("times", [1, 60])
@pytest.mark.parametrize(
    "cell",
    [
        *("€5", "5 €", "£1.20", "¥120", "50¢", "2001–02", "1\u00a0000", "5 µm", "½ cup", "1½", "§ 1", "1º", "5°", "m²"),
        *("it’s", "• Foo", "A – B", "“Hello”", "Foo™", "Bar®", "© 2020", "5 ± 1", "3×4", "more…", "—", "Smith†"),
    ],
)
def test_a_sign_where_signs_stand_is_windows_1252(load: Load, cell: str, times: int) -> None:
    lines = [f"item,value,n\na,{cell},5\n", *(f"{name}{i},{cell},{i}\n" for i in range(times) for name in "bc")]
    draft, rows = load("".join(lines).encode("cp1252"))
    assert encoding_of(draft) == "cp1252"
    assert {row[1] for row in rows} == {cell}


@pytest.mark.parametrize("name", ["Preis €", "price (£)", "Fläche (m²)", "temp °C", "N° client"])
def test_a_sign_in_the_header_is_windows_1252(load: Load, name: str) -> None:
    draft, _ = load(f"item;{name}\na;5\nb;6\nc;7\n".encode("cp1252"))
    assert draft.header[1] == (name,)


def test_the_euro_of_latin_9_is_a_euro(load: Load) -> None:
    _, rows = load("item,price\na,€5\nb,€6\nc,€7\n".encode("iso8859-15"))
    assert rows[0] == ("a", "€5")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("mac_roman", "naam,stad,prijs\nJosé,Málaga,12\nBjörn,Malmö,13\nZoë,Genève,14\n"),
        ("cp850", "name,stadt\nAnn,Köln\nBob,München\n"),
        ("iso8859-2", "imię,miasto,cena\nŁukasz,Łódź,12\nŻaneta,Gdańsk,13\n"),
        ("cp852", "imię,miasto,cena\nŁukasz,Łódź,12\nŻaneta,Gdańsk,13\n"),
        ("cp1254", "ad,fiyat\nİsmail,12\nAyşe,13\n"),
        ("koi8-u", "ім'я,місто\nОлексій,Київ\nНаталія,Їжакевич\n"),
        ("iso8859-7", "όνομα,πόλη\nΆννα,Αθήνα\nΜαρία,Πάτρα\n"),
        ("iso2022_jp", "番号,名前\n1,東京\n2,大阪\n"),
        ("utf-16-le", "имя,город\nИван,Москва\nОльга,Тверь\n"),
        ("utf-16-be", "编号,名称\n1,上海\n2,北京\n3,广州\n"),
    ],
)
def test_encodings_of_few_rows(load: Load, encoding: str, text: str) -> None:
    draft, rows = load(text.encode(encoding))
    lines = [tuple(line.split(",")) for line in text.splitlines()]
    assert [tuple(names[0] for names in draft.header), *rows] == lines


@pytest.mark.parametrize(
    ("encoding", "cell"), [("gbk", "中"), ("cp932", "東京"), ("cp949", "서울"), ("cp1251", "Омск")]
)
def test_one_cell_above_ascii_tells_the_encoding(load: Load, encoding: str, cell: str) -> None:
    _, rows = load(f"id,name,n\n1,abc,4\n2,{cell},5\n3,def,6\n".encode(encoding))
    assert rows[1] == ("2", cell, "5")


@pytest.mark.parametrize("count", [3, 1000])
@pytest.mark.parametrize(
    ("encoding", "head", "cell", "bad"),
    [
        ("gbk", "编号,名称", "北京", b"\xff"),
        ("cp932", "番号,名前", "東京", b"\x81"),
        ("cp1251", "номер,имя", "Москва", b"\x98"),
        ("cp949", "번호,이름", "서울", b"\xff"),
        ("cp1252", "id,Größe", "Málaga", b"\x81"),
    ],
)
def test_one_bad_byte_leaves_the_other_rows_as_they_are(
    load: Load, encoding: str, head: str, cell: str, bad: bytes, count: int
) -> None:
    text = f"{head}\n" + "".join(f"{i},{cell}{i}\n" for i in range(count))
    draft, rows = load(text.encode(encoding) + b"7777," + bad + b"\n")
    assert rows == [*((str(i), f"{cell}{i}") for i in range(count)), ("7777", "\ufffd")]
    assert any(f"0x{bad.hex().upper()}" in repair for repair in draft.account.repairs)


def test_a_row_of_utf8_within_another_encoding(load: Load) -> None:
    text = "编号,名称\n" + "".join(f"{i},北京{i}\n" for i in range(50))
    draft, rows = load(text.encode("gbk") + "50,上海市\n".encode())
    assert (rows[0], rows[-1]) == (("0", "北京0"), ("50", "上海市"))
    assert any("utf-8" in repair for repair in draft.account.repairs)


SIXTEEN = "id,n\r\n1,a\r\n2,b\r\n3,c\r\n4,d\r\n"


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_utf16_that_is_cut_off(load: Load, order: str, mark: str) -> None:
    draft, rows = load((mark + SIXTEEN).encode(order)[:-1])
    assert rows == [("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")]
    assert draft.account.repairs


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("lines", ["5,e\r\n", "15,e\r\n", "5,e\r\n6,f\r\n"])
def test_utf16_with_lines_of_ascii_after_it(load: Load, order: str, lines: str) -> None:
    draft, rows = load(("\ufeff" + SIXTEEN).encode(order) + lines.encode())
    assert rows[3:] == [("4", "d"), *(tuple(line.split(",")) for line in lines.split())]
    assert draft.account.repairs


def test_utf16_with_half_a_character(load: Load) -> None:
    draft, rows = load(SIXTEEN.encode("utf-16").replace(b"a\0", b"\x00\xd8"))
    assert rows == [("1", "\ufffd"), ("2", "b"), ("3", "c"), ("4", "d")]
    assert draft.account.repairs


def test_utf16_that_lost_a_byte(load: Load) -> None:
    _, rows = load(SIXTEEN.encode("utf-16").replace(b"b\0", b"b"))
    assert rows == [("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")]


def test_ideographs_of_utf16_are_no_ascii(load: Load) -> None:
    # Both bytes of each of these characters are letters of ASCII.
    text = "".join(chr(0x4E00 + low) for low in (0x41, 0x5A, 0x61))
    _, rows = load(f"编号,名称\n1,{text}\n2,{text}\n{text},上海\n".encode("utf-16"))
    assert rows == [("1", text), ("2", text), (text, "上海")]


@pytest.mark.parametrize("quote", ["", '"'])
def test_byte_order_marks_of_joined_files_are_taken_out(load: Load, quote: str) -> None:
    first, second = f"{quote}id{quote},n\n1,a\n2,b\n", f"{quote}3{quote},c\n4,d\n"
    draft, rows = load(b"\xef\xbb\xbf" + first.encode() + b"\xef\xbb\xbf" + second.encode())
    assert rows == [("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")]
    assert any("byte order mark" in repair for repair in draft.account.repairs)


def test_a_doubled_byte_order_mark(load: Load) -> None:
    draft, _ = load(b"\xef\xbb\xbf\xef\xbb\xbfid,n\n1,a\n2,b\n3,c\n")
    assert draft.header == (("id",), ("n",))


def test_nul_padding_is_no_text(load: Load) -> None:
    draft, rows = load(b"\0id,name\n1,ab\0\0\n2,c\0\0\0\n3,defg\n" + b"\0" * 500)
    assert draft.header == (("id",), ("name",))
    assert rows == [("1", "ab"), ("2", "c"), ("3", "defg")]
    assert not draft.notes
    assert any("NUL" in repair for repair in draft.account.repairs)


@pytest.mark.parametrize("sign", ["£", "$", "€", "•"])
def test_a_sign_before_every_number_is_no_part_of_the_delimiter(load: Load, sign: str) -> None:
    rows = "".join(f"Tea{i},{sign}1.20\n" for i in range(100))
    draft, read = load(f"\ufeffitem,price\n{rows}".encode())
    assert draft.account.dialect["delimiter"] == ","
    assert read[0] == ("Tea0", f"{sign}1.20")


def test_a_large_file_reads_as_a_small_one(load: Load) -> None:
    lines = "".join(f"{i},n{i}\r\n" for i in range(400_000)).encode("utf-16-le")
    broken = lines.replace("n2000\r".encode("utf-16-le"), "n2000\r".encode("utf-16-le")[:-3] + b"\r\0")
    draft, rows = load(b"\xff\xfe" + "id,n\r\n".encode("utf-16-le") + broken + b"x,y\r\n")
    assert (len(rows), rows[2000], rows[-2:]) == (400_001, ("2000", "n2000"), [("399999", "n399999"), ("x", "y")])
    assert len(draft.account.repairs) == 2


@pytest.mark.parametrize(("encoding", "cell"), [("cp1251", "Москва"), ("gbk", "北京市"), ("cp1252", "Köln")])
def test_lines_of_an_old_encoding_among_utf8(load: Load, encoding: str, cell: str) -> None:
    text = "id,name\n" + "".join(f"{i},{cell}{i}\n" for i in range(40))
    draft, rows = load(text.encode() + "".join(f"{i},{cell}{i}\n" for i in range(40, 44)).encode(encoding))
    assert rows == [(str(i), f"{cell}{i}") for i in range(44)]
    assert any(encoding[-3:] in repair or "gb18030" in repair for repair in draft.account.repairs)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        *(("cp1252", name) for name in ("Average high °C (°F)", "density kg/m³", "µ-law", "Smith†")),
        *(("mac_roman", name) for name in ("Average high °C (°F)", "µ-law")),
    ],
)
def test_signs_alone_are_no_letters_of_another_script(load: Load, encoding: str, name: str) -> None:
    draft, _ = load(f"item,{name}\na,5\nb,6\nc,7\n".encode(encoding))
    assert draft.header[1] == (name,)
