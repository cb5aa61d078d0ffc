"""Information needs: noun phrases of a question, and the phrases that state conditions (DMRAL)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tablehound.language import Analysis, analyse, is_carrier, is_function, lexicon
from tablehound.settings import Task

NeedKind = Literal["noun", "condition"]
MAX_WORDS = 5
NOUN = 0.9
CARRIER = 0.25


@dataclass(frozen=True, slots=True)
class Need:
    """A phrase that some column must cover. ``start … end`` are token places in the question."""

    text: str
    start: int
    end: int
    kind: NeedKind
    weight: float = 1.0
    """How much it counts in the coverage: words that carry the question along count little."""

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "kind": self.kind}


def information_needs(question: str, task: Task) -> tuple[Analysis, list[Need]]:
    """The needs of a question in its order, with its analysis.

    A run of content words is a noun phrase; one that holds a number, a date, a quoted span or a name states a
    condition. Words that only say how to ask (``how many``, ``which``) or how to compute (``largest``) are in none.
    """
    analysis = analyse(question, task)
    quoted = {i for start, end in analysis.quoted for i in range(start, end)}
    numeric = {i for n in analysis.numbers for i in range(n.start, n.end)}
    names = {i for i, t in enumerate(analysis.tokens) if i and t.capital}
    marked = quoted | numeric | names
    needs: list[Need] = []
    place, size = 0, len(analysis.tokens)
    while place < size:
        if not _content(analysis, place, marked):
            place += 1
            continue
        end = place + 1
        in_name = place in marked
        while end < size and end - place < MAX_WORDS:
            joins = in_name and end + 1 < size and analysis.tokens[end].norm in _JOINERS and end + 1 in marked
            if joins:
                end += 2
            elif _content(analysis, end, marked) and (end in marked) == in_name:
                end += 1
            else:
                break
        text = question[analysis.tokens[place].start : analysis.tokens[end - 1].end]
        carries = all(is_carrier(t.norm) or t.norm in lexicon().asking_verbs for t in analysis.tokens[place:end])
        weight = CARRIER if carries and not in_name else 1.0 if in_name else NOUN
        needs.append(Need(text, place, end, "condition" if in_name else "noun", weight))
        place = end
    return analysis, needs


_JOINERS = frozenset(["of", "the", "de", "and", "-", "&"])


def _content(analysis: Analysis, place: int, marked: set[int]) -> bool:
    token = analysis.tokens[place]
    if place in marked:
        return token.norm[:1].isalnum()
    return token.norm[:1].isalnum() and not is_function(token.norm) and place not in analysis.triggers
