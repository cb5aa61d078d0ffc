"""Answers from several tables: keys of other names, bridges, tables split by rows, checks and repair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablehound.answer import Answer
from tablehound.backbone import Backbone, ProgramDecision, SubquestionsDecision, make_backbone, views
from tablehound.lake import Lake, index_sources
from tablehound.multitable import answer_from_several, information_needs
from tablehound.program import Program
from tablehound.retrieval import open_engine
from tablehound.settings import Settings
from tablehound.steps import Asked

FILES = {
    "paintings": "painting,painter,museum\nDawn,Ann Lee,North Hall\nDusk,Bo Carr,South Hall\n"
    "Noon,Ann Lee,South Hall\nNight,Cy Dunn,North Hall\n",
    "artists": "artist,nationality\nAnn Lee,Avalonian\nBo Carr,Borealian\nCy Dunn,Avalonian\n",
    "museums": "hall,town\nNorth Hall,Lyra\nSouth Hall,Nova\nEast Hall,Mira\n",
    "towns": "place,inhabitants\nLyra,120000\nNova,250000\nMira,98000\n",
    "cup_a": "season,winner,goals\n1990,Reds,3\n1991,Blues,4\n1992,Reds,5\n",
    "cup_b": "season,winner,goals\n1993,Reds,7\n1994,Greens,6\n1995,Blues,9\n",
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    root = tmp_path_factory.mktemp("several")
    (root / "source").mkdir()
    for name, text in FILES.items():
        (root / "source" / f"{name}.csv").write_text(text, encoding="utf-8")
    index_sources([str(root / "source")], root / "lake", Settings(workers=1))
    with Lake.open(root / "lake") as lake:
        yield lake


def ask(lake: Lake, question: str, backbone: Any = None, **values: Any) -> Answer:
    settings = Settings().with_values(**values)
    chosen = backbone or make_backbone(lake, settings)
    return answer_from_several(Asked(question, "tableqa", lake, chosen, settings), open_engine(lake, settings))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the nationality of the painter of Dusk?", ["Borealian"]),
        ("In which town is the museum of Noon?", ["Nova"]),
        ("How many paintings are by Avalonian artists?", ["3"]),
        ("How many times was the winner Reds?", ["3"]),
        ("What are the total goals of the Blues?", ["13"]),
        ("How many inhabitants has the town of the museum of Dawn?", ["120000"]),
    ],
)
def test_answers_over_joined_and_stacked_tables(lake: Lake, question: str, expected: list[str]) -> None:
    answer = ask(lake, question)
    assert answer.answered, answer.missing
    assert list(answer.values) == expected, answer.program


def test_every_object_of_the_method_is_in_the_trail(lake: Lake) -> None:
    answer = ask(lake, "What is the nationality of the painter of Dusk?")
    assert answer.trail is not None
    steps = {step.kind: step for step in answer.trail.steps}
    assert {"graph", "align", "subquestions", "program", "execute", "check"} <= set(steps)
    assert [need["text"] for need in steps["align"].saw["needs"]] == ["nationality", "painter", "Dusk"]
    assert steps["align"].decided["mappings"][0]["joins"]
    assert len(steps["subquestions"].decided["subquestions"]) == 2
    assert answer.program is not None
    assert steps["program"].decided["program"] == answer.program.text
    assert answer.trail.from_json(answer.trail.to_json()).to_json() == answer.trail.to_json()


def test_evidence_names_the_tables(lake: Lake) -> None:
    answer = ask(lake, "What is the nationality of the painter of Dusk?")
    assert {Path(table.label).stem for table in answer.evidence} <= {"paintings", "artists"}
    assert {Path(lake.info(t).provenance.source).stem for t in answer.tried} == {"paintings", "artists"}


def test_what_no_table_covers_is_named(lake: Lake) -> None:
    answer = ask(lake, "What is the salary of the painter of Dusk?")
    assert not answer.answered
    assert any("salary" in part for part in answer.missing)


def test_the_step_budget_holds(lake: Lake) -> None:
    for steps in range(4):
        answer = ask(lake, "What is the salary of the painter of Dusk?", **{"seek.max_steps": steps})
        assert answer.trail is not None
        assert answer.trail.backbone_steps <= steps


class Scripted:
    """A backbone that writes the programs it is told to write."""

    name = "scripted"

    def __init__(self, inner: Backbone, *programs: str) -> None:
        self._inner = inner
        self._programs = list(programs)
        self.errors: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def subquestions(self, request: Any) -> SubquestionsDecision:
        return SubquestionsDecision(tuple("?" for _ in request.groups))

    def program(self, request: Any) -> ProgramDecision:
        return ProgramDecision(Program(self._programs.pop(0), views(request.shown)))

    def repair(self, request: Any) -> ProgramDecision:
        self.errors.append(request.error)
        return ProgramDecision(Program(self._programs.pop(0), views(request.shown)))


def test_a_failing_program_is_repaired_with_its_error(lake: Lake) -> None:
    backbone = Scripted(make_backbone(lake, Settings()), "SELECT nothing FROM T1", "SELECT 1 AS x WHERE false",
                        "SELECT count(*) AS x FROM T1")  # fmt: skip
    answer = ask(lake, "What is the nationality of the painter of Dusk?", backbone)
    assert answer.values == ("4",)
    assert "nothing" in backbone.errors[0]
    assert len(backbone.errors) == 2


def test_the_same_failing_program_is_never_run_twice(lake: Lake) -> None:
    backbone = Scripted(make_backbone(lake, Settings()), *["SELECT nothing FROM T1"] * 10)
    answer = ask(lake, "What is the nationality of the painter of Dusk?", backbone)
    assert not answer.answered
    assert answer.trail is not None
    assert answer.trail.counts()["execute"] == 1


def test_a_number_that_is_written_in_the_program_is_no_answer(lake: Lake) -> None:
    backbone = Scripted(make_backbone(lake, Settings()), *[f"SELECT {n} AS x FROM T1" for n in range(40, 50)])
    assert not ask(lake, "What is the nationality of the painter of Dusk?", backbone).answered


def test_repairs_are_limited(lake: Lake) -> None:
    programs = [f"SELECT nothing{i} FROM T1" for i in range(50)]
    backbone = Scripted(make_backbone(lake, Settings()), *programs)
    ask(lake, "What is the nationality of the painter of Dusk?", backbone,
        **{"multitable.max_repairs": 1, "seek.max_steps": 3})  # fmt: skip
    assert len(backbone.errors) == 1


@pytest.mark.parametrize(
    ("question", "needs"),
    [
        ("What is the nationality of the painter of Dusk?", ["nationality", "painter", "Dusk"]),
        ("How many paintings were made after 1900 in North Hall?", ["paintings", "1900", "North Hall"]),
        ("Which town has the largest population density?", ["town", "population density"]),
    ],
)
def test_needs_are_the_phrases_that_columns_must_cover(question: str, needs: list[str]) -> None:
    assert [need.text for need in information_needs(question, "tableqa")[1]] == needs
