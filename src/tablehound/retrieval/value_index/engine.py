"""The exact engine over the value index: all segments of one state of a lake."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from tablehound.errors import TableMissingError
from tablehound.lake import opening_segment
from tablehound.retrieval.arrays import Array
from tablehound.retrieval.candidate import MAX_COLUMNS, CellMatch, ColumnOverlap, ValueMatch
from tablehound.retrieval.patterns.regex import CompiledPattern, compile_patterns
from tablehound.retrieval.patterns.types import Pattern
from tablehound.retrieval.scan import choose_rows, column_texts, table_matches
from tablehound.retrieval.table_set import TableNames, TableSet
from tablehound.retrieval.value_index.building.builder import KIND
from tablehound.retrieval.value_index.files import is_current
from tablehound.retrieval.value_index.joins import overlapping_columns
from tablehound.retrieval.value_index.keys import distinct_keys
from tablehound.retrieval.value_index.likeness import values_like
from tablehound.retrieval.value_index.rows import MAX_PATTERNS, choose, matched_rows
from tablehound.retrieval.value_index.segment import Hits, ValueSegment
from tablehound.settings import SearchSettings

if TYPE_CHECKING:
    from tablehound.lake import Lake

THREADS = 2
_CACHED_BYTES = 64 * 2**20


class IndexEngine:
    """Exact search through the value index; the same answers as :class:`ScanEngine`, in milliseconds.

    What patterns match is remembered, so that asking for their rows or cells does not search again. May be used by
    several threads.
    """

    def __init__(self, lake: Lake, settings: SearchSettings | None = None) -> None:
        self._lake = lake
        self._settings = settings or SearchSettings()
        self.segments = []
        for segment in lake.segments(KIND):
            if is_current(segment.path):
                with opening_segment(segment.path):
                    self.segments.append(ValueSegment.open(segment.path))
        self._live = [_live(segment, lake.table_ids()) for segment in self.segments]
        self._names = TableNames([table_id for segment in self.segments for table_id in segment.table_ids])
        self._place: dict[str, tuple[int, int]] | None = None
        self._pool = ThreadPoolExecutor(THREADS)
        self._questions = ThreadPoolExecutor(THREADS)
        self._lock = threading.Lock()
        self._hits: OrderedDict[Pattern, list[Hits]] = OrderedDict()
        self._hits_bytes = 0

    def tables(self, patterns: Sequence[Pattern]) -> list[Set[str]]:
        """See :meth:`SearchEngine.tables`."""
        found: list[Set[str]] = []
        for hits in self.hits(patterns):
            parts = [
                table_mask(segment, live, hit)
                for segment, live, hit in zip(self.segments, self._live, hits, strict=True)
            ]
            found.append(TableSet(self._names, np.concatenate(parts) if parts else np.zeros(0, bool)))
        return found

    def cells(
        self, patterns: Sequence[Pattern], *, table_ids: Sequence[str] | None = None, limit: int | None = None
    ) -> list[CellMatch]:
        """See :meth:`SearchEngine.cells`."""
        found: list[CellMatch] = []
        for match in self.iterate(patterns, table_ids=table_ids):
            if limit is not None and len(found) >= limit:
                break
            found.append(match)
        return found

    def iterate(self, patterns: Sequence[Pattern], *, table_ids: Sequence[str] | None = None) -> Iterator[CellMatch]:
        """What :meth:`cells` returns, table by table."""
        compiled = compile_patterns(patterns, self._settings)
        hits = self.hits(patterns)
        if table_ids is None:
            ids = sorted(frozenset().union(*self.tables(patterns)))
        else:
            ids = sorted(set(table_ids))
        for table_id in ids:
            columns, headers = self._columns(table_id, hits)
            if headers or any(columns):
                yield from table_matches(self._lake.table(table_id), compiled, columns=columns)

    def rows(self, table_id: str, patterns: Sequence[Pattern], *, per_pattern: int, limit: int) -> tuple[int, ...]:
        """See :meth:`SearchEngine.rows`."""
        return self.rows_of([table_id], patterns, per_pattern=per_pattern, limit=limit)[table_id]

    def rows_of(
        self, table_ids: Sequence[str], patterns: Sequence[Pattern], *, per_pattern: int, limit: int
    ) -> dict[str, tuple[int, ...]]:
        """What :meth:`rows` returns, for several tables at once, which is faster than one by one."""
        compiled = compile_patterns(patterns, self._settings)
        hits = self.hits(patterns)
        columns = self._columns_of(table_ids, hits)
        tables = {table_id: self._lake.table(table_id) for table_id in table_ids if any(columns[table_id])}
        if len(patterns) <= MAX_PATTERNS:
            matched = matched_rows(tables, columns, compiled, self._questions)
            chosen = {i: choose(*found, per_pattern=per_pattern, limit=limit) for i, found in matched.items()}
        else:
            chosen = {}
            for table_id, table in tables.items():
                matches = table_matches(table, compiled, columns=columns[table_id])
                pairs = ((match.row, match.pattern) for match in matches)
                chosen[table_id] = choose_rows(pairs, per_pattern=per_pattern, limit=limit)
        return {table_id: chosen.get(table_id, ()) for table_id in table_ids}

    def forget(self) -> None:
        """Forget what patterns matched, such as to measure the search itself."""
        with self._lock:
            self._hits.clear()
            self._hits_bytes = 0

    def overlaps(self, table_id: str, column: int, k: int) -> list[ColumnOverlap]:
        """See :func:`tablehound.retrieval.overlaps`."""
        own, table = self._find(table_id)
        keys = distinct_keys(column_texts(self._lake.table(table_id), column))
        found: list[ColumnOverlap] = []
        for number, (segment, live) in enumerate(zip(self.segments, self._live, strict=True)):
            columns, counts = overlapping_columns(segment, segment.ids_of_keys(keys))
            tables = segment.column_table[columns]
            keep = live[tables]
            if number == own:
                keep &= tables != table
            columns, counts = columns[keep], counts[keep]
            if len(columns) > k:
                # The k-th largest count decides; ties are settled by table id below.
                keep = counts >= np.partition(counts, -k)[-k]
                columns, counts = columns[keep], counts[keep]
            for index, count in zip(columns.tolist(), counts.tolist(), strict=True):
                place = int(segment.column_table[index])
                first, _ = segment.columns_of_table(place)
                distinct = int(segment.column_distinct[index])
                found.append(ColumnOverlap(segment.table_ids[place], index - first, count, distinct))
        found.sort(key=lambda o: (-o.overlap, o.table_id, o.column))
        return found[:k]

    def values_like(self, text: str, limit: int, *, cutoff: float = 0.6) -> list[ValueMatch]:
        """See :func:`tablehound.retrieval.columns_with_values_like`."""
        held: dict[str, tuple[float, list[tuple[str, int]]]] = {}
        for segment, live in zip(self.segments, self._live, strict=True):
            for similarity, value, raw in values_like(segment, text, 2 * limit, cutoff):
                columns = segment.columns_of(np.array([value]))
                columns = columns[live[segment.column_table[columns]]]
                if not len(columns):
                    continue
                _, places = held.setdefault(raw, (similarity, []))
                for index in columns.tolist():
                    table = int(segment.column_table[index])
                    places.append((segment.table_ids[table], index - segment.columns_of_table(table)[0]))
        ordered = sorted(held.items(), key=lambda item: (-item[1][0], -len(item[1][1]), item[0]))
        return [
            ValueMatch(raw, similarity, tuple(sorted(places)[:MAX_COLUMNS]), len(places))
            for raw, (similarity, places) in ordered[:limit]
        ]

    def hits(self, patterns: Sequence[Pattern]) -> list[list[Hits]]:
        """For each pattern what it matches in each segment.

        Raises:
            PatternError: one of the patterns is refused.
        """
        compiled = dict(zip(patterns, compile_patterns(patterns, self._settings), strict=True))
        with self._lock:
            found = {pattern: self._hits[pattern] for pattern in compiled if pattern in self._hits}
        missing = [pattern for pattern in compiled if pattern not in found]

        def search(pattern: Pattern) -> list[Hits]:
            return [self._search(segment, compiled[pattern]) for segment in self.segments]

        # Patterns share one pool, and the slices of a pattern that most values survive another: no task waits for
        # one that is queued behind it.
        searched = self._questions.map(search, missing) if len(missing) > 1 else map(search, missing)
        for pattern, hits in zip(missing, searched, strict=True):
            found[pattern] = hits
            self._remember(pattern, hits)
        return [found[pattern] for pattern in patterns]

    def _remember(self, pattern: Pattern, hits: list[Hits]) -> None:
        with self._lock:
            if pattern not in self._hits:
                self._hits[pattern] = hits
                self._hits_bytes += _size(hits)
            while self._hits_bytes > _CACHED_BYTES and len(self._hits) > 1:
                _, old = self._hits.popitem(last=False)
                self._hits_bytes -= _size(old)

    def _search(self, segment: ValueSegment, compiled: CompiledPattern) -> Hits:
        cells = headers = np.zeros(0, np.uint32)
        scope = None
        if compiled.scope is not None:
            names = segment.matching_names(compiled.scope)
            scope = segment.columns_named(names, source_only=False)
            if not len(scope):
                return Hits(cells, headers, segment.n_columns)
        if compiled.expression is not None:
            cells, names = self._by_text(segment, compiled.expression, compiled)
            headers = names if compiled.in_headers else headers
        if compiled.test is not None:
            cells = np.union1d(cells, segment.columns_by_value(compiled.test))
        if scope is not None:
            cells = np.intersect1d(cells, scope)
        return Hits(cells, headers, segment.n_columns)

    def _by_text(self, segment: ValueSegment, expression: str, compiled: CompiledPattern) -> tuple[Array, Array]:
        """Columns with a cell that the expression matches (in any order), and those whose name it matches."""
        literals = compiled.literals
        if literals is not None and all(len(literal) == 1 for literal in literals):
            # Such a pattern matches most values; which columns have a character is known beforehand.
            cells, names = zip(*(segment.columns_with(literal[0]) for literal in literals), strict=True)
            return reduce(np.union1d, cells), reduce(np.union1d, names)
        if compiled.within_words:
            found = segment.words.columns(expression, literals, self._pool)
            if found is not None:
                return found
        values, occurrences = segment.matches(expression, literals, self._pool)
        return occurrences, segment.columns_named(values, source_only=True) if compiled.in_headers else occurrences[:0]

    def _columns(self, table_id: str, hits: Sequence[Sequence[Hits]]) -> tuple[list[frozenset[int]], bool]:
        """Per pattern the columns of a table with a matching cell; and whether some header matches."""
        number, table = self._find(table_id)
        segment = self.segments[number]
        first, after = segment.columns_of_table(table)
        columns = []
        headers = False
        for hit in hits:
            columns.append(frozenset((_between(hit[number].columns, first, after) - first).tolist()))
            headers = headers or len(_between(hit[number].headers, first, after)) > 0
        return columns, headers

    def _columns_of(self, table_ids: Sequence[str], hits: Sequence[Sequence[Hits]]) -> dict[str, list[set[int]]]:
        """Per table and pattern the columns with a matching cell."""
        columns: dict[str, list[set[int]]] = {table_id: [set() for _ in hits] for table_id in table_ids}
        places = {self._find(table_id): table_id for table_id in table_ids}
        for number, segment in enumerate(self.segments):
            tables = [table for in_segment, table in places if in_segment == number]
            inside = np.zeros(segment.n_columns, bool)
            for table in tables:
                first, after = segment.columns_of_table(table)
                inside[first:after] = True
            for place, hit in enumerate(hits):
                occurrences = hit[number].occurrences
                for column in np.unique(occurrences[inside[occurrences]]).tolist():
                    table = int(segment.column_table[column])
                    first = int(segment.first_columns[table])
                    columns[places[number, table]][place].add(column - first)
        return columns

    def _find(self, table_id: str) -> tuple[int, int]:
        """Segment and number of a live table."""
        if self._place is None:
            self._place = {
                segment.table_ids[table]: (number, table)
                for number, (segment, live) in enumerate(zip(self.segments, self._live, strict=True))
                for table in np.flatnonzero(live).tolist()
            }
        place = self._place.get(table_id)
        if place is None:
            raise TableMissingError(f"the lake at {self._lake.path} has no table {table_id!r}")
        return place


def table_mask(segment: ValueSegment, live: Array, hits: Hits) -> Array:
    """Per table of a segment, whether it is live and a pattern occurs in it."""
    flags = np.zeros(len(segment.table_ids), bool)
    flags[segment.column_table[hits.occurrences]] = True
    flags[segment.column_table[hits.headers]] = True
    flags &= live
    return flags


def _live(segment: ValueSegment, table_ids: Sequence[str]) -> Array:
    alive = set(table_ids)
    return np.fromiter((i in alive for i in segment.table_ids), bool, len(segment.table_ids))


def _size(hits: Sequence[Hits]) -> int:
    return sum(hit.occurrences.nbytes + hit.headers.nbytes for hit in hits) + 1_000


def _between(columns: Array, first: int, after: int) -> Array:
    start, stop = np.searchsorted(columns, (first, after))
    return columns[start:stop].astype(np.int64)
