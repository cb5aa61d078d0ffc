"""``tablehound find``."""

from __future__ import annotations

import click

from tablehound.interfaces.cli.common import json_option, opened, settings_options, source_argument
from tablehound.settings import Settings


@click.command("find")
@click.argument("question")
@source_argument
@click.option("-n", "--limit", type=click.IntRange(1), default=10, show_default=True, help="How many tables.")
@click.option("-e", "--pattern", "patterns", multiple=True, help="Rank by these patterns too (regular expressions).")
@click.option("--explain", is_flag=True, help="Say what each score is made of.")
@json_option
@settings_options("rank")
def command(
    question: str,
    source: str,
    limit: int,
    patterns: tuple[str, ...],
    explain: bool,
    as_json: bool,
    settings: Settings,
) -> int:
    """Rank the tables of SOURCE that could answer QUESTION.

    \b
    Examples:
      tablehound find "boiling point of metals" examples/lake
      tablehound find "world cup winners" examples/lake --explain -n 3
    """
    from tablehound.errors import UsageError
    from tablehound.interfaces.cli.printing import print_candidates
    from tablehound.retrieval import Pattern, find

    if not question.strip() and not patterns:
        raise UsageError("there is nothing to find", remedy="give a QUESTION or --pattern")
    with opened(source, settings) as lake:
        found = find(lake, question, patterns=tuple(Pattern(text) for text in patterns), settings=settings, limit=limit)
        print_candidates(lake, found, as_json=as_json, explain=explain)
    return 0 if found else 1
