"""From a region of a grid to the draft of a table: merges filled in, blanks dropped, every row accounted for."""

from __future__ import annotations

from collections.abc import Sequence

from tablehound.lake.read.batches import TextBatch
from tablehound.lake.read.cell_kinds import EMPTY
from tablehound.lake.read.contract import Account, SetAside, TableDraft
from tablehound.lake.read.layout.grid import Box, Grid, cell_label, column_letters, flags, row_text
from tablehound.lake.read.layout.header import header_paths
from tablehound.lake.read.layout.parts import Region
from tablehound.lake.read.layout.row_labels import fill_down, fill_merges
from tablehound.lake.read.totals.outline import outline_subtotals
from tablehound.lake.read.totals.subtotals import subtotal_rows
from tablehound.lake.table import Provenance

MAX_LISTED = 50
"""Single cells named in an account's repairs and ambiguities; of the rest, the number."""


def draft_region(
    grid: Grid, region: Region, provenance: Provenance, *, repeat_numbers: bool = False, batch_rows: int = 65_536
) -> TableDraft | None:
    """The table of a region, or none if it has neither names nor cells.

    Args:
        repeat_numbers: fill a number that is merged over several rows into each of them, as span grids of HTML do.
            Otherwise such a number is in its first row only, so that a sum counts it once; labels are always filled.
    """
    box = region.box
    account = Account(dialect={"range": grid.source_box(box).label()})
    body = Box(box.top + region.depth, box.left, box.bottom, box.right)
    texts = {c: grid.columns[c][body.top : body.bottom + 1] for c in range(box.left, box.right + 1)}
    fill_merges(grid, body, texts, repeat_numbers, account)
    if not repeat_numbers and region.depth:
        fill_down(grid, body, texts, account)
    kept_columns = _kept_columns(grid, box, account)
    if not kept_columns:
        return None
    header = header_paths(grid, box, region.depth, kept_columns)
    if not any(header) and not any(text for c in kept_columns for text in texts[c]):
        return None
    if any((row, kept_columns[0]) in grid.indents for row in range(body.top, body.bottom + 1)):
        account.ambiguities.append(
            f"labels of column {_letters(grid, kept_columns[:1])} are moved in by their format, which is left out"
        )
    account.dialect["columns"] = _letters(grid, kept_columns)
    kept_rows = _kept_rows(grid, region, kept_columns, account)
    if len(kept_rows) == body.height:
        columns = [texts[c] for c in kept_columns]
    else:
        columns = [[texts[c][row - body.top] for row in kept_rows] for c in kept_columns]
    title, notes = _title_and_notes(region)
    return TableDraft(
        header=header,
        batches=TextBatch(columns, _numbers(grid, kept_rows)).split(batch_rows),
        provenance=provenance,
        title=title,
        notes=notes,
        rollup_rows=_subtotals(grid, columns, kept_rows, kept_columns[0]),
        account=account,
    )


def _title_and_notes(region: Region) -> tuple[str | None, tuple[str, ...]]:
    titles = [text for _, text in region.titles if text]
    notes = [text for _, text in region.notes if text]
    return (titles[0] if titles else None), tuple(dict.fromkeys([*titles[1:], *notes]))


def _subtotals(grid: Grid, columns: list[list[str | None]], rows: list[int], first: int) -> tuple[int, ...]:
    """Subtotals by label or outline and arithmetic, and those that the source computes as sums."""
    found = set(subtotal_rows(columns, len(rows)))
    indents = {index: grid.indents[row, first] for index, row in enumerate(rows) if (row, first) in grid.indents}
    found.update(outline_subtotals(columns, indents, found))
    if grid.sum_rows:
        found.update(index for index, row in enumerate(rows) if row in grid.sum_rows)
    return tuple(sorted(found))


def _numbers(grid: Grid, rows: list[int]) -> list[int]:
    """Source numbers of grid rows."""
    known = grid.row_numbers
    return [row + 1 for row in rows] if known is None else [known[row] for row in rows]


def _letters(grid: Grid, columns: tuple[int, ...]) -> str:
    """Source columns of the table's columns, so that every cell can be found again: ``A:C,E``."""
    numbers = grid.column_numbers
    places = [column if numbers is None else numbers[column] for column in columns]
    spans: list[list[int]] = []
    for place in places:
        if spans and place == spans[-1][1] + 1:
            spans[-1][1] = place
        else:
            spans.append([place, place])
    return ",".join(column_letters(a) if a == b else f"{column_letters(a)}:{column_letters(b)}" for a, b in spans)


def _kept_columns(grid: Grid, box: Box, account: Account) -> tuple[int, ...]:
    """Columns with a name or a cell of their own; the others are named in the account."""
    kept: list[int] = []
    blank, merged, between = [], [], []
    numbers = grid.column_numbers
    for column in range(box.left, box.right + 1):
        letters = column_letters(column if numbers is None else numbers[column])
        rows = range(box.top, box.bottom + 1)
        if not grid.filled[box.top : box.bottom + 1, column].any():
            blank.append(letters)
            between.append(len(kept))
        elif grid.merges and column > box.left and _is_merged_left(grid, rows, column):
            merged.append(letters)
        else:
            kept.append(column)
    if blank:
        account.repairs.append(f"blank columns dropped: {', '.join(blank)}")
        if any(2 <= left <= len(kept) - 2 for left in between):
            account.ambiguities.append("what stands left and right of a blank column is read as one table")
    if merged:
        account.repairs.append(f"columns dropped that are merged with the one at their left: {', '.join(merged)}")
    return tuple(kept)


