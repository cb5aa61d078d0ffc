"""Missing headers: carried over from columns that share values, and the groups of columns to infer one from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tablehound.relations.facts import ColumnFacts, TableFacts
from tablehound.relations.graph import ColumnRef

MIN_SHARE = 0.5
MIN_VALUES = 2


@dataclass(frozen=True, slots=True)
class HeaderGroup:
    """Columns of like values: those without a header first in ``columns``, with ``names`` None."""

    columns: tuple[ColumnRef, ...]
    names: tuple[str | None, ...]
    samples: tuple[tuple[str, ...], ...]


def header_groups(tables: Sequence[TableFacts]) -> list[HeaderGroup]:
    """For every column without a header, the columns of other tables that contain at least half of its values."""
    named = [c for t in tables for c in t.columns if not c.inferred and c.values]
    groups = []
    for table in tables:
        for column in table.columns:
            if not column.inferred or len(column.values) < MIN_VALUES:
                continue
            near = [(share, other) for other in named if (share := _share(column, other)) >= MIN_SHARE]
            near.sort(key=lambda pair: (-pair[0], pair[1].ref.table_id, pair[1].ref.column))
            if near:
                members = [column, *(other for _, other in near[:10])]
                groups.append(
                    HeaderGroup(
                        tuple(m.ref for m in members),
                        (None, *(m.name for m in members[1:])),
                        tuple(tuple(sorted(m.values)[:5]) for m in members),
                    )
                )
    return groups


def _share(column: ColumnFacts, other: ColumnFacts) -> float:
    if column.ref.table_id == other.ref.table_id or column.kind != other.kind:
        return 0.0
    return len(column.values & other.values) / len(column.values)


def carried_headers(tables: Sequence[TableFacts]) -> dict[ColumnRef, str]:
    """Column without a header → the header of the column that shares most of its values."""
    return {group.columns[0]: next(n for n in group.names if n) for group in header_groups(tables)}
