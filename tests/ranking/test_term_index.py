"""The term index: places of terms, segments, merging."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablehound.lake import Lake, Segment, index_sources
from tablehound.retrieval import TermIndexBuilder, find
from tablehound.retrieval.terms import index as index_module
from tablehound.retrieval.terms import index as term_index
from tablehound.retrieval.terms.index import MAX_PLACES, TermIndex, TermIndexWriter
from tablehound.retrieval.terms.segments import open_terms, plan_segments
from tablehound.retrieval.terms.tokenizer import number_term, terms
from tablehound.settings import Settings

CELLS = st.one_of(st.none(), st.sampled_from(["", "red fox", "fox", "The RED fox 1,014", "été 7", "a b a"]))


@settings(deadline=None)
@given(
    st.lists(
        st.integers(1, 3).flatmap(
            lambda width: st.tuples(
                st.lists(st.sampled_from(["Name", "red", "no 7"]), min_size=width, max_size=width),
                st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=5),
            )
        ),
        max_size=4,
    )
)
def test_places_are_where_the_terms_are(tables: list[tuple[list[str], list[list[str | None]]]]) -> None:
    writer = TermIndexWriter()
    expected: dict[str, set[tuple[int, int, int, int, int]]] = {}
    for number, (header, rows) in enumerate(tables):
        writer.add(header, [[row[i] for row in rows] for i in range(len(header))])
        every: list[list[str | None]] = [list(header), *rows]
        for r, row in enumerate(every):
            for c, cell in enumerate(row):
                own = terms(cell or "")
                for offset, term in enumerate(own):
                    expected.setdefault(term, set()).add((number, r, c, offset, len(own)))
    index = TermIndex(tuple(f"t{i}" for i in range(len(tables))), writer.arrays())
    assert {index.term(i) for i in range(index.n_terms)} == set(expected)
    for term, places in expected.items():
        found = index.places([index.number(term)], np.arange(len(tables)))
        held = zip(found.table, found.row, found.column, found.offset, found.length, strict=True)
        assert {tuple(int(n) for n in row) for row in held} == places
    assert index.number("absent") == -1


@pytest.mark.parametrize("cells_at_once", [1, 50, 10_000])
def test_batches_give_the_same_as_one_piece(cells_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[f"fox {i % 7}", "red" if i % 3 else None] for i in range(100)]
    whole, parts = TermIndexWriter(), TermIndexWriter()
    whole.add(["Name", "Fox"], [[row[i] for row in rows] for i in range(2)])
    one = whole.arrays()
    monkeypatch.setattr(term_index, "CELLS_AT_ONCE", cells_at_once)
    parts.add_batches(
        ["Name", "Fox"], ([[row[i] for row in rows[s : s + 9]] for i in range(2)] for s in range(0, 100, 9))
    )
    other = parts.arrays()
    assert {name: array.tolist() for name, array in one.items()} == {name: a.tolist() for name, a in other.items()}


def test_a_term_keeps_a_bounded_number_of_places() -> None:
    writer = TermIndexWriter()
    writer.add(["n"], [["same"] * 1_000])
    index = TermIndex(("t",), writer.arrays())
    run = index.pairs(index.number("same"))
    assert index.arrays["pair_count"][run].tolist() == [1_000]
    assert len(index.places([index.number("same")], np.array([0])).row) == MAX_PLACES


@pytest.mark.parametrize(
    ("text", "number"),
    [("1,014", "1014"), ("007", "7"), ("2.50", "2.5"), ("0", "0"), ("000", "0"), ("1.2.3", "1.2.3"), ("3,5", "3.5")],
)
def test_numbers_are_terms_by_value(text: str, number: str) -> None:
    assert number_term(text) == number
    assert terms(text) == [number]


def test_accents_case_and_short_months_do_not_matter() -> None:
    assert terms("NICOLÁS Sept. 3") == terms("nicolas september 3")


def test_a_saved_segment_reads_the_same(tmp_path: Path) -> None:
    writer = TermIndexWriter()
    writer.add(["Name"], [["fox", None, "red fox"]], "animals.csv")
    index = TermIndex(("t",), writer.arrays())
    index.save(tmp_path)
    again = TermIndex.load(tmp_path, ("t",))
    assert {name: np.asarray(array).tolist() for name, array in again.arrays.items()} == {
        name: np.asarray(array).tolist() for name, array in index.arrays.items()
    }
    assert again.labelled(again.number(terms("animals")[0])).tolist() == [0]


def _segment(name: str, *ids: str) -> Segment:
    return Segment("terms", name, Path(name), ids)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 60), unique=True, max_size=20), max_size=5),
    st.sets(st.integers(0, 60)),
    st.integers(1, 9),
)
def test_a_plan_covers_every_live_table_once(parts: list[list[int]], alive: set[int], most: int) -> None:
    seen: set[int] = set()
    segments = []
    for i, part in enumerate(parts):
        own = [n for n in part if n not in seen]
        seen.update(own)
        if own:
            segments.append(_segment(f"s{i}", *sorted(f"{n:02}" for n in own)))
    live = sorted(f"{n:02}" for n in alive)
    plan = plan_segments(segments, live, max_tables=most)
    kept = [s for s in segments if s.name not in plan.drop]
    covered = [i for s in kept for i in s.table_ids if i in set(live)] + [i for part in plan.build for i in part]
    assert sorted(covered) == live
    assert all(len(part) <= most and list(part) == sorted(part) for part in plan.build)


def test_adding_a_few_tables_builds_a_small_segment() -> None:
    plan = plan_segments([_segment("big", *(f"a{i:03}" for i in range(100)))], [f"a{i:03}" for i in range(100)] + ["b"])
    assert plan.drop == () and plan.build == (("b",),)


def test_tables_added_and_deleted_later_are_found_and_gone(tmp_path: Path) -> None:
    source, lake_path = tmp_path / "in", tmp_path / "lake"
    source.mkdir()
    (source / "one.csv").write_text("Animal,Legs\nfox,4\nspider,8\n", encoding="utf-8")
    index_sources([str(source)], lake_path, Settings(), builders=[TermIndexBuilder()])
    (source / "two.csv").write_text("Bird,Wings\npenguin,2\nostrich,2\n", encoding="utf-8")
    index_sources([str(source)], lake_path, Settings(), builders=[TermIndexBuilder()])
    with Lake.open(lake_path) as lake:
        assert len(find(lake, "penguin wings")) == 1
        assert len(find(lake, "spider legs")) == 1
    (source / "one.csv").unlink()
    index_sources([str(source)], lake_path, Settings(), builders=[TermIndexBuilder()])
    with Lake.open(lake_path) as lake:
        live = sum(int(mask.sum()) for mask in open_terms(lake).live)
        assert live == len(lake.table_ids())
        assert find(lake, "penguin wings")


def test_a_segment_of_another_format_is_not_read_and_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, lake_path = tmp_path / "in", tmp_path / "lake"
    source.mkdir()
    (source / "one.csv").write_text("Animal,Legs\nfox,4\nspider,8\n", encoding="utf-8")
    with monkeypatch.context() as older:
        older.setattr(index_module, "VERSION", 1)
        index_sources([str(source)], lake_path, Settings(), builders=[TermIndexBuilder()])
    with Lake.open(lake_path) as lake:
        (segment,) = lake.segments("terms")
        (segment.path / "place_cell.npy").write_bytes(b"of another format")
        assert [candidate.table_id for candidate in find(lake, "legs of a fox")] == lake.table_ids()
    index_sources([str(source)], lake_path, Settings(), builders=[TermIndexBuilder()])
    with Lake.open(lake_path) as lake:
        (anew,) = lake.segments("terms")
        assert anew.name != segment.name and TermIndex.is_current(anew.path)
