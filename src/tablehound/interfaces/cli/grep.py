"""``tablehound grep``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from tablehound.errors import UsageError
from tablehound.interfaces.cli.common import opened, settings_options
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import Settings


def _patterns(
    first: str | None,
    regexes: Sequence[str],
    literals: Sequence[str],
    values: Sequence[str],
    ranges: Sequence[str],
    columns: tuple[str, ...],
    case_sensitive: bool,
) -> list[Pattern]:
    """The patterns that the options describe, in the order regex, literal, value, range."""
    shared = {"columns": columns, "case_sensitive": case_sensitive}
    texts = [*([first] if first is not None else []), *regexes]
    found = [Pattern(text, "regex", **shared) for text in texts]  # type: ignore[arg-type]
    found += [Pattern(text, "literal", **shared) for text in literals]  # type: ignore[arg-type]
    if not all(map(str.strip, values)):
        raise UsageError("--value is empty", remedy="give a number, a date or a text; -e '^$' finds blank cells")
    found += [Pattern(text, "value", columns=columns) for text in values]
    for text in ranges:
        low, dots, high = text.partition("..")
        if not dots or not (low or high):
            raise UsageError(f"--range {text!r} is no range", remedy="write LOW..HIGH; either may be left out")
        if _reversed(low, high):
            raise UsageError(f"--range {text!r} is empty: {low} is more than {high}", remedy=f"write {high}..{low}")
        found.append(Pattern(text, "range", columns=columns, low=low or None, high=high or None))
    if not found:
        raise UsageError("there is nothing to search for", remedy="give a PATTERN, -e, -F, --value or --range")
    return found


def _reversed(low: str, high: str) -> bool:
    """Whether both ends are plain numbers and the low one is larger."""
    try:
        return float(low) > float(high)
    except ValueError:
        return False


@click.command("grep")
@click.argument("arguments", nargs=-1, metavar="[PATTERN] [SOURCE]")
@click.option("-e", "--regexp", "regexes", multiple=True, help="A regular expression; may be repeated.")
@click.option("-F", "--fixed", "literals", multiple=True, help="A literal text; may be repeated.")
@click.option("--value", "values", multiple=True, help="A number, date or whole text, however it is written.")
@click.option("--range", "ranges", multiple=True, metavar="LOW..HIGH", help="Numbers or dates in a range.")
@click.option("-t", "--column", "columns", multiple=True, help="Only columns whose header contains this.")
@click.option("-i/-s", "--ignore-case/--case-sensitive", "ignore_case", default=True, help="Default: ignore case.")
@click.option("-c", "--count", is_flag=True, help="Print the number of matching cells per table.")
@click.option("-l", "--tables", "tables_only", is_flag=True, help="Print the tables only.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=1_000,
    show_default=True,
    help="Most cells printed, 0 for all; a cut is marked.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@settings_options()
def command(
    arguments: tuple[str, ...],
    regexes: tuple[str, ...],
    literals: tuple[str, ...],
    values: tuple[str, ...],
    ranges: tuple[str, ...],
    columns: tuple[str, ...],
    ignore_case: bool,
    count: bool,
    tables_only: bool,
    limit: int,
    as_json: bool,
    settings: Settings,
) -> int:
    """Search the cells and headers of all tables: like ripgrep, but for tables of any format.

    Prints table, row, column and text. PATTERN is left out when -e, -F, --value or --range is given. Expressions take
    linear time; look-around and back-references are refused. Exit codes: 0 found, 1 nothing found, 2 failure.

    \b
    Examples:
      tablehound grep 'san (jos|mar)' data/
      tablehound grep --value 1014 data/            # also 1,014; in columns of numbers "one thousand and fourteen"
      tablehound grep --range 1950..1960 -t year data/
      tablehound grep -l -e oslo -e norway data/
    """
    from tablehound.interfaces.cli.printing import print_cells
    from tablehound.retrieval import open_engine

    named = bool(regexes or literals or values or ranges)
    rest = list(arguments)
    first = rest.pop(0) if rest and not named else None
    if len(rest) > 1:
        raise UsageError(
            f"one SOURCE at a time, not {len(rest)}", remedy="put several folders into one lake with index"
        )
    patterns = _patterns(first, regexes, literals, values, ranges, columns, not ignore_case)
    with opened(rest[0] if rest else ".", settings) as lake:
        engine = open_engine(lake, settings)
        if tables_only:
            hits = engine.tables(patterns)
            ids = sorted(frozenset().union(*hits))
            print_cells(lake, [], tables=ids, as_json=as_json)
            return 0 if ids else 1
        wanted = limit + 1 if limit and not count else None
        cells = engine.cells(patterns, limit=wanted)
        cut = wanted is not None and len(cells) > limit
        print_cells(
            lake, cells[:limit] if cut else cells, count=count, as_json=as_json, color=sys.stdout.isatty(), cut=cut
        )
        return 0 if cells else 1
