"""``tablehound bench run``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tablehound.errors import UsageError
from tablehound.interfaces.cli.bench.budget_options import budget_options
from tablehound.interfaces.cli.common import settings_options
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.evaluation import Record


@click.command("run")
@click.argument("name")
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Folder of the data set.")
@click.option("--system", "systems", multiple=True, default=("seek",), show_default=True, help="May be repeated.")
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder of the runs.")
@click.option("--split", default="valid", show_default=True)
@click.option("--sample", type=click.IntRange(1), help="So many questions, drawn by the seed; else all.")
@click.option("--distractors", multiple=True, help="More tables to put into the lake: files, folders, archives.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--trails", is_flag=True, help="Keep the trail of every question in its record.")
@budget_options
@settings_options("mode", "task", "strategy", "max_steps", "rank", "model", "base_url", "privacy")
def command(
    name: str,
    data: Path,
    systems: tuple[str, ...],
    out: Path,
    split: str,
    sample: int | None,
    distractors: tuple[str, ...],
    workers: int,
    trails: bool,
    max_seconds: float,
    max_tokens: int,
    settings: Settings,
) -> int:
    """Run systems over the data set NAME; each run is a folder below --out, named after its system.

    A run that was stopped goes on with the same command. See `tablehound bench list` for names.

    \b
    Examples:
      tablehound bench run tabfact --data tabfact_val/ --system find --system bm25 --sample 1000 --out runs/
      tablehound bench run wtq --data wtq/ --system oracle --sample 500 --out runs/
    """
    from tablehound.evaluation import RunPlan, data_set, load_report, markdown_report, run, sample_questions
    from tablehound.interfaces.terminal import emit
    from tablehound.opening import open_lake

    # Benchmarks are of the content alone: names and titles would give tables away.
    settings = settings.with_values(**{"backbone.blind": True})
    collection = data_set(name).load(data, split)
    if not collection.questions:
        raise UsageError(f"{data} has no questions")
    questions = sample_questions(collection.questions, sample, settings.seed)
    with open_lake([*collection.sources, *distractors], settings) as lake:
        path = lake.path
    folders = []
    for system in systems:
        plan = RunPlan(system, settings, path, keep_trails=trails, max_seconds=max_seconds, max_tokens=max_tokens)
        folders.append(out / system)
        with _RunningScores(system) as progress:
            run(collection, questions, plan, out / system, workers=workers, progress=progress)
    emit(markdown_report([load_report(folder) for folder in folders]))
    return 0


class _RunningScores:
    """A progress bar with running scores on the error stream, on a terminal only."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._answered = self._hits = self._count = 0

    def __enter__(self) -> _RunningScores:
        self._bar = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._label, total=None)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int, record: Record | None) -> None:
        if record is not None:
            self._count += 1
            self._answered += record.outcome.answered
            self._hits += bool(set(record.question.tables) & set(record.outcome.tried[:1]))
        if self._bar is not None:
            said = f"{self._label}  R@1 {self._hits / max(self._count, 1):.3f}  answered {self._answered}"
            self._bar.update(self._task, completed=done, total=total, description=said)
