"""300 patterns over public tables: the index finds what google-re2 finds in each raw cell and header."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import re2

from tablehound.retrieval import Pattern
from tablehound.retrieval.value_index import IndexEngine

LITERALS = ["united states", "new york|los angeles", "colou?r", "s$", "^a", "^5$", "^$", "^the ", r"\b1st\b", r"\bus\b"]
CLASSES = [r"^\d+$", r"^19\d\d$", r"\d+ - \d+", "[aeiou]{4}", r"^\S+ \S+ \S+$", r"(january|june|july) \d{1,2}", r"\.5$"]
BEYOND_ASCII = ["süper", "SÜPER", "ÉTOILE|étoile", "İstanbul", "[à-ü]", "ß", "σ", "Ж", "K", "ſ", "(?i:K)elvin"]
NO_TRIGRAM = [r"\w+", ".", "a", "5", r"\d", "[^a-z]", "x*", "", r"\s\s", r"[\s\S]{60}", "(?-i:a)b", "(?s)a.b", "(?m)^b"]
HOSTILE = ["(a+)+$", "(a|aa)+$", "(x|y)*z", r"(\w+\s?)+!$", ".*.*.*.*q", r"([a-z]+)*\d", "a.*b.*c.*d", r"^(.+)+,$"]
WRITTEN = [*LITERALS, *CLASSES, *BEYOND_ASCII, *NO_TRIGRAM, *HOSTILE, "(?:(?:a?){20})a{20}", "[0-9]{1,3},[0-9]{3}"]


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_tabfact_tables_and_rows_equal_brute_force(shared_data: Path, make_lake: Callable[[], Any]) -> None:
    lake = make_lake()
    tables: dict[str, list[list[str]]] = {}
    words: list[str] = []
    with zipfile.ZipFile(shared_data / "tabfact_val" / "tables.zip") as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith(".csv"):
                continue
            rows = [line.split("#") for line in archive.read(name).decode("utf-8").splitlines()]
            width = len(rows[0])
            rows = [rows[0], *((row + [""] * width)[:width] for row in rows[1:])]
            tables[name] = rows
            words.extend(rows[len(rows) // 2])
            lake.add(name, rows[0], rows[1:])
    lake.index()
    engine = IndexEngine(lake)
    sampled = sorted({word for word in words if 2 < len(word) < 30})
    sampled = sampled[:: max(1, len(sampled) // (300 - len(WRITTEN)))][: 300 - len(WRITTEN)]
    patterns = [Pattern(text) for text in WRITTEN] + [Pattern(re2.escape(text).replace("\\ ", " ")) for text in sampled]
    assert len(patterns) == 300
    distinct: dict[str, list[tuple[str, int, int]]] = {}
    for name, rows in tables.items():
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                distinct.setdefault(cell, []).append((name, row - 1, column))
    for pattern in patterns:
        judge = re2.compile("(?i)" + unicode_classes(pattern.text))
        expected = sorted(place for cell, places in distinct.items() if judge.search(cell) for place in places)
        found = engine.cells([pattern])
        places = sorted((m.table_id, -1 if m.row is None else m.row, m.column) for m in found)
        assert places == expected, pattern
        assert engine.tables([pattern]) == [frozenset(name for name, _, _ in expected)], pattern


def unicode_classes(text: str) -> str:
    """The same pattern for google-re2, whose short classes know ASCII only."""
    text = text.replace(r"[\s\S]", "(?s:.)")
    text = text.replace(r"\w", r"[\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}]").replace(r"\d", r"\p{Nd}")
    text = text.replace(r"\S", r"[^\s\x{85}\x{A0}\p{Z}]")
    return text.replace(r"\s", r"[\t\n\v\f\r \x{85}\x{A0}\p{Z}]") if "[^" not in text else text
