"""Recording of steps: what a backbone call decided, and what it cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tablehound.backbone.protocol import AnswerDecision
from tablehound.retrieval.patterns.types import Pattern
from tablehound.steps.asked import Asked
from tablehound.steps.budget import StepBudget
from tablehound.trail import Step, StepKind, Trail

Decision = TypeVar("Decision")


class Recorder:
    """Runs the backbone calls of one question: each spends one step of the budget and adds one step to the trail.

    Args:
        asked: the question, whose settings limit the steps.
        trail: what was recorded of it before, whose steps count; else a trail is begun.
    """

    def __init__(self, asked: Asked, trail: Trail | None = None) -> None:
        self.asked = asked
        self.trail = Trail(asked.question, asked.backbone.name) if trail is None else trail
        self.budget = StepBudget(asked.max_steps, self.trail.backbone_steps)

    def call(
        self,
        kind: StepKind,
        decide: Callable[[], Decision],
        *,
        saw: Mapping[str, Any] | None = None,
        decided: Callable[[Decision], Mapping[str, Any]],
    ) -> Decision:
        """Take one step. A call that fails has cost its step as well."""
        before, started = self.asked.backbone.usage, time.perf_counter()
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
            spent = self.asked.backbone.usage - before
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

    def note(
        self,
        kind: StepKind,
        text: str = "",
        *,
        since: float | None = None,
        saw: Mapping[str, Any] | None = None,
        **decided: Any,
    ) -> None:
        """An entry of our own, such as a check; ``since`` is when its work began (``time.perf_counter``)."""
        seconds = 0.0 if since is None else time.perf_counter() - since
        self.trail.add(Step(kind, dict(saw or {}), decided, seconds, note=text))


def describe_patterns(patterns: Sequence[Pattern]) -> dict[str, list[str]]:
    """Patterns for a trail."""
    return {"patterns": [pattern.describe() for pattern in patterns]}


def describe_answer(decision: AnswerDecision) -> dict[str, Any]:
    """An answer step for a trail."""
    described: dict[str, Any] = {"sufficient": decision.sufficient}
    if decision.program is not None:
        described["program"] = decision.program.text
    if decision.missing:
        described["missing"] = [part.text for part in decision.missing]
    if decision.assumptions:
        described["assumptions"] = list(decision.assumptions)
    if decision.unit:
        described["unit"] = decision.unit
    return described
