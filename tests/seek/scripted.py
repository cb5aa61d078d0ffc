"""A small real lake, and a backbone that says what it was told to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tablehound.answer import Answer, Missing
from tablehound.backbone import protocol as p
from tablehound.lake import Lake, index_sources
from tablehound.program import Program
from tablehound.retrieval import open_engine
from tablehound.retrieval.patterns.types import Pattern
from tablehound.seek import seek
from tablehound.settings import Settings, Task
from tablehound.steps import Asked

FILES = {
    "goals_2012": "player,goals\nAnn Lee,12\nBo Carr,7\nCy Dunn,3\n",
    "goals_2013": "player,goals\nAnn Lee,9\nEd Fay,4\n",
    "transfers": "player,club\nAnn Lee,Rovers\nBo Carr,United\n",
    "clubs": "club,city,founded\nRovers,Leeds,1899\nUnited,York,1901\n",
    "weather": "city,rain mm\nLeeds,700\nYork,620\n",
    "players": "player,born\nAnn Lee,1990-04-01\nBo Carr,1988-12-24\n",
}


class ScriptedBackbone:
    """Plays decisions in order; an exception among them is raised, a callable gets the request."""

    name = "scripted"

    def __init__(self, script: Sequence[Any]) -> None:
        self.script = list(script)
        self.requests: list[Any] = []

    @property
    def usage(self) -> p.Usage:
        return p.Usage(calls=len(self.requests), prompt_tokens=10 * len(self.requests), reply_tokens=len(self.requests))

    def _play(self, request: Any, wanted: type) -> Any:
        self.requests.append(request)
        assert self.script, f"the script ends before {type(request).__name__}"
        entry = self.script.pop(0)
        if isinstance(entry, BaseException):
            raise entry
        decision = entry(request) if callable(entry) else entry
        assert isinstance(decision, wanted), f"{type(request).__name__} came where {type(decision).__name__} was meant"
        return decision

    def patterns(self, request: p.PatternsRequest) -> Any:
        return self._play(request, p.PatternsDecision)

    def refine(self, request: p.RefineRequest) -> Any:
        return self._play(request, p.RefineDecision)

    def answer(self, request: p.AnswerRequest) -> Any:
        return self._play(request, p.AnswerDecision)

    def repair(self, request: p.RepairRequest) -> Any:
        return self._play(request, p.ProgramDecision)

    def infer_headers(self, request: p.InferHeadersRequest) -> Any:
        return self._play(request, p.InferHeadersDecision)

    def subquestions(self, request: p.SubquestionsRequest) -> Any:
        return self._play(request, p.SubquestionsDecision)

    def residual(self, request: p.ResidualRequest) -> Any:
        return self._play(request, p.ResidualDecision)

    def program(self, request: p.ProgramRequest) -> Any:
        return self._play(request, p.ProgramDecision)

    def close(self) -> None:
        pass

    def shown(self, kind: type[p.RefineRequest] | type[p.AnswerRequest]) -> list[list[str]]:
        """For each request of a kind, the files shown, best first."""
        return [[name_of(t) for t in r.shown] for r in self.requests if isinstance(r, kind)]


def name_of(shown: p.ShownTable) -> str:
    return Path(shown.info.provenance.source).stem


PAPER = Settings().with_values(
    **{"search.rank": "share", "seek.check_by_execution": False, "seek.offer_vocabulary": False}
)
"""The paper's setting: rank by the share of patterns, nothing of ours."""


class Bench:
    """Runs the loop on scripts, over a lake of ``FILES``."""

    def __init__(self, folder: Path) -> None:
        files = folder / "files"
        files.mkdir()
        for name, text in FILES.items():
            (files / f"{name}.csv").write_text(text, encoding="utf-8")
        index_sources([str(files)], folder / "lake", Settings())
        self.lake = Lake.open(folder / "lake")
        self.ids = {Path(info.provenance.source).stem: info.id for info in self.lake.infos()}

    def run(
        self,
        script: Sequence[Any],
        question: str = "How many goals did Ann Lee score?",
        task: Task = "tableqa",
        settings: Settings = PAPER,
        **values: Any,
    ) -> tuple[Answer, ScriptedBackbone]:
        """Settings by dotted name, with ``__`` for the dot."""
        chosen = settings.with_values(**{name.replace("__", "."): value for name, value in values.items()})
        backbone = ScriptedBackbone(script)
        engine = open_engine(self.lake, chosen)
        return seek(Asked(question, task, self.lake, backbone, chosen), engine), backbone

    def names(self, table_ids: Sequence[str]) -> list[str]:
        """Files of tables."""
        names = {table_id: name for name, table_id in self.ids.items()}
        return [names[table_id] for table_id in table_ids]


def patterns(*texts: str) -> p.PatternsDecision:
    return p.PatternsDecision(tuple(Pattern(text) for text in texts))


def regenerate(*texts: str) -> p.RefineDecision:
    return p.RefineDecision("regenerate", patterns=tuple(Pattern(text) for text in texts))


def select(*aliases: str) -> p.RefineDecision:
    return p.RefineDecision("select", aliases)


def select_file(*names: str) -> Callable[[p.RefineRequest], p.RefineDecision]:
    """Select by file name, wherever the table is shown."""

    def decide(request: p.RefineRequest) -> p.RefineDecision:
        aliases = {name_of(table): table.alias for table in request.shown}
        return p.RefineDecision("select", tuple(aliases[name] for name in names))

    return decide


def rerank(*names: str) -> Callable[[p.RefineRequest], p.RefineDecision]:
    def decide(request: p.RefineRequest) -> p.RefineDecision:
        aliases = {name_of(table): table.alias for table in request.shown}
        return p.RefineDecision("rerank", tuple(aliases[name] for name in names if name in aliases))

    return decide


STOP = p.RefineDecision("stop")
INSUFFICIENT = p.AnswerDecision(False, missing=(Missing("words", "goals"),))


def sql(text: str, **parts: Any) -> Callable[[p.AnswerRequest], p.AnswerDecision]:
    """An answer by a program over the shown tables."""
    return lambda request: p.AnswerDecision(True, Program(text, p.views(request.shown)), **parts)


def repaired(text: str) -> Callable[[p.RepairRequest], p.ProgramDecision]:
    return lambda request: p.ProgramDecision(Program(text, p.views(request.shown)))


GOALS = "SELECT goals FROM T1 WHERE player = 'Ann Lee'"
