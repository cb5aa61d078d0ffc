"""``tablehound bench``."""

from __future__ import annotations

import click

from tablehound.interfaces.cli.lazy import LazyGroup

_COMMANDS = {
    "examples": "answer the questions of an example lake",
    "run": "run a system over a data set, one record a question",
    "papers": "the papers' experiments as one grid, with its report",
    "report": "score runs and write a report",
    "compare": "paired tests between two runs",
    "build": "build a data set from public data",
    "list": "data sets and systems",
}


@click.group("bench", cls=LazyGroup, modules=__name__, about=_COMMANDS, renamed={"list": "listing"})
def command() -> None:
    """Measure quality on public data sets, rerunnable by anyone.

    \b
    Examples:
      tablehound bench examples examples/lake
      tablehound bench build siblings --data spider/ --out siblings/
      tablehound bench run siblings --data siblings/ --system seek --out runs/seek
      tablehound bench run tabfact --data tabfact_val/ --system find --system bm25 --sample 1000 --out runs/
      tablehound bench report runs/find runs/bm25 --html report.html
      tablehound bench compare runs/find runs/bm25
      tablehound bench papers --data DATA/ --out papers/ --questions 100
    """
