"""What is derived from a table's cells is derived once for a lake, and is the same under any alias and condition."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablehound.backbone.rules.plan import Condition, Rows, holds, matching, select
from tablehound.lake import Lake, index_sources
from tablehound.lake.table import Column, Reading
from tablehound.linking import table_profile as profiles
from tablehound.linking.table_profile import ColumnProfile, Profiles, TableProfile
from tablehound.program import View
from tablehound.settings import Settings


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    folder = tmp_path / "tables"
    folder.mkdir()
    for name, rows in {"a": "city,people\nOslo,3\nBergen,1\n", "b": "river,km\nGlomma,600\nTorne,522\n"}.items():
        (folder / f"{name}.csv").write_text(rows, encoding="utf-8")
    index_sources([str(folder)], tmp_path / "lake", Settings(workers=1))
    return Lake.open(tmp_path / "lake")


def test_two_aliases_and_two_users_share_what_is_derived(lake: Lake) -> None:
    (first, *_) = lake.table_ids()
    one = Profiles(lake).get("T1", View((first,)))
    other = Profiles(lake, blind=True).get("T2", View((first,)))
    assert one.postings is other.postings
    assert one.columns[0].distinct is other.columns[0].distinct
    assert (one.columns[0].alias, other.columns[0].alias) == ("T1", "T2")
    assert (one.aliases, other.aliases) == (["T1"], ["T2"])
    assert one.about
    assert not other.about


def test_only_so_many_cells_are_kept(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "KEPT_CELLS", 4)
    first, second = (View((table_id,)) for table_id in lake.table_ids())
    before = Profiles(lake).get("T1", first).postings
    assert Profiles(lake).get("T1", first).postings is before
    Profiles(lake).get("T1", second)
    assert Profiles(lake).get("T1", first).postings is not before
    lake.close()


TEXTS = st.lists(st.sampled_from(["a", "b", "C", "", None, "1", "2", "30"]), min_size=1, max_size=8)


@given(
    TEXTS,
    st.sampled_from(["in", "not in", "filled", ">", "<=", "between"]),
    st.lists(st.sampled_from(["a", "c", "1", ""]), max_size=2),
    st.sets(st.integers(0, 7), max_size=2),
)
def test_rows_of_a_condition_are_those_for_which_it_holds(
    texts: list[str | None], op: str, values: list[str], rollups: set[int]
) -> None:
    kind = "number" if all(text is None or text.isdigit() for text in texts) else "text"
    column = ColumnProfile(0, Column("x", "x", (), Reading(kind)), texts)  # type: ignore[arg-type]
    table = TableProfile(None, [column], len(texts), {}, rollups=frozenset(rollups))  # type: ignore[arg-type]
    condition = Condition(0, op, tuple(values), low=1.0, high=2.0)  # type: ignore[arg-type]
    expected = [row for row in range(len(texts)) if holds(condition, table, row)]
    assert sorted(matching(condition, table)) == expected
    assert select(Rows((condition,)), table) == [row for row in expected if row not in rollups]
    both = Rows((condition, Condition(0, "filled")), any_of=True)
    assert select(both, table) == [r for r in table.rows if r in expected or texts[r]]
