"""Subtotals of a table that is too large to keep in memory: addends are condensed, and judged at the end.

Rows between two that a label calls a total are kept as their sums, except for the last ones, which may be a section of
their own. The result is a small table that adds up in the same ways; :func:`subtotals.subtotal_rows` judges it, as
it does any other. Only averages need to know how many rows there were, and are compared here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablehound.lake.read.batches import Batch, TextBatch, arrow_of
from tablehound.lake.read.contract import TableDraft
from tablehound.lake.read.totals.groups import mean_slack
from tablehound.lake.read.totals.labels import (
    labelled_rows,
    may_be_alone,
    may_hold_subtotals,
    rows_with_stems,
    rows_with_word_alone,
)
from tablehound.lake.read.totals.number_columns import NumberColumn
from tablehound.lake.read.totals.subtotals import (
    AGREEING_ONE_IN,
    MAX_CANDIDATES,
    MAX_SECTION_ROWS,
    joined_columns,
    subtotal_rows,
)

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

# Limits of memory, by hand.
MAX_WHOLE_ROWS = 20_000
"""A table of up to so many rows is judged as it is."""
MAX_KEPT_ROWS = 50_000
"""Rows between labels that are kept as they are, all together."""
FEW_KEPT_ROWS = 20
"""The same per stretch, once there are that many."""

Row = list[str | None]


def marked(draft: TableDraft, batches: Iterator[Batch]) -> Iterator[Batch]:
    """The same batches; when they are consumed, the draft knows its subtotals."""
    totals = _Stream(len(draft.header))
    cells = 0
    for batch in batches:
        if totals.small(batch):
            totals.add(batch)
            yield batch
            continue
        # Columns of Arrow are much quicker to add up, and whoever stores the rows wants them in the end.
        columns = arrow_of(batch)
        cells += batch.escaped if isinstance(batch, TextBatch) else 0
        totals.add(columns)
        yield columns
    draft.account.add_escaped(cells)
    draft.rollup_rows = totals.rows()


@dataclass(slots=True)
class _Stretch:
    """Rows that no label calls a total, and the row with a label that follows them."""

    count: int
    sums: NDArray[np.float64]
    counts: NDArray[np.int64]
    rest: NDArray[np.float64]
    """The sums without the rows that are kept."""
    kept: list[Row]
    label: Row | None
    mean: bool


class _Stream:
    """Reads the batches of one table in order: as they are while they are few, then condensed."""

    def __init__(self, width: int) -> None:
        self._columns = [NumberColumn() for _ in range(width)]
        self._whole: list[Batch] | None = []
        self._n_rows = 0
        self._stretches: list[_Stretch] = []
        self._kept_rows = 0
        self._labels = 0
        self._begin()

    def small(self, batch: Batch) -> bool:
        """Whether the table is kept as it is, with this batch too."""
        return self._whole is not None and self._n_rows + batch.num_rows <= MAX_WHOLE_ROWS

    def add(self, batch: Batch) -> None:
        if self._whole is not None:
            if self.small(batch):
                self._whole.append(batch)
                self._n_rows += batch.num_rows
                return
            batches, self._whole, self._n_rows = self._whole, None, 0
            for each in batches:
                self._read(arrow_of(each))
        self._read(arrow_of(batch))

    def rows(self) -> tuple[int, ...]:
        """0-based indices of the subtotals, all batches given."""
        if self._whole is not None:
            return self._of_small()
        if not 0 < self._labels <= MAX_CANDIDATES:
            return ()
        self._end(None, mean=False)
        return self._judge()

    def _of_small(self) -> tuple[int, ...]:
        if not self._whole:
            return ()
        columns = joined_columns(self._whole, len(self._columns))
        words = "\n".join([text for column in columns for text in column if text])
        if not may_hold_subtotals(words.encode("utf-8", "surrogatepass")):
            return ()
        return subtotal_rows(columns, self._n_rows)

    def _begin(self) -> None:
        import numpy as np

        self._count = 0
        self._sums = np.zeros(len(self._columns))
        self._counts = np.zeros(len(self._columns), np.int64)
        self._tail: deque[tuple[pa.RecordBatch, list[NDArray[np.float64] | None], int, int]] = deque()

    def _read(self, batch: pa.RecordBatch) -> None:
        size = batch.num_rows
        self._n_rows += size
        if self._labels > MAX_CANDIDATES or not size:
            return
        columns = batch.columns[:-1]
        numbers = [column.read(texts) for column, texts in zip(self._columns, columns, strict=True)]
        start = 0
        for row, mean in _labelled_rows(columns, numbers).items():
            self._stretch(batch, numbers, start, row)
            self._labels += 1
            self._end(_rows_of(batch, row, row + 1)[0], mean=mean)
            start = row + 1
        self._stretch(batch, numbers, start, size)

    def _stretch(self, batch: pa.RecordBatch, numbers: list[NDArray[np.float64] | None], start: int, end: int) -> None:
        """Take in rows without a label."""
        import numpy as np

        if start == end:
            return
        self._count += end - start
        for place, values in enumerate(numbers):
            if values is not None:
                part = values[start:end]
                total = float(part.sum())
                if total == total:
                    self._sums[place] += total
                    self._counts[place] += end - start
                else:
                    self._sums[place] += np.nansum(part)
                    self._counts[place] += np.count_nonzero(~np.isnan(part))
        self._tail.append((batch, numbers, start, end))
        more = sum(last - first for _, _, first, last in self._tail) - MAX_SECTION_ROWS
        while more > 0:
            size = self._tail[0][3] - self._tail[0][2]
            if size > more:
                break
            self._tail.popleft()
            more -= size

    def _end(self, label: Row | None, *, mean: bool) -> None:
        """A row with a label, or the end of the table."""
        import numpy as np

        limit = MAX_SECTION_ROWS if self._kept_rows < MAX_KEPT_ROWS else FEW_KEPT_ROWS
        kept: list[Row] = []
        rest = self._sums.copy()
        for batch, numbers, start, end in reversed(self._tail):
            first = max(start, end - (limit - len(kept)))
            kept = _rows_of(batch, first, end) + kept
            for place, values in enumerate(numbers):
                if values is not None:
                    rest[place] -= np.nansum(values[first:end])
            if len(kept) >= limit:
                break
        self._kept_rows += len(kept)
        self._stretches.append(_Stretch(self._count, self._sums, self._counts, rest, kept, label, mean))
        self._begin()

    def _judge(self) -> tuple[int, ...]:
        means = self._means()
        rows: list[Row] = []
        places: list[int | None] = []
        at = 0
        for index, stretch in enumerate(self._stretches):
            if stretch.count > len(stretch.kept):
                rows.append(self._in_short(stretch))
                places.append(None)
            at += stretch.count
            rows += stretch.kept
            places += range(at - len(stretch.kept), at)
            if stretch.label is not None:
                if index not in means:
                    rows.append(stretch.label)
                    places.append(at)
                at += 1
        found = subtotal_rows([list(column) for column in zip(*rows, strict=True)], len(rows))
        marked_rows = [place for row in found if (place := places[row]) is not None]
        return tuple(sorted([*marked_rows, *means.values()]))

    def _in_short(self, stretch: _Stretch) -> Row:
        """One row in the place of many: their sums."""
        texts: Row = [column.write(float(total)) for column, total in zip(self._columns, stretch.rest, strict=True)]
        return [texts[0] or "rows", *texts[1:]]

    def _means(self) -> dict[int, int]:
        """Averages that are right: which stretch they end, and their rows."""
        import numpy as np

        found: dict[int, int] = {}
        width = len(self._columns)
        block, above = (np.zeros(width), np.zeros(width)), (np.zeros(width), np.zeros(width))
        at = 0
        for index, stretch in enumerate(self._stretches):
            block = (block[0] + stretch.sums, block[1] + stretch.counts)
            above = (above[0] + stretch.sums, above[1] + stretch.counts)
            at += stretch.count
            if stretch.label is None:
                break
            if stretch.mean:
                agreed = judged = 0
                for place, (column, text) in enumerate(zip(self._columns, stretch.label, strict=True)):
                    value = column.value(text)
                    if value is None or not above[1][place]:
                        continue
                    judged += 1
                    slack = mean_slack(value, column.decimals)
                    sums = [(total[place], count[place]) for total, count in (block, above) if count[place]]
                    agreed += any(abs(total / count - value) <= slack for total, count in sums)
                if agreed and AGREEING_ONE_IN * agreed >= judged:
                    found[index] = at
            else:
                block = (np.zeros(width), np.zeros(width))
            at += 1
        return found


def _rows_of(batch: pa.RecordBatch, start: int, end: int) -> list[Row]:
    columns = [column.slice(start, end - start).to_pylist() for column in batch.columns[:-1]]
    return [list(row) for row in zip(*columns, strict=True)]


def _labelled_rows(columns: Sequence[pa.Array], numbers: Sequence[object]) -> dict[int, bool]:
    """Rows that a label calls a total, and whether it is an average; columns of numbers have none."""
    named: set[int] = set()
    if numbers[0] is None:
        firsts = columns[0].to_pylist()
        named.update(rows_with_stems(firsts))
        gaps = [row for row, text in enumerate(firsts) if not text] if not all(firsts) else []
        if gaps and len(columns) > 1:
            # The first text of such a row is further right.
            lists = [column.to_pylist() for column in columns[1:]]
            later = [next((text for column in lists if (text := column[row])), None) for row in gaps]
            named.update(gaps[place] for place in rows_with_stems(later))
    for column, values in zip(columns[1:], numbers[1:], strict=True):
        if values is None:
            named.update(_alone(column))
    if not named:
        return {}
    rows = sorted(named)
    found = labelled_rows([[column[row].as_py() for row in rows] for column in columns])
    return {rows[place]: mean for place, mean in found.items()}


def _alone(column: pa.Array) -> list[int]:
    """Rows in which a text of the column may be nothing but a word for a total."""
    return rows_with_word_alone(column.to_pylist()) if may_be_alone(_bytes_of(column)) else []


def _bytes_of(column: pa.Array) -> bytes:
    """The texts of a column of Arrow, one after the other."""
    import numpy as np

    _, offsets, data = column.buffers()
    if data is None or not len(column):
        return b""
    ends = np.frombuffer(offsets, np.int32, len(column) + 1, column.offset * 4)
    return memoryview(data)[int(ends[0]) : int(ends[-1])].tobytes()
