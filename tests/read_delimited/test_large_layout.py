"""Large files are laid out as small ones are: the same tables, headers, titles, notes and totals, by the same rules."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.delimited import decode
from tablehound.lake.read.delimited.large import blocks
from tablehound.lake.read.delimited.large import reader as large
from tablehound.lake.read.delimited.reader import read
from tablehound.lake.read.totals import streamed

Rows = list[tuple[Any, ...]]
COUNT = 600
HEADER = "item,n,share"
BODY = [f"thing {i},{i},{i}.5" for i in range(COUNT)]
SECOND = [f"x{i},y{i % 9},2020-01-{i % 28 + 1:02d}" for i in range(COUNT // 2)]


def load(path: Path, text: str, *, large_way: bool = True) -> list[tuple[TableDraft, Rows]]:
    """The tables of a text, read with tiny limits or as a whole."""
    path.write_text(text, encoding="utf-8", newline="")
    found = []
    with pytest.MonkeyPatch.context() as patch:
        if large_way:
            patch.setattr(decode, "WHOLE_BYTES", 0)
            patch.setattr(blocks, "HEAD_BYTES", 1_000)
            patch.setattr(blocks, "BLOCK_BYTES", 1_500)
            patch.setattr(large, "LOOK_ROWS", 300)
            patch.setattr(streamed, "MAX_WHOLE_ROWS", 20)
        for draft in read(SourceFile(path, path.name)):
            rows: Rows = []
            for batch in draft.record_batches():
                rows += list(zip(*(column.to_pylist() for column in batch.columns), strict=True))
            assert draft.account.seen == draft.account.kept + len(draft.account.set_aside)
            found.append((draft, rows))
    return found


def texts(rows: Rows) -> list[str]:
    return [",".join(text or "" for text in row[:-1]) for row in rows]


def test_totals_of_a_large_file_are_marked(tmp_path: Path) -> None:
    total = f"Total,{sum(range(COUNT))},{sum(range(COUNT)) + COUNT / 2}"
    ((draft, rows),) = load(tmp_path / "a.csv", "\n".join([HEADER, *BODY, total, ""]))
    assert len(rows) == COUNT + 1
    assert draft.rollup_rows == (COUNT,)


def test_subtotals_averages_and_a_total_of_them_are_marked(tmp_path: Path) -> None:
    half = COUNT // 2
    first, second = sum(range(half)), sum(range(half, COUNT))
    lines = [
        *BODY[:half],
        f"Subtotal,{first},{first + half / 2}",
        *BODY[half:],
        f"Subtotal,{second},{second + half / 2}",
        f"Total,{first + second},{first + second + half}",
        f"Average,{(first + second) / COUNT},{(first + second + half) / COUNT}",
    ]
    ((draft, _),) = load(tmp_path / "a.csv", "\n".join([HEADER, *lines, ""]))
    assert draft.rollup_rows == (half, COUNT + 1, COUNT + 2, COUNT + 3)


def test_a_row_that_is_called_total_but_adds_nothing_up_is_a_row(tmp_path: Path) -> None:
    ((draft, _),) = load(tmp_path / "a.csv", "\n".join([HEADER, *BODY, "Total,12,5.5", ""]))
    assert draft.rollup_rows == ()


def test_totals_of_numbers_with_decimal_commas_are_marked(tmp_path: Path) -> None:
    body = [f"thing {i};{i};{i},5" for i in range(COUNT)]
    total = f"Summe;{sum(range(COUNT))};{sum(range(COUNT)) + COUNT // 2},0"
    ((draft, _),) = load(tmp_path / "a.csv", "\n".join(["Ware;Menge;Preis", *body, total, ""]))
    assert draft.rollup_rows == (COUNT,)


@pytest.mark.parametrize("between", [[""], ["", "T2"], ["", ""]])
def test_a_second_table_of_the_same_width_far_down(tmp_path: Path, between: list[str]) -> None:
    lines = [HEADER, *BODY, *between, "key,word,day", *SECOND, ""]
    (one, first), (two, second) = load(tmp_path / "a.csv", "\n".join(lines))
    assert texts(first) == BODY
    assert texts(second) == SECOND
    assert two.header == (("key",), ("word",), ("day",))
    assert (one.title, two.title) == (None, "T2" if "T2" in between else None)


def test_a_small_table_at_the_end_keeps_its_header(tmp_path: Path) -> None:
    (_, first), (two, second) = load(tmp_path / "a.csv", "\n".join([HEADER, *BODY, "", "a,b", "1,2", "3,4", "5,6", ""]))
    assert texts(first) == BODY
    assert (two.header, texts(second)) == ((("a",), ("b",)), ["1,2", "3,4", "5,6"])


def test_the_same_header_after_a_blank_row_begins_another_table(tmp_path: Path) -> None:
    (_, first), (two, second) = load(tmp_path / "a.csv", "\n".join([HEADER, *BODY, "", HEADER, *BODY[:50], ""]))
    assert (len(first), len(second)) == (COUNT, 50)
    assert two.header == (("item",), ("n",), ("share",))


def test_a_header_on_every_page_begins_no_table_however_far_apart_the_pages_are(tmp_path: Path) -> None:
    pages = [line for at in range(0, COUNT, 150) for line in [HEADER, *BODY[at : at + 150]]]
    ((draft, rows),) = load(tmp_path / "a.csv", "\n".join([*pages, ""]))
    assert texts(rows) == BODY
    assert [aside.reason for aside in draft.account.set_aside] == ["header", *["header repeated"] * 3]


def test_a_header_that_comes_back_once_begins_a_table(tmp_path: Path) -> None:
    found = load(tmp_path / "a.csv", "\n".join([HEADER, *BODY, HEADER, *BODY, ""]))
    assert [len(rows) for _, rows in found] == [COUNT, COUNT]


def test_many_small_tables_are_all_found(tmp_path: Path) -> None:
    lines = [line for i in range(200) for line in ("a,b", f"{i},2", "3,4", "5,6", "")]
    found = load(tmp_path / "a.csv", "\n".join([*lines, ""]))
    assert len(found) == 200
    assert [texts(rows)[0] for _, rows in found] == [f"{i},2" for i in range(200)]


def test_notes_between_and_below_tables_belong_to_the_one_above(tmp_path: Path) -> None:
    lines = [HEADER, *BODY, "Source: ERP,,", "", "key,word,day", *SECOND, "* preliminary", "Note: see above", ""]
    (one, first), (two, second) = load(tmp_path / "a.csv", "\n".join(lines))
    assert (len(first), len(second)) == (COUNT, len(SECOND))
    assert (one.notes, two.notes) == (("Source: ERP",), ("* preliminary", "Note: see above"))


def test_blank_rows_within_a_table_divide_nothing(tmp_path: Path) -> None:
    lines = [line for i, line in enumerate(BODY) for line in (["", line] if i % 97 == 96 else [line])]
    ((draft, rows),) = load(tmp_path / "a.csv", "\n".join([HEADER, *lines, ""]))
    assert texts(rows) == BODY
    assert [row[-1] for row in rows] == [i + 2 + (i + 1) // 97 for i in range(COUNT)]
    assert {aside.reason for aside in draft.account.set_aside} == {"header", "blank"}


def test_a_line_that_names_the_delimiter_and_one_that_is_drawn_are_no_rows(tmp_path: Path) -> None:
    body = [line.replace(",", ";") for line in BODY]
    ((draft, rows),) = load(tmp_path / "a.csv", "\n".join(["sep=;", "item;n;share", "----;-;-----", *body, ""]))
    assert draft.header == (("item",), ("n",), ("share",))
    assert texts(rows) == BODY


def test_line_feeds_within_rows_that_end_with_cr_lf(tmp_path: Path) -> None:
    body = [line.replace(" ", "\n") if i % 50 == 7 else line for i, line in enumerate(BODY)]
    ((_, rows),) = load(tmp_path / "a.csv", "\r\n".join([HEADER, *body, ""]))
    assert texts(rows) == body


WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
NAMES = ("region", "city", "item", "price", "day", "code", "name", "amount", "units", "share")


@st.composite
def tables(draw: st.DrawFn) -> list[str]:
    """The lines of one table and of texts around it."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True))
    kinds = ["text", "int", *(draw(st.sampled_from(["int", "number", "date", "text", "code"])) for _ in names[2:])]
    chance = random.Random(draw(st.integers(0, 1_000)))
    rows = [[_cell(kind, chance) for kind in kinds] for _ in range(draw(st.sampled_from([3, 6, 30, 150, 400])))]
    places = {"int": 0, "number": 2}
    sums = [
        f"{sum(float(row[i]) for row in rows):.{places[kind]}f}" if kind in places else ""
        for i, kind in enumerate(kinds)
    ]
    lines = [",".join(row) for row in rows]
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2, 4])) if len(rows) > 20 else 0):
        lines.insert(chance.randint(4, len(lines) - 1), ",".join(names))
    if draw(st.booleans()):
        lines.append(",".join(["Total", *sums[1:]]))
    above = draw(st.sampled_from([[], [], ["Report of sales"], ["Figures by region", ""]]))
    below = draw(st.sampled_from([[], [], ["Source: a register"], ["", "* preliminary", "Note: see above"]]))
    return [*above, ",".join(names), *lines, *below]


