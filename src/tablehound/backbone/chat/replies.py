"""Replies kept on disk: the cache, keyed by a hash of the request, and files that record a run for replay.

They hold questions and cells, so that only their owner can read them.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tablehound.errors import BackboneUnavailableError, UsageError
from tablehound.lake import append_private, private_folder, write_private

logger = logging.getLogger(__name__)

Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered, and what it cost."""

    text: str
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cut: bool = False
    """It ended at the length limit."""


def request_key(**parts: Any) -> str:
    """Hash of a request: everything that decides the reply, and no secret."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class ReplyCache:
    """One small file per request. Trouble with the disk never ends a question: it is logged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Reply | None:
        path = self._path(key)
        try:
            return Reply(**json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            logger.warning("a cached reply cannot be read and is asked for again: %s: %s", path, error)
            return None

    def put(self, key: str, reply: Reply) -> None:
        path = self._path(key)
        try:
            private_folder(self._folder)
            private_folder(path.parent)
            write_private(path, json.dumps(asdict(reply)).encode("ascii"))
        except OSError as error:
            logger.warning("a reply cannot be cached: %s", error)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"


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
                f"{self._path} cannot be written: {error}", remedy="choose another file to record to"
            ) from error


class RecordedReplies:
    """Replies of a recorded file, by request."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies: dict[str, Reply] = {}
        self.model = "recorded"
        try:
            with path.open(encoding="utf-8") as file:
                for line in file:
                    if line.strip():
                        entry = json.loads(line)
                        self._replies[entry["key"]] = Reply(**entry["reply"])
                        self.model = entry["model"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path} cannot be read as recorded replies: {error}") from error

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
