"""Reports of runs: Markdown, and one self-contained HTML file with charts, beside the published numbers."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tablehound.evaluation.charts import bars, lines
from tablehound.evaluation.metrics import Comparison, compare, wilson_interval
from tablehound.evaluation.pages import figure, html_table, markdown_table, page
from tablehound.evaluation.published import published_for
from tablehound.evaluation.runs import Record, read_run
from tablehound.evaluation.scores import RunScores, per_question, score

COSTS = ("steps", "model calls", "tokens", "seconds")


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run with its scores."""

    name: str
    manifest: Mapping[str, Any]
    records: Sequence[Record]
    scores: RunScores

    @property
    def data_set(self) -> str:
        return str(self.manifest["data_set"])


def load_report(folder: Path) -> RunReport:
    """The run in a folder, scored.

    Raises:
        UsageError: it is no run.
    """
    manifest, records = read_run(folder)
    return RunReport(folder.name, manifest, records, score(manifest["data_set"], records))


def timeless(report: RunReport) -> RunReport:
    """The report with every time set to 0: what is the same for the same seed on any machine."""
    records = [
        replace(r, outcome=replace(r.outcome, seconds=0.0, stage_seconds=dict.fromkeys(r.outcome.stage_seconds, 0.0)))
        for r in report.records
    ]
    return replace(report, records=records, scores=score(report.data_set, records))


def compare_runs(a: RunReport, b: RunReport) -> dict[str, Comparison]:
    """Metric → paired comparison over the questions that both runs answered and the metric applies to in both."""
    shared = {r.question.id for r in a.records} & {r.question.id for r in b.records}
    left = per_question(a.data_set, [r for r in a.records if r.question.id in shared])
    right = per_question(b.data_set, [r for r in b.records if r.question.id in shared])
    return {
        name: compare(left[name], right[name])
        for name in left
        if name in right and len(left[name]) == len(right[name]) > 0
    }


def markdown_scores(reports: Sequence[RunReport]) -> str:
    """One table: metrics as rows, runs as columns, each value with its 95% interval."""
    names = list(dict.fromkeys(item.name for report in reports for item in report.scores.scores))
    lines = ["| metric | " + " | ".join(report.name for report in reports) + " |", "| --- |" + " ---: |" * len(reports)]
    for name in names:
        cells = []
        for report in reports:
            item = next((item for item in report.scores.scores if item.name == name), None)
            cells.append(_cell(name, item.value, item.low, item.high) if item else "")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(name: str, value: float, low: float, high: float) -> str:
    if name in COSTS:
        return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
    return f"{value:.3f} ({low:.3f}–{high:.3f})" if low != high else f"{value:.3f}"


def rate_of(share: float, count: int) -> str:
    """A share of so many questions, with its 95% interval."""
    low, high = wilson_interval(share * count, count)
    return f"{share:.3f} ({low:.3f}–{high:.3f}, n={count})"


def markdown_report(reports: Sequence[RunReport]) -> str:
    """Scores, rounds, actions and times of some runs over one data set, and the published numbers beside them."""
    first = reports[0]
    parts = [
        f"# {first.data_set}: {len(first.records)} questions, {first.manifest['tables']} tables",
        "",
        markdown_scores(reports),
    ]
    for title, rows in _side_tables(reports):
        parts += [f"## {title}", "", markdown_table(rows), ""]
    return "\n".join(parts)


