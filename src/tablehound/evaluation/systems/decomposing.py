"""The several-table method's decomposition by itself: what of the gold program its sub-questions are mapped to, and
whether the tables that they are mapped to answer them (DMRAL's IRR, SR and SAR)."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablehound.evaluation import metrics as m
from tablehound.evaluation.datasets import BenchQuestion, TableKeys
from tablehound.evaluation.systems.answering import Retrieval, answer_from
from tablehound.evaluation.systems.base import Outcome
from tablehound.evaluation.systems.outcomes import outcome_of
from tablehound.settings import Settings
from tablehound.trail import Trail

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.retrieval import SearchEngine


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-question with the union cluster (ids of its tables) and the column names that it is mapped to."""

    text: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]


class Decompose:
    """Answers by the several-table method, then asks each of its sub-questions of the tables it is mapped to."""

    name = "decompose"

    def __init__(self, lake: Lake, engine: SearchEngine, settings: Settings, keys: TableKeys) -> None:
        self._lake = lake
        self._engine = engine
        self._settings = settings.with_values(mode="multitable")
        self._keys = keys

    def run(self, question: BenchQuestion) -> Outcome:
        from tablehound.api import ask
        from tablehound.errors import TablehoundError

        started = time.perf_counter()
        settings = dataclasses.replace(self._settings, task=question.task)
        try:
            answer = ask(question.text, self._lake, settings, engine=self._engine)
            parts = parts_of(answer.trail)
            outcome = outcome_of(answer, time.perf_counter() - started, keep_trail=False)
            return dataclasses.replace(outcome, rates=self._rates(question, parts))
        except TablehoundError as error:
            return Outcome(error=str(error), seconds=time.perf_counter() - started)

    def _rates(self, question: BenchQuestion, parts: Sequence[Part]) -> dict[str, float]:
        gold = [self._keys.ids[key] for key in question.tables if key in self._keys.ids]
        mapped = {(table, _plain(name)) for part in parts for table in part.tables for name in part.columns}
        named = columns_named(question.sql or "")
        needed = {
            (table, _plain(name)) for table in gold for name in self._lake.info(table).header if _plain(name) in named
        }
        # The parts of one table are one thing, which stands by its first part.
        stands = {table: part.tables[0] for part in parts for table in part.tables}
        rates = {
            "SR": m.separation([[part.tables[0]] for part in parts], {stands.get(table, table) for table in gold}),
            "SAR": m.sub_answerability([self._answers(part) for part in parts]),
        }
        return rates | ({"IRR": m.information_recall(mapped, needed)} if needed else {})

    def _answers(self, part: Part) -> bool:
        from tablehound.backbone import make_backbone
        from tablehound.multitable import view_of
        from tablehound.relations import relationship_graph
        from tablehound.steps import Asked, Recorder

        graph = relationship_graph(self._lake, self._settings, part.tables)
        views = tuple(view_of(cluster) for cluster in graph.clusters)
        with contextlib.closing(make_backbone(self._lake, self._settings)) as backbone:
            asked = Asked(part.text, "tableqa", self._lake, backbone, self._settings)
            return answer_from(Recorder(asked), Retrieval((), views)).answered


def parts_of(trail: Trail | None) -> tuple[Part, ...]:
    """The sub-questions of the mapping that was tried last; the question itself where one cluster covers it all. Tables
    that only lie between others have none."""
    steps = trail.steps if trail else []
    worded = [step for step in steps if step.kind == "subquestions"]
    if worded:
        groups: Sequence[Mapping[str, Any]] = worded[-1].saw["groups"]
        texts: Sequence[str] = worded[-1].decided.get("subquestions", ())
        return tuple(
            Part(text, tuple(group["tables"]), tuple(group["columns"]))
            for group, text in zip(groups, texts, strict=False)
            if group["needs"]
        )
    programs = [step for step in steps if step.kind == "program"]
    if trail is None or not programs:
        return ()
    tables = tuple(programs[-1].saw["tables"])
    found = (one["mapping"] for step in steps if step.kind == "align" for one in step.decided["mappings"])
    mapped = next((one for one in found if {a["table"] for a in one} <= set(tables)), ())
    return (Part(trail.question, tables, tuple(dict.fromkeys(a["column"] for a in mapped))),)


def columns_named(sql: str) -> set[str]:
    """The names of columns in a query, plain; none where it is no SQL."""
    import sqlglot
    from sqlglot import expressions
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
    except SqlglotError:
        return set()
    return {_plain(column.name) for column in tree.find_all(expressions.Column)}


def _plain(name: str) -> str:
    return name.replace("_", " ").casefold()
