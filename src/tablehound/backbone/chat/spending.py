"""The budget of tokens and seconds of one backbone, and its totals."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tablehound.backbone.protocol import Usage
from tablehound.errors import BudgetExhaustedError
from tablehound.settings import BackboneSettings

ANSWERING = frozenset({"answer", "program", "repair"})
"""Steps for which a part of the budget is kept."""
KEPT_SHARE = 0.25
"""Share of tokens and seconds that only answering steps may use."""


@dataclass(slots=True)
class Spending:
    """What was spent since the backbone was made, against ``max_tokens`` and ``max_seconds``."""

    settings: BackboneSettings
    clock: Callable[[], float] = time.monotonic
    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    unparsed: int = 0
    understood: int = 0
    started: float | None = field(default=None)

    @property
    def usage(self) -> Usage:
        return Usage(self.calls, self.prompt_tokens, self.reply_tokens, self.unparsed, self.understood)

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.reply_tokens

    @property
    def seconds(self) -> float:
        return 0.0 if self.started is None else self.clock() - self.started

    def require(self, kind: str) -> None:
        """Before a call of ``kind``.

        Raises:
            BudgetExhaustedError: nothing is left for it.
        """
        if self.started is None:
            self.started = self.clock()
        share = 1.0 if kind in ANSWERING else 1.0 - KEPT_SHARE
        limits = self.settings
        if limits.max_tokens and self.tokens >= limits.max_tokens * share:
            raise BudgetExhaustedError(
                f"{self.tokens} of {limits.max_tokens} tokens are spent", remedy="raise backbone.max_tokens"
            )
        if limits.max_seconds and self.seconds >= limits.max_seconds * share:
            raise BudgetExhaustedError(
                f"{self.seconds:.0f} of {limits.max_seconds:.0f} seconds are spent", remedy="raise backbone.max_seconds"
            )

    def seconds_left(self) -> float:
        """Seconds until ``max_seconds``; infinite without a limit."""
        return self.settings.max_seconds - self.seconds if self.settings.max_seconds else float("inf")

    def spend(self, *, calls: int = 0, prompt_tokens: int = 0, reply_tokens: int = 0) -> None:
        self.calls += calls
        self.prompt_tokens += prompt_tokens
        self.reply_tokens += reply_tokens
