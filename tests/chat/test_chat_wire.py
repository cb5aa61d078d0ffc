"""The one client over real HTTP: retries, time-outs, refusals, budget, cache, record and replay."""

from __future__ import annotations

import logging
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from tablehound.backbone.chat.client import PromptTooLongError
from tablehound.backbone.chat.replies import Reply
from tablehound.errors import BackboneUnavailableError, BudgetExhaustedError, UsageError
from tests.chat.asked import FOR_EVER, SECRET, Asked
from tests.chat.chat_server import Act, chat_server, refuses, says, tells

pytestmark = pytest.mark.usefixtures("key")


def test_a_good_reply(tmp_path: Path) -> None:
    with chat_server(tells({"a": "b"})) as server:
        asked = Asked(tmp_path, server.url)
        reply = asked()
    assert reply == Reply('{"a": "b"}', 100, 20)
    assert server.requests[0]["temperature"] == 0
    assert server.requests[0]["max_tokens"] == 1024
    assert server.requests[0]["response_format"]["type"] == "json_schema"
    assert "tools" not in server.requests[0]
    usage = asked.client.spending.usage
    assert (usage.calls, usage.prompt_tokens, usage.reply_tokens) == (1, 100, 20)


@pytest.mark.parametrize("kept", [0, 1])
def test_json_schema_then_json_object_then_text(tmp_path: Path, kept: int) -> None:
    def answer(request: dict[str, Any]) -> Act:
        form = request.get("response_format", {}).get("type", "text")
        allowed = ("json_object", "text")[kept:]
        return tells({"a": form}) if form in allowed else refuses(400, f"response_format {form} is not supported")

    with chat_server(answer) as server:
        asked = Asked(tmp_path, server.url)
        assert ("json_object", "text")[kept] in asked().text
        before = len(server.requests)
        asked("answer", "again")
        assert len(server.requests) == before + 1


def test_a_refusal_of_the_schema_dressed_as_500_is_not_tried_again(tmp_path: Path) -> None:
    told = "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}]"
    with chat_server(refuses(500, told), says("x")) as server:
        asked = Asked(tmp_path, server.url)
        assert asked().text == "x"
    assert asked.waits == []
    assert [r["response_format"]["type"] for r in server.requests] == ["json_schema", "json_object"]


def test_429_waits_as_long_as_it_was_asked(tmp_path: Path) -> None:
    with chat_server(refuses(429, "slow down", Retry_After="7"), says("x")) as server:
        asked = Asked(tmp_path, server.url)
        assert asked().text == "x"
    assert asked.waits == [7.0]
    assert asked.client.spending.calls == 2


def test_retry_after_as_a_date(tmp_path: Path) -> None:
    import email.utils

    moment = email.utils.formatdate(time.time() + 20, usegmt=True)
    with chat_server(refuses(503, "busy", Retry_After=moment), says("x")) as server:
        asked = Asked(tmp_path, server.url)
        assert asked().text == "x"
    assert 15 < asked.waits[0] <= 20


def test_500_backs_off_longer_each_time(tmp_path: Path) -> None:
    with chat_server(refuses(500, "oops"), refuses(502, "oops"), refuses(500, "oops"), says("x")) as server:
        asked = Asked(tmp_path, server.url)
        assert asked().text == "x"
    assert asked.waits == [0.5, 1.0, 2.0]


def test_500_for_ever_is_a_clear_error(tmp_path: Path) -> None:
    with chat_server(refuses(500, "out of memory")) as server:
        asked = Asked(tmp_path, server.url, retries=2)
        with pytest.raises(BackboneUnavailableError, match=r"500.*out of memory"):
            asked()


def test_a_hang_times_out_and_is_tried_again(tmp_path: Path) -> None:
    with chat_server(Act(hang=FOR_EVER), says("x")) as server:
        asked = Asked(tmp_path, server.url, call_timeout=0.4)
        assert asked().text == "x"
    assert asked.waits[:1] == [0.5]
    with chat_server(Act(hang=FOR_EVER)) as server:
        asked = Asked(tmp_path, server.url, call_timeout=0.3, retries=2)
        with pytest.raises(BackboneUnavailableError, match="no reply within"):
            asked()


def test_a_reply_that_drips_is_given_up(tmp_path: Path) -> None:
    slow = Act(says("x" * 200).body, drip=0.05)
    with chat_server(slow, says("x")) as server:
        asked = Asked(tmp_path, server.url, call_timeout=0.5)
        assert asked().text == "x"
    assert asked.waits[:1] == [0.5]


def test_a_cut_stream_is_tried_again(tmp_path: Path) -> None:
    with chat_server(Act(says("x" * 500).body, cut=True), says("y")) as server:
        asked = Asked(tmp_path, server.url)
        assert asked().text == "y"
    assert asked.waits[:1] == [0.5]


@pytest.mark.parametrize("junk", [b"<html>welcome</html>", b"{}", b"[]", b"\xff\xfe", b'{"choices": []}'])
def test_junk_is_a_clear_error(tmp_path: Path, junk: bytes) -> None:
    with chat_server(Act(junk)) as server:
        asked = Asked(tmp_path, server.url, retries=2)
        with pytest.raises(BackboneUnavailableError, match="no chat completion"):
            asked()


