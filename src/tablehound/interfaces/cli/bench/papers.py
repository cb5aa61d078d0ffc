"""``tablehound bench papers``."""

from __future__ import annotations

from pathlib import Path

import click

from tablehound.interfaces.cli.bench.budget_options import budget_options
from tablehound.interfaces.cli.common import settings_options
from tablehound.settings import Settings


@click.command("papers")
@click.option("--data", required=True, type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="Folder with tabfact_val/, wtq/, spider/ and distractors/, as far as you have them.")  # fmt: skip
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False),
              help="Folder for built data, lakes, runs and the report.")  # fmt: skip
@click.option("--only", multiple=True, help="Run this experiment only; may be repeated.")
@click.option(
    "--questions", type=click.IntRange(1), help="At most so many questions a run; else each experiment's own number."
)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes.")
@budget_options
@settings_options("model", "base_url", "privacy")
def command(
    data: Path,
    out: Path,
    only: tuple[str, ...],
    questions: int | None,
    workers: int,
    max_seconds: float,
    max_tokens: int,
    settings: Settings,
) -> int:
    """Run the papers' tables as far as data and model allow; say what was left out and why.

    Writes report.md and report.html below --out. A run that was stopped goes on with the same command.

    \b
    Example:
      tablehound bench papers --data DATA/ --out papers/ --questions 100
    """
    from tablehound.evaluation import papers_html, papers_markdown, run_papers
    from tablehound.interfaces.terminal import emit, printable

    def told(text: str) -> None:
        click.echo(printable(text), err=True)

    report = run_papers(
        data, out, settings, only=only, questions=questions, workers=workers, max_seconds=max_seconds,
        max_tokens=max_tokens, told=told,
    )  # fmt: skip
    text = papers_markdown(report)
    out.mkdir(parents=True, exist_ok=True)
    (out / "report.md").write_text(text, encoding="utf-8")
    (out / "report.html").write_text(papers_html(report), encoding="utf-8")
    emit(text)
    return 0 if any(result.rows for result in report.experiments) or report.headers else 1
