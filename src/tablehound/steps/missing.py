"""What an unanswered question lacks, told once: only what no table covers."""

from __future__ import annotations

import re
from collections.abc import Sequence

_RESIDUAL = re.compile(r"What about (.+)\?")
_WORD = re.compile(r"[^\W_]+(?:'\w+)?")
GENERAL = frozenset(
    (
        "no program over the tables gave an answer",
        "the tables that were tried lack what is asked",
        "the question names nothing to look for",
    )
)
"""Messages that say nothing where something is named."""


def lacking(question: str, missing: Sequence[str]) -> tuple[str, ...]:
    """The parts of the question that nothing covers, without repeats; other messages stay as they are.

    Where a question is left over for what no table covers ("What about designed?"), its words are what is lacking.
    Else every table tried has told what it lacks itself, and of phrases within each other the shortest is.
    """
    asked = question.casefold()
    left = [found[1] for part in missing if (found := _RESIDUAL.fullmatch(part))]
    phrases = [part for part in missing if not _RESIDUAL.fullmatch(part) and part.casefold() in asked]
    messages = [part for part in missing if part not in phrases and not _RESIDUAL.fullmatch(part)]
    if left:
        over = {word for text in left for word in _words(text)}
        kept = [part for part in phrases if set(_words(part)) <= over] or left
    else:
        kept = phrases
    shortest = [p for p in kept if not any(set(_words(q)) < set(_words(p)) for q in kept)]
    named = list(dict.fromkeys(shortest))
    return tuple(dict.fromkeys((*named, *(m for m in messages if not named or m not in GENERAL))))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
