"""``tablehound show``."""

from __future__ import annotations

import click

from tablehound.interfaces.cli.common import json_option, opened, settings_options, source_argument
from tablehound.settings import Settings


@click.command("show")
@click.argument("table")
@source_argument
@click.option("--rows", "row_range", metavar="FROM-TO", help="Rows by their number in the file.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Most rows printed, 0 for all; a cut is marked.",
)
@json_option
@settings_options()
def command(table: str, source: str, row_range: str | None, limit: int, as_json: bool, settings: Settings) -> int:
    """Print TABLE: its id, or a part of its file's name.

    \b
    Examples:
      tablehound show rivers.csv examples/lake
      tablehound show 'solar_system.xlsx#Gravity' examples/lake --rows 2-4
    """
    from tablehound.interfaces.cli.printing import print_table
    from tablehound.interfaces.cli.table_names import one_table, row_indices

    with opened(source, settings) as lake:
        found = lake.table(one_table(lake, table))
        print_table(found, row_indices(row_range, found.source_rows(), limit), as_json=as_json)
    return 0
