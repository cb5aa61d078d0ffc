"""What is said to be missing: once, and only what nothing covers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound import ask
from tablehound.settings import Settings
from tablehound.steps import lacking

QUESTION = "Who designed the Humber Bridge?"


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        (("What about designed?", "designed", "Humber Bridge"), ("designed",)),
        (("What about designed?", "Humber Bridge"), ("designed",)),
        (("designed the Humber Bridge", "designed", "designed"), ("designed",)),
        (("no program over the tables gave an answer", "designed"), ("designed",)),
        (("no program over the tables gave an answer",), ("no program over the tables gave an answer",)),
        (("which table is meant: a.csv or b.csv",), ("which table is meant: a.csv or b.csv",)),
        ((), ()),
    ],
)
def test_only_what_nothing_covers_is_told(missing: tuple[str, ...], told: tuple[str, ...]) -> None:
    assert lacking(QUESTION, missing) == told


def test_a_spent_budget_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "bridges.csv").write_text("bridge,opened\nAlder,1961\nBirch,1968\n", encoding="utf-8")
    answer = ask("Who designed Alder?", tmp_path / "bridges.csv", Settings().with_values(**{"seek.max_steps": 1}))
    assert not answer.answered
    assert "max_steps" in answer.missing[0]
