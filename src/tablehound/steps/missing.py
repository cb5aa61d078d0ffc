"""What an unanswered question lacks, named once: only what no table covers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tablehound.answer import Missing

_WORD = re.compile(r"[^\W_]+(?:'\w+)?")
NO_PROGRAM = Missing("general", "no program over the tables gave an answer")
INSUFFICIENT = Missing("general", "the tables that were tried lack what is asked")
NAMES_NOTHING = Missing("general", "the question names nothing to look for")


def lacking(question: str, missing: Sequence[Missing]) -> tuple[Missing, ...]:
    """The parts of the question that nothing covers, without repeats; other messages stay as they are.

    Where words of the question are left over for what no table covers, these are what is lacking. Else every table
    tried has named what it lacks itself, and of phrases within each other the shortest is. What a model names in its
    own words is such a phrase where the question has these words.
    """
    asked = question.casefold()
    left = [part for part in missing if part.kind == "residual"]
    needs = [p for p in missing if p.kind == "need" or (p.kind == "words" and p.text.casefold() in asked)]
    if left:
        over = {word for part in left for word in _words(part.text)}
        named = [need for need in needs if set(_words(need.text)) <= over] or left
    else:
        named = needs
    shortest = [p for p in named if not any(set(_words(q.text)) < set(_words(p.text)) for q in named)]
    messages = [p for p in missing if p not in needs and p not in left and not (named and p.kind == "general")]
    return tuple({part.text: part for part in (*shortest, *messages)}.values())


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
