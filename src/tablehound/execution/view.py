"""The typed view of tables that a program sees under an alias.

Columns have the lake's names, typed by each column's reading: numbers BIGINT when all are integral, DECIMAL when a
DOUBLE would lose digits, else DOUBLE; dates DATE or TIMESTAMP; times of day TIME; booleans BOOLEAN; texts VARCHAR. A
cell that does not read as its column's kind is NULL there; its text is in the column ``"name (raw)"``, which every
column has. Columns with bounds in place of numbers (``<5``) have ``"name (low)"`` and ``"name (high)"`` too. ``_row``,
``_table``, ``_rollup`` and these columns exist when named; ``SELECT *`` leaves them out. Parts of a union have one unit
and scale. Rows that add up others are left out unless ``_rollup`` is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from tablehound.lake import (
    Measure,
    Reading,
    Table,
    bounds_of_cell,
    factor,
    measure_of,
    typed_column,
)
from tablehound.program import View

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from tablehound.lake import Lake

HELPERS = ("_row", "_table", "_rollup")
RAW_SUFFIX = " (raw)"
LOW_SUFFIX, HIGH_SUFFIX = " (low)", " (high)"
"""Of columns with bounds in place of numbers (``<5``): what a cell is at least, and at most."""


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
    measures: Mapping[str, Measure] = field(default_factory=dict)
    """What the numbers of a column are counted in, for columns of numbers."""
    conversions: tuple[str, ...] = ()
    """Columns of parts in another unit or scale, as expressions that bring them to the first part's."""

    @property
    def base(self) -> str:
        """Name of the table behind the view, with all helper columns."""
        return f"__{self.alias}"

    @property
    def parts(self) -> str:
        """Name of the rows as their tables have them."""
        return f"__{self.alias}_parts" if self.conversions else self.base

    def with_floats(self) -> TypedView:
        """The view with its numbers as DOUBLE, for programs that overflow exact ones."""
        import pyarrow as pa

        types = pa.types
        columns = {
            name: self.data.column(name).cast(pa.float64(), safe=False)
            if name in self.names and (types.is_decimal(kind) or types.is_int64(kind))
            else self.data.column(name)
            for name, kind in zip(self.data.column_names, self.data.schema.types, strict=True)
        }
        return replace(self, data=pa.table(columns))

    def converted(self) -> str:
        """What is selected from the parts to bring them to one scale."""
        return f"SELECT * REPLACE ({', '.join(self.conversions)}) FROM {quoted(self.parts)}"

    def readings(self, name: str) -> tuple[Reading, ...]:
        """Readings of a column in the tables that have it."""
        return tuple(reading for _, reading in self.places_of(name).values())

    def places_of(self, name: str) -> dict[str, tuple[int, Reading]]:
        """Table id → place and reading of a column there."""
        at = self.names.index(name)
        return {
            table.id: (places[at], table.info.columns[places[at]].reading)
            for table, places in zip(self.tables, self.places, strict=True)
            if places[at] >= 0
        }

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
    measures: dict[str, Measure] = {}
    conversions: list[str] = []
    for place, name in enumerate(names):
        typed = [
            typed_column(table, at[place]) if at[place] >= 0 else pa.nulls(table.n_rows)
            for table, at in zip(tables, places, strict=True)
        ]
        own = [at[place] for at in places]
        factors = _factors(tables, own)
        if factors is None or len({str(array.type) for array in typed}) > 1:
            typed = _one_type(typed, tables, own, mixed=factors is None)
        columns[name] = pa.chunked_array(typed)
        if factors:
            measures[name] = next(measure for measure, _ in factors.values())
            if any(by != 1 for _, by in factors.values()):
                conversions.append(_conversion(name, factors))
        for suffix, high in ((LOW_SUFFIX, False), (HIGH_SUFFIX, True)):
            if (name + suffix).lower() in words:
                columns[name + suffix] = pa.chunked_array(
                    [_bounds(table, at[place], high=high) for table, at in zip(tables, places, strict=True)]
                )
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
    return TypedView(alias, names, data, tables, places, left_out, measures, tuple(conversions))


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


def _factors(tables: Sequence[Table], places: Sequence[int]) -> dict[str, tuple[Measure, Decimal]] | None:
    """Table id → measure of the column's numbers there and what they are multiplied by to be in the first part's.
    Empty for other columns than of numbers; None where the parts cannot be converted to one measure."""
    found: dict[str, tuple[Measure, Decimal]] = {}
    wanted: Measure | None = None
    for table, place in zip(tables, places, strict=True):
        reading = table.info.columns[place].reading if place >= 0 else None
        if reading is None or reading.kind == "empty":
            continue
        if reading.kind != "number":
            return {} if not found else None
        measure = measure_of(reading)
        wanted = wanted or measure
        by = factor(measure, wanted)
        if by is None:
            return None
        found[table.id] = (measure, by)
    return found


def _conversion(name: str, factors: Mapping[str, tuple[Measure, Decimal]]) -> str:
    """The column with the parts of another measure brought to the first one's."""
    column = quoted(name)
    cases = " ".join(
        f"WHEN '{table_id}' THEN {column} {_times(by)}" for table_id, (_, by) in factors.items() if by != 1
    )
    return f"CASE _table {cases} ELSE {column} END AS {column}"


def _times(by: Decimal) -> str:
    """Multiplied by a factor; a fraction of a round number as a division, which is exact."""
    inverse = 1 / by
    if by < 1 and inverse == inverse.to_integral_value():
        return f"/ {inverse:f}"
    return f"* {by.normalize():f}"


def _bounds(table: Table, place: int, *, high: bool) -> pa.Array:
    """What each cell of a column of numbers is at least, or at most; open ends as the next number."""
    import pyarrow as pa

    if place < 0:
        return pa.nulls(table.n_rows, pa.float64())
    reading = table.info.columns[place].reading
    values = [bounds_of_cell(text, reading) for text in table.column(place)]
    return pa.array([None if pair is None else pair[high] for pair in values], pa.float64())


def _one_type(typed: list[pa.Array], tables: Sequence[Table], places: Sequence[int], *, mixed: bool) -> list[pa.Array]:
    """Parts of one column under one type: whole numbers and fractions as DOUBLE, days and moments as TIMESTAMP, all
    else as text; numbers in units that exclude each other too (``mixed``)."""
    import pyarrow as pa

    kinds = {str(array.type) for array in typed if not pa.types.is_null(array.type)}
    if mixed:
        return [_raw(table, place) for table, place in zip(tables, places, strict=True)]
    if len(kinds) <= 1:
        wanted = next((a.type for a in typed if not pa.types.is_null(a.type)), pa.string())
    elif all(kind in ("int64", "double") or kind.startswith("decimal") for kind in kinds):
        wanted = pa.float64()
    elif kinds <= {"date32[day]", "timestamp[us]"}:
        wanted = pa.timestamp("us")
    else:
        return [_raw(table, place) for table, place in zip(tables, places, strict=True)]
    return [array.cast(wanted) for array in typed]
