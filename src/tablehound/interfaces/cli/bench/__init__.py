"""``tablehound bench``."""

from __future__ import annotations

import importlib
from typing import Any

import click

_COMMANDS = {
    "examples": "answer the questions of an example lake",
    "run": "run a system over a data set, one record a question",
    "papers": "the papers' experiments as one grid, with its report",
    "report": "score runs and write a report",
    "compare": "paired tests between two runs",
    "build": "build a data set from public data",
    "list": "data sets and systems",
}


class _LazyBench(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        name = {"list": "listing"}.get(cmd_name, cmd_name)
        module: Any = importlib.import_module(f"tablehound.interfaces.cli.bench.{name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group("bench", cls=_LazyBench)
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
