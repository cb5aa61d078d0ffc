"""``tablehound ask`` and ``trail``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.chat.chat_server import chat_server, says


def test_an_answer_names_the_file_and_row_that_prove_it(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("ask", "Which river is the longest?", folder)
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "Nile"
    assert "rivers.csv" in ran.out
    assert "Program (SQL):" in ran.out


def test_replies_of_a_model_that_are_unreadable_throughout_are_exit_code_2(
    folder: Path, run: Callable[..., Any]
) -> None:
    with chat_server(says("I am a teapot.")) as server:
        ran = run("ask", "Which river is the longest?", folder, "--model", "m", "--base-url", server.url)
    assert (ran.code, ran.out) == (2, "")
    assert "could be had from the model" in ran.err


def test_json_holds_values_evidence_program_and_trail(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("ask", "How long is the Volga?", folder, "--json")
    data = json.loads(ran.out)
    assert ran.code == 0
    assert data["answered"]
    assert [float(value) for value in data["values"]] == [3531]
    (table,) = data["evidence"]
    assert table["label"] == "rivers.csv"
    cells = {(cell["row"], cell["column"], cell["text"]) for cell in table["cells"]}
    assert (1, 1, "3531") in cells
    assert table["source_rows"]["1"] == 3
    assert data["program"]["language"] == "sql"
    assert data["trail"]["steps"]


def test_what_the_tables_do_not_say_is_exit_code_1_and_named(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("ask", "Who discovered the source of the Volga?", folder)
    assert ran.code == 1
    assert ran.out.splitlines()[0] == "The tables do not say."
    assert "not covered:" in ran.out


def test_a_claim_is_supported_or_refuted(folder: Path, run: Callable[..., Any]) -> None:
    assert run("ask", "The Nile is longer than the Rhine.", folder).out.splitlines()[0] == "supported"
    assert run("ask", "The Rhine is longer than the Nile.", folder).out.splitlines()[0] == "refuted"


def test_a_trail_is_saved_shown_and_replayed(folder: Path, run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "trail.json"
    first = run("ask", "How long is the Volga?", folder, "--trail", path)
    shown = run("trail", path)
    assert shown.code == 0
    assert "backbone steps" in shown.out
    again = run("trail", path, "--replay", folder)
    assert again.code == 0
    assert again.out.splitlines()[0] == first.out.splitlines()[0]


def test_a_trail_that_cannot_be_written_is_told_before_the_work(
    folder: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    ran = run("ask", "How long is the Volga?", folder, "--trail", tmp_path / "nowhere" / "t.json")
    assert (ran.code, ran.out) == (2, "")
    assert "no folder" in ran.err


def test_a_file_that_is_no_trail_is_refused(run: Callable[..., Any], tmp_path: Path) -> None:
    for text in ("{}", "[]", "no json"):
        (tmp_path / "t.json").write_text(text, encoding="utf-8")
        assert "trail" in run("trail", tmp_path / "t.json").err


def test_an_empty_question_is_misuse(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("ask", "  ", folder)
    assert ran.code == 2
    assert "empty" in ran.err


def test_a_budget_of_no_steps_answers_nothing_and_says_why(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("ask", "How long is the Volga?", folder, "--max-steps", 0)
    assert ran.code == 1
    assert "budget" in ran.out


def test_a_budget_of_one_step_still_answers(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("ask", "How long is the Volga?", folder, "--max-steps", 1)
    assert (ran.code, ran.out.splitlines()[0][:4]) == (0, "3531")


def test_a_wrong_setting_is_named_with_its_remedy(folder: Path, run: Callable[..., Any]) -> None:
    for option in ("seek.max_steps=ten", "seek.nonsense=1", "seek.max_steps"):
        ran = run("ask", "How long is the Volga?", folder, "--set", option)
        assert ran.code == 2
        assert option.partition("=")[0] in ran.err


def test_control_characters_of_a_table_never_reach_the_terminal(folder: Path, run: Callable[..., Any]) -> None:
    text = "River,Length (km)\nEvil\x1b[31mRiver,9999\nSmall,3\n"
    (folder / "evil.csv").write_text(text, encoding="utf-8")
    for arguments in (
        ("show", "evil.csv", folder),
        ("grep", "evil", folder),
        ("ask", "Which river is longest?", folder),
    ):
        assert "\x1b" not in run(*arguments).out