def _is_merged_left(grid: Grid, rows: range, column: int) -> bool:
    """Whether every cell of the column is blank or belongs to a merge that begins further left."""
    mine = [grid.anchor(row, column)[1] < column for row in rows]
    return any(mine) and all(own or grid.kinds[row, column] == EMPTY for own, row in zip(mine, rows, strict=True))


def _kept_rows(grid: Grid, region: Region, columns: tuple[int, ...], account: Account) -> list[int]:
    """Grid rows that are rows of the table; the others go to the account with a reason."""
    box = region.box
    reasons: dict[int, str] = {row: "title" for row, _ in region.titles}
    reasons |= {row: "note" for row, _ in region.notes if not box.top <= row <= box.bottom}
    outside = [*reasons, box.top, box.bottom]
    reasons |= dict.fromkeys(range(box.top, box.top + region.depth), "header")
    top, bottom = min(outside), max(outside)
    filled = flags(grid.filled[top : bottom + 1, box.left : box.right + 1], 1)
    repeated = _repeated_headers(grid, region, columns)
    covered = _covered_rows(grid, region) if grid.merges else frozenset()
    for row in repeated:
        reasons.setdefault(row, "repeated header")
    for row in covered:
        reasons.setdefault(row, "merged with the row above")
    for row in (top + index for index, any_cell in enumerate(filled) if not any_cell):
        reasons.setdefault(row, "blank")
    kept = [row for row in range(box.top, box.bottom + 1) if row not in reasons]
    account.seen = len(kept) + len(reasons)
    for row, reason in sorted(reasons.items()):
        left, right = (box.left, box.right) if box.top <= row <= box.bottom else (0, grid.n_columns - 1)
        text = "" if reason == "blank" else row_text(grid, row, left, right)
        account.set_aside.append(SetAside(grid.row_number(row), reason, text))
    account.kept = len(kept)
    account.header_rows = tuple(grid.row_number(row) for row in range(box.top, box.top + region.depth))
    return kept


def _repeated_headers(grid: Grid, region: Region, columns: tuple[int, ...]) -> frozenset[int]:
    """Body rows that repeat the header, as printed pages do."""
    if not region.depth or len(columns) < 2:
        return frozenset()
    last = region.box.top + region.depth - 1
    names = [(c, grid.text(last, c)) for c in columns if grid.filled[last, c]]
    if len(names) < 2:
        return frozenset()
    first, name = names[0]
    texts = grid.columns[first]
    rows = [row for row in range(last + 1, region.box.bottom + 1) if texts[row] == name]
    return frozenset(row for row in rows if all(grid.columns[c][row] == name for c, name in names))


def _covered_rows(grid: Grid, region: Region) -> frozenset[int]:
    """Body rows without a cell of their own: merges from above cover all that is filled."""
    box = region.box
    covered = set()
    for row in range(box.top + region.depth, box.bottom + 1):
        cells = grid.cells(row, box.left, box.right)
        if cells and all(r < row for r, _ in cells):
            covered.add(row)
    return frozenset(covered)


def listed(cells: list[tuple[int, int]], what: str) -> list[str]:
    """One line per cell for an account, the rest counted."""
    lines = [f"{cell_label(row, column)}: {what}" for row, column in cells[:MAX_LISTED]]
    return [*lines, f"{len(cells) - MAX_LISTED} more cells: {what}"] if len(cells) > MAX_LISTED else lines


def draft_of_rows(
    rows: Sequence[Sequence[str | None]],
    provenance: Provenance,
    *,
    header_rows: int = 1,
    title: str | None = None,
    row_numbers: Sequence[int] | None = None,
    batch_rows: int = 65_536,
) -> TableDraft | None:
    """A table whose header is known: the first ``header_rows`` rows. None if it has neither names nor cells.

    Args:
        row_numbers: 1-based source row of each row, the header's included.
    """
    numbers = list(row_numbers) if row_numbers is not None else list(range(1, len(rows) + 1))
    heads, body = rows[:header_rows], rows[header_rows:]
    width = max((len(row) for row in rows), default=0)
    if not width:
        return None
    header = tuple(tuple(text for row in heads if c < len(row) and (text := row[c])) for c in range(width))
    account = Account(seen=len(rows), header_rows=tuple(numbers[:header_rows]))
    for number, row in zip(numbers, heads, strict=False):
        account.set_aside.append(SetAside(number, "header", " | ".join(text or "" for text in row)[:200]))
    kept: list[int] = []
    for index, row in enumerate(body):
        if any(text is not None and text != "" for text in row):
            kept.append(index)
        else:
            account.set_aside.append(SetAside(numbers[header_rows + index], "blank"))
    account.kept = len(kept)
    columns = [[body[i][c] if c < len(body[i]) else None for i in kept] for c in range(width)]
    return TableDraft(
        header=header,
        batches=TextBatch(columns, [numbers[header_rows + i] for i in kept]).split(batch_rows),
        provenance=provenance,
        title=title,
        rollup_rows=subtotal_rows(columns, len(kept)),
        account=account,
    )
