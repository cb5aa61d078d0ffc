"""Words for sub-questions and for what is left of a question."""

from __future__ import annotations

from collections.abc import Sequence

from tablehound.backbone.protocol import NeedGroup
from tablehound.language.lexicon import is_function
from tablehound.language.words import tokens


def subquestion(question: str, group: NeedGroup) -> str:
    """A sub-question about the needs of one table, in the question's own words."""
    if not group.needs:
        return question
    needs = " and ".join(group.needs)
    columns = ", ".join(dict.fromkeys(group.columns))
    return f"What do {columns} say about {needs}?" if columns else f"What is {needs}?"


def left_over_words(question: str, covered: Sequence[str]) -> str:
    """The words of the question that no covered phrase has; empty when all of it is covered."""
    known = {t.stem for phrase in covered for t in tokens(phrase)}
    left = [
        t.text for t in tokens(question) if t.norm[:1].isalnum() and not is_function(t.norm) and t.stem not in known
    ]
    return " ".join(left)
