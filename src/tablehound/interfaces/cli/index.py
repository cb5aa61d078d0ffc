"""``tablehound index``."""

from __future__ import annotations

from pathlib import Path

import click

from tablehound.interfaces.cli.common import json_option, progress, settings_options
from tablehound.settings import Settings


@click.command("index")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--lake", "lake_path", required=True, type=click.Path(path_type=Path), help="Folder of the lake.")
@click.option("--report", is_flag=True, help="Say for every source how it was read.")
@click.option("--strict", is_flag=True, help="Fail (exit code 2) if any row is lost or any source refused.")
@json_option
@settings_options()
def command(
    sources: tuple[str, ...], lake_path: Path, report: bool, strict: bool, as_json: bool, settings: Settings
) -> int:
    """Read files, folders, globs and URLs into a lake.

    Only what has changed since the last time is read again. It can be stopped at any moment; the same command goes on.
    Exit codes: 0 all was read, 1 some sources could not be read (they are named), 2 failure, or any loss with --strict.

    \b
    Examples:
      tablehound index data/ --lake data.lake
      tablehound index 'data/**/*.xlsx' s3://bucket/tables/ --lake data.lake --report
    """
    from tablehound.interfaces.cli.reading_reports import print_index_report
    from tablehound.lake import index_sources
    from tablehound.retrieval import segment_builders

    if strict:
        settings = settings.with_values(**{"read.strict": True})
    with progress() as advance:
        outcome = index_sources(sources, lake_path, settings, builders=segment_builders(settings), progress=advance)
    return print_index_report(outcome, lake_path, as_json=as_json, detailed=report, strict=strict)
