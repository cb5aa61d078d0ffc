"""The index, the scan, and each pattern over each raw cell find the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablehound.errors import PatternError
from tablehound.retrieval import Pattern, ScanEngine, compile_pattern
from tablehound.retrieval.value_index import IndexEngine

ALPHABET = "abkKsSiıİſKéÉßẞΣσς12 5.,-\n\t()É東"
TEXTS = st.one_of(
    st.text(ALPHABET, max_size=8),
    st.sampled_from(
        ["", " ", "New York", "new york", "NEW  YORK", "1,014", "1014", "1014.0", "2014-06-10", "10 June 2014"]
    ),
)
CELLS = st.one_of(st.none(), TEXTS)
TABLES = st.lists(
    st.tuples(st.lists(TEXTS.filter(bool), min_size=1, max_size=3, unique_by=str.lower), st.integers(0, 5)).flatmap(
        lambda shape: st.tuples(
            st.just(shape[0]),
            st.lists(
                st.lists(CELLS, min_size=len(shape[0]), max_size=len(shape[0])), min_size=shape[1], max_size=shape[1]
            ),
        )
    ),
    max_size=5,
)
ATOMS = st.one_of(
    st.text(ALPHABET, min_size=1, max_size=3).map(lambda text: "".join(f"\\x{{{ord(c):x}}}" for c in text)),
    st.sampled_from(["a", "k", "s", "i", "é", "1", "5", "ab", "new", "york", "東", "É"]),
    st.sampled_from([r"\d", r"\w", r"\s", ".", r"\b", r"\B", "^", "$", r"\A", r"\z", r"\n"]),
    st.sampled_from(["[ab]", "[^a]", "[k-s]", "[é-ſ]", r"[\d.]", "[[:alpha:]]", r"\p{Lu}", "[a&&b]", "[^-]", "[]a]"]),
    st.sampled_from(["", "(?m)", "(?s)", "(?i:K)", "(?-i:S)", "(?s:.)", "(?m:^a)", "(?m:k$)", "(?x: a b )"]),
)
REGEXES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.tuples(inner, inner).map("|".join),
        inner.map(lambda text: f"({text})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0}", "{2,}", "+?"])).map(
            lambda p: f"(?:{p[0]}){p[1]}"
        ),
    ),
    max_leaves=6,
)
WITHIN_WORDS = st.lists(
    st.one_of(
        st.text("abkKsSiI125_", min_size=1, max_size=3),
        st.sampled_from(
            [r"\b", r"\B", r"\d", r"\w", "[k-s]", "[0-9a]", "(?:ab|k)", "(s)", "|", "1?", "s+", r"\w{2,}", "k*"]
        ),
    ),
    min_size=1,
    max_size=4,
).map("".join)
"""Patterns of word characters alone, which are looked up among words."""
PATTERNS = st.one_of(
    st.builds(Pattern, WITHIN_WORDS),
    st.builds(Pattern, REGEXES, case_sensitive=st.booleans()),
    st.builds(Pattern, REGEXES, columns=st.lists(st.text("ab1né", max_size=2), min_size=1, max_size=2).map(tuple)),
    st.builds(Pattern, TEXTS, st.just("literal"), case_sensitive=st.booleans()),
    st.builds(Pattern, TEXTS, st.just("value")),
    st.builds(
        Pattern,
        st.just(""),
        st.just("range"),
        low=st.sampled_from([None, "1", "5", "1014"]),
        high=st.sampled_from([None, "12", "1014", "1,014.5"]),
        low_open=st.booleans(),
        high_open=st.booleans(),
    ),
)


def accepted(pattern: Pattern) -> bool:
    try:
        compile_pattern(pattern)
    except PatternError:
        return False
    return True


def lake_of(make: Callable[[], Any], tables: list[Any], inferred: tuple[int, ...] = ()) -> Any:
    lake = make()
    for number, (header, rows) in enumerate(tables):
        lake.add(f"t{number}", header, rows, inferred)
    return lake


def brute_force(lake: Any, pattern: Pattern) -> set[tuple[str, int | None, int]]:
    """A regex or literal over each cell by itself."""
    found: set[tuple[str, int | None, int]] = set()
    expression = compile_pattern(pattern).expression
    assert expression is not None

    def occurs(text: str | None) -> bool:
        return text is not None and bool(pl.Series("", [text]).str.contains(expression)[0])

    for info in lake.infos():
        table = lake.table(info.id)
        for index, column in enumerate(info.columns):
            if pattern.columns and not any(n.casefold() in column.name.casefold() for n in pattern.columns):
                continue
            if not pattern.columns and not column.inferred and occurs(column.name):
                found.add((info.id, None, index))
            found |= {(info.id, row, index) for row, text in enumerate(table.column(index)) if occurs(text)}
    return found


CASES = {"tables": TABLES, "patterns": st.lists(PATTERNS, min_size=1, max_size=6), "split": st.integers(0, 5)}


def assert_agreement(make: Callable[[], Any], tables: list[Any], patterns: list[Pattern], split: int) -> None:
    patterns = [pattern for pattern in patterns if accepted(pattern)]
    lake = lake_of(make, tables[:split])
    lake.index()
    for number, (header, rows) in enumerate(tables[split:], split):
        lake.add(f"t{number}", header, rows, inferred=(0,))
    lake.index()
    index, scan = IndexEngine(lake), ScanEngine(lake)
    assert index.tables(patterns) == scan.tables(patterns)
    matches = index.cells(patterns)
    assert matches == scan.cells(patterns)
    for number, pattern in enumerate(patterns):
        if pattern.kind in ("regex", "literal"):
            found = {(m.table_id, m.row, m.column) for m in matches if m.pattern == number}
            assert found == brute_force(lake, pattern), pattern
    for table_id in lake.table_ids():
        chosen = index.rows(table_id, patterns, per_pattern=2, limit=3)
        assert chosen == scan.rows(table_id, patterns, per_pattern=2, limit=3)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(**CASES)
def test_index_scan_and_brute_force_agree(
    make_lake: Callable[[], Any], tables: list[Any], patterns: list[Pattern], split: int
) -> None:
    assert_agreement(make_lake, tables, patterns, split)


@pytest.mark.slow
@pytest.mark.timeout(1_200)
@settings(max_examples=1_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(**CASES)
def test_index_scan_and_brute_force_agree_on_many_cases(
    make_lake: Callable[[], Any], tables: list[Any], patterns: list[Pattern], split: int
) -> None:
    assert_agreement(make_lake, tables, patterns, split)
