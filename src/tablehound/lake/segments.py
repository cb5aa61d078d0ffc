"""Index segments: immutable folders beside the catalogue, each over a set of tables, swapped in with the tables.

The lake knows nothing of what is in a segment; ``retrieval`` and ``relations`` bring builders. A segment is built into
a folder of its own, then registered in the same transaction that makes its tables visible, so that a reader sees tables
and indexes of one state only. Files of a dropped segment stay readable for those who have them open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tablehound.lake.store import Lake


@dataclass(frozen=True, slots=True)
class Segment:
    """A registered segment: ``path`` is a folder below the lake."""

    kind: str
    name: str
    path: Path
    table_ids: tuple[str, ...]
    """Sorted. Tables that were deleted since stay listed; readers leave them out."""


@dataclass(frozen=True, slots=True)
class SegmentPlan:
    """Which segments go, and over which tables new ones are built."""

    drop: tuple[str, ...] = ()
    build: tuple[tuple[str, ...], ...] = ()


class SegmentBuilder(Protocol):
    """Builds the segments of one kind."""

    @property
    def kind(self) -> str: ...

    def plan(self, existing: Sequence[Segment], live: Sequence[str], added: Sequence[str]) -> SegmentPlan:
        """Decide what to build so that every id of ``live`` is in exactly one kept or new segment. Merges small
        segments, and rebuilds those with many deleted tables; adding a few tables costs a small segment only."""
        ...

    def build(self, lake: Lake, table_ids: Sequence[str], folder: Path) -> None:
        """Write a segment over the tables into the empty ``folder``. ``lake`` shows staged tables too."""
        ...
