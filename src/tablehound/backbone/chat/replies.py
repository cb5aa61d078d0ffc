"""Replies kept on disk: the cache, keyed by a hash of the request, and files that record a run for replay.

They hold questions and cells, so that only their owner can read them.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from tablehound.errors import BackboneUnavailableError, UsageError
from tablehound.lake import append_private, private_folder, write_private

logger = logging.getLogger(__name__)

_LAYOUT = "2"
"""Folder of the cache's files; another layout has another one."""
Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered, and what it cost."""

    text: str
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cut: bool = False
    """It ended at the length limit."""


def reply_of(data: Any) -> Reply:
    """The reply that was kept as plain data.

    Raises:
        ValueError: the data is no reply.
    """
    if not isinstance(data, dict) or set(data) - {field.name for field in fields(Reply)}:
        raise ValueError("no reply")
    reply = Reply(**{"text": None, **data})
    counts = (reply.prompt_tokens, reply.reply_tokens)
    if not isinstance(reply.text, str) or any(type(number) is not int or number < 0 for number in counts):
        raise ValueError("no reply")
    if not isinstance(reply.cut, bool):
        raise ValueError("no reply")
    return reply


def request_key(**parts: Any) -> str:
    """Hash of a request: everything that decides the reply, and no secret."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class ReplyCache:
    """One small file per request, with a checksum of the reply. Trouble with the disk never ends a question: it is
    logged, and the model is asked again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Reply | None:
        path = self._path(key)
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
            reply = reply_of(entry["reply"])
            if entry["checksum"] != request_key(**asdict(reply)):
                raise ValueError("the checksum differs")
            return reply
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            logger.warning("a cached reply is damaged and is asked for again: %s: %s", path, type(error).__name__)
            return None

    def put(self, key: str, reply: Reply) -> None:
        path = self._path(key)
        try:
            for folder in (self._folder, path.parent.parent, path.parent):
                private_folder(folder)
            entry = {"reply": asdict(reply), "checksum": request_key(**asdict(reply))}
            write_private(path, json.dumps(entry).encode("ascii"))
        except OSError as error:
            logger.warning("a reply cannot be cached: %s", error)

    def _path(self, key: str) -> Path:
        return self._folder / _LAYOUT / key[:2] / f"{key[2:]}.json"


class ReplyRecord:
    """Appends every request and reply to a JSON-lines file, prompts included."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, key: str, kind: str, model: str, messages: Messages, reply: Reply) -> None:
        entry = {"key": key, "kind": kind, "model": model, "messages": list(messages), "reply": asdict(reply)}
        try:
            with append_private(self._path) as file:
                file.write(json.dumps(entry, ensure_ascii=False).encode("utf-8") + b"\n")
        except OSError as error:
            raise UsageError(
                f"{self._path} cannot be written: {error.strerror}", remedy="choose another file to record to"
            ) from error


class RecordedReplies:
    """Replies of a recorded file, by request."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies: dict[str, Reply] = {}
        self.model = "recorded"
        number = 0
        try:
            with path.open(encoding="utf-8") as file:
                for line in file:
                    number += 1
                    if line.strip():
                        entry = json.loads(line)
                        self._replies[str(entry["key"])] = reply_of(entry["reply"])
                        self.model = str(entry["model"])
        except OSError as error:
            raise UsageError(f"{path} cannot be read as recorded replies: {error.strerror}") from error
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            where = f"near line {number + 1}" if isinstance(error, UnicodeError) else f"line {number}"
            raise UsageError(
                f"{path} cannot be read as recorded replies: {where} is damaged", remedy="record them again"
            ) from error

    def get(self, key: str, kind: str) -> Reply:
        """
        Raises:
            BackboneUnavailableError: this request was not recorded.
        """
        if key not in self._replies:
            raise BackboneUnavailableError(
                f"{self._path} holds no reply to this request ({kind})",
                remedy="the lake, the question, the settings or the prompts changed since: record again",
            )
        return self._replies[key]
