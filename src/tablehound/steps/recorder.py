"""Recording of steps: what a backbone call decided, and what it cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tablehound.backbone.protocol import Backbone
from tablehound.retrieval.patterns.types import Pattern
from tablehound.steps.budget import StepBudget
from tablehound.trail import Step, StepKind, Trail

Decision = TypeVar("Decision")


class Recorder:
    """Runs backbone calls: each spends one step of the budget and adds one step to the trail."""

    def __init__(self, trail: Trail, backbone: Backbone, budget: StepBudget) -> None:
        self.trail = trail
        self.backbone = backbone
        self.budget = budget

    def call(
        self,
        kind: StepKind,
        decide: Callable[[], Decision],
        *,
        saw: Mapping[str, Any] | None = None,
        decided: Callable[[Decision], Mapping[str, Any]],
    ) -> Decision:
        """Take one step. A call that fails has cost its step as well."""
        before, started = self.backbone.usage, time.perf_counter()
        self.budget.spend()
        outcome: Mapping[str, Any] = {}
        note = ""
        try:
            decision = decide()
            outcome = decided(decision)
            return decision
        except BaseException as error:
            note = f"failed: {type(error).__name__}"
            raise
        finally:
            spent = self.backbone.usage - before
            self.trail.add(
                Step(
                    kind=kind,
                    saw=dict(saw or {}),
                    decided=dict(outcome),
                    seconds=time.perf_counter() - started,
                    prompt_tokens=spent.prompt_tokens,
                    reply_tokens=spent.reply_tokens,
                    calls=spent.calls,
                    note=note or ("the reply could not be understood" if spent.unparsed else ""),
                )
            )

    def note(self, kind: StepKind, text: str, **decided: Any) -> None:
        """An entry of our own, such as a check."""
        self.trail.add(Step(kind=kind, decided=decided, note=text))


def describe_patterns(patterns: Sequence[Pattern]) -> dict[str, list[str]]:
    """Patterns for a trail."""
    return {"patterns": [pattern.describe() for pattern in patterns]}
