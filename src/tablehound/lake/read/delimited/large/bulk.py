"""Blocks of a large file through Arrow's reader, where they prove clean.

A block qualifies if its quotes are all where quotes belong. Arrow refuses a row with a wrong number of fields; the rows
are counted against the line ends. Any other block is read record by record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablehound.lake.read.delimited.dialect import RUNS, Dialect
from tablehound.lake.read.delimited.records import Newline

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(slots=True)
class BulkReader:
    """Arrow's reader for one dialect and width, its rows verified."""

    dialect: Dialect
    newline: Newline
    width: int
    max_cell_chars: int
    header: tuple[str, ...] = ()
    usable: bool = field(init=False)
    line_ends_inside: bool = False
    """Some block had line ends within cells."""

    def __post_init__(self) -> None:
        dialect = self.dialect
        self.usable = (
            len(dialect.delimiter) == 1
            and dialect.delimiter.isascii()
            and dialect.delimiter not in RUNS
            and (not dialect.quote or dialect.quote.isascii())
            and not dialect.backslash
            and not dialect.words
            and self.newline != "mixed"
            and self.width > 1
        )

    def end_of_records(self, block: bytes, *, final: bool) -> int | None:
        """Where the last whole record of a block ends; none when its quotes do not add up."""
        mark = self.dialect.quote.encode()
        if final or not mark or block.count(mark) % 2 == 0:
            return len(block)
        end = self.newline.encode()
        at = len(block) - 1
        for _ in range(200):
            before = block.rfind(end, 0, at)
            if before < 0:
                return None
            if block.count(mark, before + 1) % 2:
                return before + 1
            at = before
        return None

    def rows(self, block: bytes) -> list[pa.RecordBatch] | None:
        """The rows of a block of whole records; none when anything about it is not plain."""
        if not self.usable or self._has_blank_line(block) or (self.dialect.quote and not self._quotes_in_place(block)):
            return None
        quoted = bool(self.dialect.quote) and self.dialect.quote.encode() in block
        # Line ends within cells cost Arrow a second pass: allowed for only once a block had one.
        for inside in [False, True] if quoted and not self.line_ends_inside else [quoted]:
            table = self._table(block, quoted, inside)
            if table is not None and self._verified(table, block):
                self.line_ends_inside = self.line_ends_inside or inside
                batches: list[pa.RecordBatch] = table.to_batches()
                return batches
        return None

    def _table(self, block: bytes, quoted: bool, inside: bool) -> pa.Table | None:
        import pyarrow as pa
        import pyarrow.csv as pc

        names = [f"c{i}" for i in range(self.width)]
        try:
            return pc.read_csv(
                pa.BufferReader(block),
                read_options=pc.ReadOptions(column_names=names, block_size=max(len(block) // 4, 1 << 20)),
                parse_options=pc.ParseOptions(
                    delimiter=self.dialect.delimiter,
                    quote_char=self.dialect.quote if quoted else False,
                    double_quote=True,
                    newlines_in_values=inside,
                    ignore_empty_lines=False,
                ),
                convert_options=pc.ConvertOptions(
                    check_utf8=False, column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
                ),
            )
        except pa.ArrowInvalid:
            return None

    def _has_blank_line(self, block: bytes) -> bool:
        """A line without any text: Arrow would make a row of it, which the source does not have."""
        import numpy as np

        empty = self.dialect.delimiter.encode() * (self.width - 1)
        if block.startswith((b"\n", b"\r", empty + b"\n", empty + b"\r")):
            return True
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord(self.newline))
        # Searching for doubled line ends is slow in bytes and quick in numbers: most files have no line that short.
        if len(ends) < 2 or int(np.diff(ends).min()) > len(empty) + 2:
            return False
        lines = (b"\n\n", b"\r\r", b"\n\r", b"\n" + empty + b"\n", b"\n" + empty + b"\r", b"\r" + empty + b"\r")
        return any(line in block for line in lines)

    def _quotes_in_place(self, block: bytes) -> bool:
        """Every quote opens a field, closes one, or is doubled within one."""
        mark = self.dialect.quote.encode()
        if mark not in block:
            return True
        import numpy as np

        data = np.frombuffer(block, np.uint8)
        quote, name = mark[0], ord(self.dialect.delimiter)
        at = np.flatnonzero(data == quote)
        before = data[np.maximum(at - 1, 0)]
        after = data[np.minimum(at + 1, len(data) - 1)]
        starts = (at == 0) | (before == name) | (before == 10) | (before == 13)
        ends = (at == len(data) - 1) | (after == name) | (after == 10) | (after == 13)
        doubled = (before == quote) | (after == quote)
        if not bool(np.all(starts | ends | doubled)):
            return False
        # A doubled quote right at the start of a field is an empty field, or needs a third.
        pair = starts & (after == quote)
        third = data[np.minimum(at + 2, len(data) - 1)]
        lasts = at + 2 >= len(data)
        fine = lasts | (third == name) | (third == 10) | (third == 13) | (third == quote)
        return bool(np.all(fine[pair]))

    def _verified(self, table: pa.Table, block: bytes) -> bool:
        """Whether the rows are those of the source: none long, none the header, and as many as the lines show."""
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = table.num_rows
        end = self.newline.encode()
        lines = block.count(end) + (not block.endswith(end))
        if rows > lines:
            return False
        if rows < lines:
            # Line ends within cells: they must add up, and no cell may contain what would be a record by itself.
            inside = 0
            for column in table.columns:
                cells = column.filter(pc.match_substring(column, end.decode()))
                if len(cells):
                    inside += pc.sum(pc.count_substring(cells, end.decode())).as_py()
                    most = pc.max(pc.count_substring(cells, self.dialect.delimiter)).as_py()
                    if most >= self.width - 1 > 1:
                        return False
            if rows + inside != lines:
                return False
        if len(block) > self.max_cell_chars and any(
            (pc.max(pc.binary_length(column)).as_py() or 0) > self.max_cell_chars for column in table.columns
        ):
            return False
        if self.header and rows:
            same = pc.equal(table.column(0), pa.scalar(self.header[0]))
            if pc.any(same).as_py():
                first = pc.index(table.column(0), pa.scalar(self.header[0])).as_py()
                row = tuple(column[first].as_py() for column in table.columns)
                if row == self.header:
                    return False
        last = [column[rows - 1].as_py() for column in table.columns] if rows else []
        return not rows or sum(map(bool, last)) > 1
