"""Term index segments of a lake: building, merging, opening."""

from __future__ import annotations

import bisect
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tablehound.lake import Segment, SegmentPlan, opening_segment
from tablehound.retrieval.terms.index import TermIndex, TermIndexWriter

if TYPE_CHECKING:
    from tablehound.lake import Lake

KIND = "terms"
MAX_TABLES = 16_384
"""Tables of one segment at most: bounds the memory of a build."""
MAX_DEAD = 0.3
"""Share of deleted tables above which a segment is rebuilt."""


def plan_segments(
    existing: Sequence[Segment], live: Sequence[str], *, max_tables: int = MAX_TABLES, max_dead: float = MAX_DEAD
) -> SegmentPlan:
    """Segments that go and those to build: what no segment has, together with segments at most twice as large.

    The number of segments grows with the logarithm of the additions, and adding a few tables rebuilds a few.
    """
    alive = set(live)
    parts = {segment.name: [i for i in segment.table_ids if i in alive] for segment in existing}
    drop = [s.name for s in existing if len(parts[s.name]) < (1 - max_dead) * len(s.table_ids) or not parts[s.name]]
    kept = sorted((name for name in parts if name not in drop), key=lambda name: (len(parts[name]), name))
    indexed = {i for name in kept for i in parts[name]}
    fresh = [i for i in live if i not in indexed]
    for name in kept:
        if not fresh or len(parts[name]) > 2 * len(fresh) or len(fresh) + len(parts[name]) > max_tables:
            break
        fresh.extend(parts[name])
        drop.append(name)
    fresh.sort()
    return SegmentPlan(
        tuple(sorted(drop)), tuple(tuple(fresh[i : i + max_tables]) for i in range(0, len(fresh), max_tables))
    )


class TermIndexBuilder:
    """Builds segments of the term index; a :class:`SegmentBuilder`."""

    @property
    def kind(self) -> str:
        return KIND

    def plan(self, existing: Sequence[Segment], live: Sequence[str]) -> SegmentPlan:
        """See :meth:`SegmentBuilder.plan`."""
        stale = [segment.name for segment in existing if not TermIndex.is_current(segment.path)]
        plan = plan_segments([segment for segment in existing if segment.name not in stale], live)
        return SegmentPlan(tuple(sorted([*plan.drop, *stale])), plan.build)

    def build(self, lake: Lake, table_ids: Sequence[str], folder: Path) -> None:
        """See :meth:`SegmentBuilder.build`."""
        index_lake(lake, table_ids).save(folder)


def index_lake(lake: Lake, table_ids: Sequence[str]) -> TermIndex:
    """A segment in memory over the tables, in the order given."""
    writer = TermIndexWriter()
    for table_id in table_ids:
        info = lake.info(table_id)
        provenance = info.provenance
        names = (info.title, provenance.source, provenance.member, provenance.sheet)
        batches = (batch.columns[: len(info.columns)] for batch in lake.batches(table_id))
        writer.add_batches(info.header, batches, " ".join(name for name in names if name))
    return TermIndex(tuple(table_ids), writer.arrays())


@dataclass(frozen=True, slots=True)
class OpenTerms:
    """All term segments of one state of a lake."""

    indexes: tuple[TermIndex, ...]
    live: tuple[NDArray[Any], ...]
    """Per segment, which of its tables still exist."""

    def locate(self, table_id: str) -> tuple[tuple[int, int], ...]:
        """(segment, local table number) of a live table; empty when it is not indexed."""
        for segment, index in enumerate(self.indexes):
            at = bisect.bisect_left(index.table_ids, table_id)
            if at < index.n_tables and index.table_ids[at] == table_id and self.live[segment][at]:
                return ((segment, at),)
        return ()


_opened: weakref.WeakKeyDictionary[Lake, OpenTerms] = weakref.WeakKeyDictionary()


def open_terms(lake: Lake) -> OpenTerms:
    """The term index of a lake, kept as long as the lake object lives. Tables that no segment has are indexed in
    memory."""
    known = _opened.get(lake)
    if known is not None:
        return known
    alive = set(lake.table_ids())
    indexes = []
    for segment in lake.segments(KIND):
        if not TermIndex.is_current(segment.path):
            continue
        with opening_segment(segment.path):
            indexes.append(TermIndex.load(segment.path, segment.table_ids))
    indexed = {table_id for index in indexes for table_id in index.table_ids}
    if missing := sorted(alive - indexed):
        indexes.append(index_lake(lake, missing))
    live = tuple(np.array([table_id in alive for table_id in index.table_ids], bool) for index in indexes)
    opened = OpenTerms(tuple(indexes), live)
    _opened[lake] = opened
    return opened
