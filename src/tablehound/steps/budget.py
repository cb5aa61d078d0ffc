"""The budget rule: every backbone call of a question counts, and one is always kept for the answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class StepBudget:
    """Counts the steps of one question. ``limit`` is ``max_steps``."""

    limit: int
    used: int = 0

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)

    def may_explore(self) -> bool:
        """Whether a step other than the answer may be taken: one must remain after it."""
        return self.left > 1

    def may_answer(self) -> bool:
        return self.left > 0

    def spend(self) -> None:
        self.used += 1
