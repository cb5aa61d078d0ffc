"""A small folder of tables, and the command line run in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tables of rivers and towns; the cache goes below the test's folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TABLEHOUND_LAKE", raising=False)
    monkeypatch.delenv("TABLEHOUND_MODEL", raising=False)
    folder = tmp_path / "data"
    folder.mkdir()
    rivers = (
        'River,Length (km),Flows into\nNile,"6,650",Mediterranean Sea\nVolga,3531,Caspian Sea\nRhine,1233,North Sea\n'
    )
    (folder / "rivers.csv").write_text(rivers, encoding="utf-8")
    towns = "| Town | Inhabitants |\n| --- | --- |\n| Oslo | 709,037 |\n| Bergen | 291,940 |\n"
    (folder / "towns.md").write_text(towns, encoding="utf-8")
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs ``tablehound ARGUMENTS…``."""
    from tablehound.interfaces.cli import main

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(int(stop.value.code or 0), captured.out, captured.err)

    return call
