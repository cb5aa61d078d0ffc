"""Replies that are made to take long: each is read in time that grows with its length alone."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablehound.backbone.chat.shapes import UnusableReplyError, read_program, sql_in_prose
from tablehound.backbone.chat.tolerant import NotJsonError, parse_object

PROSE = 65_536
LONG = {
    "select": "select " * 28_000,
    "select from": "select " * 28_000 + "from",
    "from": "select " + "from " * 40_000,
    "fence": "```" + " " * 200_000,
    "fences": "```sql " * 30_000,
    "open objects": "{" * 200_000,
    "objects": "{a}" * 66_000,
    "nested": '{"a":' * 40_000,
    "lists": '{"a":' + "[" * 200_000,
    "commas": "{" + ", " * 100_000 + "}",
    "signs": '{"a": ' + "-" * 200_000 + "1}",
    "sums": "{" + "1+" * 100_000 + "1}",
    "thinking": "<think>" * 28_000,
    "quotes": '{"' * 100_000,
    "escapes": '{"a": "' + "\\\\" * 99_000,
    "line breaks": "select a from" + "\n " * 90_000,
    "spaces": "select a from b" + "\n" + " " * 190_000,
    "digits": '{"a": ' + "9" * 190_000 + "}",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", LONG)
def test_no_reply_hangs_its_reading(name: str) -> None:
    text = LONG[name]
    with contextlib.suppress(NotJsonError):
        parse_object(text)
    sql = sql_in_prose(text, most=PROSE)
    with contextlib.suppress(UnusableReplyError):
        read_program(sql, (), most=50_000)
    with contextlib.suppress(UnusableReplyError):
        read_program(text, (), most=50_000)


def test_only_the_end_of_prose_is_searched() -> None:
    assert sql_in_prose("SELECT a FROM T1;" + " " * PROSE, most=PROSE) is None
    assert sql_in_prose("x" * PROSE + "\nSELECT a FROM T1;", most=PROSE) == "SELECT a FROM T1"


def test_a_program_of_too_many_characters_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(UnusableReplyError, match="more than 100 characters"):
        read_program("SELECT " + "a," * 100 + "b FROM T1", (), most=100)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("It is SELECT a FROM T1; done", "SELECT a FROM T1"),
        ("select a\nfrom T1\n \nThat is it.", "select a\nfrom T1"),
        ("```sql\nSELECT 1 FROM T1;\n```", "SELECT 1 FROM T1;\n"),
        ("```\nSELECT 1 FROM T1```", "SELECT 1 FROM T1"),
        ("I would select a river from the list", "select a river from the list"),
        ("I select nothing", None),
        ("select from", None),
        ("", None),
    ],
)
def test_sql_is_found_in_prose(text: str, sql: str | None) -> None:
    assert sql_in_prose(text, most=PROSE) == sql


@given(st.text(alphabet="selctfrom ;\n`{}\"'", max_size=300))
def test_any_prose_is_survived(text: str) -> None:
    found = sql_in_prose(text, most=PROSE)
    assert found is None or found in text
