"""``tablehound bench report``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("report")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--html", "html_path", type=click.Path(path_type=Path, dir_okay=False), help="Write one HTML file too.")
@click.option(
    "--markdown", "markdown_path", type=click.Path(path_type=Path, dir_okay=False), help="Write Markdown here."
)
def command(runs: tuple[Path, ...], html_path: Path | None, markdown_path: Path | None) -> int:
    """Score RUNS over one data set, side by side, with 95% intervals and the published numbers.

    \b
    Example:
      tablehound bench report runs/find runs/bm25 --html report.html
    """
    from tablehound.evaluation import html_report, load_report, markdown_report
    from tablehound.interfaces.terminal import emit

    reports = [load_report(folder) for folder in runs]
    text = markdown_report(reports)
    if markdown_path is not None:
        markdown_path.write_text(text, encoding="utf-8")
    else:
        emit(text)
    if html_path is not None:
        html_path.write_text(html_report(reports), encoding="utf-8")
    return 0
