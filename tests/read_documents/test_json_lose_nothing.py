"""JSON that readers lose something of: each test is named for what went wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.batches import TextBatch
from tablehound.lake.read.contract import TableDraft
from tablehound.lake.table import Provenance
from tablehound.settings import ReadSettings
from tests.read_documents.document_tables import Got, read_all


def read_value(folder: Path, value: Any, name: str = "data.json", settings: ReadSettings | None = None) -> list[Got]:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return read_all(path, settings)


def test_index_of_columns_and_data_is_a_column(tmp_path: Path) -> None:
    (table,) = read_value(tmp_path, {"columns": ["v"], "index": ["NO", "SE"], "data": [[1], [2]]})
    assert table.names == ("index", "v")
    assert table.rows == [("NO", "1"), ("SE", "2")]
    (table,) = read_value(
        tmp_path,
        {"columns": ["v"], "index": [["a", 1], ["a", 2]], "data": [[3], [4]], "index_names": ["k", None]},
    )
    assert table.names == ("k", "index 2", "v")
    assert table.rows == [("a", "1", "3"), ("a", "2", "4")]


def test_column_names_of_several_levels_are_bands(tmp_path: Path) -> None:
    (table,) = read_value(
        tmp_path, {"columns": [["Q1", "n"], ["Q1", "v"], ["Q2", "n"]], "data": [[1, 2, 3], [4, 5, 6]]}
    )
    assert table.names == ("Q1 / n", "Q1 / v", "Q2 / n")
    assert table.rows == [("1", "2", "3"), ("4", "5", "6")]


def test_what_is_beside_columns_and_data_is_kept(tmp_path: Path) -> None:
    note, table = read_value(tmp_path, {"header": ["a"], "rows": [["x"], ["y"]], "note": "kept", "title": "Letters"})
    assert note.rows == [("kept", "Letters")]
    assert (table.sheet, table.title, table.names, table.rows) == ("rows", "Letters", ("a",), [("x",), ("y",)])
    types, table = read_value(tmp_path, {"fields": [{"name": "n", "type": "text"}], "data": [["x"]]})
    assert types.rows == [("n", "text")]
    assert (table.names, table.rows) == (("n",), [("x",)])


@pytest.mark.parametrize("name", ["data.json", "data.jsonl"])
def test_half_of_a_surrogate_pair_is_shown_as_an_escape(tmp_path: Path, name: str) -> None:
    (table,) = read_value(
        tmp_path, '{"a\\udfff": "\\ud800x", "b": "\\\\ud800"}\n{"a\\udfff": "\\ud83d\\ude00", "b": "\\uD83D"}\n', name
    )
    assert table.names == ("a\\udfff", "b")
    assert table.rows == [("\\ud800x", "\\ud800"), ("😀", "\\uD83D")]
    assert "surrogate" in table.account.repairs[0]


def test_no_reader_hands_over_text_that_arrow_cannot_hold() -> None:
    place = Provenance("a", "csv")
    draft = TableDraft((("n\ud800",), ("v",)), [TextBatch([["\udc00x", None], ["é", "b"]], [1, 2])], place, "t\ud800")
    (batch,) = draft.record_batches()
    assert batch.column(0).to_pylist() == ["\\udc00x", None]
    assert batch.column(1).to_pylist() == ["é", "b"]
    draft.escape_words()
    assert (draft.header[0], draft.title) == (("n\\ud800",), "t\\ud800")
    assert draft.account.repairs[0].startswith("1 cells held half of a surrogate pair")
    assert len(draft.account.repairs) == 2


@pytest.mark.parametrize("value", [[{"a": "x" * 50}, {"a": "y"}], [["n", "a"], [1, "x" * 50], [2, "y"]]])
def test_cut_cells_are_reported(tmp_path: Path, value: Any) -> None:
    (table,) = read_value(tmp_path, value, settings=ReadSettings(max_cell_chars=10))
    assert "x" * 10 in table.rows[0]
    assert "1 cells cut to 10 characters" in table.account.repairs


def test_names_given_twice_keep_both_values(tmp_path: Path) -> None:
    (table,) = read_value(tmp_path, '[{"a": 1, "a": 2}, {"a": 3}, {"a": 4, "a": 4}]')
    assert table.names == ("a", "a (earlier)")
    assert table.rows == [("2", "1"), ("3", None), ("4", None)]
    assert "'a'" in table.account.ambiguities[0]
    (table,) = read_value(tmp_path, '{"a": [{"x": 1}], "a": [{"x": 2}]}')
    assert table.rows == [("1",), ("2",)]
    assert "one array" in table.account.ambiguities[0]
    (table,) = read_value(tmp_path, '{"row": {"x": 1}, "row": {"x": 2}, "row": {"x": 3}}')
    assert table.column("x") == ["1", "2", "3"]


def test_plain_value_beside_a_record_with_an_array_named_value(tmp_path: Path) -> None:
    (table,) = read_value(tmp_path, [5, {"value": [{"b": 1}]}])
    assert table.rows == [("5",), ('[{"b": 1}]',)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data.jsonl", '[{"a":1},{"a":2},{"a":3}]\n'),
        ("data.jsonl", '[{"a":1},{"a":2}]\n[{"a":3}]\n'),
        ("data.jsonl", '[\n{"a":1},\n{"a":2},\n{"a":3}\n]\n'),
        ("data.jsonl", '{"a":1},\n{"a":2},\n{"a":3},\n'),
        ("data.jsonl", '{"a":1}{"a":2}\n{"a":3}\n'),
        ("data.jsonl", '{\n "a": 1\n}\n{\n "a": 2\n}\n{"a":3}\n'),
        ("data.jsonl", '{"a":1}\r{"a":2}\r{"a":3}\r'),
        ("data.json", '[{"a":1},{"a":2}]\n[{"a":3}]\n'),
        ("data.json", '[{"a":1},\n{"a":2}]\n[{"a":3}]\n'),
        ("data.json", '[[{"a":1},{"a":2}],[{"a":3}]]'),
    ],
)
def test_records_in_arrays_and_lines_are_one_table(tmp_path: Path, name: str, text: str) -> None:
    (table,) = read_value(tmp_path, text, name)
    assert (table.names, table.rows) == (("a",), [("1",), ("2",), ("3",)])
    assert not table.account.set_aside


def test_records_of_array_lines_keep_their_lines_and_lead_to_their_children(tmp_path: Path) -> None:
    table, child = read_value(tmp_path, '[{"x":[{"b":1}]},{"x":[{"b":2}]}]\n[{"x":[{"b":3}]}]\n', "data.jsonl")
    assert table.row_numbers == [1, 1, 2]
    assert list(zip(child.rows, table.rows, strict=True)) == [
        (("1", "1"), ("1",)), (("2", "2"), ("2",)), (("3", "3"), ("3",))
    ]  # fmt: skip


@pytest.mark.parametrize("lines", [1, 6])
def test_broken_line_is_set_aside_wherever_it_is(tmp_path: Path, lines: int) -> None:
    text = '{"a":1}\n' * lines + '{"a":2\n{"a":3}\n'
    for name in ("data.json", "data.jsonl"):
        (table,) = read_value(tmp_path, text, name)
        assert table.column("a") == ["1"] * lines + ["3"]
        assert [(each.row, each.text) for each in table.account.set_aside] == [(lines + 1, '{"a":2')]


def test_line_that_is_nested_too_deep_is_set_aside(tmp_path: Path) -> None:
    deep = '{"a":' * 100 + "1" + "}" * 100
    (table,) = read_value(tmp_path, f'{{"a":1}}\n{deep}\n{{"a":"{"[" * 100}"}}\n{"[" * 100_000}\n', "data.jsonl")
    assert table.rows == [("1",), ("[" * 100,)]
    assert [(each.row, each.reason) for each in table.account.set_aside] == [
        (2, "nested too deep"),
        (4, "nested too deep"),
    ]
    with pytest.raises(BrokenSourceError, match="nested too deep"):
        read_value(tmp_path, [{"a": json.loads("[" * 100 + "]" * 100)}])


def test_pairs_of_name_and_record_are_one_table(tmp_path: Path) -> None:
    (table,) = read_value(tmp_path, [["id1", {"a": 1, "b": "x"}], ["id2", {"a": 2}]])
    assert table.names == ("key", "a", "b")
    assert table.rows == [("id1", "1", "x"), ("id2", "2", None)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data.json", '[["id","rec"],["a",{"x":1,"y":2}],["b",{"x":3}]]'),
        ("data.jsonl", '["id","rec"]\n["a",{"x":1,"y":2}]\n["b",{"x":3}]\n'),
    ],
)
def test_records_in_rows_under_a_header_become_columns_by_path(tmp_path: Path, name: str, text: str) -> None:
    (table,) = read_value(tmp_path, text, name)
    assert table.names == ("id", "rec / x", "rec / y")
    assert table.rows == [("a", "1", "2"), ("b", "3", None)]
    assert table.account.header_rows == (1,)
    assert table.row_numbers == [2, 3]


def test_pairs_of_name_and_array_of_records_are_parents_and_children(tmp_path: Path) -> None:
    table, child = read_value(
        tmp_path, [["NO", [{"c": "Oslo"}]], ["SE", [{"c": "Lund"}, {"c": "Malmo"}]], ["DK", None]]
    )
    assert table.rows == [("NO",), ("SE",), ("DK",)]
    assert child.rows == [("NO", "Oslo"), ("SE", "Lund"), ("SE", "Malmo")]


@pytest.mark.parametrize("text", ["2024-01-02 {}\n2024-01-03 {}\n", "1,2\n3,4\n"])
def test_lines_that_begin_with_numbers_are_no_json(tmp_path: Path, text: str) -> None:
    for name in ("data.json", "data.jsonl"):
        with pytest.raises(BrokenSourceError):
            read_value(tmp_path, text, name)


def test_empty_array_among_lines_is_blank(tmp_path: Path) -> None:
    (table,) = read_value(tmp_path, '[]\n[{"a":1}]\n[]\n[{"a":2}]\n', "data.jsonl")
    assert (table.names, table.rows) == (("a",), [("1",), ("2",)])
    assert [(each.row, each.reason) for each in table.account.set_aside] == [(1, "blank"), (3, "blank")]


def test_array_of_records_beside_a_record_is_a_table(tmp_path: Path) -> None:
    page, table = read_value(tmp_path, [{"page": 1, "pages": 1}, [{"c": "NO", "v": 1}, {"c": "SE", "v": 2}]])
    assert page.rows == [("1", "1")]
    assert (table.sheet, table.rows) == ("[2]", [("NO", "1"), ("SE", "2")])


def test_key_of_a_record_does_not_hide_the_name_that_it_is_under(tmp_path: Path) -> None:
    (table,) = read_value(tmp_path, {"x": {"key": "K", "a": 1}, "y": {"key": "L", "a": 2}})
    assert table.rows == [("x", "K", "1"), ("y", "L", "2")]


def test_total_after_a_blank_record_is_marked_at_its_row(tmp_path: Path) -> None:
    (table,) = read_value(tmp_path, [None, {"l": "x", "v": 1}, {"l": "y", "v": 2}, {"l": "Total", "v": 3}])
    assert table.names == ("l", "v")
    assert table.rollups == (2,)


@pytest.mark.parametrize("name", ["data.json", "data.jsonl"])
def test_many_names_of_arrays_are_gone_through_once(tmp_path: Path, name: str) -> None:
    records = [{f"k{i}": [{"a": i}]} for i in range(1_500)]
    text = json.dumps(records) if name == "data.json" else "\n".join(map(json.dumps, records))
    found = read_value(tmp_path, text, name)
    assert len(found) == 1_001
    assert "further ones stay" in found[0].account.repairs[0]
    assert sum(len(table.rows) for table in found) == 1_500 + 1_000


def test_lines_that_are_not_kept_give_the_same_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        {
            "n": i,
            "x": [{"a": i}],
            "y": [{"b": i, "z": [{"c": 1}, {"c": 2}]}],
            "u": [{"v": i}] * (i % 2),
            "w": [{"q": 1}],
        }
        for i in range(6)
    ]
    text = "\n".join(map(json.dumps, lines))
    kept = read_value(tmp_path, text, "data.jsonl")
    monkeypatch.setattr("tablehound.lake.read.json.lines.MAX_WHOLE_BYTES", 0)
    assert read_value(tmp_path, text, "data.jsonl") == kept
    monkeypatch.setattr("tablehound.lake.read.json.flatten.MAX_WHOLE_BYTES", 0)
    assert read_value(tmp_path, text, "data.jsonl") == kept


@pytest.mark.parametrize("suffix", ["json", "jsonl", "md"])
def test_bytes_that_do_not_fit_the_encoding_are_reported(tmp_path: Path, suffix: str) -> None:
    texts = {
        "json": b'[{"a":"x\xe9y"},\n{"a":"\xc3\xa9"},\n{"a":"\xc3\xa8"}]',
        "jsonl": b'{"a":"x\xe9y"}\n{"a":"\xc3\xa9"}\n{"a":"\xc3\xa8"}\n',
        "md": b"| a |\n|---|\n| x\xe9y |\n| \xc3\xa9 |\n| \xc3\xa8 |\n",
    }
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(texts[suffix])
    (table,) = read_all(path)
    assert table.column("a") == ["xéy", "é", "è"]
    assert [note.startswith("encoding: 1 x ") for note in table.account.repairs] == [True]
