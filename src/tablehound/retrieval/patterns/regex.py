"""Compiling patterns for the one regex engine (Rust ``regex``, through polars), and refusing what it cannot run.

The engine runs in linear time for every pattern it accepts. What it refuses is reported in words that a backbone can
act on: which construct, and what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tablehound.errors import PatternError
from tablehound.retrieval.patterns.by_value import ValueTest
from tablehound.retrieval.patterns.plain_text import literals_of
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import SearchSettings

if TYPE_CHECKING:
    import polars as pl

_META = re.compile(r"[\\.+*?()|\[\]{}^$#&\-~]")
_WORD = re.compile(r"[A-Za-z0-9_]+")
_WITHIN_WORDS = re.compile(
    r"""(?: [A-Za-z0-9_|)]                                                      # word characters, branches
          | \\[bBdw]                                                             # boundaries, digits, words
          | \((?!\?) | \(\?:                                                     # groups without flags
          | \[ (?: [a-z]-[a-z] | [A-Z]-[A-Z] | [0-9]-[0-9] | [A-Za-z0-9_] )+ \]  # classes of word characters
          | [?*+] | \{ \d+ (?: , \d* )? \}                                       # repetitions
        )+""",
    re.VERBOSE,
)
"""Patterns whose every match is of word characters alone."""
_REMEDIES = (
    ("look-around", "match the text itself without (?=…), (?!…), (?<=…) or (?<!…), or split it into two patterns"),
    ("backreferences", "write the repeated text out instead of \\1 or (?P=name)"),
    ("unclosed group", "close the parenthesis, or write \\( for a parenthesis in the text"),
    ("unopened group", "write \\) for a parenthesis in the text"),
    ("unclosed character class", "close the bracket, or write \\[ for a bracket in the text"),
    ("unclosed counted repetition", "write \\{ for a brace in the text"),
    ("repetition quantifier expects a valid decimal", "write {0,3} instead of {,3}, or \\{ for a brace in the text"),
    ("repetition operator missing expression", "put something before *, + or ?, or write \\*, \\+ or \\? for the text"),
    ("unrecognized escape sequence", "leave out the backslash; for the end of the text write \\z or $"),
    ("unrecognized flag", "flags are i, m, s, x and U; atomic groups, conditions and comments are not supported"),
    ("exceeds size limit", "use smaller or fewer counted repetitions"),
)


def escape(text: str) -> str:
    """``text`` as a regex that matches it alone."""
    return _META.sub(r"\\\g<0>", text)


@dataclass(frozen=True, slots=True)
class CompiledPattern:
    """A pattern that the engine accepted."""

    pattern: Pattern
    expression: str | None
    """Regex over the text of a cell or header; None when cells are compared by value alone."""
    scope: str | None
    """Regex over column names; None for every column, and headers."""
    test: ValueTest | None = None
    """Comparison by value: a cell matches by its text or by its value."""
    literals: tuple[bytes, ...] | None = None
    """Lower-cased ASCII texts of which one must occur, where that is all that the expression says."""
    within_words: bool = False
    """Whether the expression occurs in a text exactly when it occurs in one of its words, in any case of letters."""

    @property
    def in_headers(self) -> bool:
        """Whether headers are searched too."""
        return self.test is None and self.scope is None


@lru_cache(maxsize=4096)
def _matches_empty(expression: str, pattern: str) -> bool:
    """Whether the empty text matches.

    Raises:
        PatternError: the engine refuses the expression.
    """
    import polars as pl

    try:
        return bool(pl.Series("", [""], dtype=pl.String).str.contains(expression, strict=True).item())
    except pl.exceptions.ComputeError as error:
        said = str(error).partition("\n\nThis error occurred")[0]
        reason = said.rpartition("error: ")[2].strip().rstrip(".") or said
        remedy = next((remedy for part, remedy in _REMEDIES if part in reason), "write it in Rust regex syntax")
        raise PatternError(f"pattern {pattern!r} cannot be used: {reason}", pattern=pattern, remedy=remedy) from error


def _is_within_words(pattern: Pattern) -> bool:
    if pattern.case_sensitive:
        return False
    if pattern.kind == "literal":
        return _WORD.fullmatch(pattern.text) is not None
    # What matches the empty text occurs in texts without words too.
    return (
        pattern.kind == "regex"
        and _WITHIN_WORDS.fullmatch(pattern.text) is not None
        and not _matches_empty("(?i)" + pattern.text, pattern.text)
    )


def compile_pattern(pattern: Pattern, settings: SearchSettings | None = None) -> CompiledPattern:
    """Compile one pattern.

    Raises:
        PatternError: look-around, back-references, syntax, or over a limit.
    """
    settings = settings or SearchSettings()
    for text in (pattern.text, *pattern.columns):
        if len(text) > settings.max_pattern_chars:
            raise PatternError(
                f"pattern of {len(text)} characters is longer than {settings.max_pattern_chars}",
                pattern=text,
                remedy="use a shorter pattern, or raise search.max_pattern_chars",
            )
    flags = "" if pattern.case_sensitive else "(?i)"
    expression: str | None
    test: ValueTest | None = None
    if pattern.kind == "regex":
        expression = flags + pattern.text
        _matches_empty(expression, pattern.text)
    elif pattern.kind == "literal":
        expression = flags + escape(pattern.text)
    else:
        expression, test = None, ValueTest.of(pattern)
        if pattern.kind == "value":
            expression = rf"{flags}\A\s*{escape(pattern.text.strip())}\s*\z"
    scope = "(?i)" + "|".join(escape(name) for name in pattern.columns) if pattern.columns else None
    return CompiledPattern(
        pattern, expression, scope, test, literals_of(pattern), expression is not None and _is_within_words(pattern)
    )


def compile_patterns(patterns: Sequence[Pattern], settings: SearchSettings | None = None) -> list[CompiledPattern]:
    """Compile the patterns of one question.

    Raises:
        PatternError: one of them is refused, or there are too many.
    """
    settings = settings or SearchSettings()
    if len(patterns) > settings.max_patterns:
        raise PatternError(
            f"{len(patterns)} patterns are more than {settings.max_patterns}",
            pattern=patterns[settings.max_patterns].text,
            remedy="use fewer patterns, or raise search.max_patterns",
        )
    return [compile_pattern(pattern, settings) for pattern in patterns]


def contains(texts: pl.Series, expression: str) -> pl.Series:
    """Per text, whether the regex occurs in it (null where the text is null)."""
    return texts.str.contains(expression, strict=True)
