"""Index segments: immutable folders beside the catalogue, each over a set of tables, swapped in with the tables.

The lake knows nothing of what is in a segment; ``retrieval`` and ``relations`` bring builders. A segment is built into
a folder of its own, then registered in the same transaction that makes its tables visible, so that a reader sees tables
and indexes of one state only. Files of a dropped segment stay readable for those who have them open.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tablehound.lake.store.faults import repair_of, unreadable


@contextmanager
def opening_segment(path: Path) -> Iterator[None]:
    """Around the opening of a segment's files: says of damaged ones what to do.

    Raises:
        LakeDamagedError: in place of what a library says of a file that is cut short or overwritten.
        LakeError: the system does not let them be read: too many open files, no memory, no permission.
    """
    try:
        yield
    except (OSError, MemoryError, ValueError, KeyError, IndexError) as error:
        raise unreadable(f"the index segment {path}", error, repair_of(path.parent.parent)) from error


@dataclass(frozen=True, slots=True)
class Segment:
    """A registered segment: ``path`` is a folder below the lake."""

    kind: str
    name: str
    path: Path
    table_ids: tuple[str, ...]
    """Sorted. Tables that were deleted since stay listed; readers leave them out."""
    seal: str = ""
    """The digest of its seal."""


@dataclass(frozen=True, slots=True)
class SegmentPlan:
    """Which segments go, and over which tables new ones are built."""

    drop: tuple[str, ...] = ()
    build: tuple[tuple[str, ...], ...] = ()
