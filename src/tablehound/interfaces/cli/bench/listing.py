"""``tablehound bench list``."""

from __future__ import annotations

import click


@click.command("list")
def command() -> int:
    """Say which data sets and systems there are, and where to get the data.

    \b
    Example:
      tablehound bench list
    """
    from tablehound.evaluation import SYSTEMS, data_sets
    from tablehound.interfaces.terminal import emit

    emit("Data sets:")
    for item in data_sets().values():
        emit(f"  {item.name:<11} {item.hint}")
    emit("Systems:")
    for name, about in SYSTEMS.items():
        emit(f"  {name:<11} {about}")
    return 0
