"""Decisions as plain JSON data, kept while a question is answered and given back when its trail is replayed."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tablehound.answer import Missing
from tablehound.backbone import protocol as p
from tablehound.errors import BackboneReplyError, UsageError

Decision = TypeVar("Decision")

DECISIONS: dict[str, type] = {
    "patterns": p.PatternsDecision,
    "refine": p.RefineDecision,
    "answer": p.AnswerDecision,
    "infer_headers": p.InferHeadersDecision,
    "subquestions": p.SubquestionsDecision,
    "residual": p.ResidualDecision,
    "program": p.ProgramDecision,
    "repair": p.ProgramDecision,
}
"""Method of the protocol → what it returns."""


def to_data(decision: Any) -> dict[str, Any]:
    """A decision as plain data; :func:`from_data` is the inverse, but for the kinds of what is missing."""
    data = dataclasses.asdict(decision)
    data.pop("phrase", None)
    if "missing" in data:
        data["missing"] = [part.text for part in decision.missing]
    return data


def from_data(kind: str, data: Mapping[str, Any]) -> Any:
    """The decision of the method ``kind`` from its plain data.

    Raises:
        UsageError: the data is no such decision.
    """
    if kind not in DECISIONS:
        raise UsageError(f"there is no decision of kind {kind!r}")
    try:
        return _build(DECISIONS[kind], data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"this is not a decision of kind {kind}: {error}") from error


def _build(wanted: Any, data: Any) -> Any:
    """Data as the annotated type: dataclasses, tuples, mappings, optional parts."""
    origin = typing.get_origin(wanted)
    arguments = typing.get_args(wanted)
    if origin in (typing.Union, types.UnionType):
        inner = next(part for part in arguments if part is not type(None))
        return None if data is None else _build(inner, data)
    if wanted is Missing:
        return Missing("words", data)
    if origin is tuple:
        return tuple(_build(arguments[0], item) for item in data)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: _build(arguments[1], item) for key, item in data.items()}
    if dataclasses.is_dataclass(wanted) and isinstance(wanted, type):
        hints = typing.get_type_hints(wanted)
        return wanted(**{name: _build(hints[name], item) for name, item in data.items()})
    return data


class RecordingBackbone:
    """Passes everything on to another backbone and keeps its decisions, in order, as plain data."""

    def __init__(self, inner: p.Backbone) -> None:
        self._inner = inner
        self.decisions: list[dict[str, Any]] = []

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def usage(self) -> p.Usage:
        return self._inner.usage

    def _keep(self, kind: str, decision: Decision) -> Decision:
        self.decisions.append({"kind": kind, "decision": to_data(decision)})
        return decision

    def patterns(self, request: p.PatternsRequest) -> p.PatternsDecision:
        return self._keep("patterns", self._inner.patterns(request))

    def refine(self, request: p.RefineRequest) -> p.RefineDecision:
        return self._keep("refine", self._inner.refine(request))

    def answer(self, request: p.AnswerRequest) -> p.AnswerDecision:
        return self._keep("answer", self._inner.answer(request))

    def infer_headers(self, request: p.InferHeadersRequest) -> p.InferHeadersDecision:
        return self._keep("infer_headers", self._inner.infer_headers(request))

    def subquestions(self, request: p.SubquestionsRequest) -> p.SubquestionsDecision:
        return self._keep("subquestions", self._inner.subquestions(request))

    def residual(self, request: p.ResidualRequest) -> p.ResidualDecision:
        return self._keep("residual", self._inner.residual(request))

    def program(self, request: p.ProgramRequest) -> p.ProgramDecision:
        return self._keep("program", self._inner.program(request))

    def repair(self, request: p.RepairRequest) -> p.ProgramDecision:
        return self._keep("repair", self._inner.repair(request))

    def close(self) -> None:
        self._inner.close()


class ReplayBackbone:
    """Answers with recorded decisions, in order; no model and no rules.

    A request of another kind than the recorded one means that the lake or the settings changed since: replay stops.
    """

    def __init__(self, name: str, decisions: Sequence[Mapping[str, Any]]) -> None:
        self._name = name
        self._decisions = list(decisions)
        self._next = 0

    @property
    def name(self) -> str:
        return self._name

    @property
    def usage(self) -> p.Usage:
        return p.Usage()

    def _take(self, kind: str, _wanted: type[Decision]) -> Decision:
        remedy = "the lake or the settings changed since; ask again instead of replaying"
        if self._next >= len(self._decisions):
            raise BackboneReplyError(f"the trail has no decision left for a step of kind {kind}", remedy=remedy)
        entry = self._decisions[self._next]
        if entry.get("kind") != kind:
            raise BackboneReplyError(
                f"the trail's decision {self._next + 1} is of kind {entry.get('kind')}, not {kind}", remedy=remedy
            )
        self._next += 1
        decision: Decision = from_data(kind, entry["decision"])
        return decision

    def patterns(self, request: p.PatternsRequest) -> p.PatternsDecision:
        return self._take("patterns", p.PatternsDecision)

    def refine(self, request: p.RefineRequest) -> p.RefineDecision:
        return self._take("refine", p.RefineDecision)

    def answer(self, request: p.AnswerRequest) -> p.AnswerDecision:
        return self._take("answer", p.AnswerDecision)

    def infer_headers(self, request: p.InferHeadersRequest) -> p.InferHeadersDecision:
        return self._take("infer_headers", p.InferHeadersDecision)

    def subquestions(self, request: p.SubquestionsRequest) -> p.SubquestionsDecision:
        return self._take("subquestions", p.SubquestionsDecision)

    def residual(self, request: p.ResidualRequest) -> p.ResidualDecision:
        decision = self._take("residual", p.ResidualDecision)
        if self._name != "rules" or decision.residual is None:
            return decision
        from tablehound.backbone.rules.wording import left_over_words

        return dataclasses.replace(decision, phrase=left_over_words(request.question, request.covered))

    def program(self, request: p.ProgramRequest) -> p.ProgramDecision:
        return self._take("program", p.ProgramDecision)

    def repair(self, request: p.RepairRequest) -> p.ProgramDecision:
        return self._take("repair", p.ProgramDecision)

    def close(self) -> None:
        """There is nothing to release."""
