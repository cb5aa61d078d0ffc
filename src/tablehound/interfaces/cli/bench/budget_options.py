"""The budget of a run, as options of the commands that run something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


def budget_options(function: _Command) -> _Command:
    """``--max-seconds`` and ``--max-tokens``, passed on as ``max_seconds`` and ``max_tokens``."""
    seconds = click.option(
        "--max-seconds", type=click.FloatRange(0), default=0.0,
        help="Budget of each run in seconds, summed over questions; 0 for none.",
    )  # fmt: skip
    tokens = click.option(
        "--max-tokens", type=click.IntRange(0), default=0, help="Budget of each run in tokens; 0 for none."
    )
    return seconds(tokens(function))
