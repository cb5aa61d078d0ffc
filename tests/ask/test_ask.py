"""One way in: sources, the cache folder, modes, budgets, trails saved and replayed."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

import tablehound
from tablehound.answer import Answer, Missing
from tablehound.api import recorded_settings, replay
from tablehound.backbone import protocol as p
from tablehound.errors import BackboneReplyError, LakeBusyError, LakeVersionError, SourceError, UsageError
from tablehound.lake import Lake, index_sources
from tablehound.lake.store.locks import writing
from tablehound.opening import cache_folder, cached_lake_path, open_lake, with_environment
from tablehound.program import Program
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import Settings
from tablehound.trail import Step, Trail


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TABLEHOUND_MODEL", raising=False)
    return tmp_path


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "goals.csv").write_text("player,goals\nAnn Lee,12\nBo Carr,7\n", encoding="utf-8")
    (folder / "clubs.csv").write_text("club,city\nRovers,Leeds\nUnited,York\n", encoding="utf-8")
    return folder


class Fixed:
    """A backbone of one table: finds by one pattern, selects the first, answers by one program."""

    name = "fixed"
    usage = p.Usage()

    def __init__(self, pattern: str = "Ann Lee", program: str | None = "SELECT goals FROM T1 WHERE player = 'Ann Lee'"):
        self.pattern, self.text = pattern, program

    def patterns(self, request: p.PatternsRequest) -> p.PatternsDecision:
        return p.PatternsDecision((Pattern(self.pattern, "literal"), Pattern("goals", "literal")))

    def refine(self, request: p.RefineRequest) -> p.RefineDecision:
        return p.RefineDecision("select", ("T1",))

    def answer(self, request: p.AnswerRequest) -> p.AnswerDecision:
        if self.text is None:
            return p.AnswerDecision(False, missing=(Missing("words", "the goals"),))
        return p.AnswerDecision(True, Program(self.text, p.views(request.shown)))

    def infer_headers(self, request: p.InferHeadersRequest) -> p.InferHeadersDecision:
        return p.InferHeadersDecision(request.names)

    def subquestions(self, request: p.SubquestionsRequest) -> p.SubquestionsDecision:
        return p.SubquestionsDecision(tuple("?" for _ in request.groups))

    def residual(self, request: p.ResidualRequest) -> p.ResidualDecision:
        return p.ResidualDecision(None)

    def program(self, request: p.ProgramRequest) -> p.ProgramDecision:
        return p.ProgramDecision(None, missing=(Missing("words", "the goals"),))

    def repair(self, request: p.RepairRequest) -> p.ProgramDecision:
        return p.ProgramDecision(None)

    def close(self) -> None:
        pass


QUESTION = "How many goals did Ann Lee score?"
SEEK = Settings(mode="seek")


def test_a_folder_is_read_into_the_cache_and_reused(files: Path, home: Path) -> None:
    answer = tablehound.ask(QUESTION, files, SEEK, backbone=Fixed())
    assert answer.values == ("12",)
    assert cache_folder() == home / "cache" / "tablehound"
    folder = cached_lake_path([str(files)])
    assert folder.is_relative_to(cache_folder())
    with Lake.open(folder) as lake:
        before = lake.generation
    with open_lake(str(files)) as lake:
        assert lake.generation == before
    (files / "goals.csv").write_text("player,goals\nAnn Lee,13\n", encoding="utf-8")
    assert tablehound.ask(QUESTION, files, SEEK, backbone=Fixed()).values == ("13",)
    assert sorted(path.name for path in files.iterdir()) == ["clubs.csv", "goals.csv"]


def test_a_lake_by_path_and_an_open_lake(files: Path, home: Path) -> None:
    index_sources([str(files)], home / "lake", Settings())
    assert tablehound.ask(QUESTION, home / "lake", SEEK, backbone=Fixed()).values == ("12",)
    with Lake.open(home / "lake") as lake:
        assert tablehound.ask(QUESTION, lake, SEEK, backbone=Fixed()).values == ("12",)
        assert open_lake(lake) is lake
        assert lake.table_ids()
    assert not (home / "cache").exists()


def test_several_sources(files: Path) -> None:
    with open_lake([str(files / "goals.csv"), str(files / "clubs.csv")]) as lake:
        assert len(lake.table_ids()) == 2
    with open_lake(str(files / "goa*.csv")) as lake:
        assert len(lake.table_ids()) == 1


def test_sources_that_are_nothing(files: Path, home: Path) -> None:
    with pytest.raises(SourceError, match="absent"):
        open_lake(str(home / "absent"))
    with pytest.raises(UsageError):
        open_lake([])
    empty = home / "empty"
    empty.mkdir()
    answer = tablehound.ask(QUESTION, empty, SEEK)
    assert not answer.answered
    assert "no tables" in answer.missing[0]


def test_an_empty_question(files: Path) -> None:
    with pytest.raises(UsageError, match="empty"):
        tablehound.ask("  ", files)


def test_a_lake_of_another_version_is_said(home: Path, files: Path) -> None:
    import sqlite3

    index_sources([str(files)], home / "lake", Settings())
    with sqlite3.connect(home / "lake" / "catalogue.sqlite") as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    with pytest.raises(LakeVersionError):
        tablehound.ask(QUESTION, home / "lake")


def test_while_another_process_indexes_the_last_state_is_used(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_lake(str(files)) as lake:
        before = lake.generation

    def busy(*_: Any, **__: Any) -> None:
        raise LakeBusyError("another process is indexing")

    monkeypatch.setattr("tablehound.lake.index_sources", busy, raising=False)
    with open_lake(str(files)) as lake:
        assert lake.generation == before


def test_a_first_reading_by_another_process_is_waited_for(files: Path) -> None:
    folder = cached_lake_path([str(files)])
    folder.mkdir(parents=True)
    taken, done = threading.Event(), threading.Event()

    def other() -> None:
        with writing(folder):
            taken.set()
            done.wait()

    thread = threading.Thread(target=other)
    thread.start()
    taken.wait()
    threading.Timer(0.5, done.set).start()
    with open_lake(str(files)) as lake:
        assert len(lake.table_ids()) == 2
    thread.join()


def test_the_cache_folder_without_xdg(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("HOME", str(home))
    for value in ("", "relative/path"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert cache_folder() == home / ".cache" / "tablehound"


def test_the_model_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEHOUND_MODEL", "small")
    assert with_environment(Settings()).backbone.model == "small"
    named = Settings().with_values(**{"backbone.model": "mine"})
    assert with_environment(named).backbone.model == "mine"


def test_a_trail_is_saved_and_replayed(files: Path, home: Path) -> None:
    first = tablehound.ask(QUESTION, files, SEEK.with_values(**{"seek.strategy": "5s3"}), backbone=Fixed())
    assert first.trail is not None
    first.trail.save(home / "trail.json")
    trail = Trail.load(home / "trail.json")
    assert recorded_settings(trail).seek.strategy == "5s3"
    again = replay(trail, files)
    assert again.values == first.values
    assert again.program == first.program
    assert again.tried == first.tried
    assert again.trail is not None
    assert again.trail.backbone == "fixed"
    assert again.trail.counts() == first.trail.counts()


def test_a_trail_that_no_longer_fits_is_refused(files: Path) -> None:
    trail = tablehound.ask(QUESTION, files, SEEK, backbone=Fixed()).trail
    assert trail is not None
    trail.decisions = trail.decisions[:1]
    with pytest.raises(BackboneReplyError, match="no decision left"):
        replay(trail, files)
    trail.decisions = []
    with pytest.raises(UsageError, match="no decisions"):
        replay(trail, files)


def test_trails_hold_no_password(files: Path) -> None:
    settings = SEEK.with_values(**{"backbone.base_url": "http://me:hunter2@localhost:1/v1"})
    trail = tablehound.ask(QUESTION, files, settings, backbone=Fixed()).trail
    assert trail is not None
    assert "hunter2" not in json.dumps(trail.to_json())
    assert trail.settings["backbone"]["base_url"] == "http://localhost:1/v1"


def test_auto_goes_on_to_several_tables_with_the_steps_it_kept(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def several(*given: Any) -> Answer:
        asked.append(given)
        trail = Trail(QUESTION)
        trail.add(Step("program"))
        return Answer(QUESTION, True, ("42",), tried=("x",), trail=trail)

    monkeypatch.setattr("tablehound.multitable.answer_from_several", several)
    answer = tablehound.ask(QUESTION, files, Settings(), backbone=Fixed(program=None))
    assert answer.values == ("42",)
    assert answer.tried[-1] == "x"
    assert len(answer.tried) >= 2
    assert answer.trail is not None
    assert [step.kind for step in answer.trail.steps].count("program") == 1
    settings, tried = asked[0][0].settings, asked[0][2]
    assert settings.seek.max_steps >= 4
    assert settings.seek.max_steps + answer.trail.backbone_steps - 1 == Settings().seek.max_steps
    assert tried == answer.tried[:-1]
    assert tablehound.ask(QUESTION, files, Settings(), backbone=Fixed()).values == ("12",)
    assert len(asked) == 1


def test_a_count_of_nothing_makes_auto_look_further(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Answer(QUESTION, True, ("42",), trail=Trail(QUESTION))
    nothing = Answer(QUESTION, False, lacks=(Missing("need", "all"),), trail=Trail(QUESTION))
    counts = Fixed(program="SELECT count(*) FROM T1 WHERE goals > 100")
    for several, value in ((found, "42"), (nothing, "0")):
        monkeypatch.setattr("tablehound.multitable.answer_from_several", lambda *_, several=several: several)
        answer = tablehound.ask(QUESTION, files, Settings(), backbone=counts)
        assert answer.values == (value,)
        assert answer.doubtful == (value == "0")


def test_mode_multitable_does_not_seek(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Answer(QUESTION, True, ("42",))
    monkeypatch.setattr("tablehound.multitable.answer_from_several", lambda *_: found)
    answer = tablehound.ask(QUESTION, files, Settings(mode="multitable"), backbone=Fixed())
    assert answer.values == ("42",)
    assert answer.trail is not None
    assert answer.trail.decisions == []


def test_every_answer_of_the_rules_is_replayed_alike(files: Path) -> None:
    questions = [QUESTION, "In which city are the Rovers?", "Bo Carr scored 7 goals.", "Who trains the Rovers?"]
    for question in questions:
        first = tablehound.ask(question, files)
        assert first.trail is not None
        again = replay(Trail.from_json(json.loads(json.dumps(first.trail.to_json()))), files)
        assert (again.answered, again.values, again.tried) == (first.answered, first.values, first.tried)


def test_answers_are_plain_data(files: Path) -> None:
    answer = tablehound.ask(QUESTION, files, SEEK, backbone=Fixed())
    data = json.loads(json.dumps(answer.to_json()))
    assert data["values"] == ["12"]
    assert data["trail"]["settings"]["task"] == "tableqa"


def test_a_later_format_of_lakes_is_kept_in_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = cached_lake_path([str(tmp_path)])
    monkeypatch.setattr("tablehound.lake.FORMAT_VERSION", 99)
    assert cached_lake_path([str(tmp_path)]) != before