def _side_tables(reports: Sequence[RunReport]) -> list[tuple[str, list[list[str]]]]:
    """The papers' smaller tables: rounds, actions, steps by kind, time by stage, difficulty, published numbers."""
    found: list[tuple[str, list[list[str]]]] = []
    depth = max((len(report.scores.hits_by_round) for report in reports), default=0)
    if depth > 1:
        rows = [["run", *(f"round {i}" for i in range(depth))]]
        for report in reports:
            hits = [f"{value:.3f}" for value in report.scores.hits_by_round]
            rows.append([report.name, *hits, *[""] * (depth - len(hits))])
        found.append(("Top-1 hit rate by refinement round", rows))
    actions = {report.name: report.scores.actions for report in reports}
    counts = {report.name: report.scores.counts for report in reports}
    for title, by_run in (("Refine actions", actions), ("Steps by kind", counts)):
        kinds = sorted({kind for counted in by_run.values() for kind in counted})
        if kinds:
            body = [[name, *(str(counted.get(kind, 0)) for kind in kinds)] for name, counted in by_run.items()]
            found.append((title, [["run", *kinds], *body]))
    stages = sorted({stage for report in reports for stage in report.scores.stage_seconds})
    if stages:
        body = [[r.name, *(f"{r.scores.stage_seconds.get(stage, 0):.4f}" for stage in stages)] for r in reports]
        found.append(("Seconds a question by stage", [["run", *stages], *body]))
    classes = sorted({name for report in reports for name in report.scores.by_difficulty})
    if classes:
        body = []
        for report in reports:
            cells = [report.scores.by_difficulty.get(name) for name in classes]
            body.append([report.name, *("" if c is None else rate_of(c[1], c[0]) for c in cells)])
        found.append(("Right answers by class", [["run", *classes], *body]))
    cited = published_for(reports[0].data_set)
    if cited:
        body = [[item.system, item.metric, f"{item.value:.3f}", item.source] for item in cited]
        found.append(("Published for comparison", [["system", "metric", "value", "source"], *body]))
    return found


def markdown_comparison(a: RunReport, b: RunReport) -> str:
    """Paired differences with their intervals and p values."""
    rows = [["metric", "n", a.name, b.name, "difference", "95% interval", "p bootstrap", "p Wilcoxon", "p t"]]
    for name, result in compare_runs(a, b).items():
        rows.append(
            [
                name, str(result.count), f"{result.mean_a:.3f}", f"{result.mean_b:.3f}", f"{result.difference:+.3f}",
                f"{result.low:+.3f} to {result.high:+.3f}", f"{result.p_bootstrap:.4f}", f"{result.p_wilcoxon:.4f}",
                f"{result.p_t:.4f}",
            ]
        )  # fmt: skip
    return markdown_table(rows) + "\n"


def html_report(reports: Sequence[RunReport]) -> str:
    """One page that needs nothing else: the tables, and charts as SVG. Readable at a phone's width."""
    first = reports[0]
    title = f"{first.data_set}: {len(first.records)} questions, {first.manifest['tables']} tables"
    score_rows = [line.strip("| ").split(" | ") for line in markdown_scores(reports).splitlines()]
    body = [f"<h1>{html.escape(title)}</h1>", html_table([score_rows[0], *score_rows[2:]])]
    body += [figure(caption, svg) for caption, svg in _charts(reports)]
    for heading, rows in _side_tables(reports):
        body += [f"<h2>{html.escape(heading)}</h2>", html_table(rows)]
    return page(title, body)


def _charts(reports: Sequence[RunReport]) -> list[tuple[str, str]]:
    """Captions and SVG texts."""
    charts = []
    shown = [
        name
        for name in (
            "R@1",
            "R@all",
            "R@final",
            "GR",
            "DS@final",
            "denotation",
            "Acc",
            "EM",
            "R@1 ranked",
            "R@50 ranked",
        )
        if any(report.scores.get(name) is not None for report in reports)
    ]
    if shown:
        series = {r.name: [r.scores.get(name) or 0.0 for name in shown] for r in reports}
        charts.append(("Scores (0 to 1)", bars(shown, series)))
    depth = max((len(report.scores.hits_by_round) for report in reports), default=0)
    if depth > 1:
        rounds = {r.name: list(r.scores.hits_by_round) for r in reports if r.scores.hits_by_round}
        charts.append(("Top-1 hit rate by refinement round", lines(rounds, "round")))
    stages = sorted({stage for report in reports for stage in report.scores.stage_seconds})
    if stages:
        series = {r.name: [r.scores.stage_seconds.get(stage, 0.0) for stage in stages] for r in reports}
        charts.append(("Seconds a question by stage", bars(stages, series)))
    return charts
