"""What the tests of the lake share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tablehound.lake import IndexReport, Lake, index_sources
from tablehound.settings import Settings

Dump = dict[str, Any]


@pytest.fixture
def dump() -> Callable[[Path], Dump]:
    """All that readers can see of a lake, as plain data."""

    def of(path: Path) -> Dump:
        with Lake.open(path) as lake:
            tables = {}
            for info in lake.infos():
                rows = [row for batch in lake.batches(info.id) for row in batch.to_pylist()]
                tables[info.id] = (info, rows)
            reports = list(lake.reports())
            segments = [
                (
                    segment.table_ids,
                    sorted((file.name, file.read_bytes()) for file in segment.path.iterdir() if file.name != "seal"),
                )
                for segment in lake.segments("names")
            ]
        return {"tables": tables, "reports": reports, "segments": segments}

    return of


@pytest.fixture
def index(tmp_path: Path) -> Callable[..., IndexReport]:
    """Index sources into ``tmp_path / "lake"``, in this process, with settings by dotted name."""

    def run(*sources: Path | str, lake: Path | None = None, builders: Sequence[Any] = (), **values: Any) -> IndexReport:
        settings = Settings(workers=-1).with_values(**{name.replace("__", "."): v for name, v in values.items()})
        return index_sources([str(s) for s in sources], lake or tmp_path / "lake", settings, builders=builders)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a few sources."""
    path = tmp_path / "data"
    (path / "deep").mkdir(parents=True)
    (path / "a.csv").write_text("name,n\nx,1\ny,2\n", encoding="utf-8")
    (path / "b.csv").write_text("name;n\nz;3\nü;4\n", encoding="utf-8")
    (path / "deep" / "c.csv").write_text("k,v\n007,NA\n,\n", encoding="utf-8")
    return path
