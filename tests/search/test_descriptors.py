"""An open index keeps no descriptors of its files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tablehound.retrieval import Pattern, open_engine
from tablehound.retrieval.arrays import mapped, mapped_npy


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(0, np.uint8),
        np.zeros((0, 3)),
        np.arange(6, dtype=np.int16).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    ],
)
def test_an_array_is_mapped_as_it_was_saved(array: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array)
    read = mapped_npy(tmp_path / "a.npy")
    assert (read.shape, read.dtype) == (array.shape, array.dtype)
    assert np.array_equal(read, array)
    (tmp_path / "bytes").write_bytes(array.tobytes())
    assert bytes(mapped(tmp_path / "bytes")) == array.tobytes()


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
