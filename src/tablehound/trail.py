"""The trail: the record of every step, with what it decided and what it cost. It can be saved, replayed and shown."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tablehound.errors import UsageError

StepKind = Literal[
    "patterns",
    "refine",
    "answer",
    "infer_headers",
    "subquestions",
    "residual",
    "program",
    "repair",
    "search",
    "execute",
    "align",
    "graph",
    "check",
]
BACKBONE_STEPS: frozenset[str] = frozenset(
    {"patterns", "refine", "answer", "infer_headers", "subquestions", "residual", "program", "repair"}
)
"""Kinds that are a call of the backbone and count against ``max_steps``; the others are work of our own."""


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a trail. ``saw`` and ``decided`` are plain JSON data."""

    kind: StepKind
    saw: Mapping[str, Any] = field(default_factory=dict)
    decided: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    calls: int = 0
    """Requests to a model server (retries and repairs of a malformed reply included)."""
    note: str = ""


@dataclass(slots=True)
class Trail:
    """The steps of one question, in order."""

    question: str
    backbone: str = "rules"
    settings: Mapping[str, Any] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    decisions: list[Mapping[str, Any]] = field(default_factory=list)
    """Every decision of the backbone in full, in order: what ``tablehound.replay`` answers from."""

    def add(self, step: Step) -> None:
        self.steps.append(step)

    def counts(self) -> dict[str, int]:
        """Number of steps by kind."""
        return dict(sorted(Counter(step.kind for step in self.steps).items()))

    @property
    def backbone_steps(self) -> int:
        """Steps that count against ``max_steps``."""
        return sum(step.kind in BACKBONE_STEPS for step in self.steps)

    @property
    def tokens(self) -> int:
        return sum(step.prompt_tokens + step.reply_tokens for step in self.steps)

    @property
    def seconds(self) -> float:
        return sum(step.seconds for step in self.steps)

    def to_json(self) -> dict[str, Any]:
        """Plain data; ``Trail.from_json`` is its inverse."""
        return {
            "question": self.question,
            "backbone": self.backbone,
            "settings": dict(self.settings),
            "steps": [dataclasses.asdict(step) for step in self.steps],
            "decisions": [dict(decision) for decision in self.decisions],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trail:
        """A trail from ``to_json``'s data.

        Raises:
            UsageError: the data is no trail.
        """
        try:
            steps = [Step(**step) for step in data["steps"]]
            return cls(data["question"], data["backbone"], data["settings"], steps, list(data.get("decisions", ())))
        except (KeyError, TypeError) as error:
            raise UsageError("this is not a trail", remedy="save one with `tablehound ask --trail FILE`") from error

    def save(self, path: Path) -> None:
        """Write the trail as JSON.

        Raises:
            UsageError: the file cannot be written.
        """
        try:
            path.write_text(json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"the trail cannot be written: {error}", remedy="give another file") from error

    @classmethod
    def load(cls, path: Path) -> Trail:
        try:
            return cls.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, json.JSONDecodeError) as error:
            raise UsageError(f"{path} cannot be read as a trail: {error}") from error
