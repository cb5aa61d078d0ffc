"""What a reader is told of a model's program: where it and the question name different things."""

from __future__ import annotations

import pytest

from tablehound.backbone.chat.notes import notes_of
from tablehound.program import Program

LEE = "How many goals did Ann Lee score in 2012?"


@pytest.mark.parametrize(
    ("question", "sql", "notes"),
    [
        (LEE, "SELECT goals FROM T1 WHERE player ILIKE '%lee%' AND year = 2012", []),
        (LEE, "SELECT goals FROM T1 WHERE player = 'Bo' AND year = 2012", ["'Bo'", "does not look for Ann Lee"]),
        (LEE, "SELECT goals FROM T1 -- Ann Lee 2012", ["does not look for Ann Lee, 2012"]),
        (LEE, "SELECT goals + 57 FROM T1 WHERE player = 'Ann Lee' AND year = 2012", ["uses 57"]),
        ("What was sold in March 2012?", "SELECT a FROM T1 WHERE strftime(d, '%Y-%m') = '2012-03'", ["March"]),
        ("Which river is the longest?", "SELECT river FROM T1 ORDER BY length DESC LIMIT 1", []),
        ("Who won in 1,014 games?", "SELECT a FROM T1 WHERE games = 1014", []),
        ("Is it Oslo?", "SELECT (", []),
    ],
)
def test_notes(question: str, sql: str, notes: list[str]) -> None:
    found = notes_of(Program(sql, {}), question)
    assert len(found) == len(notes)
    assert all(words in note for words, note in zip(notes, found, strict=True))
