"""``tablehound trail``."""

from __future__ import annotations

from pathlib import Path

import click

from tablehound.interfaces.cli.common import json_option, opened, settings_options
from tablehound.settings import Settings


@click.command("trail")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--replay", "source", metavar="SOURCE", help="Answer again from SOURCE with the recorded decisions.")
@json_option
@settings_options()
def command(file: Path, source: str | None, as_json: bool, settings: Settings) -> int:
    """Show the steps of an answer saved with `ask --trail FILE`, or replay them.

    \b
    Examples:
      tablehound ask "Which river is the longest?" examples/lake --trail river.json
      tablehound trail river.json
      tablehound trail river.json --replay examples/lake
    """
    from tablehound.interfaces.cli.printing import print_answer, print_trail
    from tablehound.interfaces.terminal import emit_json
    from tablehound.trail import Trail

    trail = Trail.load(file)
    if source is None:
        if as_json:
            emit_json(trail.to_json())
        else:
            print_trail(trail)
        return 0
    from tablehound.api import replay

    with opened(source, settings) as lake:
        answer = replay(trail, lake)
    if as_json:
        emit_json(answer.to_json())
    else:
        print_answer(answer)
    return 0 if answer.answered else 1
