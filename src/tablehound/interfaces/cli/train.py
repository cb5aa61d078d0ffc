"""``tablehound train``."""

from __future__ import annotations

from pathlib import Path

import click

from tablehound.interfaces.cli.common import opened
from tablehound.settings import Settings


@click.group("train")
def command() -> None:
    """Train what ranks tables, on questions of one's own.

    \b
    Example:
      tablehound train ranking my.lake --questions questions.jsonl --out weights.npz
    """


@command.command("ranking")
@click.argument("source")
@click.option(
    "--questions", required=True, type=click.Path(path_type=Path, dir_okay=False),
    help='JSON lines of {"question", "table"}; a table is an id, or a file as `tablehound info` names it.',
)  # fmt: skip
@click.option("--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="Where the weights go.")
def ranking(source: str, questions: Path, out: Path) -> int:
    """Learn the weights of `rank=structure` from questions with known tables of SOURCE.

    Use them with `--set search.ranking_weights=FILE`.

    \b
    Example:
      tablehound train ranking my.lake --questions questions.jsonl --out weights.npz
    """
    from tablehound.errors import UsageError
    from tablehound.evaluation import read_json_lines
    from tablehound.interfaces.cli.table_names import one_table
    from tablehound.interfaces.terminal import emit
    from tablehound.retrieval import train_ranking

    if not questions.exists():
        raise UsageError(f"there is no file {questions}", remedy='write one JSON object a line: {"question", "table"}')
    with opened(source, Settings()) as lake:
        pairs = []
        for number, record in read_json_lines(questions):
            if not isinstance(record.get("question"), str) or not isinstance(record.get("table"), str):
                raise UsageError(f"{questions}, line {number}: needs the texts question and table")
            pairs.append((record["question"], one_table(lake, record["table"])))
        train_ranking(lake, pairs, out)
    emit(f"trained on {len(pairs)} questions: {out}")
    return 0
