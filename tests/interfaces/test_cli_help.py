"""Every command has help with an example, and is documented in the guide."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tablehound.interfaces.cli import cli, main

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide.md"


def commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    found: list[tuple[tuple[str, ...], click.Command]] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found.append(((*path, name), command))
        if isinstance(command, click.Group):
            found += commands(command, (*path, name))
    return found


ALL = commands(cli)


@pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(path) for path, _ in ALL])
def test_help_has_an_example(path: tuple[str, ...], command: click.Command) -> None:
    text = command.help or ""
    assert "Example" in text
    assert f"tablehound {' '.join(path)}" in text
    options = [p for p in command.params if isinstance(p, click.Option)]
    assert all(option.help for option in options if option.name not in ("seed", "split"))


@pytest.mark.parametrize("path", [path for path, _ in ALL], ids=[" ".join(path) for path, _ in ALL])
def test_the_guide_names_every_command(path: tuple[str, ...]) -> None:
    assert f"tablehound {' '.join(path)}" in GUIDE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "papers", "--data", ".", "--out", "out", "--questions", "-1"],
        ["bench", "run", "own", "--data", ".", "--system", "bm25", "--out", "out", "--sample", "0"],
        ["find", "words", ".", "-n", "0"],
        ["grep", "word", ".", "--limit", "-1"],
    ],
)
def test_counts_below_the_least_are_refused_before_any_work(arguments: list[str]) -> None:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert "is not in the range" in result.output


def test_the_package_runs_as_a_module() -> None:
    ran = subprocess.run([sys.executable, "-m", "tablehound", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("tablehound ")


def test_ctrl_c_ends_with_the_code_of_its_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", stopped)
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 130
