"""Union clusters: tables whose columns can be aligned by name, kind and values, so that their rows can be stacked."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tablehound.relations.facts import ColumnFacts, TableFacts
from tablehound.relations.graph import UnionCluster


@dataclass(frozen=True, slots=True)
class UnionWeights:
    """When columns correspond and when tables are about the same things: shares and likenesses, 0 to 1. By hand."""

    least_names: float = 0.75
    """Names less alike than this are not alike at all."""
    least_values: float = 0.3
    """Share of common values of two columns of text from which on it counts."""
    values: float = 0.95
    """Times that share: values alone are a little less than a name."""
    dates: float = 0.75
    """Two columns of dates, whatever they are called."""
    same_kind: float = 0.05
    key: float = 0.95
    """Distinct values of a key."""
    shared_keys: float = 0.5
    """Tables that share more of their keys tell other facts of the same things: joinable, not unionable."""
    disjoint_keys: float = 0.05
    """Share of common values up to which a key distinguishes the rows of two tables."""


_WEIGHTS = UnionWeights()


def clusters_of(tables: Sequence[TableFacts], threshold: float) -> list[UnionCluster]:
    """Clusters over all tables, each table in exactly one; ordered by id. The tables of a cluster are aligned to its
    first one, the table with the smallest id."""
    ordered = sorted(tables, key=lambda t: t.info.id)
    buckets: dict[int, list[tuple[TableFacts, list[tuple[TableFacts, tuple[int, ...]]]]]] = defaultdict(list)
    for table in ordered:
        width = len(table.columns)
        for head, members in buckets[width]:
            aligned = align(head, table)
            if aligned is not None and aligned[0] >= threshold:
                members.append((table, aligned[1]))
                break
        else:
            buckets[width].append((table, []))
    clusters = [_cluster(head, members) for bucket in buckets.values() for head, members in bucket]
    return sorted(clusters, key=lambda c: c.id)


def _cluster(head: TableFacts, members: list[tuple[TableFacts, tuple[int, ...]]]) -> UnionCluster:
    ids = (head.info.id, *(table.info.id for table, _ in members))
    identity = tuple(range(len(head.columns)))
    digest = hashlib.blake2b("|".join(ids).encode(), digest_size=8).hexdigest()
    return UnionCluster(f"u{digest}", ids, head.info.header, (identity, *(places for _, places in members)))


def align(head: TableFacts, other: TableFacts) -> tuple[float, tuple[int, ...]] | None:
    """:func:`align_columns`, and None when the rows of the two tables are about the same things."""
    aligned = align_columns(head, other)
    return None if aligned is None or _same_things(head, other, aligned[1]) else aligned


def align_columns(head: TableFacts, other: TableFacts) -> tuple[float, tuple[int, ...]] | None:
    """Similarity of two tables of one width, and per column of ``head`` the column of ``other`` that corresponds;
    None when a column finds no partner of its kind."""
    if not head.columns or len(head.columns) != len(other.columns):
        return None
    pairs = sorted(
        ((-_similarity(a, b), i, j) for i, a in enumerate(head.columns) for j, b in enumerate(other.columns)),
    )
    places: dict[int, int] = {}
    total = 0.0
    for negative, i, j in pairs:
        if i in places or j in places.values() or negative == 0:
            continue
        places[i] = j
        total -= negative
    if len(places) < len(head.columns):
        return None
    alignment = tuple(places[i] for i in range(len(head.columns)))
    return total / len(head.columns), alignment


def _similarity(a: ColumnFacts, b: ColumnFacts) -> float:
    """Of two columns: by name when both have one, helped by shared values; 0 for unlike kinds."""
    if a.kind != b.kind and "empty" not in (a.kind, b.kind):
        return 0.0
    from rapidfuzz import fuzz

    names = 0.0
    if not a.inferred and not b.inferred and a.words and b.words:
        names = fuzz.ratio(" ".join(a.words), " ".join(b.words)) / 100
        if names == 1.0:
            return 1.0
    shared = len(a.values & b.values)
    values = shared / min(len(a.values), len(b.values)) if shared and a.kind == "text" else 0.0
    dates = _WEIGHTS.dates if a.kind == "date" else _WEIGHTS.same_kind
    return max(
        names if names >= _WEIGHTS.least_names else 0.0,
        _WEIGHTS.values * values if values >= _WEIGHTS.least_values else 0.0,
        dates,
    )


def _same_things(head: TableFacts, other: TableFacts, alignment: tuple[int, ...]) -> bool:
    """Whether the rows of both tables have mostly the same keys, and no key tells them apart. Keys that are names,
    dates or years decide; numbers only where there are no others."""
    keys = [
        (a, b)
        for a, j in zip(head.columns, alignment, strict=True)
        if min(a.uniqueness, (b := other.columns[j]).uniqueness) >= _WEIGHTS.key and a.values and b.values
    ]
    names = [(a, b) for a, b in keys if a.kind != "number" or (a.years and b.years)]
    shares = [len(a.values & b.values) / min(len(a.values), len(b.values)) for a, b in names or keys]
    return bool(shares) and max(shares) > _WEIGHTS.shared_keys and min(shares) > _WEIGHTS.disjoint_keys
