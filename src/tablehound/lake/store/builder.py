"""What builds index segments: rooms above the lake bring one builder for each kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from tablehound.lake.store.lake import Lake
from tablehound.lake.store.segments import Segment, SegmentPlan


class SegmentBuilder(Protocol):
    """Builds the segments of one kind."""

    @property
    def kind(self) -> str: ...

    def plan(self, existing: Sequence[Segment], live: Sequence[str]) -> SegmentPlan:
        """Decide what to build so that every id of ``live`` is in exactly one kept or new segment. Merges small
        segments, and rebuilds those with many deleted tables; adding a few tables costs a small segment only."""
        ...

    def build(self, lake: Lake, table_ids: Sequence[str], folder: Path) -> None:
        """Write a segment over the tables into the empty ``folder``. ``lake`` shows staged tables too."""
        ...
