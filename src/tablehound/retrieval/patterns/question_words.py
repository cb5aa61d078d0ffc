"""A question's own words as patterns: what there is to search for before, or without, a decision of a backbone."""

from __future__ import annotations

import re

from tablehound.retrieval.patterns.types import Pattern

_WORD = re.compile(r"\w+(?:[.,'’-]\w+)*", re.UNICODE)
_SHORT = 3
_LONG = 100
_MOST = 30


def question_patterns(question: str) -> tuple[Pattern, ...]:
    """Names, numbers, and words that are not too short to tell tables apart, as literals; 30 at most.

    >>> [pattern.text for pattern in question_patterns("How many goals did Ann Lee score in 2012?")]
    ['How', 'many', 'goals', 'Ann', 'Lee', 'score', '2012']
    """
    words = [w for w in _WORD.findall(question) if len(w) > _SHORT or w[0].isupper() or w[0].isdigit()]
    return tuple(Pattern(word[:_LONG], "literal") for word in list(dict.fromkeys(words))[:_MOST])
