"""Strategies, presets and ablations by the papers' names: what they show, allow and try."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tablehound.backbone import protocol as p
from tablehound.errors import SettingError
from tablehound.seek import ABLATIONS, PRESETS, STRATEGIES, resolve_plan, with_ablations, with_preset
from tablehound.settings import SeekSettings
from tests.seek.scripted import GOALS, INSUFFICIENT, STOP, Bench, name_of, patterns, regenerate, rerank, select, sql


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("strategies"))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_shows_and_keeps_as_named(bench: Bench, strategy: str) -> None:
    shows = int(strategy.removeprefix("r").partition("s")[0])
    keeps = int(strategy.partition("s")[2] or 1)
    everything = select(*[f"T{i}" for i in range(1, 11)])
    decision = rerank(*bench.ids) if strategy.startswith("r") else everything
    found = patterns("Ann Lee|Leeds|club|rain|born|player")
    answer, backbone = bench.run([found, decision, sql("SELECT count(*) FROM T1")], seek__strategy=strategy)
    request = backbone.requests[1]
    assert isinstance(request, p.RefineRequest)
    assert len(request.shown) == min(shows, len(bench.ids))
    assert request.rerank == strategy.startswith("r")
    if not request.rerank:
        assert request.max_select == keeps
    assert len(answer.tried) == min(keeps, len(request.shown))
    assert answer.trail is not None
    assert answer.trail.backbone_steps == 3


def test_numbers_of_ones_own_win_over_the_strategy() -> None:
    plan = resolve_plan(SeekSettings(strategy="10s3", n_candidates=7))
    assert (plan.n_candidates, plan.max_select) == (7, 3)
    assert resolve_plan(SeekSettings(max_select_tables=2)).max_select == 2
    assert resolve_plan(SeekSettings(strategy="r20")).n_candidates == 20


@pytest.mark.parametrize("strategy", ["", "s", "5", "5s", "r", "x5s1", "5s1 "])
def test_names_that_are_no_strategy(strategy: str) -> None:
    with pytest.raises(SettingError):
        resolve_plan(SeekSettings(strategy=strategy))


@pytest.mark.parametrize("values", [{"n_candidates": 0}, {"max_select_tables": -1}, {"max_steps": -1}])
def test_numbers_below_their_least(values: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        resolve_plan(dataclasses.replace(SeekSettings(), **values))


def test_presets() -> None:
    shown = {name: with_preset(SeekSettings(), name) for name in PRESETS}
    assert [(s.max_matched_rows, s.max_rows_per_pattern) for s in shown.values()][:3] == [(5, 1), (10, 2), (15, 3)]
    assert shown["full"].preview_chars > 10**9
    with pytest.raises(SettingError, match="medium"):
        with_preset(SeekSettings(), "huge")


def test_an_unknown_ablation() -> None:
    with pytest.raises(SettingError, match="no_refine"):
        with_ablations(SeekSettings(), ["no_answer"])


def test_no_refine_asks_for_patterns_and_the_answer_only(bench: Bench) -> None:
    answer, backbone = bench.run([patterns("Cy Dunn"), sql(GOALS)], seek__refine=False)
    assert answer.values == ("12",)
    assert not backbone.script
    assert ABLATIONS["no_refine"] == {"refine": False}


def test_no_regenerate_is_told_and_enforced(bench: Bench) -> None:
    answer, backbone = bench.run([patterns("Cy Dunn"), regenerate("rain"), sql(GOALS)], seek__regenerate=False)
    assert not backbone.requests[1].may_regenerate
    assert answer.values == ("12",)


@pytest.mark.parametrize("strategy", ["5s1", "r5"])
def test_no_select_takes_the_first_table(bench: Bench, strategy: str) -> None:
    script = [patterns("Cy Dunn", "goals"), select("T2"), sql(GOALS)]
    answer, backbone = bench.run(script, seek__select=False, seek__strategy=strategy)
    request = backbone.requests[1]
    assert not request.may_select
    assert not request.rerank
    assert bench.names(answer.tried) == ["goals_2012"]


def test_no_fallback_tries_once(bench: Bench) -> None:
    answer, backbone = bench.run([patterns("goals"), STOP, INSUFFICIENT], seek__fallback=False)
    assert not answer.answered
    assert len(answer.tried) == 1
    assert not backbone.script


def previews(bench: Bench, **values: Any) -> list[str]:
    """The preview of one table in the refine and in the answer step."""
    _, backbone = bench.run([patterns("Cy Dunn"), select("T1"), sql(GOALS)], **values)
    shown = [table for request in backbone.requests[1:] for table in request.shown]
    return [table.preview for table in shown if name_of(table) == "goals_2012"]


def test_match_only_and_match_only_qa(bench: Bench) -> None:
    refine, answer = previews(bench)
    assert "Bo Carr" in refine
    assert "Bo Carr" in answer
    refine, answer = previews(bench, seek__match_only=True)
    assert "Bo Carr" not in refine
    assert "Cy Dunn" in refine
    assert "Bo Carr" in answer
    refine, answer = previews(bench, seek__match_only=True, seek__match_only_qa=True)
    assert "Bo Carr" not in refine + answer
