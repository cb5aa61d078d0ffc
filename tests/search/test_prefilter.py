"""What the trigram prefilter asks for: never more than a match has, and enough to be of use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from tablehound.retrieval import Pattern, ScanEngine
from tablehound.retrieval.patterns.folding import table
from tablehound.retrieval.patterns.trigrams import required
from tablehound.retrieval.value_index import KIND, IndexEngine
from tablehound.retrieval.value_index.segment import ValueSegment


@pytest.mark.parametrize(
    "expression",
    [
        "chicago",
        r"\bus\b",
        r"19\d\d",
        r"\d{5}",
        "^a$",
        "^$",
        "ab$",
        "colou?r",
        "(foo|ba[rz])qux",
        "é",
        "[éè]t",
        "東",
        r"a\.b",
    ],
)
def test_patterns_that_can_be_narrowed(expression: str) -> None:
    assert required(f"(?i){expression}") is not None


@pytest.mark.parametrize("expression", [r"\w+", "x", "a.*b", "(a+)+$", "a|", "$^", "(?x) abc", r"(?-u:\b)abc", "[^a]"])
def test_patterns_that_cannot_be_narrowed_are_judged_everywhere(expression: str) -> None:
    assert required(f"(?i){expression}") is None


def test_deep_nesting_is_no_failure() -> None:
    assert required("(" * 300 + "abc" + ")" * 300) is None


@pytest.fixture
def segment(make_lake: Callable[[], Any]) -> ValueSegment:
    lake = make_lake()
    words = [f"{a}{b}{c}" for a in "abcdefgh" for b in "ijklmnop" for c in "qrstuvwx"]
    lake.add("t", ["name"], [[word] for word in [*words, "Ünder", "KELVIN K", "ſlow", "", "two\nlines"]])
    lake.index()
    return ValueSegment.open(lake.segments(KIND)[0].path)


@pytest.mark.parametrize(
    ("expression", "most"),
    [
        ("aiq", 1),
        ("^a[ij]q", 2),
        ("qr", 0),
        ("aiq|bir", 2),
        ("ünder", 1),
        ("slow", 1),
        ("^$", 1),
        ("(?m)^lines$", 1),
        (r"\bk\b", 1),
    ],
)
def test_few_values_survive(segment: ValueSegment, expression: str, most: int) -> None:
    survivors = segment.prefilter.survivors(f"(?i){expression}", segment.n_values)
    matches = pl.Series("", segment.values.whole()).str.contains(f"(?i){expression}").arg_true().to_list()
    assert survivors is not None
    assert set(matches) <= set(survivors.tolist())
    assert len(survivors) <= most


def test_characters_beyond_the_folded_planes_have_no_case() -> None:
    rest = "".join(map(chr, range(0x20000, 0x110000)))
    assert rest.casefold() == rest == rest.upper()


@pytest.mark.slow
def test_folding_is_no_finer_than_the_engine() -> None:
    folds = table()
    letters = pl.Series([chr(c) for c in range(0x20000) if not 0xD800 <= c < 0xE000])
    cased = letters.filter(letters.str.contains(r"^[\p{L}\p{M}\p{N}\p{S}]$"))
    changed = cased.filter(cased.str.contains(r"^[\p{Lu}\p{Ll}\p{Lt}\p{Mn}\p{Nl}\p{So}]$"))
    for char in changed:
        same = changed.filter(changed.str.contains(f"(?i)^{char}$"))
        assert len({int(folds[ord(other)]) for other in same}) == 1, hex(ord(char))


def test_newlines_in_cells_and_rare_folds_are_found(make_lake: Callable[[], Any]) -> None:
    lake = make_lake()
    lake.add("t", ["a"], [["first\nsecond"], ["Kelvin"], ["ſchön"], ["İstanbul"], ["ısı"], ["ΌΣΟΣ"]])
    lake.index()
    engine = IndexEngine(lake)

    def rows(text: str) -> list[int | None]:
        from tablehound.retrieval import Pattern

        return [match.row for match in engine.cells([Pattern(text)])]

    assert rows("(?m)^second$") == [0]
    assert rows("first.second") == []
    assert rows("(?s)first.second") == [0]
    assert rows("kelvin") == [1]
    assert rows("SCHÖN") == [2]
    assert rows("istanbul") == []
    assert rows("ısı") == [4]
    assert rows("όσος") == [5]


@pytest.mark.parametrize("expression", [r"k\b", r"\bk", r"[0-9]\b", r"1?k\b", r"(?:ab|k)\b", r"\b4\b"])
def test_one_character_beside_a_word_boundary_is_found_at_the_edges_of_a_cell(
    make_lake: Callable[[], Any], expression: str
) -> None:
    lake = make_lake()
    lake.add("t", ["place"], [["New York"], ["york"], ["k"], ["k2"], ["4"], ["no 4"], ["ab"], ["none"]])
    lake.index()
    pattern = Pattern(expression)
    assert IndexEngine(lake).cells([pattern]) == ScanEngine(lake).cells([pattern]) != []


@pytest.mark.parametrize("text", ["ork", "or", "k", "4", "new|k", "york|4", "K", "ſ", "s"])
def test_short_literals_need_no_judge(make_lake: Callable[[], Any], text: str) -> None:
    lake = make_lake()
    lake.add("t", ["York"], [["New York"], ["\u212a elvin"], ["\u017fteam"], ["4"], ["a b"], ["SNEW"], [None]])
    lake.index()
    pattern = Pattern(text)
    index, scan = IndexEngine(lake), ScanEngine(lake)
    assert index.cells([pattern]) == scan.cells([pattern]) != []
    assert index.tables([pattern]) == scan.tables([pattern])
