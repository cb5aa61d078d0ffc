"""The one client over real HTTP: retries, time-outs, refusals, budget, cache, record and replay."""

from __future__ import annotations

import gzip
import logging
import os
import socket
import stat
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tablehound.backbone.chat.client import ChatClient, PromptTooLongError
from tablehound.backbone.chat.replies import Reply
from tablehound.errors import BackboneUnavailableError, BudgetExhaustedError, UsageError
from tablehound.settings import BackboneSettings
from tests.chat.chat_server import Act, chat_server, refuses, says, tells

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
MESSAGES = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
SECRET = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


FOR_EVER = 86_400.0
"""Seconds of silence that a test would not outlast."""


class Asked:
    """A client with its sleeps written down instead of slept."""

    def __init__(self, folder: Path, url: str, **options: Any) -> None:
        self.waits: list[float] = []
        values: dict[str, Any] = {"cache": False, "call_timeout": 5.0, "model": "m", "base_url": url} | options
        self.client = ChatClient(BackboneSettings(**values), folder, sleep=self.waits.append)

    def __call__(self, kind: str = "answer", text: str = "u") -> Reply:
        messages = [MESSAGES[0], {"role": "user", "content": text}]
        try:
            return self.client.complete(kind, messages, SCHEMA)
        finally:
            self.client.close()


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
    assert asked.waits == [0.5]
    with chat_server(Act(hang=FOR_EVER)) as server:
        asked = Asked(tmp_path, server.url, call_timeout=0.3, retries=2)
        with pytest.raises(BackboneUnavailableError, match="no reply within"):
            asked()


def test_a_reply_that_drips_is_given_up(tmp_path: Path) -> None:
    slow = Act(says("x" * 200).body, drip=0.05)
    with chat_server(slow, says("x")) as server:
        asked = Asked(tmp_path, server.url, call_timeout=0.5)
        assert asked().text == "x"
    assert asked.waits == [0.5]


def test_headers_that_drip_for_ever_are_given_up_at_max_seconds(tmp_path: Path) -> None:
    with chat_server(Act(header_drip=0.05)) as server:
        asked = Asked(tmp_path, server.url, max_seconds=0.6, call_timeout=FOR_EVER)
        with pytest.raises(BudgetExhaustedError, match="max_seconds"):
            asked()
        for thread in threading.enumerate():
            if thread.name == "tablehound-chat":
                thread.join(30)
                assert not thread.is_alive()
    with chat_server(Act(header_drip=0.05), says("x")) as server:
        asked = Asked(tmp_path, server.url, call_timeout=0.4)
        assert asked().text == "x"
        assert asked.waits == [0.5]


@pytest.mark.parametrize("status", [200, 400, 503])
def test_bodies_that_drip_for_ever_are_given_up_whatever_the_status(tmp_path: Path, status: int) -> None:
    with chat_server(Act(b"x" * 10**6, status, drip=0.05)) as server:
        asked = Asked(tmp_path, server.url, max_seconds=0.6, call_timeout=FOR_EVER)
        with pytest.raises(BudgetExhaustedError):
            asked()


@pytest.mark.parametrize("status", [200, 400])
def test_a_reply_of_many_megabytes_is_not_read(tmp_path: Path, status: int) -> None:
    big = says("x" * (3 * 2**20)).body
    packed = gzip.compress(says("x" * (64 * 2**20)).body)
    for act in (Act(big, status), Act(packed, status, {"content-encoding": "gzip"})):
        with chat_server(act) as server:
            asked = Asked(tmp_path, server.url)
            with pytest.raises(BackboneUnavailableError, match="larger than 1048576 bytes"):
                asked()
    with chat_server(Act(big)) as server:
        assert len(Asked(tmp_path, server.url, max_reply_bytes=4 * 2**20)().text) == 3 * 2**20


