"""Runs the grid as far as data, extras and model allow, and says what was left out and why. Resumable: data is built
once, and a run that was stopped goes on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tablehound.errors import MissingExtraError, SourceError, UsageError
from tablehound.evaluation.charts import need_charts
from tablehound.evaluation.datasets import sample_questions
from tablehound.evaluation.papers.grid import Experiment, Row, elsewhere, experiments
from tablehound.evaluation.papers.headers import HeaderScores, infer_wild_headers
from tablehound.evaluation.papers.preparing import Prepared, Preparing
from tablehound.evaluation.papers.results import ExperimentResult, PapersReport, RowResult
from tablehound.evaluation.reports import load_report
from tablehound.evaluation.runs import RunPlan, run
from tablehound.settings import Settings

logger = logging.getLogger(__name__)


def run_papers(
    data: Path,
    out: Path,
    settings: Settings,
    *,
    only: Sequence[str] = (),
    questions: int | None = None,
    workers: int = 1,
    max_seconds: float = 0.0,
    max_tokens: int = 0,
    told: Callable[[str], None] = logger.info,
) -> PapersReport:
    """Run the experiments and collect their results.

    Args:
        data: folder with ``tabfact_val``, ``wtq``, ``spider`` and ``distractors``, as far as there.
        out: the grid's folder: built data, lakes and runs.
        settings: model and limits; experiments change some.
        only: ids of experiments; all when empty.
        questions: at most so many a run.
        workers: processes of a run.
        max_seconds: budget of each run.
        max_tokens: budget of each run.
        told: told what is being done.

    Raises:
        UsageError: an experiment that does not exist; a folder that holds runs of something else.
        MissingExtraError: the report's charts cannot be drawn.
    """
    need_charts()
    known = [experiment.id for experiment in experiments()]
    unknown = sorted(set(only) - {*known, "headers"})
    if unknown:
        raise UsageError(
            f"there is no experiment {unknown[0]!r}", remedy=f"use one of {', '.join([*known, 'headers'])}"
        )
    # Content alone: names and titles would give tables away.
    settings = settings.with_values(**{"backbone.blind": True})
    preparing = Preparing(data, out, settings, told)
    left_out: list[tuple[str, str]] = []
    results = []
    for experiment in experiments():
        if only and experiment.id not in only:
            continue
        count = min(experiment.questions, questions or experiment.questions)
        rows = []
        without: dict[str, list[str]] = {}
        for row in experiment.rows:
            plan = RunPlan(row.system, settings, out, max_seconds=max_seconds, max_tokens=max_tokens)
            try:
                rows.append(_run_row(experiment, row, preparing, plan, out, count, workers, told))
            except (MissingExtraError, SourceError) as error:
                without.setdefault(str(error), []).append(row.label)
        left_out += [(f"{experiment.title}: {'; '.join(labels)}", reason) for reason, labels in without.items()]
        results.append(ExperimentResult(experiment, tuple(rows)))
    headers: HeaderScores | None = None
    if not only or "headers" in only:
        try:
            told("headers: inference of masked names")
            headers = infer_wild_headers(preparing.get("wild").lake, out / "data" / "wild", settings)
        except SourceError as error:
            left_out.append(("Inference of headers", str(error)))
    if not settings.backbone.model:
        left_out.append(("The papers' chat models", "no model was named (--model): the built-in rules decide"))
    wild = preparing.statistics("wild")
    return PapersReport(
        tuple(results), (*left_out, *elsewhere()), settings.backbone.model or "built-in rules", headers, wild
    )


def _run_row(
    experiment: Experiment,
    row: Row,
    preparing: Preparing,
    plan: RunPlan,
    out: Path,
    count: int,
    workers: int,
    told: Callable[[str], None],
) -> RowResult:
    started = time.perf_counter()
    prepared: Prepared = preparing.get(row.data)
    questions = sample_questions(prepared.collection.questions, count, plan.settings.seed)
    changed = RunPlan(
        row.system, plan.settings.with_values(**row.settings), prepared.lake,
        max_seconds=plan.max_seconds, max_tokens=plan.max_tokens,
    )  # fmt: skip
    folder = out / "runs" / f"{row.data}-{len(questions)}" / row.slug
    told(f"{experiment.id}: {row.label} on {row.data}, {len(questions)} questions")
    run(prepared.collection, questions, changed, folder, workers=workers)
    return RowResult(row, load_report(folder), prepared.tables, time.perf_counter() - started)
