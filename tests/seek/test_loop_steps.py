"""The published loop, step by step, with a backbone that plays a script."""

from __future__ import annotations

import pytest

from tablehound.backbone import protocol as p
from tablehound.errors import BudgetExhaustedError, SettingError
from tests.seek.scripted import (
    GOALS,
    INSUFFICIENT,
    STOP,
    Bench,
    patterns,
    regenerate,
    repaired,
    rerank,
    select,
    select_file,
    sql,
)

ANY = sql("SELECT min(_row) + 1 FROM T1")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("loop"))


def test_select_then_answer(bench: Bench) -> None:
    answer, backbone = bench.run([patterns("Ann Lee", "goals"), select_file("goals_2012"), sql(GOALS, unit="goals")])
    assert answer.answered
    assert answer.values == ("12",)
    assert answer.unit == "goals"
    assert bench.names(answer.tried) == ["goals_2012"]
    assert answer.trail is not None
    assert answer.trail.backbone_steps == 3
    assert {k: answer.trail.counts()[k] for k in ("patterns", "refine", "answer")} == {
        "patterns": 1,
        "refine": 1,
        "answer": 1,
    }
    assert answer.trail.tokens == 3 * 11
    assert not backbone.script


def test_evidence_names_file_and_table(bench: Bench) -> None:
    answer, _ = bench.run([patterns("Ann Lee", "goals"), select_file("goals_2012"), sql(GOALS)])
    assert [table.label for table in answer.evidence] == ["goals_2012.csv"]
    assert answer.program is not None
    assert answer.program.text == GOALS


def test_regenerate_ranks_anew(bench: Bench) -> None:
    script = [patterns("rain"), regenerate("Ann Lee", "goals"), select_file("goals_2013"), sql(GOALS)]
    answer, backbone = bench.run(script)
    first, second = backbone.shown(p.RefineRequest)
    assert first[0] == "weather"
    assert {"goals_2012", "goals_2013"} == set(second[:2])
    assert answer.values == ("9",)
    assert answer.trail is not None
    assert answer.trail.counts()["search"] == 2


def test_the_same_patterns_again_end_the_refinement(bench: Bench) -> None:
    answer, backbone = bench.run([patterns("rain"), regenerate("rain"), sql('SELECT max("rain mm") FROM T1')])
    assert answer.values == ("700",)
    assert not backbone.script


def test_rerank_orders_the_tries(bench: Bench) -> None:
    script = [patterns("Ann Lee", "goals"), rerank("goals_2013", "players"), INSUFFICIENT, INSUFFICIENT, ANY]
    answer, backbone = bench.run(script, seek__strategy="r3")
    assert backbone.requests[1].rerank
    assert [len(shown) for shown in backbone.shown(p.RefineRequest)] == [3]
    assert backbone.shown(p.AnswerRequest)[0] == ["goals_2013"]
    assert answer.answered
    assert len(answer.tried) == 3


def test_stop_takes_the_first_tables(bench: Bench) -> None:
    answer, backbone = bench.run([patterns("Ann Lee", "goals"), STOP, sql(GOALS)], seek__fallback_tables=2)
    assert len(backbone.shown(p.AnswerRequest)[0]) == 2
    assert answer.answered
    assert len(answer.tried) == 2


def test_fallback_tries_the_next_tables_one_by_one_and_none_twice(bench: Bench) -> None:
    script = [patterns("Ann Lee", "goals"), select_file("transfers"), INSUFFICIENT, INSUFFICIENT, sql(GOALS)]
    answer, backbone = bench.run(script)
    tried = [shown for group in backbone.shown(p.AnswerRequest) for shown in group]
    assert tried[0] == "transfers"
    assert set(tried[1:]) <= {"goals_2012", "goals_2013"}
    assert len(set(tried)) == len(tried) == 3
    assert answer.answered
    assert answer.tried[-1] == bench.ids[tried[-1]]


def test_no_table_answers_and_the_missing_part_is_named(bench: Bench) -> None:
    answer, _ = bench.run([patterns("goals"), STOP] + [INSUFFICIENT] * 20, seek__max_steps=30)
    assert not answer.answered
    assert answer.missing == ("goals",)
    assert answer.values == ()
    assert bench.names(answer.tried)[0] in {"goals_2012", "goals_2013"}


def test_a_budget_used_up_by_refining_answers_from_the_top_table(bench: Bench) -> None:
    script = [patterns("rain"), regenerate("club"), regenerate("goals"), sql("SELECT max(goals) FROM T1")]
    answer, backbone = bench.run(script, seek__max_steps=4)
    assert answer.answered
    assert answer.trail is not None
    assert answer.trail.backbone_steps == 4
    assert not backbone.script


def test_fallback_ends_with_the_budget(bench: Bench) -> None:
    answer, backbone = bench.run([patterns("Ann Lee"), STOP, INSUFFICIENT, INSUFFICIENT], seek__max_steps=4)
    assert not answer.answered
    assert len(answer.tried) == 2
    assert not backbone.script


def test_budget_of_one_answers_straight_from_the_top_table(bench: Bench) -> None:
    answer, backbone = bench.run([sql(GOALS)], question="goals of Ann Lee in goals", seek__max_steps=1)
    assert answer.values in {("12",), ("9",)}
    assert [type(r) for r in backbone.requests] == [p.AnswerRequest]


def test_budget_of_two_does_not_refine(bench: Bench) -> None:
    answer, backbone = bench.run([patterns("goals", "Cy Dunn"), sql(GOALS)], seek__max_steps=2)
    assert answer.values == ("12",)
    assert [type(r) for r in backbone.requests] == [p.PatternsRequest, p.AnswerRequest]


