"""The typed view of tables that a program sees under an alias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablehound.execution.program import View

if TYPE_CHECKING:
    import pyarrow as pa

    from tablehound.lake.store import Lake


def view_table(lake: Lake, view: View) -> pa.Table:
    """The rows of a view, typed by each column's reading, with ``_row``, ``_table`` and ``_rollup``."""
    import numpy as np
    import pyarrow as pa

    from tablehound.lake.values import typed_column

    parts = []
    for position, table_id in enumerate(view.table_ids):
        table = lake.table(table_id)
        width = len(table.info.columns)
        places = view.alignment[position] if view.alignment else tuple(range(width))
        names = view.header or table.header
        columns = {
            name: typed_column(table, place) for name, place in zip(names, places, strict=False) if 0 <= place < width
        }
        rollup = np.zeros(table.n_rows, dtype=bool)
        rollup[list(table.info.rollup_rows)] = True
        columns["_row"] = pa.array(range(table.n_rows), pa.int64())
        columns["_table"] = pa.array([table_id] * table.n_rows, pa.string())
        columns["_rollup"] = pa.array(rollup)
        parts.append(pa.table(columns))
    return pa.concat_tables(parts, promote_options="permissive")
