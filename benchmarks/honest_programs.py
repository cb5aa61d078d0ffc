"""How many honest programs the gate refuses: public SQL, and the examples in the engine's own documentation.

    python benchmarks/honest_programs.py [--spider 2000] [--examples 200]

Spider's gold SQL (SQLite's dialect, as far as DuckDB's own parser takes it) and the examples that DuckDB documents its
functions with (``duckdb_functions()``), drawn by the seed. A program counts as honest when DuckDB's parser reads it as
one SELECT and it names no function that reaches beyond the tables (files, settings, the catalogue), which are refused
on purpose.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence

import duckdb

from common import parser, table
from tablehound.errors import ProgramRefusedError
from tablehound.evaluation.metrics import wilson_interval
from tablehound.execution.statement import look_at
from tablehound.settings import ProgramSettings

_NAMES = re.compile(r"\b(?:FROM|JOIN)\s+([A-Za-z_]\w*)", re.IGNORECASE)


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--spider", type=int, default=2000)
    options.add_argument("--examples", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    draw = random.Random(given.seed)
    with (given.data / "spider" / "train_spider.jsonl").open(encoding="utf-8") as lines:
        spider = [json.loads(line) for line in lines]
    gold = [str(record.get("sql") or record.get("query")) for record in spider]
    drawn, documented = draw.sample(gold, min(given.spider, len(gold))), documented_examples(draw, given.examples)
    rows = [
        measured("Spider's gold SQL", drawn),
        measured("DuckDB's documented examples", documented),
        measured("both", [*drawn, *documented], quiet=True),
    ]
    print(table(["programs", "read by the engine", "refused", "share (95%)", "refused for"], rows))


def documented_examples(draw: random.Random, n: int) -> list[str]:
    """Examples of the engine's functions as programs."""
    found = duckdb.sql("SELECT DISTINCT unnest(examples) FROM duckdb_functions() ORDER BY 1").fetchall()
    programs = [text if text.upper().startswith("SELECT") else f"SELECT {text}" for (text,) in found if text]
    honest = [text for text in programs if is_select(text) and not on_purpose(text)]
    return draw.sample(honest, min(n, len(honest)))


def is_select(text: str) -> bool:
    """Whether the engine's own parser reads the text as one SELECT."""
    try:
        statements = duckdb.connect().extract_statements(text)
    except duckdb.Error:
        return False
    return len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT


def on_purpose(text: str) -> bool:
    """Whether a program reaches beyond its tables, so that the gate means to refuse it."""
    try:
        look_at(text, _NAMES.findall(text), ProgramSettings())
    except ProgramRefusedError as error:
        return "is not allowed" in str(error)
    return False


def measured(name: str, programs: Iterable[str], *, quiet: bool = False) -> Sequence[object]:
    """One row of the table; the programs refused are printed unless ``quiet``."""
    honest = [text for text in programs if is_select(text)]
    reasons: list[str] = []
    for text in honest:
        try:
            look_at(text, _NAMES.findall(text), ProgramSettings())
        except ProgramRefusedError as error:
            reasons.append(str(error).split(":")[0])
            if not quiet:
                print(f"refused: {text}\n         {error}")
    low, high = wilson_interval(len(reasons), len(honest))
    share = f"{len(reasons) / len(honest):.4f} ({low:.4f} to {high:.4f})"
    return [name, len(honest), len(reasons), share, "; ".join(sorted(set(reasons))) or "-"]


if __name__ == "__main__":
    main()
