"""The grid: every experiment of the two papers that public data allows, each a table of rows (a system with settings
on a data set) and columns (metrics)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tablehound.seek import ABLATIONS, STRATEGIES


@dataclass(frozen=True, slots=True)
class Row:
    """One run of an experiment."""

    label: str
    system: str
    data: str
    """Name of the prepared data (see ``preparing``)."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def slug(self) -> str:
        """Folder of the run below the data's; rows of several experiments that are the same run share it."""
        changed = "".join(f",{name.rpartition('.')[2]}={value}" for name, value in sorted(self.settings.items()))
        return f"{self.system}{changed}"


@dataclass(frozen=True, slots=True)
class Experiment:
    """One table of a paper."""

    id: str
    title: str
    about: str
    """What the paper has there, and what differs here."""
    rows: tuple[Row, ...]
    metrics: tuple[str, ...]
    questions: int
    """Sample drawn by the seed; the option ``--questions`` lowers it."""
    robust: tuple[str, ...] = ()
    """Metrics of which WCD and FRS over the rows are given (table formats)."""
    scale: bool = False
    """Rows are lakes of growing size; drawn as a chart."""


def _rows(data: str, *systems: str) -> tuple[Row, ...]:
    return tuple(Row(system, system, data) for system in systems)


def _strategies() -> tuple[Row, ...]:
    rows = [Row(f"{name}, 10 steps", "seek", "siblings", {"seek.strategy": name}) for name in STRATEGIES]
    rows.append(Row("5s1, 5 steps", "seek", "siblings", {"seek.strategy": "5s1", "seek.max_steps": 5}))
    return tuple(rows)


def _ablations() -> tuple[Row, ...]:
    changes: dict[str, dict[str, Any]] = {
        "whole method": {"seek.strategy": "5s1"},
        **{name: {f"seek.{leaf}": v for leaf, v in values.items()} for name, values in ABLATIONS.items()},
        "ranking by share": {"search.rank": "share"},
        "no check by execution": {"seek.check_by_execution": False},
        "no vocabulary": {"seek.offer_vocabulary": False},
    }
    return tuple(Row(name, "seek", "siblings", values) for name, values in changes.items())


_PLAIN_SEEK = {"seek.strategy": "5s1"}
_SEVERAL = ("oracle", "direct", "seek", "table-rag", "text-to-sql", "mmqa", "jar", "multitable", "ask")
_SEVERAL_METRICS = (
    "EM", "EM (0.1%)", "answered", "precision of answers", "table F1", "F1@5", "R@5 ranked", "table selection",
    "seconds",
)  # fmt: skip

EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        "tabfact-retrieval", "Retrieval of the table of a claim (TabFact)",
        "TableSeek's comparison of retrievers, content only: names and titles are hidden. TARGET uses the same task. "
        "`find` ranks with weights learned on these very claims; docs/benchmarks.md has its figures on held-out ones.",
        _rows("tabfact", "bm25", "dense", "splade", "colbert", "share", "find"),
        ("R@1 ranked", "R@5 ranked", "R@10 ranked", "R@50 ranked", "seconds"), 1_000,
    ),
    Experiment(
        "tabfact-seeking", "Claims answered from the lake (TabFact)",
        "TableSeek's main table for fact verification: retrieval of the loop, then accuracy. The loop's ranking was "
        "learned on these very claims.",
        _rows("tabfact", "no-table", "direct", "rerank-3", "rerank-5", "find-rerank-5", "seek", "oracle"),
        ("R@1", "R@all", "R@final", "Acc", "Acc-Sup", "Acc-Ref", "verdicts given", "steps", "seconds"), 150,
    ),
    Experiment(
        "wtq-seeking", "Questions answered from the lake (WikiTableQuestions)",
        "TableSeek's main table for question answering, on WikiTableQuestions.",
        _rows("wtq", "direct", "rerank-5", "seek", "oracle"),
        ("R@1", "R@all", "R@final", "answer F1", "denotation", "answered", "precision of answers", "Eff", "seconds"),
        60,
    ),
    Experiment(
        "siblings", "Look-alike tables of which one answers",
        "TableSeek's TCR-Bench, on groups built by its rules from Spider (`tablehound bench build siblings`).",
        (*_rows("siblings", "direct", "rerank-3", "rerank-5"), Row("seek", "seek", "siblings", _PLAIN_SEEK),
         *_rows("siblings", "oracle")),
        ("GR", "DS@1", "DS@all", "DS@final", "R@all", "answer F1", "Eff", "steps", "seconds"), 1_000,
    ),
    Experiment(
        "formats", "Table formats",
        "TableSeek's robustness over formats: worst-case drop (WCD) and format robustness score (FRS).",
        (Row("csv", "seek", "siblings", _PLAIN_SEEK), Row("markdown", "seek", "siblings-markdown", _PLAIN_SEEK),
         Row("html", "seek", "siblings-html", _PLAIN_SEEK), Row("mixed", "seek", "siblings-mixed", _PLAIN_SEEK),
         Row("transposed", "seek", "siblings-transposed", _PLAIN_SEEK)),
        ("GR", "DS@final", "R@all", "answer F1", "seconds"), 1_000, robust=("DS@final", "answer F1"),
    ),
    Experiment(
        "strategies", "Strategies of selection",
        "TableSeek's comparison of NsM (show N, select M) and rN (rerank N).",
        _strategies(), ("GR", "DS@1", "DS@all", "DS@final", "answer F1", "steps", "seconds"), 40,
    ),
    Experiment(
        "ablations", "Ablations", "TableSeek's ablations, and the parts that are added here, each switched off.",
        _ablations(), ("GR", "DS@1", "DS@all", "DS@final", "answer F1", "steps", "seconds"), 40,
    ),
    Experiment(
        "spider", "Numeric questions over several tables (Spider, all databases in one lake)",
        "DMRAL's comparison of methods, before the databases are taken apart.",
        _rows("spider", *_SEVERAL), _SEVERAL_METRICS, 1_000,
    ),
    Experiment(
        "wild", "The same among decomposed, masked and misspelt tables and distractors",
        "DMRAL's SpiderWild, rebuilt by its rules (`tablehound bench build wild`).",
        _rows("wild", *_SEVERAL), _SEVERAL_METRICS, 1_000,
    ),
    Experiment(
        "decomposition", "Decomposition of questions over several tables",
        "DMRAL's rates of decomposition: IRR, the share of the gold program's columns that a sub-question is mapped "
        "to; SR, the share of the gold tables with a sub-question of their own; SAR, the share of sub-questions that "
        "their own tables answer.",
        (Row("Spider", "decompose", "spider"), Row("wild", "decompose", "wild")),
        ("IRR", "SR", "SAR", "seconds"), 1_000,
    ),
    Experiment(
        "scale", "Lakes of growing size",
        "TableSeek's claims among more and more tables of other corpora: retrieval and seconds a question.",
        tuple(
            Row(f"{system}, {label}", system, data)
            for data, label in (("tabfact", "1 corpus"), ("tabfact-2", "2 corpora"), ("tabfact-3", "3 corpora"))
            for system in ("bm25", "find")
        ),
        ("R@1 ranked", "R@50 ranked", "seconds"), 200, scale=True,
    ),
)  # fmt: skip

ELSEWHERE: tuple[tuple[str, str], ...] = (
    ("TCR-Bench itself", "the published tables are not among the data: `siblings` builds groups by its rules; give the "
     "published set to `tablehound bench run siblings`"),
    ("BirdWild", "needs BIRD's databases: `tablehound bench build wild --data BIRD` builds it"),
    ("OTT-QA and FeTaQA answers", "they need linked text, or are sentences: use `tablehound bench run ottqa`"),
)  # fmt: skip
"""What the papers have and this grid leaves out on any data, and why."""
