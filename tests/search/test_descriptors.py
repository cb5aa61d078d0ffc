"""An open index keeps no descriptors of its files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablehound.lake import mapped
from tablehound.retrieval import Pattern, open_engine


@pytest.mark.parametrize("data", [b"", b"some bytes"])
def test_the_bytes_of_a_file_are_mapped(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(data)
    assert bytes(mapped(tmp_path / "bytes")) == data


def test_many_open_indexes_do_not_use_up_the_descriptors(make_lake: Callable[[], Any]) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    lake = make_lake()
    lake.add("t", ["name", "year"], [["Paris", "1200"], ["Rome", "753"]])
    lake.index()
    before = len(list(Path("/proc/self/fd").iterdir()))
    engines = [open_engine(lake) for _ in range(20)]
    assert all(engine.tables([Pattern("paris"), Pattern(r"\d+")]) == [{"t"}, {"t"}] for engine in engines)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 5