def _cell(kind: str, chance: random.Random) -> str:
    if kind == "int":
        return str(chance.randint(1, 999))
    if kind == "number":
        return f"{chance.random() * 100:.2f}"
    if kind == "date":
        return f"2020-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"
    if kind == "code":
        return f"A-{chance.randint(100, 999)}"
    return " ".join(chance.choices(WORDS, k=2))


def summary(found: list[tuple[TableDraft, Rows]]) -> list[dict[str, Any]]:
    return [
        {
            "header": draft.header,
            "title": draft.title,
            "notes": draft.notes,
            "rollups": draft.rollup_rows,
            "ordinal": draft.provenance.ordinal,
            "rows": rows,
            "seen": draft.account.seen,
            "header rows": draft.account.header_rows,
            "set aside": sorted((aside.row, aside.reason) for aside in draft.account.set_aside),
            "repairs": sorted(draft.account.repairs),
            "ambiguities": sorted(draft.account.ambiguities),
        }
        for draft, rows in found
    ]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(tables(), min_size=1, max_size=4), end=st.sampled_from(["\n", "\r\n"]), last=st.booleans())
def test_the_large_way_finds_what_the_small_way_finds(
    tmp_path: Path, parts: list[list[str]], end: str, last: bool
) -> None:
    lines = [line for part in parts for line in [*part, ""]][:-1]
    text = end.join(lines) + (end if last else "")
    path = tmp_path / "a.csv"
    assert summary(load(path, text)) == summary(load(path, text, large_way=False))


def test_very_many_blank_rows_and_notes_take_linear_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "MAX_WAITING", 200)
    lines = [HEADER, *BODY, *[",,"] * 3_000, "", *(f"remark number {i}" for i in range(1_000)), ""]
    ((draft, rows),) = load(tmp_path / "a.csv", "\n".join(lines))
    assert texts(rows) == BODY
    assert len(draft.notes) == 1_000
    assert len(draft.account.set_aside) == 4_002
