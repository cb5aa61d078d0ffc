"""Many bitmaps in one file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from tablehound.lake import SealedFolder, seal
from tablehound.retrieval.value_index import bitmaps
from tablehound.retrieval.value_index.bitmaps import FEW, Bitmaps, write_bitmaps

IDS = st.one_of(st.integers(0, 300), st.integers(65_500, 65_600), st.integers(0, 2**32 - 1))
RUNS = st.one_of(
    st.lists(IDS, max_size=FEW + 3, unique=True).map(sorted),
    st.builds(lambda start, size: list(range(start, start + size)), st.integers(0, 200_000), st.integers(0, 9_000)),
)


@given(runs=st.lists(RUNS, max_size=12), step=st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_bitmaps_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[int]], step: int
) -> None:
    file = tmp_path_factory.mktemp("bitmaps") / "file"
    with pytest.MonkeyPatch.context() as patch, file.open("wb") as out:
        patch.setattr(bitmaps, "_STEP", step)
        ends = write_bitmaps(
            out,
            np.array([i for run in runs for i in run], np.uint32),
            np.cumsum(np.array([len(run) for run in runs], np.int64)),
        )
    seal(file.parent)
    read = Bitmaps(SealedFolder(file.parent).file("file"), ends)
    assert [list(read[place]) for place in range(len(runs))] == runs
    assert file.stat().st_size == (int(ends[-1]) if runs else 0)


def test_small_bitmaps_are_written_as_the_library_writes_them(tmp_path: Path) -> None:
    runs = [[], [0], [65_535, 65_536], [7, 9, 200_000], list(range(0, 2**32, 2**27))]
    with (tmp_path / "file").open("wb") as out:
        write_bitmaps(out, np.array([i for run in runs for i in run], np.uint32), np.cumsum([len(run) for run in runs]))
    assert (tmp_path / "file").read_bytes() == b"".join(BitMap(run).serialize() for run in runs)
