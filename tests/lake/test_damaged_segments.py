"""Index segments are derived data: a lost one is made anew, a damaged one is named with what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tablehound.errors import LakeError
from tablehound.lake import Lake, index_sources
from tablehound.retrieval import find, open_engine, segment_builders
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import Settings


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "towns.csv").write_text("town,people\nOslo,709\nBergen,291\nTromso,77\n", encoding="utf-8")
    return folder


def build(sources: Path, lake: Path) -> None:
    index_sources([str(sources)], lake, Settings(workers=-1), builders=segment_builders())


def test_lost_segments_are_answered_without_and_made_anew(sources: Path, tmp_path: Path) -> None:
    build(sources, tmp_path / "lake")
    shutil.rmtree(tmp_path / "lake" / "segments")
    with Lake.open(tmp_path / "lake") as lake:
        assert lake.segments("values") == []
        assert [len(ids) for ids in open_engine(lake).tables([Pattern("oslo")])] == [1]
        assert len(find(lake, "people of Oslo")) == 1
    build(sources, tmp_path / "lake")
    with Lake.open(tmp_path / "lake") as lake:
        assert [len(lake.segments(kind)) for kind in ("values", "terms")] == [1, 1]
        assert type(open_engine(lake)).__name__ == "IndexEngine"


def test_a_damaged_segment_is_named_with_its_remedy(sources: Path, tmp_path: Path) -> None:
    build(sources, tmp_path / "lake")
    with Lake.open(tmp_path / "lake") as lake:
        (segment,) = lake.segments("terms")
        for path in segment.path.glob("*.npy"):
            path.write_bytes(b"nonsense")
        with pytest.raises(LakeError, match=r"npy is damaged.*tablehound check .*lake --repair"):
            find(lake, "people of Oslo")
