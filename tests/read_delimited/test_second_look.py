"""Faults in reading real kinds of files: one test for each."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.read_delimited.reading import Load


def test_lines_of_a_quoted_cell_that_look_like_rows_stay_in_it(load: Load) -> None:
    ((draft, rows),) = load('id,note,n\n1,"a\n9,8,7\nb",5\n2,c,6\n3,d,7\n')
    assert rows == [("1", "a\n9,8,7\nb", "5"), ("2", "c", "6"), ("3", "d", "7")]
    assert draft.account.repairs == []


@pytest.mark.parametrize("unit", ['word; ""x"" ', '""1:', "\t;'\\;\\\"''", ':\\"', '"""b c', '"'])
def test_a_long_line_full_of_quotes_is_gone_through_once(load: Load, unit: str) -> None:
    # Gone through once for each quote, it would take minutes.
    found = load(f'a;b;c\n1;"{unit * (100_000 // len(unit))};3\n2;x;"y"\n')
    assert sum(draft.account.seen for draft, _ in found) >= 2


def test_the_only_row_of_a_giant_quoted_cell_keeps_its_delimiter(load: Load) -> None:
    cell = "word, " * 60_000
    ((draft, rows),) = load(f'a,b,c\n1,"{cell}",3\n')
    assert draft.header == (("a",), ("b",), ("c",))
    assert rows == [("1", cell, "3")]


def test_rows_wider_than_the_header_do_not_shift_its_names(load: Load) -> None:
    ((draft, rows),) = load("id,name\n1,a\n2,b\n3,c,x\n4,d,y\n5,e,z\n6,f,w\n")
    assert draft.header == (("id",), ("name",), ())
    assert rows[0] == ("1", "a", None)


@pytest.mark.parametrize("notes", [["Source: ERP"], ["Source: ERP", "All in thousands", "Updated weekly"]])
def test_notes_below_a_blank_row_are_none_of_the_rows_in_a_padded_export(load: Load, notes: list[str]) -> None:
    text = "region,q1,q2\nN,1,2\nS,4,5\nE,7,8\n,,\n" + "".join(f"{note},,\n" for note in notes)
    ((draft, rows),) = load(text)
    assert [row[0] for row in rows] == ["N", "S", "E"]
    assert draft.notes == tuple(notes)


@pytest.mark.parametrize("mark", ["#", "//", "%", "!", ";"])
def test_a_comment_with_as_many_commas_as_the_header_is_not_the_header(load: Load, mark: str) -> None:
    ((draft, rows),) = load(f"{mark} first, second\ntime,depth\n1,2.5\n2,2.6\n3,2.7\n")
    assert draft.header == (("time",), ("depth",))
    assert len(rows) == 3


def test_a_header_that_begins_with_a_comment_mark_stays_one(load: Load) -> None:
    for text in ("#,name\n1,a\n2,b\n3,c\n", "# id,name\n1,a\n2,b\n3,c\n"):
        ((draft, rows),) = load(text)
        assert draft.header[1] == ("name",)
        assert len(rows) == 3


def test_a_comment_after_a_blank_row_divides_no_table(load: Load) -> None:
    ((draft, rows),) = load("id,n\n1,a\n2,b\n3,c\n\n# later\n4,d\n5,e\n6,f\n")
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert [item.reason for item in draft.account.set_aside] == ["header", "blank", "comment"]


def test_another_table_of_the_same_width_after_a_blank_row_is_its_own(load: Load) -> None:
    (_, first), (other, second) = load("a,b\n1,2\n3,4\n5,6\n\nc,d\nx,y\nz,w\nq,r\n")
    assert (len(first), len(second)) == (3, 3)
    assert other.header == (("c",), ("d",))


def test_a_blank_row_below_the_header_leaves_no_note_of_a_single_row(load: Load) -> None:
    ((draft, rows),) = load("id,name,n\n,,\n1,a,2\n2,b,3\n")
    assert (len(rows), draft.account.ambiguities) == (2, [])


def test_a_line_that_names_the_delimiter_is_no_part_of_the_header(load: Load) -> None:
    ((draft, rows),) = load("sep=;\nid;name\n1;a\n2;b\n3;c\n")
    assert draft.header == (("id",), ("name",))
    assert (len(rows), draft.title) == (3, None)


