"""``tablehound bench compare``."""

from __future__ import annotations

from pathlib import Path

import click

_run = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command("compare")
@click.argument("a", type=_run)
@click.argument("b", type=_run)
def command(a: Path, b: Path) -> int:
    """Compare two runs question by question: paired bootstrap (10,000), Wilcoxon and paired t.

    \b
    Example:
      tablehound bench compare runs/find runs/bm25
    """
    from tablehound.evaluation import load_report, markdown_comparison
    from tablehound.interfaces.terminal import emit

    emit(markdown_comparison(load_report(a), load_report(b)))
    return 0
