"""Servers that drip, flood, redirect, or send what is damaged: a clear error in time, and nothing sent elsewhere."""

from __future__ import annotations

import gzip
import threading
from pathlib import Path

import pytest

from tablehound.backbone.chat.client import PromptTooLongError
from tablehound.errors import BackboneUnavailableError, BudgetExhaustedError
from tests.chat.asked import FOR_EVER, SECRET, Asked
from tests.chat.chat_server import Act, chat_server, refuses, says

pytestmark = pytest.mark.usefixtures("key")


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


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "1e400", "9" * 400, "-5", "true", '"7"', "[]", "null"])
def test_usage_of_any_number_is_survived(tmp_path: Path, number: str) -> None:
    body = says("x").body.replace(b'"prompt_tokens": 100', f'"prompt_tokens": {number}'.encode())
    with chat_server(Act(body)) as server:
        asked = Asked(tmp_path, server.url, record=str(tmp_path / "run.jsonl"), cache=True)
        assert asked().text == "x"
        assert asked.client.spending.tokens == 20


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
        (gzip.compress(b"{}" * 1000, mtime=0)[:30], "gzip"),
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
