"""The value index through the store: built with the tables, swapped in with them, old readers undisturbed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tablehound.lake import Lake, index_sources
from tablehound.retrieval import IndexEngine, Pattern, ScanEngine, ValueIndexBuilder, open_engine
from tablehound.settings import Settings

PATTERNS = [Pattern("chicago"), Pattern(r"19\d\d"), Pattern("12", "value"), Pattern("", "range", low="10", high="2000")]


def index(folder: Path, lake: Path, builder: ValueIndexBuilder | None = None) -> Lake:
    settings = Settings().with_values(workers=1)
    index_sources([str(folder)], lake, settings, builders=[builder or ValueIndexBuilder()])
    return Lake.open(lake)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    (source / "one.csv").write_text("city,since\nChicago,1833\nRome,1995\n", encoding="utf-8")
    (source / "two.csv").write_text("name,size\nchicago bulls,12\nlakers,12.0\n", encoding="utf-8")
    return source


def test_new_tables_are_found_and_an_open_reader_keeps_its_state(folder: Path, tmp_path: Path) -> None:
    with index(folder, tmp_path / "lake") as before:
        old = open_engine(before)
        assert isinstance(old, IndexEngine)
        assert old.cells(PATTERNS) == ScanEngine(before).cells(PATTERNS) != []
        (folder / "three.csv").write_text("place,year\nChicago,1999\nOslo,12\n", encoding="utf-8")
        with index(folder, tmp_path / "lake") as after:
            new = open_engine(after)
            assert new.cells(PATTERNS) == ScanEngine(after).cells(PATTERNS)
            assert len(new.tables(PATTERNS)[0]) == 3
        assert len(old.tables(PATTERNS)[0]) == 2


def test_a_build_that_fails_leaves_the_lake_as_it_was(folder: Path, tmp_path: Path) -> None:
    class Failing(ValueIndexBuilder):
        def build(self, lake: Lake, table_ids: Sequence[str], folder: Path) -> None:
            super().build(lake, table_ids, folder)
            raise KeyboardInterrupt

    index(folder, tmp_path / "lake").close()
    (folder / "three.csv").write_text("place,year\nChicago,1999\nOslo,12\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        index(folder, tmp_path / "lake", Failing())
    with Lake.open(tmp_path / "lake") as lake:
        assert len(open_engine(lake).tables(PATTERNS)[0]) == 2
    with index(folder, tmp_path / "lake") as lake:
        assert isinstance(open_engine(lake), IndexEngine)
        assert len(open_engine(lake).tables(PATTERNS)[0]) == 3
