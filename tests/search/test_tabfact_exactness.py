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
from tests.search.exact_patterns import exact_patterns, judged_by_re2


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
    patterns = [Pattern(text) for text in exact_patterns(words)]
    assert len(patterns) == 300
    distinct: dict[str, list[tuple[str, int, int]]] = {}
    for name, rows in tables.items():
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                distinct.setdefault(cell, []).append((name, row - 1, column))
    for pattern in patterns:
        judge = re2.compile(judged_by_re2(pattern.text))
        expected = sorted(place for cell, places in distinct.items() if judge.search(cell) for place in places)
        found = engine.cells([pattern])
        places = sorted((m.table_id, -1 if m.row is None else m.row, m.column) for m in found)
        assert places == expected, pattern
        assert engine.tables([pattern]) == [frozenset(name for name, _, _ in expected)], pattern
