"""The command line. ``main`` is the entry point; each command has a module of its own, imported when it is called."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from tablehound.interfaces.cli.lazy import LazyGroup
from tablehound.version import __version__

INTERRUPTED = 130
"""What shells give for a program that Ctrl-C stopped: 128 and the number of the signal."""
_COMMANDS = {
    "index": "read files into a lake",
    "ask": "answer a question, or check a claim",
    "find": "rank the tables that could answer a question",
    "grep": "search cells with patterns",
    "show": "print a table, or rows of it",
    "sql": "run a read-only query over tables",
    "info": "what a lake or a table is made of, and how it was read",
    "check": "find and repair damage of a lake",
    "trail": "show or replay the steps that led to an answer",
    "bench": "measure quality on public data sets",
    "train": "train the ranking's weights",
}


class _Commands(LazyGroup):
    """The top of the command line."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            # The reader of our output went away, as in `| head`: done. Click would end with 1, which says "not found".
            # What is left to write goes nowhere, or Python would complain once more while it closes stdout.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(0) from None


@click.group(
    cls=_Commands,
    modules=__name__,
    about=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "--version", message="tablehound %(version)s")
def cli() -> None:
    """Ask a question of a folder of messy tables.

    Get the answer, the cells that prove it and the trail that led there, or a plain "the tables do not say".

    \b
    Examples:
      tablehound ask "Which river is the longest?" my-folder/
      tablehound find "population of cities" my-folder/
      tablehound grep -e 'n[ae]w york' my-folder/
      tablehound index my-folder/ more.xlsx --lake my.lake

    SOURCE is a folder, a file, a URL or a lake made by `tablehound index`. A plain folder is indexed into a cache
    on the way, and only what has changed is read again.

    Exit codes: 0 answered or found, 1 not found or not answerable, 2 misuse or failure, 130 stopped by Ctrl-C.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    from tablehound.errors import TablehoundError
    from tablehound.interfaces.terminal import complain

    try:
        result: Any = cli.main(args=arguments, prog_name="tablehound", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        complain("stopped; what was read so far is kept, and the same command goes on from there")
        sys.exit(INTERRUPTED)
    except TablehoundError as error:
        complain(str(error))
        sys.exit(2)
    except Exception as error:
        if os.environ.get("TABLEHOUND_DEBUG"):
            raise
        complain(
            f"a fault in tablehound itself: {type(error).__name__}: {error} "
            "(please report it; TABLEHOUND_DEBUG=1 shows where it came from)"
        )
        sys.exit(2)
    sys.exit(result if isinstance(result, int) else 0)
