"""Only what changed is read, and the lake is always the one that a build from nothing would give."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tablehound.lake import Lake, Segment, SegmentPlan
from tablehound.lake.ingest import indexing


class NameIndex:
    """A small index of column names, in segments as real builders make them."""

    kind = "names"

    def __init__(self) -> None:
        self.built: list[tuple[str, ...]] = []

    def plan(self, existing: Sequence[Segment], live: Sequence[str]) -> SegmentPlan:
        alive = set(live)
        stale = tuple(segment.name for segment in existing if not alive.issuperset(segment.table_ids))
        covered = {t for segment in existing if segment.name not in stale for t in segment.table_ids}
        missing = tuple(table_id for table_id in live if table_id not in covered)
        return SegmentPlan(drop=stale, build=(missing,) if missing else ())

    def build(self, lake: Lake, table_ids: Sequence[str], folder: Path) -> None:
        self.built.append(tuple(table_ids))
        lines = [f"{table_id} {' '.join(lake.info(table_id).header)}" for table_id in table_ids]
        (folder / "names.txt").write_text("\n".join(lines), encoding="utf-8")


def test_nothing_changed_nothing_read(folder: Path, index: Callable[..., Any]) -> None:
    first = index(folder)
    second = index(folder)
    assert (second.read, second.unchanged, second.removed) == (0, 3, 0)
    assert second.generation == first.generation


def test_added_changed_deleted(
    folder: Path, index: Callable[..., Any], tmp_path: Path, dump: Callable[[Path], Any]
) -> None:
    first = index(folder)
    (folder / "d.csv").write_text("new,table\n1,2\n", encoding="utf-8")
    (folder / "a.csv").write_text("name,n\nx,1\ny,3\n", encoding="utf-8")
    (folder / "b.csv").unlink()
    report = index(folder)
    assert (report.read, report.unchanged, report.removed) == (2, 1, 1)
    assert report.generation != first.generation
    index(folder, lake=tmp_path / "fresh")
    assert dump(tmp_path / "lake") == dump(tmp_path / "fresh")


def test_touched_but_equal_is_hashed_and_kept(folder: Path, index: Callable[..., Any]) -> None:
    first = index(folder)
    os.utime(folder / "a.csv", (1, 1))
    report = index(folder)
    assert report.read == 1
    assert report.generation == first.generation
    assert index(folder).read == 0


def test_a_deleted_source_that_was_named_goes(folder: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    index(folder / "a.csv", folder / "b.csv")
    (folder / "a.csv").unlink()
    report = index(folder / "a.csv", folder / "b.csv")
    assert [(p.source, p.kind) for p in report.problems] == [(str(folder / "a.csv"), "SourceMissingError")]
    with Lake.open(tmp_path / "lake") as lake:
        assert [info.provenance.source for info in lake.infos()] == ["b.csv"]


def test_other_sources_stay(folder: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    index(folder / "a.csv")
    index(folder / "deep")
    with Lake.open(tmp_path / "lake") as lake:
        assert sorted(info.provenance.source for info in lake.infos()) == ["a.csv", "c.csv"]


def test_a_source_on_a_detached_disk_stays(folder: Path, index: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    shutil.move(folder, tmp_path / "disk" / "data")
    index(tmp_path / "disk" / "data")
    (tmp_path / "disk").rename(tmp_path / "detached")
    report = index(tmp_path / "disk" / "data")
    assert not report.ok
    assert report.n_tables == 3


def test_ids_do_not_depend_on_place_or_order(
    folder: Path, index: Callable[..., Any], tmp_path: Path, dump: Callable[[Path], Any]
) -> None:
    index(folder)
    elsewhere = tmp_path / "else" / "where"
    elsewhere.mkdir(parents=True)
    for path in sorted(folder.rglob("*.csv"), reverse=True):
        target = elsewhere / path.relative_to(folder)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(path, target)
        index(elsewhere, lake=tmp_path / "other")
    assert dump(tmp_path / "lake")["tables"] == dump(tmp_path / "other")["tables"]


def test_the_same_file_in_two_places_is_one_table_until_both_are_gone(
    folder: Path, index: Callable[..., Any], tmp_path: Path
) -> None:
    twin = tmp_path / "twin"
    twin.mkdir()
    shutil.copy(folder / "a.csv", twin / "a.csv")
    index(folder, twin)
    with Lake.open(tmp_path / "lake") as lake:
        ids = lake.table_ids()
    assert len(ids) == 3
    (folder / "a.csv").unlink()
    assert index(folder, twin).n_tables == 3
    (twin / "a.csv").unlink()
    assert index(folder, twin).n_tables == 2


def test_settings_that_decide_what_is_read_make_it_read_again(folder: Path, index: Callable[..., Any]) -> None:
    index(folder)
    assert index(folder, read__batch_rows=10).read == 0
    assert index(folder, read__max_cell_chars=5).read == 3


def test_another_reading_version_makes_everything_read_again(
    folder: Path, index: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    index(folder)
    assert index(folder).read == 0
    monkeypatch.setattr(indexing, "READING_VERSION", indexing.READING_VERSION + 1)
    assert index(folder).read == 3
    assert index(folder).read == 0
    monkeypatch.undo()


def test_segments_follow_the_tables(
    folder: Path, index: Callable[..., Any], tmp_path: Path, dump: Callable[[Path], Any]
) -> None:
    builder = NameIndex()
    index(folder, builders=[builder])
    assert len(builder.built) == 1
    index(folder, builders=[builder])
    assert len(builder.built) == 1
    (folder / "d.csv").write_text("new,table\n1,2\n", encoding="utf-8")
    index(folder, builders=[builder])
    assert [len(ids) for ids in builder.built] == [3, 1]
    with Lake.open(tmp_path / "lake") as old:
        segments = old.segments("names")
        (folder / "a.csv").unlink()
        index(folder, builders=[builder])
        # Dropped, but this reader has its generation open.
        assert all((segment.path / "names.txt").is_file() for segment in segments)
    index(folder, builders=[builder])
    with Lake.open(tmp_path / "lake") as lake:
        covered = sorted(table_id for segment in lake.segments("names") for table_id in segment.table_ids)
        assert covered == lake.table_ids()
        present = {path.name for path in (tmp_path / "lake" / "segments").iterdir()}
        assert present == {segment.name for segment in lake.segments("names")}


def test_a_builder_that_comes_later_gets_all_tables(folder: Path, index: Callable[..., Any]) -> None:
    first = index(folder)
    builder = NameIndex()
    report = index(folder, builders=[builder])
    assert report.read == 0
    assert len(builder.built[0]) == 3
    assert report.generation != first.generation


def test_a_builder_that_fails_leaves_the_lake_as_it_was(
    folder: Path, index: Callable[..., Any], tmp_path: Path, dump: Callable[[Path], Any]
) -> None:
    index(folder)
    before = dump(tmp_path / "lake")

    class Failing(NameIndex):
        def build(self, lake: Lake, table_ids: Sequence[str], folder: Path) -> None:
            raise RuntimeError("no")

    (folder / "a.csv").unlink()
    (folder / "d.csv").write_text("new,table\n1,2\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="no"):
        index(folder, builders=[Failing()])
    assert dump(tmp_path / "lake") == before
    report = index(folder)
    # What the failed run had read is taken up.
    assert (report.read, report.removed) == (0, 1)
    index(folder, lake=tmp_path / "fresh")
    assert dump(tmp_path / "lake") == dump(tmp_path / "fresh")


def test_what_was_staged_and_changed_again_is_not_taken(
    folder: Path, index: Callable[..., Any], tmp_path: Path, dump: Callable[[Path], Any]
) -> None:
    class Failing(NameIndex):
        def build(self, lake: Lake, table_ids: Sequence[str], folder: Path) -> None:
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        index(folder, builders=[Failing()])
    (folder / "a.csv").write_text("name,n\nlater,1\n", encoding="utf-8")
    (folder / "b.csv").unlink()
    index(folder)
    index(folder, lake=tmp_path / "fresh")
    assert dump(tmp_path / "lake") == dump(tmp_path / "fresh")
