"""Small real lakes for the rules, and one call that answers from named tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tablehound.backbone import AnswerDecision, AnswerRequest, ShownTable, make_backbone
from tablehound.execution import run_program
from tablehound.lake import Lake, index_sources
from tablehound.program import ProgramResult, View
from tablehound.settings import Settings, Task

Answer = tuple[AnswerDecision, ProgramResult | None]
Ask = Callable[..., Answer]

CITIES = """city,country,population,area_km2,founded,mayor
Lyra,Avalon,120000,45.5,1210,Ann Lee
Mira,Avalon,98000,30.1,1450,Bo Carr
Nova,Borealis,250000,80.0,1788,Cy Dunn
Orion,Borealis,40000,12.5,1901,Di Ray
Puck,Cimmeria,75000,22.2,1654,Ed Fay
Quill,Cimmeria,310000,99.9,1322,Flo Orr
"""
RACES = """Date,Race,Winner,Team,Time (s),Prize ($)
2019-03-02,Spring Cup,Ann Lee,Red,61.5,"1,000"
2019-06-15,Summer Cup,Bo Carr,Blue,59.9,"2,500"
2020-03-07,Spring Cup,Ann Lee,Red,60.2,"1,500"
2020-06-20,Summer Cup,Cy Dunn,Blue,58.8,"3,000"
2021-03-06,Spring Cup,Di Ray,Green,62.0,"1,500"
2021-06-19,Summer Cup,Ann Lee,Red,58.1,"4,000"
"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """``ask(question, text, task=…)``: the decision on a CSV text as the only table, and what its program gave."""
    root = tmp_path_factory.mktemp("rules")
    lakes: dict[str, Lake] = {}

    def answer(question: str, text: str = CITIES, task: Task = "tableqa", blind: bool = False) -> Answer:
        if text not in lakes:
            lakes[text] = lake_of(root / str(len(lakes)), {"things": text})
        lake = lakes[text]
        settings = Settings().with_values(**{"backbone.blind": blind})
        shown = show(lake, "things")
        decision = make_backbone(lake, settings).answer(AnswerRequest(question, task, (shown,)))
        result = run_program(lake, decision.program, settings) if decision.program else None
        assert result is None or result.ok, (decision.program, result.error)
        return decision, result

    yield answer
    for lake in lakes.values():
        lake.close()


def lake_of(folder: Path, files: dict[str, str]) -> Lake:
    """A lake of CSV files by name."""
    source = folder / "source"
    source.mkdir(parents=True)
    for name, text in files.items():
        (source / f"{name}.csv").write_text(text, encoding="utf-8")
    index_sources([str(source)], folder / "lake", Settings(workers=1))
    return Lake.open(folder / "lake")


def show(lake: Lake, name: str, alias: str = "T1") -> ShownTable:
    """A table of a lake by the name of its file."""
    info = next(i for i in lake.infos() if Path(i.provenance.source).stem == name)
    return ShownTable(alias, info, View((info.id,)), "", whole=True)


def values(answer: Answer) -> list[str]:
    """The values of an answer as text; empty when it was refused."""
    _, result = answer
    return [] if result is None else [str(cell) for row in result.rows for cell in row]
