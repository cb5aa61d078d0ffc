"""What is said to be missing: once, and only what nothing covers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound import ask
from tablehound.answer import Missing
from tablehound.settings import Settings
from tablehound.steps import NO_PROGRAM, lacking

QUESTION = "Who designed the Humber Bridge?"
LEFT = Missing("residual", "designed")
DESIGNED = Missing("need", "designed")


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ((LEFT, Missing("words", "designed"), Missing("need", "Humber Bridge")), ("designed",)),
        ((LEFT, Missing("need", "Humber Bridge")), ("designed",)),
        ((Missing("need", "designed the Humber Bridge"), DESIGNED, DESIGNED), ("designed",)),
        ((Missing("words", "designed the Humber Bridge"), Missing("words", "Designed")), ("Designed",)),
        ((NO_PROGRAM, DESIGNED), ("designed",)),
        ((NO_PROGRAM,), ("no program over the tables gave an answer",)),
        ((DESIGNED, Missing("words", "an architect")), ("designed", "an architect")),
        ((Missing("which_table", "which table is meant: a.csv or b.csv"),), ("which table is meant: a.csv or b.csv",)),
        ((), ()),
    ],
)
def test_only_what_nothing_covers_is_named(missing: tuple[Missing, ...], named: tuple[str, ...]) -> None:
    assert tuple(part.text for part in lacking(QUESTION, missing)) == named


def test_a_spent_budget_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "bridges.csv").write_text("bridge,opened\nAlder,1961\nBirch,1968\n", encoding="utf-8")
    answer = ask("Who designed Alder?", tmp_path / "bridges.csv", Settings().with_values(**{"seek.max_steps": 1}))
    assert not answer.answered
    assert "max_steps" in answer.missing[0]