def test_a_cut_stream_is_tried_again(tmp_path: Path) -> None:
    with chat_server(Act(says("x" * 500).body, cut=True), says("y")) as server:
        asked = Asked(tmp_path, server.url)
        assert asked().text == "y"
    assert asked.waits == [0.5]


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


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_origin_is_refused_and_gets_no_key(tmp_path: Path, status: int) -> None:
    with chat_server(says("stolen")) as other:
        there = other.url.replace("127.0.0.1", "localhost")
        for location in (
            f"{other.url}/chat/completions?key=hidden",
            f"{there}/chat/completions",
            "http://[::1",
            "//x y",
        ):
            with chat_server(Act(status=status, headers={"location": location})) as server:
                asked = Asked(tmp_path, server.url)
                with pytest.raises(BackboneUnavailableError) as caught:
                    asked()
            assert "hidden" not in str(caught.value)
            assert SECRET not in str(caught.value)
    assert other.requests == []
    assert other.headers == []


def test_a_redirect_within_the_server_is_followed(tmp_path: Path) -> None:
    with chat_server(Act(status=307, headers={"location": "/v2/chat/completions"}), says("x")) as server:
        assert Asked(tmp_path, server.url)().text == "x"
    assert [headers["authorization"] for headers in server.headers] == [f"Bearer {SECRET}"] * 2


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")
def test_replies_and_recordings_are_for_their_owner_alone(tmp_path: Path) -> None:
    cache, record = tmp_path / "deep" / "replies", tmp_path / "run.jsonl"
    old = tmp_path / "old"
    old.mkdir(mode=0o755)
    before = os.umask(0o022)
    try:
        with chat_server(says("x")) as server:
            Asked(cache, server.url, cache=True, record=str(record))()
            Asked(old, server.url, cache=True)()
            record.chmod(0o644)
            Asked(cache, server.url, cache=True, record=str(record))()
    finally:
        os.umask(before)
    kept = [record, *(tmp_path / "deep", *(tmp_path / "deep").rglob("*")), old, *old.rglob("*")]
    assert len(kept) >= 8
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in kept}
    assert modes == {path: 0o700 if path.is_dir() else 0o600 for path in kept}


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


@pytest.mark.parametrize(
    "damage",
    [
        '{"reply": {"text": 5, "prompt_tokens": "x"}, "checksum": ""}',
        '{"reply": {"text": "y", "prompt_tokens": 1, "reply_tokens": 1, "cut": false}, "checksum": ""}',
        '{"text": "y"}',
        "[]",
        "[" * 100_000,
        '{"reply": ' * 50_000,
        "\udcff",
        "",
    ],
)
def test_a_cached_reply_that_is_damaged_is_asked_for_again(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    with chat_server(says("x")) as server:
        Asked(tmp_path, server.url, cache=True)()
        for path in tmp_path.rglob("*.json"):
            path.write_bytes(damage.encode("utf-8", "surrogateescape"))
        assert Asked(tmp_path, server.url, cache=True)() == Reply("x", 100, 20)
        assert Asked(tmp_path, server.url, cache=True)() == Reply("x", 100, 20)
        assert len(server.requests) == 2
    assert caplog.text.count("damaged") == 1


def test_a_flipped_bit_in_a_cached_reply_is_noticed(tmp_path: Path) -> None:
    with chat_server(says("x" * 50)) as server:
        Asked(tmp_path, server.url, cache=True)()
        (path,) = tmp_path.rglob("*.json")
        path.write_bytes(path.read_bytes().replace(b"xxx", b"xyx", 1))
        assert Asked(tmp_path, server.url, cache=True)().text == "x" * 50


@pytest.mark.parametrize(
    "line", ["{}", "[]", "{", "[" * 100_000, '{"key": "k", "model": "m", "reply": {"text": 5}}', "\udcff", '"x"']
)
def test_a_damaged_recording_is_a_clear_error(tmp_path: Path, line: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\n" + line.encode("utf-8", "surrogateescape") + b"\n")
    with pytest.raises(UsageError, match=r"run\.jsonl cannot be read as recorded replies: (near )?line \d is damaged"):
        Asked(tmp_path, "", replay=str(path))


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "1e400", "9" * 400, "-5", "true", '"7"', "[]", "null"])
def test_usage_of_any_number_is_survived(tmp_path: Path, number: str) -> None:
    body = says("x").body.replace(b'"prompt_tokens": 100', f'"prompt_tokens": {number}'.encode())
    with chat_server(Act(body)) as server:
        asked = Asked(tmp_path, server.url, record=str(tmp_path / "run.jsonl"), cache=True)
        assert asked().text == "x"
        assert 0 <= asked.client.spending.tokens <= 10**9 + 20


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices":' + b"[" * 200_000,
        b'{"a":' * 100_000,
        b'{"choices": [{"message": {"content": ' + b"[" * 900 + b"]" * 900 + b"}}]}",
    ],
)
def test_a_body_that_nests_deep_is_a_clear_error_or_survived(tmp_path: Path, body: bytes) -> None:
    for status in (200, 400):
        with chat_server(Act(body, status)) as server:
            asked = Asked(tmp_path, server.url, retries=1)
            try:
                assert asked().text == ""
            except BackboneUnavailableError as error:
                assert "Recursion" not in str(error)
                assert "recursion" not in str(error)


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize(
    ("packed", "encoding"),
    [
        (b"\x1f\x8bnothing", "gzip"),
        (b"\x1f\x8b", "gzip"),
        (gzip.compress(b"{}" * 1000)[:30], "gzip"),
        (b"nothing at all", "deflate"),
        (b"nothing at all", "br"),
        (b"x", "zstd, gzip"),
    ],
)
def test_a_body_packed_wrongly_is_a_clear_error(tmp_path: Path, packed: bytes, encoding: str, status: int) -> None:
    with (
        chat_server(Act(packed, status, {"content-encoding": encoding})) as server,
        pytest.raises(BackboneUnavailableError, match="the reply is packed") as caught,
    ):
        Asked(tmp_path, server.url, retries=1)()
    assert "Error -" not in str(caught.value)


