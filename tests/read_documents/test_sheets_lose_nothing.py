"""Whatever a sheet looks like, each of its cells is found again."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablehound.lake.read.layout.assemble import draft_region
from tablehound.lake.read.layout.grid import Box, Grid, grid_of_rows
from tablehound.lake.read.layout.regions import find_regions
from tablehound.lake.table import Provenance


@st.composite
def sheets(draw: st.DrawFn) -> Grid:
    """Cells scattered or dense, every one different, some merged, in up to 12 rows and 8 columns."""
    height, width = draw(st.integers(1, 12)), draw(st.integers(1, 8))
    density = draw(st.sampled_from([0.15, 0.5, 0.85, 1.0]))
    numeric = draw(st.lists(st.booleans(), min_size=width, max_size=width))
    rows: list[list[str | None]] = []
    for row in range(height):
        cells: list[str | None] = []
        for column in range(width):
            shown = draw(st.floats(0, 1)) < density
            number = numeric[column] and row > 0 and draw(st.integers(0, 9)) < 8
            cells.append((f"{row + 1}0{column + 1}.5" if number else f"t{row}x{column}") if shown else None)
        rows.append(cells)
    merges = [
        Box(top, left, top + draw(st.integers(0, 3)), left + draw(st.integers(0, 4)))
        for top, left in draw(st.lists(st.tuples(st.integers(0, height - 1), st.integers(0, width - 1)), max_size=5))
    ]
    grid = grid_of_rows(rows, merges)
    for row, column in grid.owners:
        grid.columns[column][row] = None
        grid.kinds[row, column] = 0
    return Grid(grid.columns, grid.kinds, grid.merges)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sheets())
def test_every_cell_is_found_again(grid: Grid) -> None:
    reported: set[str] = set()
    for region in find_regions(grid):
        draft = draft_region(grid, region, Provenance("book.xlsx", "xlsx"))
        if draft is None:
            continue
        account = draft.account
        kept = 0
        for batch in draft.record_batches():
            kept += batch.num_rows
            reported.update(text for column in batch.columns[:-1] for text in column.to_pylist() if text)
        assert account.kept == kept
        assert account.seen == account.kept + len(account.set_aside)
        reported.update(name for path in draft.header for name in path)
        reported.update(text for text in (draft.title, *draft.notes) if text)
    cells = {text for column in grid.columns for text in column if text}
    assert cells <= reported
