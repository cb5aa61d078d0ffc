"""What patterns are accepted, and what a refusal says."""

from __future__ import annotations

import polars as pl
import pytest

from tablehound.errors import PatternError
from tablehound.retrieval import Pattern, compile_pattern, compile_patterns
from tablehound.retrieval.patterns.regex import contains, escape
from tablehound.settings import SearchSettings


@pytest.mark.parametrize(
    ("text", "reason", "advice"),
    [
        (r"foo(?=bar)", "look-around", "match the text itself"),
        (r"(?<!a)b", "look-around", "two patterns"),
        (r"(a)\1", "backreferences", "write the repeated text out"),
        (r"(?P=name)", "unrecognized flag", "flags are"),
        (r"(1997", "unclosed group", r"\("),
        (r"1997)", "unopened group", r"\)"),
        (r"[ab", "unclosed character class", r"\["),
        (r"*a", "repetition operator missing", r"\*"),
        (r"end\Z", "unrecognized escape", r"\z"),
        (r"a{,3}", "decimal", "{0,3}"),
        (r"(\w{100}){100}", "size limit", "counted repetitions"),
    ],
)
def test_a_refusal_names_the_construct_and_what_to_write_instead(text: str, reason: str, advice: str) -> None:
    with pytest.raises(PatternError) as refused:
        compile_pattern(Pattern(text))
    assert reason in str(refused.value)
    assert advice in str(refused.value)
    assert refused.value.pattern == text


def test_patterns_over_a_limit_are_refused() -> None:
    with pytest.raises(PatternError, match="longer than 5"):
        compile_pattern(Pattern("abcdef"), SearchSettings(max_pattern_chars=5))
    with pytest.raises(PatternError, match="more than 1"):
        compile_patterns([Pattern("a"), Pattern("b")], SearchSettings(max_patterns=1))


@pytest.mark.parametrize("low_high", [("abc", None), ("5", "2014-06-10"), (None, None)])
def test_a_range_needs_ends_that_are_numbers_or_dates_alike(low_high: tuple[str | None, str | None]) -> None:
    with pytest.raises(PatternError):
        compile_pattern(Pattern("", "range", low=low_high[0], high=low_high[1]))


@pytest.mark.parametrize("text", ["a.b*(c)[d]{e}^$|\\?+", "x-y&&z~~#", "new\nline \t end", "İstanbul ſ K"])
def test_an_escaped_text_matches_itself(text: str) -> None:
    assert contains(pl.Series([f"<{text}>", "other"]), escape(text)).to_list() == [True, False]


def test_patterns_are_case_folded_unless_asked_otherwise() -> None:
    texts = pl.Series(["STRASSE", "Straße", "straSSe", "ΣΊΣΥΦΟΣ"])
    folded = compile_pattern(Pattern("straße"))
    exact = compile_pattern(Pattern("Stra", case_sensitive=True))
    greek = compile_pattern(Pattern("σίσυφος", "literal"))
    assert folded.expression and exact.expression and greek.expression
    assert contains(texts, folded.expression).to_list() == [False, True, False, False]
    assert contains(texts, exact.expression).to_list() == [False, True, False, False]
    assert contains(texts, greek.expression).to_list() == [False, False, False, True]
