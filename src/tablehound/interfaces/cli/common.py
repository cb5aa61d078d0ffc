"""Shared by the commands: settings from options, opening a source with a progress bar."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tablehound.errors import SettingError
from tablehound.settings import Settings, parse_option

if TYPE_CHECKING:
    from tablehound.lake import IndexProgress, Lake

_Command = TypeVar("_Command", bound=Callable[..., Any])

source_argument = click.argument("source", default=".", envvar="TABLEHOUND_LAKE")
json_option = click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")

_NAMED = {
    "mode": ("mode", "auto, seek (single tables) or multitable.", ["auto", "seek", "multitable"]),
    "task": ("task", "tableqa or fact_verification; else told from the text.", ["tableqa", "fact_verification"]),
    "strategy": ("seek.strategy", "5s1 5s3 10s1 10s3 10s5, or r3 r5 r10.", None),
    "max_steps": ("seek.max_steps", "Most backbone calls of a question.", None),
    "rank": ("search.rank", "How tables are ranked.", ["structure", "share", "bm25"]),
    "model": ("backbone.model", "Chat model; none means the built-in rules.", None),
    "base_url": ("backbone.base_url", "Address of an OpenAI-compatible server.", None),
    "privacy": ("backbone.privacy", "What of a table a chat model may see.", ["schema", "stats", "values", "rows"]),
}


def settings_options(*names: str) -> Callable[[_Command], _Command]:
    """Options for the named settings, and ``--set NAME=VALUE`` for every other; passes ``settings`` on."""

    def decorate(function: _Command) -> _Command:
        @functools.wraps(function)
        def wrapper(*args: Any, overrides: tuple[str, ...], **kwargs: Any) -> Any:
            values: dict[str, Any] = {}
            for text in overrides:
                name, equals, value = text.partition("=")
                if not equals:
                    raise SettingError(f"--set {text!r} has no value", remedy="write NAME=VALUE, see docs/settings.md")
                values[name.strip()] = parse_option(name.strip(), value.strip())
            for name in names:
                given = kwargs.pop(name)
                if given is not None:
                    values[_NAMED[name][0]] = parse_option(_NAMED[name][0], given)
            if kwargs.pop("blind", False):
                values["backbone.blind"] = True
            return function(*args, settings=Settings().with_values(**values), **kwargs)

        wrapped: Any = click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="Any setting.")(
            wrapper
        )
        if "model" in names:
            wrapped = click.option("--blind", is_flag=True, help="Hide names of files, sheets and titles.")(wrapped)
        for name in reversed(names):
            _, text, choices = _NAMED[name]
            wrapped = click.option(
                f"--{name.replace('_', '-')}", type=click.Choice(choices) if choices else None, help=text
            )(wrapped)
        result: _Command = wrapped
        return result

    return decorate


@contextmanager
def opened(source: str, settings: Settings) -> Iterator[Lake]:
    """The lake of a source, indexed on the way if need be, with a progress bar on the error stream."""
    from tablehound.interfaces.terminal import complain
    from tablehound.opening import open_lake

    with progress() as report:
        lake = open_lake(source, settings, report)
    with lake:
        if not lake.table_ids():
            complain(
                f"{source} has no tables; `tablehound index SOURCE --lake LAKE --report` says what became of its files"
            )
        yield lake


@contextmanager
def progress() -> Iterator[Callable[[IndexProgress], None]]:
    """A progress bar of indexing on the error stream, shown on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda _state: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def show(state: IndexProgress) -> None:
            bar.update(task, description=state.phase, completed=state.done, total=state.total or None)

        yield show
