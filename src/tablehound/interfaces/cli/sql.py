"""``tablehound sql``."""

from __future__ import annotations

import click

from tablehound.interfaces.cli.common import json_option, opened, settings_options, source_argument
from tablehound.settings import Settings


@click.command("sql")
@click.argument("query")
@source_argument
@click.option(
    "-t", "--table", "named", multiple=True, required=True, metavar="[ALIAS=]TABLE", help="T1, T2 … unless named."
)
@json_option
@settings_options()
def command(query: str, source: str, named: tuple[str, ...], as_json: bool, settings: Settings) -> int:
    """Run QUERY (one read-only statement of DuckDB's SQL) over tables.

    Columns are typed by how they were read; `_row` is the row's index, `_rollup` marks totals.

    \b
    Examples:
      tablehound sql 'SELECT "River" FROM T1 ORDER BY "Length (km)" DESC LIMIT 1' examples/lake -t rivers.csv
      tablehound sql 'SELECT city FROM p JOIN m ON p."Museum" = m.museum' examples/lake -t p=paintings -t m=museums
    """
    from tablehound.execution import run_program
    from tablehound.interfaces.cli.printing import print_result
    from tablehound.interfaces.cli.table_names import one_table
    from tablehound.program import Program, View

    with opened(source, settings) as lake:
        views = {}
        for place, text in enumerate(named, 1):
            alias, equals, name = text.partition("=")
            views[alias if equals else f"T{place}"] = View((one_table(lake, name if equals else text),))
        result = run_program(lake, Program(query, views), settings)
    return print_result(result, as_json=as_json)
