"""Decisions survive the way to plain JSON data and back, and a replay gives them in their order only."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tablehound.answer import Missing
from tablehound.backbone import protocol as p
from tablehound.backbone.recorded import DECISIONS, RecordingBackbone, ReplayBackbone, from_data, to_data
from tablehound.errors import BackboneReplyError, UsageError
from tablehound.program import Program, View
from tablehound.retrieval.patterns.types import Pattern

PROGRAM = Program("SELECT 1", {"T1": View(("a", "b"), ("x", "y"), ((0, 1), (1, 0))), "T2": View(("c",))}, "sql")
EXAMPLES: dict[str, list[Any]] = {
    "patterns": [p.PatternsDecision((Pattern("a|b", columns=("c",)), Pattern("", "range", low="1", high_open=True)))],
    "refine": [
        p.RefineDecision("select", ("T1", "T2")),
        p.RefineDecision("regenerate", patterns=(Pattern("x"),), reason="none fits"),
    ],
    "answer": [
        p.AnswerDecision(True, PROGRAM, "It is {answer}.", "km", ("metric",)),
        p.AnswerDecision(False, missing=(Missing("words", "year"),)),
    ],
    "infer_headers": [p.InferHeadersDecision(("a", None))],
    "subquestions": [p.SubquestionsDecision(("What?", "Who?"))],
    "residual": [p.ResidualDecision(None), p.ResidualDecision("When?")],
    "program": [p.ProgramDecision(PROGRAM), p.ProgramDecision(None, missing=(Missing("words", "x"),))],
    "repair": [p.ProgramDecision(PROGRAM, unit="m")],
}


def test_every_method_has_an_example() -> None:
    assert set(EXAMPLES) == set(DECISIONS)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_there_and_back(kind: str) -> None:
    for decision in EXAMPLES[kind]:
        assert from_data(kind, json.loads(json.dumps(to_data(decision)))) == decision


@pytest.mark.parametrize(("kind", "data"), [("answer", {"foo": 1}), ("dance", {}), ("patterns", {"patterns": [1]})])
def test_what_is_no_decision(kind: str, data: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        from_data(kind, data)


def test_a_replay_gives_what_was_recorded() -> None:
    played = ReplayBackbone("m", [{"kind": k, "decision": to_data(d)} for k in EXAMPLES for d in EXAMPLES[k]])
    again = RecordingBackbone(played)
    requests: dict[str, Any] = {
        "patterns": p.PatternsRequest("?", "tableqa"),
        "refine": p.RefineRequest("?", "tableqa", (), (), 1),
        "answer": p.AnswerRequest("?", "tableqa", ()),
        "infer_headers": p.InferHeadersRequest((None,), ((),)),
        "subquestions": p.SubquestionsRequest("?", ()),
        "residual": p.ResidualRequest("?", (), ()),
        "program": p.ProgramRequest("?", "tableqa", (), ()),
        "repair": p.RepairRequest("?", "tableqa", PROGRAM, "", ()),
    }
    for kind, decisions in EXAMPLES.items():
        for decision in decisions:
            assert getattr(again, kind)(requests[kind]) == decision
    assert [entry["kind"] for entry in again.decisions] == [kind for kind in EXAMPLES for _ in EXAMPLES[kind]]
    assert again.name == "m"
    assert again.usage == p.Usage()
    with pytest.raises(BackboneReplyError, match="no decision left"):
        again.residual(requests["residual"])


def test_a_request_of_another_kind_stops_the_replay() -> None:
    played = ReplayBackbone("m", [{"kind": "refine", "decision": to_data(p.RefineDecision("stop"))}])
    with pytest.raises(BackboneReplyError, match="kind refine, not patterns"):
        played.patterns(p.PatternsRequest("?", "tableqa"))
