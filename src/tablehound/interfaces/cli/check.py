"""``tablehound check``."""

from __future__ import annotations

from pathlib import Path

import click

from tablehound.interfaces.cli.common import json_option, settings_options
from tablehound.settings import Settings


@click.command("check")
@click.argument("lake_path", metavar="LAKE", type=click.Path(path_type=Path))
@click.option("--repair", is_flag=True, help="Restore what is damaged.")
@json_option
@settings_options()
def command(lake_path: Path, repair: bool, as_json: bool, settings: Settings) -> int:
    """Read all of a lake and find what the disk changed or lost.

    With --repair, damaged sources are read again from where they were found (and what is new there is read, too), and
    damaged index segments are built again from the tables. What is sound stays as it is. A source that is gone cannot
    be read again: the damaged catalogue that has its tables is kept in the folder `aside` of the lake, and named.

    Exit codes: 0 sound, or all repaired, 1 damaged, 2 misuse or failure.

    \b
    Examples:
      tablehound check data.lake
      tablehound check data.lake --repair
      tablehound check data.lake --json
    """
    from tablehound.interfaces.terminal import complain, emit, emit_json, printable
    from tablehound.lake import check_lake
    from tablehound.retrieval import segment_builders

    report = check_lake(lake_path, settings, builders=segment_builders(settings), repair=repair)
    if as_json:
        emit_json(report.to_json())
        return 0 if report.ok else 1
    for fault in report.faults:
        complain(str(fault))
    for name in report.restored:
        emit(f"restored: {printable(name)}")
    for name in report.lost:
        complain(f"not restored: {name}")
    if report.aside:
        complain(f"the damaged catalogue is kept: {report.aside}")
    where = printable(str(lake_path))
    if report.left:
        complain(f"{where} is damaged" + ("" if repair else f"; repair it with: tablehound check {lake_path} --repair"))
    else:
        emit(f"{where} is sound: {report.n_tables} tables")
    return 0 if report.ok else 1
