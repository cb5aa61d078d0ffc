"""The grid's report: each experiment as a table in the papers' layout, with counts and 95% intervals, and charts."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablehound.evaluation.charts import bars, lines
from tablehound.evaluation.metrics import format_robustness, wilson_interval, worst_case_drop
from tablehound.evaluation.pages import figure, html_table, markdown_table, page
from tablehound.evaluation.papers.grid import Experiment, Row
from tablehound.evaluation.published import published_for
from tablehound.evaluation.reports import COSTS, RunReport, rate_of

if TYPE_CHECKING:
    from tablehound.evaluation.papers.headers import HeaderScores

TITLE = "The papers' experiments"


@dataclass(frozen=True, slots=True)
class RowResult:
    """A row's run."""

    row: Row
    report: RunReport
    tables: int
    """Of the lake."""
    seconds: float
    """Of the run and of preparing its data, where that was not done before."""


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    experiment: Experiment
    rows: tuple[RowResult, ...]


@dataclass(frozen=True, slots=True)
class PapersReport:
    """All results."""

    experiments: tuple[ExperimentResult, ...]
    left_out: tuple[tuple[str, str], ...]
    """What, and why."""
    backbone: str
    headers: HeaderScores | None = None
    wild: Mapping[str, Any] | None = None


def papers_markdown(report: PapersReport) -> str:
    """The whole report as Markdown."""
    parts = [f"# {TITLE}", "", f"Backbone: {report.backbone}. Rates with their 95% intervals.", ""]
    for title, about, rows in _sections(report):
        parts += [f"## {title}", "", about, "", markdown_table(rows), ""]
    return "\n".join(parts)


def papers_html(report: PapersReport) -> str:
    """The whole report as one page, with charts of formats, rounds and scale."""
    charts = dict(_charts(report))
    parts = [f"<h1>{TITLE}</h1>", f"<p>Backbone: {html.escape(report.backbone)}. Rates with their 95% intervals.</p>"]
    for title, about, rows in _sections(report):
        parts += [f"<h2>{html.escape(title)}</h2>", f"<p>{html.escape(about)}</p>", html_table(rows)]
        if title in charts:
            parts.append(figure(title, charts[title]))
    return page(TITLE, parts)


def _sections(report: PapersReport) -> list[tuple[str, str, list[list[str]]]]:
    """(title, what it is, table) of every part."""
    found = []
    for result in report.experiments:
        if not result.rows:
            continue
        found.append((result.experiment.title, _about(result), experiment_table(result)))
        if result.experiment.robust and len(result.rows) > 1:
            found.append((f"{result.experiment.title}: robustness", "WCD and FRS over the rows above.", robust(result)))
        classes = difficulty_table(result)
        if classes:
            found.append((f"{result.experiment.title}: by difficulty", "Right answers of questions.", classes))
        cited = published_for(result.rows[0].report.data_set)
        if cited and result.experiment.id.endswith("retrieval"):
            body = [[item.system, item.metric, f"{item.value:.3f}", item.source] for item in cited]
            rows = [["system", "metric", "value", "source"], *body]
            found.append(("Published for comparison", "As the sources state them.", rows))
    if report.wild:
        body = [[name.replace("_", " "), str(value)] for name, value in report.wild.items()]
        found.append(("The wild set", "In the layout of DMRAL's Table I.", [["statistic", "value"], *body]))
    if report.headers is not None:
        about = "DMRAL's comparison of inferred names."
        found.append(("Inference of masked headers (wild)", about, header_table(report.headers)))
    rows = [["what", "why"], *([what, why] for what, why in report.left_out)]
    found.append(("Left out", "What the papers have and this run has not.", rows))
    return found


def _about(result: ExperimentResult) -> str:
    first = result.rows[0]
    asked, tables = len(first.report.records), first.tables
    errors = sum(row.report.scores.errors for row in result.rows)
    said = f" {errors} questions ended in an error." if errors else ""
    return f"{result.experiment.about} {asked} questions a row, {tables:,} tables in the first row's lake.{said}"


