"""Adding, changing and deleting tables: small segments, merges from files, and the same answers throughout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablehound.errors import TableMissingError
from tablehound.lake import Segment, seal
from tablehound.retrieval import Pattern, ScanEngine, open_engine, overlaps
from tablehound.retrieval.patterns.by_value import SORTS
from tablehound.retrieval.value_index import KIND, IndexEngine, ValueIndexBuilder, segment_files
from tablehound.retrieval.value_index.building import read_values
from tablehound.retrieval.value_index.building.builder import MAX_SEGMENTS
from tablehound.retrieval.value_index.segment_files import write_meta

PATTERNS = [
    Pattern("new york"),
    Pattern(r"\d+"),
    Pattern("name"),
    Pattern("1014", "value"),
    Pattern("a", columns=("city",)),
]


def add(lake: Any, number: int) -> None:
    rows = [["New York", "1,014", f"x{number}"], ["Paris", str(number), "a"], [None, "", f"only {number}"]]
    lake.add(f"t{number:03d}", ["City", "Population", "Name"], rows)


def assert_same(lake: Any) -> None:
    index, scan = IndexEngine(lake), ScanEngine(lake)
    assert index.tables(PATTERNS) == scan.tables(PATTERNS)
    assert index.cells(PATTERNS) == scan.cells(PATTERNS)
    if lake.table_ids():
        first = lake.table_ids()[0]
        assert overlaps(lake, first, 0, engine=index) == overlaps(lake, first, 0, engine=scan)


def test_adding_a_table_reads_that_table_only(make_lake: Callable[[], Any]) -> None:
    lake = make_lake()
    for number in range(20):
        add(lake, number)
    lake.index()
    lake.read.clear()
    add(lake, 20)
    lake.index()
    assert lake.read == ["t020"]
    assert len(lake.segments(KIND)) == 2
    assert_same(lake)


def test_many_additions_merge_without_reading_tables_again(make_lake: Callable[[], Any]) -> None:
    lake = make_lake()
    for number in range(30):
        add(lake, number)
        lake.index()
        assert len(lake.segments(KIND)) <= MAX_SEGMENTS
    assert sorted(lake.read) == lake.table_ids()
    assert_same(lake)


def test_deleted_tables_are_not_found_and_their_segment_is_rebuilt_in_time(make_lake: Callable[[], Any]) -> None:
    lake = make_lake()
    for number in range(10):
        add(lake, number)
    lake.index()
    lake.remove("t003")
    lake.index()
    assert_same(lake)
    with pytest.raises(TableMissingError):
        IndexEngine(lake).rows("t003", PATTERNS, per_pattern=1, limit=5)
    for number in range(4, 9):
        lake.remove(f"t{number:03d}")
    lake.index()
    assert_same(lake)
    held = {table_id for segment in lake.segments(KIND) for table_id in segment.table_ids}
    assert held == set(lake.table_ids())


def test_every_live_table_is_in_exactly_one_segment(tmp_path: Path) -> None:
    builder = ValueIndexBuilder()
    existing: list[Segment] = []
    live: list[str] = []
    for step in range(60):
        live = [*live[step % 3 :], *(f"t{step:03d}-{i}" for i in range(1 + step % 5))]
        plan = builder.plan(existing, live)
        kept = [segment for segment in existing if segment.name not in plan.drop]
        new = []
        for i, ids in enumerate(plan.build):
            folder = tmp_path / f"s{step}-{i}"
            folder.mkdir()
            write_meta(folder, ids, [])
            seal(folder)
            new.append(Segment(KIND, folder.name, folder, ids))
        existing = [*kept, *new]
        held = [i for segment in existing for i in segment.table_ids if i in set(live)]
        assert sorted(held) == sorted(live)
        assert len(existing) <= MAX_SEGMENTS


def test_an_empty_lake_and_tables_without_rows(make_lake: Callable[[], Any]) -> None:
    lake = make_lake()
    lake.index()
    assert open_engine(lake).tables([Pattern("a")]) == [frozenset()]
    lake.add("t", ["a", "b"], [])
    lake.index()
    assert_same(lake)
    assert [(m.row, m.text) for m in open_engine(lake).cells([Pattern("^a$")])] == [(None, "a")]


def test_a_lake_whose_index_lacks_tables_is_scanned(make_lake: Callable[[], Any]) -> None:
    lake = make_lake()
    add(lake, 1)
    lake.index()
    add(lake, 2)
    assert isinstance(open_engine(lake), ScanEngine)


def test_segments_of_another_format_are_scanned_around_and_built_anew(
    make_lake: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = make_lake()
    add(lake, 1)
    with monkeypatch.context() as older:
        older.setattr(segment_files, "VERSION", 0)
        lake.index()
    assert isinstance(open_engine(lake), ScanEngine)
    lake.index()
    assert isinstance(open_engine(lake), IndexEngine)
    assert_same(lake)


def test_helper_processes_read_the_same_values(make_lake: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    alone, helped = make_lake(), make_lake()
    for lake in (alone, helped):
        for number in range(5):
            add(lake, number)
    alone.index()
    monkeypatch.setattr(read_values, "HELPED", 0)
    monkeypatch.setattr(read_values, "BATCH", 2)
    helped.index()
    for sort in SORTS:
        for part in ("keys", "values", "readings"):
            files = [lake.segments(KIND)[0].path / f"{sort}_{part}" for lake in (alone, helped)]
            assert files[0].read_bytes() == files[1].read_bytes()
    assert_same(helped)
