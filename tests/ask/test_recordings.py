"""Recorded runs are answered alike: trails by their decisions, a chat run by the model's replies to the same prompts.

Whoever changes a prompt records them anew in that commit: ``python -m tests.ask.record_fixtures``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablehound import ask
from tablehound.api import replay
from tablehound.lake import Lake
from tablehound.trail import Trail
from tests.ask.record_fixtures import CHAT_QUESTION, RECORDINGS, TRAILS, answer_data, chat_settings, example_lake
from tests.chat.chat_server import chat_server, says

CHAT = RECORDINGS / "chat.jsonl"


@pytest.fixture(scope="module")
def lake() -> Iterator[Lake]:
    with example_lake() as lake:
        yield lake


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((RECORDINGS / "answers.json").read_text(encoding="utf-8"))
    return data


def plain(data: Any) -> Any:
    """As JSON gives it back."""
    return json.loads(json.dumps(data))


def steps_of(trail: Trail) -> list[tuple[Any, ...]]:
    """What a trail shows of its steps, without their time and cost."""
    return [(step.kind, plain(step.saw), plain(step.decided), step.note) for step in trail.steps]


@pytest.mark.parametrize("name", sorted(TRAILS))
def test_a_recorded_trail_gives_the_same_answer_by_the_same_steps(
    name: str, lake: Lake, answers: dict[str, Any]
) -> None:
    trail = Trail.load(RECORDINGS / f"{name}.trail.json")
    again = replay(trail, lake)
    assert plain(answer_data(again)) == answers[name]
    assert again.trail is not None
    assert steps_of(again.trail) == steps_of(trail)
    assert plain(again.trail.decisions) == trail.decisions


@pytest.mark.parametrize("name", sorted(TRAILS))
def test_the_rules_still_decide_as_recorded(name: str, lake: Lake) -> None:
    question, settings = TRAILS[name]
    trail = ask(question, lake, settings).trail
    assert trail is not None
    recorded = Trail.load(RECORDINGS / f"{name}.trail.json")
    assert [entry["kind"] for entry in trail.decisions] == [entry["kind"] for entry in recorded.decisions]


def test_a_recorded_chat_run_gives_the_same_answer(lake: Lake, answers: dict[str, Any]) -> None:
    answer = ask(CHAT_QUESTION, lake, chat_settings(replay=str(CHAT)))
    assert plain(answer_data(answer)) == answers["chat"]


def test_prompts_are_byte_identical(lake: Lake, tmp_path: Path) -> None:
    """The recorded replies, given in their order, bring forth the recorded requests."""
    replies = [json.loads(line)["reply"] for line in CHAT.read_text(encoding="utf-8").splitlines()]
    acts = [says(r["text"], prompt_tokens=r["prompt_tokens"], reply_tokens=r["reply_tokens"]) for r in replies]
    with chat_server(*acts) as server:
        ask(CHAT_QUESTION, lake, chat_settings(base_url=server.url, record=str(tmp_path / "chat.jsonl")))
    assert (tmp_path / "chat.jsonl").read_text(encoding="utf-8") == CHAT.read_text(encoding="utf-8")
    kinds = {json.loads(line)["kind"] for line in CHAT.read_text(encoding="utf-8").splitlines()}
    assert kinds == {"patterns", "refine", "answer", "subquestions", "residual", "program", "repair"}
