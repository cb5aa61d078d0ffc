"""Fixtures shared by the tests of the chat backbone."""

from __future__ import annotations

import pytest

from tests.chat.asked import SECRET


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in the environment, and no server named there."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
