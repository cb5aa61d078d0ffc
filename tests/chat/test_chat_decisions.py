"""The chat backbone over real HTTP: each decision, malformed replies, and that none ends a question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablehound import ask
from tablehound.answer import Missing
from tablehound.backbone import protocol as p
from tablehound.backbone.chat import ChatBackbone
from tablehound.backbone.chat.backbone import NOT_FITTING, NOT_UNDERSTOOD
from tablehound.errors import BackboneReplyError
from tablehound.lake import Lake, index_sources
from tablehound.program import Program, View
from tablehound.retrieval.lake_vocabulary import Vocabulary
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import Settings
from tablehound.steps import show_view
from tests.chat.chat_server import ChatServer, chat_server, refuses, says, tells


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    folder = tmp_path_factory.mktemp("chat")
    (folder / "goals.csv").write_text("player,goals\nAnn Lee,12\nBo Carr,7\n", encoding="utf-8")
    (folder / "clubs.csv").write_text("club,city\nRovers,Leeds\n", encoding="utf-8")
    index_sources([str(folder / "*.csv")], folder / "lake", Settings())
    with Lake.open(folder / "lake") as opened:
        yield opened


@pytest.fixture
def shown(lake: Lake) -> tuple[p.ShownTable, ...]:
    by_name = {info.header[0]: info.id for info in lake.infos()}
    return (
        show_view(lake, View((by_name["player"],)), "T1", Settings(), rows=(0,)),
        show_view(lake, View((by_name["club"],)), "T2", Settings()),
    )


def chat(lake: Lake, server: ChatServer, **options: Any) -> ChatBackbone:
    values = {"model": "m", "base_url": server.url, "cache": False, "retries": 1, "call_timeout": 5.0} | options
    return ChatBackbone(lake, Settings().with_values(**{f"backbone.{name}": v for name, v in values.items()}))


QUESTION = "How many goals did Ann Lee score?"


def refine_request(shown: tuple[p.ShownTable, ...], **parts: Any) -> p.RefineRequest:
    return p.RefineRequest(QUESTION, "tableqa", (Pattern("Ann Lee", "literal"),), shown, 1, **parts)


def test_patterns(lake: Lake) -> None:
    reply = {
        "patterns": ["Ann Lee", "2012", "1,014", "goals?", "St. Louis", "/club$/i", {"text": "x y", "column": "z"}]
    }
    with chat_server(tells(reply)) as server:
        backbone = chat(lake, server)
        request = p.PatternsRequest(QUESTION, "tableqa", Vocabulary(("player", "goals"), ("Ann Lee",)))
        found = backbone.patterns(request).patterns
        backbone.close()
    assert found == (
        Pattern("Ann Lee", "literal"),
        Pattern(r"\b2012\b", "regex"),
        Pattern("1,014", "value"),
        Pattern("goals?", "regex"),
        Pattern("St. Louis", "literal"),
        Pattern("club$", "regex"),
        Pattern("x y", "literal", ("z",)),
    )
    assert QUESTION in server.prompts[0]
    assert "player" in server.prompts[0]


def test_select(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    for named in (["T1"], "T1", ["t1", "T2"], ["Table 1", "T1"], [1], [shown[0].info.id]):
        with chat_server(tells({"action": "select", "tables": named, "patterns": []})) as server:
            backbone = chat(lake, server)
            assert backbone.refine(refine_request(shown)) == p.RefineDecision("select", ("T1",))
            backbone.close()


def test_the_schema_allows_only_what_the_loop_allows(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    with chat_server(tells({"action": "stop", "tables": [], "patterns": []})) as server:
        backbone = chat(lake, server)
        backbone.refine(refine_request(shown))
        backbone.refine(refine_request(shown, rerank=True, may_regenerate=False))
        backbone.close()
    schemas = [r["response_format"]["json_schema"]["schema"]["properties"] for r in server.requests]
    assert schemas[0]["action"]["enum"] == ["select", "regenerate", "stop"]
    assert schemas[0]["tables"]["items"]["enum"] == ["T1", "T2"]
    assert schemas[1]["action"]["enum"] == ["rerank", "stop"]
    assert '"select"' not in server.prompts[1]
    assert '"regenerate"' not in server.prompts[1]


def test_refused_patterns_are_told(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    with chat_server(tells({"action": "regenerate", "tables": [], "patterns": ["Ann"]})) as server:
        backbone = chat(lake, server)
        decision = backbone.refine(refine_request(shown, refused=("/a(?=b)/: look-around",)))
        backbone.close()
    assert decision == p.RefineDecision("regenerate", patterns=(Pattern("Ann", "literal"),))
    assert "look-around" in server.prompts[0]


def answer(lake: Lake, shown: tuple[p.ShownTable, ...], *acts: Any) -> tuple[p.AnswerDecision, ChatBackbone]:
    with chat_server(*acts) as server:
        backbone = chat(lake, server)
        try:
            return backbone.answer(p.AnswerRequest(QUESTION, "tableqa", shown)), backbone
        finally:
            backbone.close()


SQL = "SELECT goals FROM T1 WHERE player = 'Ann Lee'"


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"sufficient": True, "sql": SQL, "unit": "", "missing": ""}),
        json.dumps({"sufficient": "yes", "sql": f"```sql\n{SQL};\n```"}),
        f'```json\n{{"sql": "{SQL}",}}\n```',
        f"The query is:\n```sql\n{SQL};\n```",
        f"{SQL};\n\nThis returns the goals.",
    ],
)
def test_answers_with_sql(lake: Lake, shown: tuple[p.ShownTable, ...], content: str) -> None:
    decision, backbone = answer(lake, shown, says(content))
    assert decision.sufficient
    assert decision.program is not None
    assert decision.program.text == SQL
    assert set(decision.program.tables) == {"T1", "T2"}
    assert backbone.usage.unparsed == 0


def test_numbers_of_the_models_own_are_noted(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    decision, _ = answer(lake, shown, tells({"sufficient": True, "sql": "SELECT goals > 57.1 FROM T1"}))
    assert decision.assumptions == (
        "the program uses 57.1, which the question does not name",
        "the program does not look for Ann Lee",
    )


def test_insufficient(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    decision, _ = answer(lake, shown, tells({"sufficient": False, "sql": "", "unit": "", "missing": "the year"}))
    assert decision == p.AnswerDecision(False, missing=(Missing("words", "the year"),))


def test_a_malformed_reply_is_repaired_once(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    with chat_server(says("I think T1 is nice."), tells({"sufficient": True, "sql": SQL})) as server:
        backbone = chat(lake, server)
        decision = backbone.answer(p.AnswerRequest(QUESTION, "tableqa", shown))
        backbone.close()
    assert decision.sufficient
    assert backbone.usage.unparsed == 0
    assert backbone.usage.calls == 2
    assert [m["role"] for m in server.requests[1]["messages"]] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("content", ["", "I do not know.", '{"foo": 1}', "{" * 50, '{"action": "dance"}', None])
def test_replies_that_cannot_be_read_are_counted_and_survived(
    lake: Lake, shown: tuple[p.ShownTable, ...], content: str | None
) -> None:
    program = Program("SELECT 1", p.views(shown))
    group = p.NeedGroup(("goals",), (shown[0].info.id,), ("goals",))
    with chat_server(says(content)) as server:
        backbone = chat(lake, server)
        found = [
            backbone.patterns(p.PatternsRequest(QUESTION, "tableqa")).patterns[0].kind,
            backbone.refine(refine_request(shown)).action,
            backbone.answer(p.AnswerRequest(QUESTION, "tableqa", shown)).sufficient,
            backbone.infer_headers(p.InferHeadersRequest((None, "goals"), (("Ann",), ("12",)))).names,
            backbone.subquestions(p.SubquestionsRequest(QUESTION, (group,))).subquestions,
            backbone.residual(p.ResidualRequest(QUESTION, (), shown)).residual,
            backbone.program(p.ProgramRequest(QUESTION, "tableqa", (), shown)).program,
            backbone.repair(p.RepairRequest(QUESTION, "tableqa", program, "no such column", shown)).program,
        ]
        backbone.close()
    assert found == ["literal", "stop", False, (None, "goals"), ("What is goals?",), None, None, None]
    assert backbone.usage.unparsed == 8
    assert backbone.usage.calls == len(server.requests) == 16


def test_the_other_decisions(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    group = p.NeedGroup(("goals",), (shown[0].info.id,), ("goals",))
    program = Program("SELECT goal FROM T1", p.views(shown))
    acts = (
        tells({"names": ["player", ""]}),
        tells({"subquestions": ["How many goals?"]}),
        tells({"residual": "Which year?"}),
        tells({"sql": SQL, "unit": "goals", "missing": ""}),
        tells({"sql": SQL, "unit": "", "missing": ""}),
    )
    with chat_server(*acts) as server:
        backbone = chat(lake, server)
        assert backbone.infer_headers(p.InferHeadersRequest((None, None), (("Ann",), ("?",)))).names == ("player", None)
        assert backbone.subquestions(p.SubquestionsRequest(QUESTION, (group,))).subquestions == ("How many goals?",)
        assert backbone.residual(p.ResidualRequest(QUESTION, ("a?",), shown)).residual == "Which year?"
        request = p.ProgramRequest(QUESTION, "tableqa", ("a?",), shown, ('T1."x" = T2."y"',), ('"Ann" is a value',))
        written = backbone.program(request)
        mended = backbone.repair(p.RepairRequest(QUESTION, "tableqa", program, "no column goal", shown))
        backbone.close()
    assert written.program is not None
    assert (written.program.text, written.unit) == (SQL, "goals")
    assert mended.program is not None
    assert mended.program.text == SQL
    assert 'T1."x" = T2."y"' in server.prompts[3]
    assert '"Ann" is a value' in server.prompts[3]
    assert "no column goal" in server.prompts[4]
    assert "SELECT goal FROM T1" in server.prompts[4]


def test_a_subquestion_is_a_question_and_no_fact(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    groups = tuple(p.NeedGroup((need,), (shown[0].info.id,), (need,)) for need in ("goals", "year"))
    with chat_server(tells({"subquestions": ["How many goals?", "Denali was climbed in 1958."]})) as server:
        backbone = chat(lake, server)
        decision = backbone.subquestions(p.SubquestionsRequest(QUESTION, groups))
        backbone.close()
    assert decision.subquestions == ("How many goals?", "What is year?")


def test_a_repair_may_not_bring_the_failed_program_back(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    program = Program("SELECT goal FROM T1", p.views(shown))
    with chat_server(tells({"sql": program.text, "unit": "", "missing": ""})) as server:
        backbone = chat(lake, server)
        assert backbone.repair(p.RepairRequest(QUESTION, "tableqa", program, "x", shown)).program is None
        backbone.close()
    assert backbone.usage.unparsed == 1


def test_a_prompt_that_does_not_fit_shows_less(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    too_long = refuses(400, "the request exceeds the available context size")
    with chat_server(too_long, too_long, tells({"sufficient": True, "sql": SQL})) as server:
        backbone = chat(lake, server)
        assert backbone.answer(p.AnswerRequest(QUESTION, "tableqa", shown)).sufficient
        backbone.close()
    lengths = [len(prompt) for prompt in server.prompts]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[2]
    with chat_server(too_long) as server:
        backbone = chat(lake, server)
        decision = backbone.answer(p.AnswerRequest(QUESTION, "tableqa", shown))
        assert [lack.text for lack in decision.missing] == [NOT_FITTING.text]
        assert len(server.requests) == 4
        backbone.patterns(p.PatternsRequest(QUESTION, "tableqa"))
        assert len(server.requests) == 5
        backbone.close()
    assert backbone.usage.unparsed == 2
    sent = [json.dumps(request["messages"]) for request in server.requests]
    assert len(set(sent)) == len(sent)


@pytest.mark.parametrize("content", ["I am a teapot.", '{"a": ' * 5000, '{"patterns": [], "action": "dance"}', ""])
def test_replies_that_are_unreadable_throughout_are_an_error_and_no_answer(lake: Lake, content: str) -> None:
    with chat_server(says(content)) as server:
        settings = Settings().with_values(
            **{"backbone.model": "m", "backbone.base_url": server.url, "backbone.cache": False}
        )
        for mode in ("auto", "seek", "multitable"):
            with pytest.raises(BackboneReplyError, match="decisions could be had from the model"):
                ask(QUESTION, lake, settings.with_values(mode=mode))


def test_a_context_that_is_too_small_throughout_is_told_once(lake: Lake) -> None:
    with chat_server(refuses(400, "the request exceeds the available context size")) as server:
        settings = Settings().with_values(
            **{"backbone.model": "m", "backbone.base_url": server.url, "backbone.cache": False}
        )
        with pytest.raises(BackboneReplyError) as caught:
            ask(QUESTION, lake, settings)
    assert str(caught.value).count("context") == 1


def test_one_readable_reply_is_no_error(lake: Lake) -> None:
    with chat_server(tells({"patterns": ["Ann"]}), says("I am a teapot.")) as server:
        settings = Settings().with_values(
            **{"backbone.model": "m", "backbone.base_url": server.url, "backbone.cache": False}
        )
        answer = ask(QUESTION, lake, settings)
    assert not answer.answered
    assert NOT_UNDERSTOOD.text in answer.missing


def test_union_views_are_told(lake: Lake, shown: tuple[p.ShownTable, ...]) -> None:
    union = p.ShownTable("T1", shown[0].info, View((shown[0].info.id, "other")), shown[0].preview, False)
    with chat_server(tells({"sufficient": False})) as server:
        backbone = chat(lake, server)
        backbone.answer(p.AnswerRequest(QUESTION, "tableqa", (union,)))
        backbone.close()
    assert "2 tables with the same columns" in server.prompts[0]


def test_a_missing_replay_file_is_said(lake: Lake, tmp_path: Path) -> None:
    from tablehound.errors import UsageError

    with pytest.raises(UsageError, match="none"):
        ChatBackbone(lake, Settings().with_values(**{"backbone.replay": str(tmp_path / "none.jsonl")}))