def test_a_server_that_is_down(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    asked = Asked(tmp_path, f"http://127.0.0.1:{port}/v1")
    with pytest.raises(BackboneUnavailableError, match="OPENAI_BASE_URL") as caught:
        asked()
    assert f"127.0.0.1:{port}" in str(caught.value)
    assert len(asked.waits) == 3


def test_no_server_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(BackboneUnavailableError, match="OPENAI_API_KEY"):
        Asked(tmp_path, "", base_url=None)()


def test_the_address_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(says("x")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert Asked(tmp_path, "", base_url=None)().text == "x"


def test_a_wrong_key_or_model(tmp_path: Path) -> None:
    with chat_server(refuses(401, f"wrong key {SECRET}")) as server:
        with pytest.raises(BackboneUnavailableError, match="OPENAI_API_KEY"):
            Asked(tmp_path, server.url)()
        assert len(server.requests) == 1
    with (
        chat_server(refuses(404, "no such model")) as server,
        pytest.raises(BackboneUnavailableError, match="does not have the model 'm'"),
    ):
        Asked(tmp_path, server.url)()


def test_secrets_stay_secret(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    record = tmp_path / "record.jsonl"
    acts = (refuses(500, f"Authorization: Bearer {SECRET} failed"), refuses(403, f"key {SECRET} is not allowed"))
    with chat_server(*acts) as server:
        address = server.url.replace("://", "://user:hunter2@")
        with pytest.raises(BackboneUnavailableError) as caught:
            Asked(tmp_path, address, record=str(record))()
    assert server.headers[0]["authorization"]
    told = str(caught.value) + caplog.text
    assert SECRET not in told
    assert "hunter2" not in str(caught.value)
    with chat_server(says("x")) as server:
        Asked(tmp_path / "cache", server.url, record=str(record), cache=True)()
    kept = "".join(p.read_text() for p in tmp_path.rglob("*") if p.is_file())
    assert kept
    assert SECRET not in kept


def test_parameters_that_a_model_does_not_take_are_given_up(tmp_path: Path) -> None:
    acts = (
        refuses(400, "Unsupported parameter: 'max_tokens' is not supported with this model."),
        refuses(400, "Unsupported value: 'temperature' does not support 0 with this model."),
        says("x"),
    )
    with chat_server(*acts) as server:
        assert Asked(tmp_path, server.url)().text == "x"
    assert "max_completion_tokens" in server.requests[-1]
    assert "temperature" not in server.requests[-1]
    assert server.requests[-1]["response_format"]["type"] == "json_schema"


def test_a_prompt_that_is_too_long_is_told_apart(tmp_path: Path) -> None:
    told = "This model's maximum context length is 2048 tokens"
    with chat_server(refuses(400, told)) as server, pytest.raises(PromptTooLongError):
        Asked(tmp_path, server.url)()
    assert len(server.requests) == 1


def test_the_token_budget_keeps_a_part_for_the_answer(tmp_path: Path) -> None:
    with chat_server(says("x", prompt_tokens=60, reply_tokens=20)) as server:
        asked = Asked(tmp_path, server.url, max_tokens=100)
        asked("refine", "1")
        with pytest.raises(BudgetExhaustedError, match="tokens"):
            asked("refine", "2")
        asked("answer", "3")
        with pytest.raises(BudgetExhaustedError):
            asked("answer", "4")
    assert len(server.requests) == 2


def test_the_budget_of_seconds_bounds_a_call_and_its_retries(tmp_path: Path) -> None:
    with chat_server(Act(hang=FOR_EVER)) as server:
        asked = Asked(tmp_path, server.url, max_seconds=0.6)
        with pytest.raises(BudgetExhaustedError):
            asked()
    with chat_server(refuses(429, "later", Retry_After="60")) as server:
        asked = Asked(tmp_path, server.url, max_seconds=5)
        with pytest.raises(BudgetExhaustedError, match="60 seconds"):
            asked()
    assert asked.waits == []


def test_the_cache_answers_the_second_time(tmp_path: Path) -> None:
    with chat_server(says("x")) as server:
        asked = Asked(tmp_path, server.url, cache=True)
        first, second = asked(), asked()
        assert first == second
        asked("answer", "another")
        assert len(server.requests) == 2
        warm = Asked(tmp_path, server.url, cache=True, temperature=0.7)
        warm()
        warm()
        assert len(server.requests) == 4
    assert asked.client.spending.calls == 2


def test_a_damaged_cache_is_asked_past(tmp_path: Path) -> None:
    with chat_server(says("x")) as server:
        Asked(tmp_path, server.url, cache=True)()
        for path in tmp_path.rglob("*.json"):
            path.write_text("{", encoding="utf-8")
        assert Asked(tmp_path, server.url, cache=True)().text == "x"
        assert len(server.requests) == 2


def test_record_and_replay(tmp_path: Path) -> None:
    record = str(tmp_path / "run.jsonl")
    with chat_server(says("x"), says("y")) as server:
        asked = Asked(tmp_path, server.url, record=record)
        assert [asked("answer", "1").text, asked("answer", "2").text] == ["x", "y"]
    replayed = Asked(tmp_path, "http://127.0.0.1:9/v1", model=None, replay=record)
    assert [replayed("answer", "2").text, replayed("answer", "1").text] == ["y", "x"]
    assert replayed.client.model == "m"
    with pytest.raises(BackboneUnavailableError, match="holds no reply"):
        replayed("answer", "3")
    (tmp_path / "bad.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"bad\.jsonl"):
        Asked(tmp_path, server.url, replay=str(tmp_path / "bad.jsonl"))
