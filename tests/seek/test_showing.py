"""What a backbone may see: anonymous tables in blind mode, matched rows, the lake's words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablehound.backbone import protocol as p
from tablehound.lake import Lake, index_sources
from tablehound.retrieval import open_engine
from tablehound.seek import seek
from tablehound.seek.searching import telling_words
from tablehound.settings import Settings
from tablehound.steps import Asked, blind_info
from tests.seek.scripted import PAPER, STOP, ScriptedBackbone, patterns

HTML = """<html><head><title>Quarterly secrets</title></head><body><h1>Quarterly secrets</h1>
<table><caption>Project Nightjar</caption><tr><th>unit</th><th>cost</th></tr>
<tr><td>alpha</td><td>10</td></tr><tr><td>beta</td><td>20</td></tr></table></body></html>"""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    folder = tmp_path_factory.mktemp("blind")
    (folder / "files").mkdir()
    (folder / "files" / "nightjar_budget.html").write_text(HTML, encoding="utf-8")
    (folder / "files" / "nightjar_people.csv").write_text("unit,people\nalpha,3\nbeta,4\n", encoding="utf-8")
    index_sources([str(folder / "files")], folder / "lake", Settings())
    with Lake.open(folder / "lake") as opened:
        yield opened


def requests(lake: Lake, settings: Settings) -> list[Any]:
    backbone = ScriptedBackbone([patterns("alpha"), STOP] + [p.AnswerDecision(False)] * 9)
    seek(Asked("What does alpha cost?", "tableqa", lake, backbone, settings), open_engine(lake, settings))
    return backbone.requests


def test_blind_mode_hides_names_of_files_and_titles(lake: Lake) -> None:
    open_text = repr(requests(lake, PAPER)).lower()
    assert "nightjar" in open_text
    blind_text = repr(requests(lake, PAPER.with_values(**{"backbone.blind": True}))).lower()
    assert "alpha" in blind_text
    for word in ("nightjar", "quarterly", "secrets", "budget", "people.csv"):
        assert word not in blind_text


def test_blind_mode_keeps_ids_and_content(lake: Lake) -> None:
    for table_id in lake.table_ids():
        info = lake.info(table_id)
        blind = blind_info(info)
        assert blind.id == info.id
        assert blind.header == info.header
        assert blind.n_rows == info.n_rows
        assert blind.title is None
        assert blind.notes == ()
        assert Path(blind.provenance.source).name == ""


def test_aliases_are_numbered_from_the_best(lake: Lake) -> None:
    refine = requests(lake, PAPER)[1]
    assert [table.alias for table in refine.shown] == ["T1", "T2"]
    assert all(table.matched_rows == (0,) for table in refine.shown)
    assert [pattern.text for pattern in refine.shown[0].matched] == ["alpha"]


def test_the_lakes_words_are_offered_unless_switched_off(lake: Lake) -> None:
    offered = requests(lake, PAPER.with_values(**{"seek.offer_vocabulary": True}))[0]
    assert "cost" in offered.vocabulary.headers
    assert requests(lake, PAPER)[0].vocabulary.headers == ()


def test_words_that_share_only_small_words_are_not_offered() -> None:
    telling = telling_words("Which river has the largest mean discharge in 2012?")
    assert {"rive", "mean", "2012"} <= telling
    assert "the" not in telling
    assert "lee" in telling_words("Goals of Ann Lee?")