def test_budget_of_zero_says_so(bench: Bench) -> None:
    answer, backbone = bench.run([], seek__max_steps=0)
    assert not answer.answered
    assert "max_steps" in answer.missing[0]
    assert backbone.requests == []


def test_a_failing_program_is_repaired_once(bench: Bench) -> None:
    wrong = sql("SELECT scored FROM T1")
    answer, backbone = bench.run([patterns("Cy Dunn", "goals"), select("T1"), wrong, repaired(GOALS)])
    assert answer.values == ("12",)
    request = backbone.requests[-1]
    assert isinstance(request, p.RepairRequest)
    assert "scored" in request.error
    assert answer.trail is not None
    assert answer.trail.counts()["repair"] == 1
    assert answer.trail.counts()["execute"] == 2


def test_no_repair_without_budget(bench: Bench) -> None:
    script = [patterns("Cy Dunn", "goals"), select("T1"), sql("SELECT scored FROM T1")]
    answer, backbone = bench.run(script, seek__max_steps=3)
    assert not answer.answered
    assert not backbone.script


def test_the_same_failing_program_is_not_run_twice(bench: Bench) -> None:
    wrong = "SELECT scored FROM T1"
    script = [patterns("Cy Dunn", "goals"), select("T1"), sql(wrong), repaired(wrong)]
    answer, _ = bench.run(script, seek__max_steps=4)
    assert answer.trail is not None
    assert answer.trail.counts()["execute"] == 1


@pytest.mark.parametrize(
    "text", ["SELECT goals FROM T1 WHERE player = 'Zed'", "SELECT sum(goals) FROM T1 WHERE goals > 99"]
)
def test_an_empty_result_counts_as_insufficient(bench: Bench, text: str) -> None:
    script = [patterns("Cy Dunn", "goals"), select("T1"), sql(text), ANY]
    answer, _ = bench.run(script, seek__max_steps=4)
    assert answer.values == ("1",)
    assert len(answer.tried) == 2


def test_patterns_that_the_engine_refuses_go_back_as_messages(bench: Bench) -> None:
    script = [
        patterns("Ann(?= Lee)", "goals"),
        regenerate("Ann(?<!x)", "(unclosed"),
        regenerate("Ann Lee", "goals"),
        select_file("goals_2012"),
        sql(GOALS),
    ]
    answer, backbone = bench.run(script)
    refined = [r for r in backbone.requests if isinstance(r, p.RefineRequest)]
    assert [len(r.refused) for r in refined] == [1, 2, 0]
    assert "(?= Lee)" in refined[0].refused[0]
    assert answer.values == ("12",)


def test_an_alias_that_was_not_shown_is_survived(bench: Bench) -> None:
    answer, _ = bench.run([patterns("Cy Dunn", "goals"), select("T99"), sql(GOALS)])
    assert answer.values == ("12",)
    answer, _ = bench.run([patterns("Cy Dunn", "goals"), select("T99", "T1"), sql(GOALS)], seek__max_select_tables=2)
    assert answer.values == ("12",)


def test_tokens_or_seconds_gone_while_refining_still_answers(bench: Bench) -> None:
    gone = BudgetExhaustedError("no tokens are left")
    answer, _ = bench.run([patterns("Cy Dunn", "goals"), gone, sql(GOALS)])
    assert answer.values == ("12",)
    answer, _ = bench.run([gone, gone, gone], question="Cy Dunn goals")
    assert not answer.answered
    assert any("tokens" in part for part in answer.missing)


def test_claims_get_a_verdict(bench: Bench) -> None:
    for text, verdict in (("= 12", "supported"), ("= 13", "refuted")):
        program = sql(f"SELECT goals {text} FROM T1 WHERE player = 'Ann Lee'")
        answer, _ = bench.run(
            [patterns("Cy Dunn", "goals"), select("T1"), program], "Ann Lee scored 12 goals", "fact_verification"
        )
        assert answer.verdict == verdict
        assert answer.values == (verdict,)


def test_an_unknown_strategy_is_refused(bench: Bench) -> None:
    with pytest.raises(SettingError, match="5s1"):
        bench.run([], seek__strategy="best")


def test_nothing_found_is_told_and_the_patterns_may_be_written_anew(bench: Bench) -> None:
    script = [patterns("zzzz"), regenerate("yyyy"), regenerate("Cy Dunn"), select("T1"), sql(GOALS)]
    answer, backbone = bench.run(script, question="zzzz?")
    assert backbone.shown(p.RefineRequest) == [[], [], ["goals_2012"]]
    assert not backbone.requests[1].may_select
    assert answer.values == ("12",)


def test_nothing_is_found_at_all(bench: Bench) -> None:
    answer, _ = bench.run([patterns("zzzz"), STOP], question="zzzz?")
    assert not answer.answered
    assert answer.tried == ()
    assert answer.missing == ("no table has anything of the question",)


def test_patterns_that_find_nothing_give_way_to_the_questions_own_words(bench: Bench) -> None:
    answer, _ = bench.run([patterns("zzzz"), select("T1"), sql(GOALS)], question="Cy Dunn")
    assert answer.values == ("12",)


def test_refused_patterns_and_no_step_to_write_them_anew(bench: Bench) -> None:
    answer, _ = bench.run([patterns("a(?=b)"), sql(GOALS)], question="Cy Dunn", seek__max_steps=2)
    assert answer.values == ("12",)


def test_a_question_of_any_length_and_kind_is_survived(bench: Bench) -> None:
    for question in (
        "?",
        "x" * 20_000,
        "Ann Lee goals " * 2_000,
        "\0\u202e(((",
        "Wie viele Tore?\n\nDROP TABLE T1; --",
    ):
        answer, _ = bench.run([INSUFFICIENT], question=question, seek__max_steps=1)
        assert not answer.answered