PRINTED = {
    "psql": " id | name\n----+------\n  1 | a\n  2 | b\n  3 | c\n(3 rows)\n",
    "mysql": "+--+----+\n|id|name|\n+--+----+\n| 1|a   |\n| 2|b   |\n| 3|c   |\n+--+----+\n",
    "bars": "|id|name|\n|1|a|\n|2|b|\n|3|c|\n",
    "markdown": "| id | name |\n|---:|:-----|\n| 1 | a |\n| 2 | b |\n| 3 | c |\n",
    "box": "┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│  1 │ a    │\n│  2 │ b    │\n│  3 │ c    │\n└────┴──────┘\n",
}


@pytest.mark.parametrize("program", sorted(PRINTED))
def test_a_printed_table_is_read_without_its_drawing(load: Load, program: str) -> None:
    ((draft, rows),) = load(PRINTED[program], "a.txt")
    assert draft.header == (("id",), ("name",))
    assert rows == [("1", "a"), ("2", "b"), ("3", "c")]


def test_two_printed_tables_of_different_widths_are_two(load: Load) -> None:
    text = " id | nm | n\n----+----+---\n  1 | a  | 5\n  2 | b  |  \n(2 rows)\n\n k | v \n---+---\n x | 1\n(1 row)\n"
    (first, rows), (second, others) = load(text, "a.txt")
    assert (first.header, rows) == ((("id",), ("nm",), ("n",)), [("1", "a", "5"), ("2", "b", "")])
    assert (second.header, others) == ((("k",), ("v",)), [("x", "1")])


def test_a_rule_below_the_header_is_no_row(load: Load) -> None:
    ((draft, rows),) = load("id,name,n\n---,----,-\n1,a,5\n2,b,6\n3,c,7\n")
    assert len(rows) == 3
    assert [item.reason for item in draft.account.set_aside] == ["header", "separator"]


@pytest.mark.parametrize("names", ["2018,2019", "2020-01-01,2020-02-01", "1,2,3", "1999/00,2000/01"])
def test_a_header_of_years_dates_or_numbers_that_count_on_is_one(load: Load, names: str) -> None:
    width = names.count(",") + 1
    body = "".join(f"c{i}," + ",".join(str(1950 + i * (3 + 2 * k)) for k in range(width)) + "\n" for i in range(12))
    ((draft, rows),) = load(f"country,{names}\n{body}")
    assert draft.header == (("country",), *[(name,) for name in names.split(",")])
    assert len(rows) == 12


def test_a_first_row_of_years_like_the_others_is_no_header(load: Load) -> None:
    ((_, rows),) = load("Smith,1999,2000\nJones,2003,2004\nBrown,2005,2006\nClark,2011,2012\n")
    assert len(rows) == 4


def test_sparse_levels_over_a_full_header_are_header_too(load: Load) -> None:
    text = ",Sales,,,\n,2023,,2024,\nregion,q1,q2,q1,q2\nN,1,2,3,4\nS,5,6,7,8\nE,9,1,2,3\nW,4,5,6,7\n"
    ((draft, rows),) = load(text)
    assert draft.header == (
        ("region",),
        ("Sales", "2023", "q1"),
        ("Sales", "2023", "q2"),
        ("Sales", "2024", "q1"),
        ("Sales", "2024", "q2"),
    )
    assert len(rows) == 4


def test_a_year_that_spans_two_names_is_a_level(load: Load) -> None:
    ((draft, rows),) = load("x,2023,\n,q1,q2\na,1,2\nb,3,4\nc,5,6\nd,7,8\n")
    assert draft.header == (("x",), ("2023", "q1"), ("2023", "q2"))
    assert len(rows) == 4


def test_labels_over_names_in_a_table_of_words_are_two_levels(load: Load) -> None:
    text = "Person,,Address,\nFirst,Last,Street,City\nAnn,Lee,Elm,Rome\nBob,Ray,Oak,Oslo\nCid,Kay,Fir,Bonn\n"
    ((draft, rows),) = load(text)
    assert draft.header[1] == ("Person", "Last")
    assert draft.header[3] == ("Address", "City")
    assert (len(rows), len(draft.account.ambiguities)) == (3, 1)


def test_names_with_commas_in_a_column_of_their_own_stay_whole(load: Load) -> None:
    for rows in (["Doe, John", "Roe, Ann", "Poe, Ed"], [f"Last{i}, First{i % 7}" for i in range(30)]):
        ((draft, found),) = load("name\n" + "".join(f"{row}\n" for row in rows))
        assert draft.header == (("name",),)
        assert [row[0] for row in found] == rows