def test_a_body_that_is_packed_well_is_read(tmp_path: Path) -> None:
    with chat_server(Act(gzip.compress(says("x").body), headers={"content-encoding": "gzip"})) as server:
        assert Asked(tmp_path, server.url)().text == "x"
    assert server.headers[0]["accept-encoding"] == "identity"


def test_half_a_character_in_a_reply_is_survived(tmp_path: Path) -> None:
    body = says("x").body.replace(b'"x"', b'"a\\ud800b"')
    with chat_server(Act(body)) as server:
        asked = Asked(tmp_path, server.url, record=str(tmp_path / "run.jsonl"), cache=True)
        assert asked().text == asked().text == "a?b"


@pytest.mark.parametrize("after", ["inf", "1e999", "nan", "-7", "Fri, 99 Foo 99999999999 00:00:00 GMT", "\x7f"])
def test_a_retry_after_of_no_sense_is_survived(tmp_path: Path, after: str) -> None:
    with (
        chat_server(refuses(429, "slow down", Retry_After=after)) as server,
        pytest.raises(BackboneUnavailableError, match="at its limit: slow down"),
    ):
        Asked(tmp_path, server.url, retries=2)()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ftp://localhost/v1", "http:// or https://"),
        ("localhost", "http:// or https://"),
        ("http://no-such-host.invalid/v1", "no host of that name|connection failed|proxy"),
        ("http://127.0.0.1:9/v1", "nothing listens there"),
        ("http://[::1/v1", "http:// or https://"),
    ],
)
def test_no_raw_text_of_a_library_reaches_the_user(tmp_path: Path, address: str, words: str) -> None:
    with pytest.raises(BackboneUnavailableError, match=words) as caught:
        Asked(tmp_path, address, retries=1)()
    for raw in ("Errno", "Request URL", "protocol", "Error code", "httpx", "Traceback"):
        assert raw not in str(caught.value)


@pytest.mark.parametrize("status", [400, 413, 500])
def test_a_refusal_for_its_length_is_not_tried_again(tmp_path: Path, status: int) -> None:
    with chat_server(refuses(status, "the request exceeds the available context size")) as server:
        asked = Asked(tmp_path, server.url, retries=4)
        with pytest.raises(PromptTooLongError):
            asked()
    assert asked.waits == []
    assert len(server.requests) == 1


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
