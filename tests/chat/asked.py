"""The one client for tests over real HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tablehound.backbone.chat.client import ChatClient
from tablehound.backbone.chat.replies import Reply
from tablehound.settings import BackboneSettings

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
MESSAGES = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
SECRET = "sk-very-secret-0123456789"
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
