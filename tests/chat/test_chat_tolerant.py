"""JSON as models write it."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablehound.backbone.chat.tolerant import NotJsonError, parse_object

GOOD: dict[str, Any] = {"action": "select", "tables": ["T1"], "n": 2}


@pytest.mark.parametrize(
    "text",
    [
        '{"action": "select", "tables": ["T1"], "n": 2}',
        'Sure! Here it is:\n```json\n{"action": "select", "tables": ["T1"], "n": 2}\n```\nHope it helps {really}.',
        '```\n{"action": "select", "tables": ["T1",], "n": 2,}\n```',
        "{'action': 'select', 'tables': ['T1'], 'n': 2}",
        '<think>maybe {"action": "stop"}</think>{"action": "select", "tables": ["T1"], "n": 2}',
        'The set {a, b} is not it. {"action": "select", "tables": ["T1"], "n": 2}',
        '```json\n{"action": "select", "tables": ["T1"], "n": 2',
        '{"action": "select", "tables": ["T1"], "n": 2, "reason": "because th',
        '{"action": "select", "tables": ["T1"], "n": 2, "rea',
    ],
)
def test_forms(text: str) -> None:
    found = parse_object(text)
    assert {name: found.get(name) for name in GOOD} == GOOD


def test_line_breaks_within_texts() -> None:
    assert parse_object('{"sql": "SELECT 1\nFROM T1"}') == {"sql": "SELECT 1\nFROM T1"}


def test_cut_off_within_a_list() -> None:
    assert parse_object('{"patterns": ["Ann Lee", "20')["patterns"][0] == "Ann Lee"


@pytest.mark.parametrize("text", ["", "no", "[1, 2]", "{", "{{{{", "}{", '"{"', "{" * 5000, "[{" * 3000])
def test_what_is_no_object(text: str) -> None:
    try:
        found = parse_object(text)
    except NotJsonError:
        return
    assert found == {}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=6
)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.text(alphabet=st.characters(exclude_characters="{`<")))
def test_any_object_after_any_prose(data: dict[str, Any], prose: str) -> None:
    assert parse_object(prose + json.dumps(data)) == data


@given(st.text())
def test_any_text_is_survived(text: str) -> None:
    with contextlib.suppress(NotJsonError):
        assert isinstance(parse_object(text), dict)