def test_a_table_as_r_writes_it_is_divided_at_blanks(load: Load) -> None:
    ((draft, rows),) = load('"mpg" "cyl"\n"Mazda RX4" 21 6\n"Datsun 710" 22.8 4\n"Hornet" 21.4 6\n', "a.txt")
    assert draft.header == ((), ("mpg",), ("cyl",))
    assert rows[0] == ("Mazda RX4", "21", "6")


def test_lines_that_stand_in_quotes_as_a_whole_are_rows(load: Load) -> None:
    ((draft, rows),) = load('"id,name,n"\n"1,a,5"\n"2,""b, c"",6"\n"3,c,7"\n')
    assert draft.header == (("id",), ("name",), ("n",))
    assert rows[1] == ("2", "b, c", "6")


def test_a_doubled_delimiter_leaves_no_empty_columns(load: Load) -> None:
    ((draft, rows),) = load("id;;name;;n\n1;;a;;5\n2;;b;;6\n3;;c;;7\n")
    assert (draft.header, rows[0]) == ((("id",), ("name",), ("n",)), ("1", "a", "5"))


def test_a_blank_after_a_closing_quote_is_no_part_of_the_cell(load: Load) -> None:
    ((_, rows),) = load('id,note,n\n1,"a, b" ,5\n2,"c" ,6\n3,"d, e" ,7\n')
    assert rows == [("1", "a, b", "5"), ("2", "c", "6"), ("3", "d, e", "7")]


def test_a_missing_field_is_left_empty_where_the_others_fit(load: Load) -> None:
    text = "id,date,qty\n1,2020-01-01,5\n2,2020-01-02,12\n2020-01-02,7\n4,2020-01-03,100\n5,2020-01-04,8\n"
    ((_, rows),) = load(text)
    assert rows[2] == (None, "2020-01-02", "7")
    ((_, rows),) = load("name,city,qty\nAnn,Rome,5\nBob,7\nCid,Oslo,9\nDee,Bonn,3\nEve,Kiel,4\n")
    assert rows[1] == ("Bob", None, "7")


def test_line_feeds_within_cells_where_lines_end_with_cr_lf(load: Load) -> None:
    ((draft, rows),) = load(
        "id,note,n\r\n1,a\nb,5\r\n2,c,6\r\n3,d\n\ne,7\r\n4,e,8\r\n5,f,9\r\n6,g,1\r\n7,h,2\r\n8,i,3\r\n"
    )
    assert rows[0] == ("1", "a\nb", "5")
    assert rows[2] == ("3", "d\n\ne", "7")
    assert len(draft.account.repairs) == 1


def test_a_header_over_nothing_but_words_is_said_to_be_a_guess(load: Load) -> None:
    ((draft, rows),) = load("Alice,London\nBob,Paris\nCarol,Rome\n")
    assert (len(rows), len(draft.account.ambiguities)) == (2, 1)


@pytest.mark.parametrize("head", ["", "x y z\n", "# made by a model\n# x y z\n"])
def test_figures_lined_up_with_any_number_of_blanks_are_columns(load: Load, head: str) -> None:
    lines = "".join(f"{i * 7.25:8.2f}{-i * 3.5:9.1f} {i}\n" for i in range(12))
    ((draft, rows),) = load(head + lines, "a.dat")
    assert rows[3] == ("21.75", "-10.5", "3")
    assert len(rows) == 12
    assert draft.header == ((("x",), ("y",), ("z",)) if head == "x y z\n" else ((), (), ()))


LINES = [
    "a,b,c", "1,2,3", 'x,"y,z",3', "# note", "Total,5,6", "", " ", ",,", "sep=;", "a;b;c", "1;2;3", "---,---,---",
    "  1.0  2.0", "Source: x", '"a\nb",2,3', '"open,1,2', "name", "Doe, John", "2019,2020,2021", "\ufeffa,b,c", "1,2",
    "1,2,3,4", "% c, d", "日本,1,2", "é,ü,ß", "a#b#c", '"1,2,3"', "+--+--+",
]  # fmt: skip
BARS = ["| a | b |", "|---|---|", "| 1 | 2 |", " x | y "]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(LINES + BARS), max_size=12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-16", "cp1252"]),
)
def test_every_row_of_any_mixture_of_lines_is_accounted_for(load: Load, lines: list[str], end: str, code: str) -> None:
    # The fixture checks the account of every table.
    for draft, rows in load(end.join(lines).encode(code, "replace")):
        assert all(len(row) == len(draft.header) for row in rows)
