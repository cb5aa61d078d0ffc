"""The typed view of tables that a program sees under an alias.

Columns have the lake's names, typed by each column's reading: numbers BIGINT when all are integral, else DOUBLE; dates
DATE or TIMESTAMP; booleans BOOLEAN; texts VARCHAR. A cell that does not read as its column's kind is NULL there; its
text is in the column ``"name (raw)"``, which every column has. ``_row``, ``_table``, ``_rollup`` and the raw columns
exist when named; ``SELECT *`` leaves them out. Rows that add up others are left out unless ``_rollup`` is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablehound.lake import Table, typed_column
from tablehound.program import View

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from tablehound.lake import Lake

HELPERS = ("_row", "_table", "_rollup")
RAW_SUFFIX = " (raw)"


@dataclass(frozen=True, slots=True)
class TypedView:
    """A view made ready: its rows in Arrow, with the helper columns."""

    alias: str
    names: tuple[str, ...]
    data: pa.Table
    tables: tuple[Table, ...]
    places: tuple[tuple[int, ...], ...]
    """Per table, the index of its column at each name; -1 where it has none."""
    rollups: int = 0
    """Roll-up rows left out."""

    @property
    def base(self) -> str:
        """Name of the table behind the view, with all helper columns."""
        return f"__{self.alias}"

    def select(self, words: frozenset[str]) -> str:
        """What the program's view shows: the columns, and the helpers that it names."""
        shown = [name for name in self.data.column_names if name in self.names or name.lower() in words]
        # A column without any value has no type of its own: NULL compares with texts and numbers alike.
        columns = [
            f"NULL AS {quoted(name)}" if self.data.column(name).null_count == self.data.num_rows else quoted(name)
            for name in shown
        ]
        return f"SELECT {', '.join(columns)} FROM {quoted(self.base)}"


def quoted(name: str) -> str:
    """An identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def typed_view(lake: Lake, alias: str, view: View, words: frozenset[str]) -> TypedView:
    """The rows of a view. ``words`` are the lower-case identifiers of the program: raw columns are made only if named.

    Raises:
        TableMissingError: the lake has no such table.
    """
    import numpy as np
    import pyarrow as pa

    tables = tuple(lake.table(table_id) for table_id in view.table_ids)
    names = _distinct(view.header or tables[0].header)
    places = tuple(
        _places(view, position, len(table.info.columns), len(names)) for position, table in enumerate(tables)
    )
    columns: dict[str, pa.Array] = {}
    for place, name in enumerate(names):
        typed = [
            typed_column(table, at[place]) if at[place] >= 0 else pa.nulls(table.n_rows)
            for table, at in zip(tables, places, strict=True)
        ]
        if len({str(array.type) for array in typed}) > 1:
            typed = _one_type(typed, tables, [at[place] for at in places])
        columns[name] = pa.chunked_array(typed)
        if (name + RAW_SUFFIX).lower() in words:
            columns[name + RAW_SUFFIX] = pa.chunked_array(
                [_raw(table, at[place]) for table, at in zip(tables, places, strict=True)]
            )
    columns["_row"] = pa.chunked_array([pa.array(np.arange(table.n_rows, dtype=np.int64)) for table in tables])
    columns["_table"] = pa.chunked_array(
        [pa.repeat(pa.scalar(table.id, pa.string()), table.n_rows) for table in tables]
    )
    rollup = np.concatenate([_rollup(table) for table in tables])
    columns["_rollup"] = pa.array(rollup)
    data = pa.table(columns)
    left_out = 0
    if "_rollup" not in words and rollup.any():
        left_out = int(rollup.sum())
        data = data.filter(pa.array(~rollup))
    return TypedView(alias, names, data, tables, places, left_out)


def _distinct(header: Sequence[str]) -> tuple[str, ...]:
    """Names that SQL tells apart (it ignores case), none of them a helper's."""
    seen = set(HELPERS)
    names = []
    for place, name in enumerate(header):
        wanted = name or f"column_{place + 1}"
        candidate, n = wanted, 2
        while candidate.lower() in seen:
            candidate, n = f"{wanted}_{n}", n + 1
        seen.add(candidate.lower())
        names.append(candidate)
    return tuple(names)


def _places(view: View, position: int, width: int, names: int) -> tuple[int, ...]:
    wanted = view.alignment[position] if view.alignment else tuple(range(names))
    padded = (*wanted, *([-1] * (names - len(wanted))))[:names]
    return tuple(place if 0 <= place < width else -1 for place in padded)


def _rollup(table: Table) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    import numpy as np

    flags = np.zeros(table.n_rows, dtype=bool)
    flags[[row for row in table.info.rollup_rows if 0 <= row < table.n_rows]] = True
    return flags


def _raw(table: Table, place: int) -> pa.Array:
    import pyarrow as pa

    if place < 0:
        return pa.nulls(table.n_rows, pa.string())
    column = table.cells.column(place)
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole.cast(pa.string())


def _one_type(typed: list[pa.Array], tables: Sequence[Table], places: Sequence[int]) -> list[pa.Array]:
    """Parts of one column under one type: whole numbers and fractions as DOUBLE, days and moments as TIMESTAMP, all
    else as text."""
    import pyarrow as pa

    kinds = {str(array.type) for array in typed if not pa.types.is_null(array.type)}
    if len(kinds) <= 1:
        wanted = next((a.type for a in typed if not pa.types.is_null(a.type)), pa.string())
    elif kinds <= {"int64", "double"}:
        wanted = pa.float64()
    elif kinds <= {"date32[day]", "timestamp[us]"}:
        wanted = pa.timestamp("us")
    else:
        return [_raw(table, place) for table, place in zip(tables, places, strict=True)]
    return [array.cast(wanted) for array in typed]
