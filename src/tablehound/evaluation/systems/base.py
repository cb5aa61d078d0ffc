"""The interface of a system under test, and what it returns for a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tablehound.answer import Verdict
from tablehound.evaluation.datasets import BenchQuestion


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a system said of one question. Tables are ids of the lake."""

    ranked: tuple[str, ...] = ()
    """Best tables first; for systems that answer, the ranking of their last search."""
    tried: tuple[str, ...] = ()
    """Tables that an answer was tried from, the final ones last."""
    final: tuple[str, ...] = ()
    """Tables of the final answer."""
    first_by_round: tuple[str, ...] = ()
    """The top table after the first search and after each refinement."""
    answered: bool = False
    values: tuple[str, ...] = ()
    verdict: Verdict | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    """Steps by kind."""
    actions: Mapping[str, int] = field(default_factory=dict)
    """Refine decisions by action."""
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    """Seconds by kind of step."""
    steps: int = 0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    rates: Mapping[str, float] = field(default_factory=dict)
    """Rates of this question that only the system can tell: IRR, SR and SAR of a decomposition."""
    error: str = ""
    """Message of an error that ended the question."""
    trail: Mapping[str, Any] | None = None


class System(Protocol):
    """Ranks tables for a question, or answers it."""

    @property
    def name(self) -> str: ...

    def run(self, question: BenchQuestion) -> Outcome:
        """What the system says. Errors of a model or program are part of the outcome, never raised."""
        ...
