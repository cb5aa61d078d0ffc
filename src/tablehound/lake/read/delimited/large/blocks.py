"""A large file in blocks: decided on its head, middle and tail, then read and verified as a whole.

A block whose quotes all stand where quotes belong goes through Arrow's reader, which refuses a row with a wrong number
of fields; its rows are counted against its line ends. Any other block goes the careful way, record by record. Memory
is bounded by the block, whatever the file.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tablehound.lake.read.delimited.dialect import RUNS, Dialect
from tablehound.lake.read.delimited.records import Newline
from tablehound.lake.read.text import encoding as encodings
from tablehound.lake.read.text.decoding import line_ends, tidy_utf8

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_BYTES = 8 << 20
HEAD_BYTES = 1 << 18
MAX_BLOCK_BYTES = 64 << 20
"""A block grows to this at most while it looks for the end of a record."""


def utf8_blocks(path: Path, encoding: encodings.Encoding, newline: Newline) -> Iterator[bytes]:
    """The text of a file as UTF-8, in blocks that end with a line; the first block is small."""
    for number, block in enumerate(_line_blocks(path, encoding, newline)):
        if not number and block.startswith(b"\0"):
            # Before the first line a single one is padding too.
            before = len(block)
            block = block.lstrip(b"\0")
            encoding.faults.zeros += before - len(block)
        yield tidy_utf8(block, encoding.faults)


def _line_blocks(path: Path, encoding: encodings.Encoding, newline: Newline) -> Iterator[bytes]:
    ends = (b"\n",) if newline == "\n" else (b"\r",) if newline == "\r" else (b"\n", b"\r")
    rest = b""
    size = HEAD_BYTES
    for data in _utf8(path, encoding, HEAD_BYTES):
        rest = rest + data if rest else data
        if len(rest) < size:
            continue
        cut = max(rest.rfind(end) for end in ends) + 1
        # A carriage return that ends the block may be half of a line end.
        if newline == "mixed" and cut == len(rest) and rest.endswith(b"\r"):
            cut = max(rest.rfind(end, 0, cut - 1) for end in ends) + 1
        if not cut:
            if len(rest) >= MAX_BLOCK_BYTES:
                yield rest
                rest = b""
            continue
        yield rest[:cut]
        rest, size = rest[cut:], BLOCK_BYTES
    if rest:
        yield rest


def _utf8(path: Path, encoding: encodings.Encoding, step: int) -> Iterator[bytes]:
    plain = encoding.name.replace("_", "-") in ("utf-8", "ascii")
    with path.open("rb", buffering=0) as file:
        file.seek(encoding.mark)
        if plain and not encoding.mixed:
            yield file.read(step)
            while data := file.read(BLOCK_BYTES):
                yield data
        elif encoding.name.replace("_", "-").startswith(("utf-7", "iso2022")):
            decoder = codecs.getincrementaldecoder(encoding.name)("replace")
            while data := file.read(step):
                yield decoder.decode(data).encode("utf-8", "surrogatepass")
                step = BLOCK_BYTES
            yield decoder.decode(b"", True).encode("utf-8", "surrogatepass")
        else:
            yield from _by_line(file.read, step, replace(encoding, mark=0))


def _by_line(read: Callable[[int], bytes], step: int, encoding: encodings.Encoding) -> Iterator[bytes]:
    """Whole lines decoded: in these encodings a line end, of the right unit, is never a part of another character."""
    ends = line_ends(encoding.name)
    unit = len(ends[0])
    rest = b""
    while data := read(step):
        data, step = rest + data, BLOCK_BYTES
        cut = max((data.rfind(end) + unit for end in ends if end in data), default=0)
        rest = data[cut:]
        if cut:
            yield encodings.decode(data[:cut], encoding).encode("utf-8", "surrogatepass")
    if rest:
        yield encodings.decode(rest, encoding).encode("utf-8", "surrogatepass")


def _has_blank_line(block: bytes, empty: bytes, end: int) -> bool:
    """A line without any text: Arrow would make a row of it, which the source does not have."""
    import numpy as np

    if block.startswith((b"\n", b"\r", empty + b"\n", empty + b"\r")):
        return True
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == end)
    # Searching for doubled line ends is slow in bytes and quick in numbers: most files have no line that short.
    if len(ends) < 2 or int(np.diff(ends).min()) > len(empty) + 2:
        return False
    lines = (b"\n\n", b"\r\r", b"\n\r", b"\n" + empty + b"\n", b"\n" + empty + b"\r", b"\r" + empty + b"\r")
    return any(line in block for line in lines)


@dataclass(slots=True)
class Fast:
    """Arrow's reader for one dialect and width."""

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

    def cut(self, block: bytes, *, final: bool) -> int | None:
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

    def read(self, block: bytes) -> list[pa.RecordBatch] | None:
        """The block's rows, or none when anything about it is not plain."""

        if not self.usable or self._has_blank_line(block) or (self.dialect.quote and not self._quotes_in_place(block)):
            return None
        names = [f"c{i}" for i in range(self.width)]
        quoted = bool(self.dialect.quote) and self.dialect.quote.encode() in block
        # Line ends within cells cost Arrow a second pass: allowed for only once a block had one.
        for inside in [False, True] if quoted and not self.line_ends_inside else [quoted]:
            table = self._parse(block, names, quoted, inside)
            if table is not None and self._verified(table, block):
                self.line_ends_inside = self.line_ends_inside or inside
                batches: list[pa.RecordBatch] = table.to_batches()
                return batches
        return None

    def _parse(self, block: bytes, names: list[str], quoted: bool, inside: bool) -> pa.Table | None:
        import pyarrow as pa
        import pyarrow.csv as pc

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
        return _has_blank_line(block, self.dialect.delimiter.encode() * (self.width - 1), ord(self.newline))

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
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = table.num_rows
        end = self.newline.encode()
        lines = block.count(end) + (not block.endswith(end))
        if rows > lines:
            return False
        if rows < lines:
            # Line ends within cells: they must add up, and no cell may hold what would be a record by itself.
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
