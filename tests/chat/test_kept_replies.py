"""Replies kept on disk: for their owner alone, and noticed when damaged."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tablehound.backbone.chat.replies import Reply
from tablehound.errors import UsageError
from tests.chat.asked import Asked
from tests.chat.chat_server import chat_server, says

pytestmark = pytest.mark.usefixtures("key")


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
