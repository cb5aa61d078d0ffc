"""``tablehound ask``."""

from __future__ import annotations

from pathlib import Path

import click

from tablehound.interfaces.cli.common import json_option, opened, settings_options, source_argument
from tablehound.settings import Settings


@click.command("ask")
@click.argument("question")
@source_argument
@json_option
@click.option("--trail", "trail_path", type=click.Path(path_type=Path, dir_okay=False), help="Save the trail here.")
@click.option("-v", "--verbose", is_flag=True, help="Print the steps too.")
@settings_options("mode", "task", "strategy", "max_steps", "rank", "model", "base_url", "privacy")
def command(
    question: str, source: str, as_json: bool, trail_path: Path | None, verbose: bool, settings: Settings
) -> int:
    """Answer QUESTION, or check a claim, from the tables of SOURCE.

    Prints the answer, the cells that it rests on with file, sheet and row, and the program that computed it. If the
    tables do not say, it says so, names what nothing covers, and exits with 1.

    \b
    Examples:
      tablehound ask "Which river is the longest?" examples/lake
      tablehound ask "Diamond is harder than quartz." examples/lake
      tablehound ask "How many cities are in Japan?" examples/lake --json
      tablehound ask "..." my.lake --model qwen2.5-7b --base-url http://127.0.0.1:8000/v1
    """
    from tablehound.api import ask
    from tablehound.errors import UsageError
    from tablehound.interfaces.cli.printing import print_answer, print_trail
    from tablehound.interfaces.terminal import emit, emit_json

    if trail_path is not None and not trail_path.absolute().parent.is_dir():
        raise UsageError(
            f"there is no folder {trail_path.parent} for the trail", remedy="make it, or give another --trail"
        )
    with opened(source, settings) as lake:
        answer = ask(question, lake, settings)
    if as_json:
        emit_json(answer.to_json())
    else:
        print_answer(answer)
        if verbose and answer.trail is not None:
            emit()
            print_trail(answer.trail)
    if trail_path is not None and answer.trail is not None:
        answer.trail.save(trail_path)
    return 0 if answer.answered else 1
