"""Groups of commands, each of which has a module of its own."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """Imports a command's module only when that command is called, so that ``--help`` stays fast."""

    def __init__(
        self,
        *args: Any,
        modules: str,
        about: Mapping[str, str],
        renamed: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        """``modules`` is the package of the modules, ``about`` says what each command does, and ``renamed`` gives the
        modules that are not named as their commands."""
        super().__init__(*args, **options)
        self._modules = modules
        self._about = about
        self._renamed = renamed or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._about)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._about:
            return None
        name = self._renamed.get(cmd_name, cmd_name)
        command: click.Command = importlib.import_module(f"{self._modules}.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._about.items()))
