"""``tablehound info``."""

from __future__ import annotations

import click

from tablehound.interfaces.cli.common import json_option, opened, settings_options
from tablehound.settings import Settings


@click.command("info")
@click.argument("arguments", nargs=-1, metavar="[TABLE] [SOURCE]")
@json_option
@settings_options()
def command(arguments: tuple[str, ...], as_json: bool, settings: Settings) -> int:
    """What SOURCE is made of; or how TABLE was read: dialect, header, types, rows set aside and why.

    With --json: of SOURCE, one JSON object a line for each table; of TABLE, one object.

    \b
    Examples:
      tablehound info examples/lake
      tablehound info rivers.csv examples/lake
    """
    from tablehound.errors import UsageError
    from tablehound.interfaces.cli.reading_reports import print_lake, print_table_info
    from tablehound.interfaces.cli.table_names import one_table

    if len(arguments) > 2:
        raise UsageError("info takes a TABLE and a SOURCE", remedy="see tablehound info --help")
    with opened(arguments[-1] if arguments else ".", settings) as lake:
        if len(arguments) == 2:
            print_table_info(lake, one_table(lake, arguments[0]), as_json=as_json)
        else:
            print_lake(lake, as_json=as_json)
    return 0
