"""Builds segments of the value index, and decides which segments there are."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tablehound.lake import Segment, SegmentPlan, seal
from tablehound.retrieval.arrays import Array
from tablehound.retrieval.value_index.building.collect import NAME, Collector, Columns, Spill
from tablehound.retrieval.value_index.building.read_values import ReadValues, helper_processes
from tablehound.retrieval.value_index.building.sorting import ValueFiles, sorted_ranges
from tablehound.retrieval.value_index.building.trigram_postings import write_trigrams
from tablehound.retrieval.value_index.distinct_words import Occurrences, write_words
from tablehound.retrieval.value_index.segment import ValueSegment
from tablehound.retrieval.value_index.segment_files import (
    is_current,
    map_array,
    map_offsets,
    map_values,
    write_array,
    write_meta,
)

if TYPE_CHECKING:
    from tablehound.lake import Lake

KIND = "values"
MAX_SEGMENTS = 8
"""With more, the smallest are merged."""
MAX_TABLES = 131_072
"""Tables of one segment at most."""
MAX_DEAD = 0.3
"""Share of deleted tables above which a segment is rebuilt."""
_STEP = 1 << 20
"""Values that are gone through at a time."""

_log = logging.getLogger(__name__)


class ValueIndexBuilder:
    """Segments of distinct values with their columns and trigrams.

    Adding tables makes a small segment. When there are more than ``MAX_SEGMENTS``, the smallest are merged from their
    own files, without reading tables again.
    """

    @property
    def kind(self) -> str:
        return KIND

    def plan(self, existing: Sequence[Segment], live: Sequence[str]) -> SegmentPlan:
        """See :meth:`SegmentBuilder.plan`."""
        alive = set(live)
        parts = {segment.name: [i for i in segment.table_ids if i in alive] for segment in existing}
        drop = {
            segment.name
            for segment in existing
            if len(parts[segment.name]) < (1 - MAX_DEAD) * len(segment.table_ids)
            or not parts[segment.name]
            or not is_current(segment.path)
        }
        kept = sorted((name for name in parts if name not in drop), key=lambda name: (len(parts[name]), name))
        indexed = {i for name in kept for i in parts[name]}
        # Tables of new segments: what no kept segment has. It counts as one segment more.
        fresh = [i for i in live if i not in indexed]
        if len(kept) + bool(fresh) > MAX_SEGMENTS:
            while kept and (len(kept) >= MAX_SEGMENTS // 2 and len(parts[kept[0]]) <= 2 * max(1, len(fresh))):
                fresh.extend(parts[kept[0]])
                drop.add(kept.pop(0))
            if len(kept) + 1 > MAX_SEGMENTS:
                fresh.extend(parts[kept[0]])
                drop.add(kept.pop(0))
        fresh.sort()
        n_new = -(-len(fresh) // MAX_TABLES)
        size = -(-len(fresh) // n_new) if n_new else 1
        build = tuple(tuple(fresh[start : start + size]) for start in range(0, len(fresh), size))
        return SegmentPlan(tuple(sorted(drop)), build)

    def build(self, lake: Lake, table_ids: Sequence[str], folder: Path) -> None:
        """See :meth:`SegmentBuilder.build`."""
        work = folder / "work"
        work.mkdir()
        spill, columns = Spill(work), Columns()
        numbers = {table_id: number for number, table_id in enumerate(table_ids)}
        remaining = set(table_ids)
        for segment in lake.segments(KIND):
            reusable = remaining.intersection(segment.table_ids)
            # A segment that goes whole into the new one is merged from its files.
            if reusable and len(reusable) >= (1 - MAX_DEAD) * len(segment.table_ids) and is_current(segment.path):
                with_files = ValueSegment.open(segment.path)
                _merge(with_files, numbers, reusable, spill, columns)
                remaining -= reusable
        with Collector(spill, columns) as collector:
            for table_id in table_ids:
                if table_id in remaining:
                    collector.add(numbers[table_id], lake.info(table_id), lake.batches(table_id))
            collector.finish()
        self._write(spill, columns, table_ids, folder, work)
        shutil.rmtree(work)
        seal(folder)

    def _write(self, spill: Spill, columns: Columns, table_ids: Sequence[str], folder: Path, work: Path) -> None:
        readings = list(columns.readings)
        of_column = np.array(columns.reading, np.uint32)
        read = ReadValues(readings, of_column)
        with helper_processes(sum(chunk.starts[-1] for chunk in spill.chunks)) as helpers:
            with ValueFiles(folder, work, len(columns.table)) as files:
                for part in sorted_ranges(spill.chunks):
                    places, owners = files.add(part)
                    read.add(part.first, part.texts, places, owners)
                files.finish()
            for chunk in spill.chunks:
                chunk.texts.unlink()
                chunk.pairs.unlink()
            write_array(folder, "column_table", np.array(columns.table, np.uint32))
            write_array(folder, "column_named", np.array(columns.named, bool))
            write_array(folder, "column_reading", of_column)
            values = map_values(folder / "values.arrow")
            with read.start(values, helpers) as reader:
                characters = write_trigrams(values, folder, work)
                _write_characters(characters, folder, len(columns.table))
                where = Occurrences(
                    map_offsets(folder / "cell_offsets", len(values)),
                    map_array(folder / "cell_columns", np.uint32),
                    map_array(folder / "column_name", np.uint32),
                    np.array(columns.named, bool),
                )
                write_words(values, where, folder, work)
                reader.finish(folder)
        write_meta(folder, table_ids, readings)
        _log.info("value index: %d tables, %d columns", len(table_ids), len(columns.table))


def _write_characters(of_value: Array, folder: Path, n_columns: int) -> None:
    """Write which ASCII characters the cells and the name of each column have."""
    counts = np.diff(map_offsets(folder / "cell_offsets", len(of_value)))
    columns = map_array(folder / "cell_columns", np.uint32)
    of_column = np.zeros((n_columns, 2), np.uint64)
    end = 0
    for start in range(0, len(of_value), _STEP):
        begin, part = end, counts[start : start + _STEP]
        end += int(part.sum(dtype=np.int64))
        for word in (0, 1):
            masks = np.repeat(of_value[start : start + _STEP, word], part)
            np.bitwise_or.at(of_column[:, word], columns[begin:end], masks)
    write_array(folder, "column_bytes", of_column.ravel())
    write_array(folder, "name_bytes", of_value[map_array(folder / "column_name", np.uint32)].ravel())


def _merge(segment: ValueSegment, numbers: dict[str, int], wanted: set[str], spill: Spill, columns: Columns) -> None:
    """Take the wanted tables of a segment from its files."""
    import pyarrow as pa

    place = np.array([numbers[i] if i in wanted else -1 for i in segment.table_ids], np.int64)
    new_column = np.full(segment.n_columns, -1, np.int64)
    table_of, name_of = segment.column_table.whole(), segment.column_name.whole()
    for column in np.flatnonzero(place[table_of] >= 0).tolist():
        reading = segment.readings[int(segment.column_reading[column])]
        named = bool(segment.column_named[column])
        new_column[column] = columns.add(int(place[table_of[column]]), named=named, reading=reading)
    offsets = segment.cell_offsets.whole().astype(np.int64)
    for start in range(0, segment.n_values, _STEP):
        stop = min(start + _STEP, segment.n_values)
        counts = np.diff(offsets[start : stop + 1])
        owners = new_column[segment.cell_columns[int(offsets[start]) : int(offsets[stop])]]
        places = np.repeat(np.arange(stop - start, dtype=np.uint64), counts)
        names = np.flatnonzero((name_of >= start) & (name_of < stop) & (new_column >= 0))
        pairs = [
            (places[owners >= 0] << np.uint64(32)) | owners[owners >= 0].astype(np.uint64),
            ((name_of[names].astype(np.uint64) - np.uint64(start)) << np.uint64(32))
            | new_column[names].astype(np.uint64)
            | np.uint64(NAME),
        ]
        joined = np.concatenate(pairs)
        used = np.zeros(stop - start, bool)
        used[(joined >> np.uint64(32)).astype(np.int64)] = True
        # Values of deleted tables alone go.
        renumber = np.cumsum(used).astype(np.uint64) - np.uint64(1)
        joined = (renumber[(joined >> np.uint64(32)).astype(np.int64)] << np.uint64(32)) | (
            joined & np.uint64(0xFFFFFFFF)
        )
        texts = segment.values.slice(start, stop - start).filter(pa.array(used))
        if len(texts):
            spill.add(texts, joined)
