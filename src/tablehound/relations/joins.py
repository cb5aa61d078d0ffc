"""Joinable column pairs: exact overlap of canonical values, uniqueness and names, with the measures of the join."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tablehound.relations.facts import ColumnFacts, TableFacts
from tablehound.relations.graph import JoinEdge

MAX_HOLDERS = 200
"""A value of more columns is no evidence for any pair."""
MIN_OVERLAP = 2
"""Distinct values that a pair must share (all of them, when a column has fewer)."""
EDGES_PER_PAIR = 3


@dataclass(frozen=True, slots=True)
class JoinWeights:
    """What the score of a pair of columns (0 to 1) is made of. All by hand."""

    containment: float = 0.5
    key: float = 0.25
    """Times the uniqueness of the side that is nearer to a key."""
    names: float = 0.25
    """Times the likeness of the names."""
    unlike_numbers: float = 0.3
    """Off for numbers and dates, times how unlike the names are."""
    years: float = 0.3
    """Off where both sides are years: things of one year need not belong together."""
    few_values: float = 0.05
    """Off for a side of fewer than ``few`` distinct values, times how unlike the names are."""
    few: int = 5
    part_of_name: float = 0.8
    """Likeness of names of which one has all words of the other."""
    least_names: float = 0.6
    """Names less alike than this are not alike at all."""


_WEIGHTS = JoinWeights()
KEY_WORDS = frozenset(("id", "code", "name", "no", "number", "key"))


def edges_between(tables: Sequence[TableFacts], threshold: float) -> list[JoinEdge]:
    """Join edges between columns of different tables whose score reaches the threshold, best first; the side whose
    values are the more unique is on the right. At most ``EDGES_PER_PAIR`` for a pair of tables."""
    columns = [c for table in tables for c in table.columns if _may_join(c)]
    overlaps = _overlaps(columns)
    found: dict[tuple[str, str], list[JoinEdge]] = defaultdict(list)
    for (i, j), shared in overlaps.items():
        left, right = columns[i], columns[j]
        if left.uniqueness > right.uniqueness or (
            left.uniqueness == right.uniqueness and len(left.values) > len(right.values)
        ):
            left, right = right, left
        edge = measure(left, right, shared)
        if edge.score >= threshold:
            a, b = sorted((left.ref.table_id, right.ref.table_id))
            found[a, b].append(edge)
    edges = [edge for pair in found.values() for edge in sorted(pair, key=_rank)[:EDGES_PER_PAIR]]
    return sorted(edges, key=_rank)


def _rank(edge: JoinEdge) -> tuple[float, str, int, str, int]:
    return (-edge.score, edge.left.table_id, edge.left.column, edge.right.table_id, edge.right.column)


def _may_join(column: ColumnFacts) -> bool:
    if column.kind in ("empty", "boolean") or len(column.values) < 2:
        return False
    if column.kind == "number":  # keys are whole numbers; measures are not keys
        return all("." not in value for value in list(column.values)[:200])
    return True


def _overlaps(columns: Sequence[ColumnFacts]) -> dict[tuple[int, int], int]:
    """Pairs of columns of different tables and like kind → number of shared distinct values."""
    holders: dict[str, list[int]] = defaultdict(list)
    for place, column in enumerate(columns):
        for value in column.values:
            holders[value].append(place)
    shared: Counter[tuple[int, int]] = Counter()
    for places in holders.values():
        if not 1 < len(places) <= MAX_HOLDERS:
            continue
        for n, i in enumerate(places):
            for j in places[n + 1 :]:
                if columns[i].ref.table_id != columns[j].ref.table_id and _alike(columns[i], columns[j]):
                    shared[i, j] += 1
    out = {}
    for (i, j), n in sorted(shared.items()):
        smaller = min(len(columns[i].values), len(columns[j].values))
        if n >= min(MIN_OVERLAP, smaller):
            out[i, j] = n
    return out


def _alike(a: ColumnFacts, b: ColumnFacts) -> bool:
    return a.kind == b.kind or "text" in (a.kind, b.kind)


def measure(left: ColumnFacts, right: ColumnFacts, shared: int) -> JoinEdge:
    """A join edge with its measures and score."""
    matching = left.values & right.values
    rows = sum(left.counts[value] for value in matching)
    partners = sum(left.counts[value] * right.counts[value] for value in matching)
    overlap_left = shared / len(left.values)
    overlap_right = shared / len(right.values)
    names = name_similarity(left, right)
    return JoinEdge(
        left.ref,
        right.ref,
        round(_score(left, right, overlap_left, overlap_right, names), 6),
        overlap_left,
        overlap_right,
        left.uniqueness,
        right.uniqueness,
        rows / left.filled if left.filled else 0.0,
        partners / rows if rows else 0.0,
        names,
    )


def _score(left: ColumnFacts, right: ColumnFacts, overlap_left: float, overlap_right: float, names: float) -> float:
    """Containment of the foreign side counts most, then how far the other side is a key, then the names. Values that
    say little by themselves (small whole numbers, years, dates) need like names."""
    containment = max(overlap_left, min(1.0, overlap_right))
    key = max(left.uniqueness, right.uniqueness)
    score = _WEIGHTS.containment * containment + _WEIGHTS.key * key + _WEIGHTS.names * names
    if left.kind != "text" or right.kind != "text":
        score -= _WEIGHTS.unlike_numbers * (1.0 - names)
    if left.years and right.years:
        score -= _WEIGHTS.years
    shortest = min(len(left.values), len(right.values))
    if shortest < _WEIGHTS.few:
        score -= _WEIGHTS.few_values * (1.0 - names)
    return max(0.0, min(1.0, score))


def name_similarity(left: ColumnFacts, right: ColumnFacts) -> float:
    """How alike two column names are, 0 to 1; ``id`` of a table ``singer`` is like ``singer_id``. Words that any key
    has (``id``, ``code``) count only when they are all there is."""
    from rapidfuzz import fuzz

    if left.inferred or right.inferred:
        return 0.0
    best = 0.0
    for a in (left.words, _full(left)):
        for b in (right.words, _full(right)):
            if not a or not b:
                continue
            own, other = (tuple(w for w in words if w not in KEY_WORDS) for words in (a, b))
            if bool(own) != bool(other):
                continue
            first, second = (own, other) if own else (a, b)
            best = max(best, fuzz.token_sort_ratio(" ".join(first), " ".join(second)) / 100)
            if set(first) <= set(second) or set(second) <= set(first):
                best = max(best, _WEIGHTS.part_of_name)
    return best if best >= _WEIGHTS.least_names else 0.0


def _full(column: ColumnFacts) -> tuple[str, ...]:
    if column.words and set(column.words) <= KEY_WORDS:
        return (*column.table_words, *column.words)
    return column.words
