"""Truth values as words, letters and marks."""

from __future__ import annotations

TRUE = frozenset({"true", "t", "yes", "y", "on", "✓", "✔", "☑", "✅"})
FALSE = frozenset({"false", "f", "no", "n", "off", "✗", "✘", "☐", "❌", "✖"})
NUMERIC = {"0": False, "1": True, "zero": False, "one": True, "0.0": False, "1.0": True}
_LETTERS = frozenset("tfyn")
_PAIRS = (("t", "f"), ("y", "n"), ("on", "off"))


def parse_boolean(text: str) -> bool | None:
    """The truth value of a word, letter or mark, or of zero and one in digits or words."""
    if len(text) > 5:
        return None
    word = text.casefold()
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    return NUMERIC.get(word)


def are_boolean(tokens: frozenset[str]) -> bool:
    """Whether the distinct (case-folded) tokens of a column make it one of truth values.

    Zero and one alone are numbers. A lone letter (``n``) may mean anything, so letters count only as a pair, or
    beside a word of truth; ``on`` alone is no truth value either.
    """
    words = tokens - NUMERIC.keys()
    if not words:
        return False
    if words - _LETTERS - {"on", "off"}:
        return True
    return any(a in words and b in words for a, b in _PAIRS)