def experiment_table(result: ExperimentResult) -> list[list[str]]:
    """Systems (or settings) as rows, metrics as columns. Metrics that no row has are left out."""
    named = [m for m in result.experiment.metrics if any(_score(r, m) for r in result.rows)]
    sized = ["tables"] if result.experiment.scale else []
    rows = [["", *sized, *named]]
    for row in result.rows:
        size = [f"{row.tables:,}"] if result.experiment.scale else []
        rows.append([row.row.label, *size, *(_cell(row, name) for name in named)])
    return rows


def _score(row: RowResult, name: str) -> Any:
    return next((score for score in row.report.scores.scores if score.name == name), None)


def _cell(row: RowResult, name: str) -> str:
    score = _score(row, name)
    if score is None:
        return ""
    if name in COSTS:
        return f"{score.value:.2f}"
    if score.low == score.high:
        return f"{score.value:.3f}"
    return f"{score.value:.3f} ({score.low:.3f}–{score.high:.3f}, n={score.count})"


def robust(result: ExperimentResult) -> list[list[str]]:
    """WCD and FRS of the robust metrics over the rows: over the formats alone, and with the transposed tables."""
    rows = [["metric", "WCD", "FRS", "WCD with transposed", "FRS with transposed"]]
    for name in result.experiment.robust:
        values = {row.row.label: row.report.scores.get(name) or 0.0 for row in result.rows}
        straight = {label: value for label, value in values.items() if label != "transposed"}
        figures = [f(v) for v in (straight, values) for f in (worst_case_drop, format_robustness)]
        rows.append([name, *(f"{value:.3f}" for value in figures)])
    return rows


def difficulty_table(result: ExperimentResult) -> list[list[str]]:
    """Right answers by class; empty where the set has no classes."""
    classes = sorted({name for row in result.rows for name in row.report.scores.by_difficulty})
    if not classes:
        return []
    rows = [["", *classes]]
    for row in result.rows:
        cells = [row.report.scores.by_difficulty.get(name) for name in classes]
        rows.append([row.row.label, *("" if c is None else rate_of(c[1], c[0]) for c in cells)])
    return rows


def header_table(scores: HeaderScores) -> list[list[str]]:
    """Exact match, embedding similarity and BERT-F1 of inferred headers."""
    low, high = wilson_interval(scores.hits, scores.masked)
    return [
        ["masked columns", "inferred", "exact", "exact of those inferred", "embedding similarity", "BERT-F1"],
        [
            str(scores.masked),
            str(scores.inferred),
            f"{scores.exact:.3f} ({low:.3f}–{high:.3f})",
            f"{scores.exact_of_inferred:.3f}",
            "extra dense is missing" if scores.similarity is None else f"{scores.similarity:.3f}",
            "bert-score is missing" if scores.bert_f1 is None else f"{scores.bert_f1:.3f}",
        ],
    ]


def _charts(report: PapersReport) -> list[tuple[str, str]]:
    """(title of the section, SVG)."""
    charts = []
    for result in report.experiments:
        experiment = result.experiment
        if not result.rows:
            continue
        if experiment.scale:
            charts.append((experiment.title, _scale(result.rows)))
            continue
        shown = [m for m in (experiment.robust or experiment.metrics[:5]) if m not in COSTS]
        shown = [m for m in shown if any(_score(row, m) for row in result.rows)]
        if shown:
            series = {m: [row.report.scores.get(m) or 0.0 for row in result.rows] for m in shown}
            charts.append((experiment.title, bars([row.row.label for row in result.rows], series)))
    return charts


def _scale(rows: Sequence[RowResult]) -> str:
    """R@1 over the number of tables, one line per system."""
    sizes = sorted({row.tables for row in rows})
    series: dict[str, list[float]] = {}
    for system in dict.fromkeys(row.row.system for row in rows):
        own = sorted(
            (row.tables, row.report.scores.get("R@1 ranked") or 0.0) for row in rows if row.row.system == system
        )
        series[f"{system}: R@1"] = [value for _, value in own]
    whole = {name: values for name, values in series.items() if len(values) == len(sizes)}
    return lines(whole or {"no system was run on every lake": []}, "tables", sizes if whole else (), log=bool(whole))
