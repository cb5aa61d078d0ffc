"""Turn the records of one region into rows of a table, with an account of each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablehound.lake.read.batches import TextBatch, numbered
from tablehound.lake.read.contract import Account, SetAside
from tablehound.lake.read.delimited import header as heads
from tablehound.lake.read.delimited.cell_shapes import ColumnShape, profile
from tablehound.lake.read.delimited.dialect import COMMENT_MARKS
from tablehound.lake.read.delimited.layout import Region
from tablehound.lake.read.delimited.printed import is_rule_row
from tablehound.lake.read.delimited.records import Parser, Record
from tablehound.lake.read.delimited.repair import Repaired, column_misfit, repair

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN_CHARS = 200
PROFILE_ROWS = 300
MAX_WEIGHED = 20_000
"""Records, and a tenth of those kept, for which all ways to read them are weighed. In a table with more of them hardly
any row fits: the rest has its missing fields left empty, or is set aside."""
_BUDGET = 3.2


@dataclass(slots=True)
class Assembler:
    """Rows of one table, as its records come in."""

    width: int
    parser: Parser
    account: Account
    max_cell_chars: int
    examples: Sequence[Record] = ()
    """Records to learn the columns from, looked at when the first repair needs them."""
    more_repairs: int = 0
    max_repairs: int = 1_000
    """Repairs that are listed one by one."""
    _columns: list[ColumnShape] | None = None
    _numbers: list[int] = field(default_factory=list)
    _cells: list[list[str | None]] = field(init=False)
    _weighed: int = 0
    """Records for which all ways to read them were weighed."""
    _long: bool = False
    """Some waiting cell may be longer than the limit."""

    def __post_init__(self) -> None:
        self._cells = [[] for _ in range(self.width)]

    @property
    def columns(self) -> list[ColumnShape]:
        """What the columns look like, from records that fit."""
        if self._columns is None:
            good = [record.fields for record in self.examples if len(record.fields) == self.width and not record.flaw]
            step = max(1, len(good) // PROFILE_ROWS)
            found = profile(good[::step][: PROFILE_ROWS + 1], self.width)
            self._columns = found + [ColumnShape() for _ in range(self.width - len(found))]
        return self._columns

    def set_aside(self, record: Record, reason: str) -> None:
        self.account.seen += 1
        self.account.set_aside.append(SetAside(record.number, reason, record.raw[:SHOWN_CHARS]))

    def repaired(self, number: int, how: str) -> None:
        if len(self.account.repairs) < self.max_repairs:
            self.account.repairs.append(f"row {number}: {how}")
        else:
            self.more_repairs += 1

    def header(self, records: Sequence[Record]) -> tuple[tuple[str, ...], ...]:
        """The names of the columns; a header with a wrong number of fields is repaired like any record."""
        rows: list[Sequence[str | None]] = []
        for record in records:
            rows.append(self._header_row(record))
            self.set_aside(record, "header")
        self.account.header_rows = tuple(record.number for record in records)
        return heads.bands(rows, self.width)

    def _header_row(self, record: Record) -> Sequence[str | None]:
        fields = record.fields
        if len(fields) == self.width and not record.flaw:
            return fields
        if len(fields) == self.width - 1 and not record.flaw and self._has_row_names():
            self.repaired(record.number, "the header has no name for the first column")
            return ["", *fields]
        found = repair(
            record.raw,
            self.parser,
            self.width,
            heads.name_misfit(self.columns),
            budget=_BUDGET + self.width,
            names=True,
        )
        if found is not None:
            self.repaired(record.number, found.how)
            return found.fields
        if len(fields) < self.width:
            self.repaired(record.number, "the header has too few names")
        elif any(fields[self.width :]):
            self.repaired(record.number, f"names without a column: {fields[self.width :]}")
        return fields[: self.width]

    def _has_row_names(self) -> bool:
        """Rows have a first field that the header has no name for: all have it, and the last column is filled too."""
        first, last = self.columns[0], self.columns[-1]
        if self.width < 3 or first.size < 2 or first.filled < first.size or last.filled <= 0.5 * last.size:
            return False
        # Rows as narrow as the header say that the others have one field too many at another place.
        narrow = sum(len(record.fields) < self.width and not record.blank for record in self.examples)
        return narrow <= 0.05 * len(self.examples)

    def add(self, record: Record) -> None:
        """One record of the body: kept as it is, repaired, or set aside."""
        fields: Sequence[str | None] = record.fields
        if record.blank and self.width > 1:
            self.set_aside(record, "blank")
            return
        if record.blank and not record.raw:
            self.set_aside(record, "blank")
            return
        if not self.account.kept and self.account.header_rows and self.width > 1 and is_rule_row(record.fields):
            self.set_aside(record, "separator")
            return
        if len(fields) < self.width and record.comment and not self._marked():
            self.set_aside(record, "comment")
            return
        if record.flaw or len(fields) != self.width:
            found = self._repair(record)
            if found is None:
                self.set_aside(record, self._reason(record))
                return
            fields = found
        self.account.seen += 1
        self.account.kept += 1
        self._numbers.append(record.number)
        self._long = self._long or len(record.raw) > self.max_cell_chars
        for column, text in zip(self._cells, fields, strict=True):
            column.append(text)

    def extend(self, lines: Sequence[str], first: int) -> None:
        """Lines that are just fields, numbered from ``first``."""
        name, width = self.parser.dialect.delimiter, self.width
        self.account.seen += len(lines)
        self.account.kept += len(lines)
        self._numbers += range(first, first + len(lines))
        self._long = self._long or max(map(len, lines)) > self.max_cell_chars
        flat = name.join(lines).split(name)
        for i, column in enumerate(self._cells):
            column += flat[i::width]

    def _marked(self) -> bool:
        """The first column's own texts start like a comment."""
        return any(shape.startswith(COMMENT_MARKS) for shape in self.columns[0].shapes)

    def _repair(self, record: Record) -> Sequence[str | None] | None:
        if self.width == 1:
            if record.flaw:
                self.repaired(record.number, "a quote read as text")
                return [record.raw]
            return None
        if len(record.fields) == self.width:
            # A quote in a wrong place, but every field looks like its column.
            price = sum(column.misfit(text) for column, text in zip(self.columns, record.fields, strict=True))
            if record.flaw != "open" and price <= 0.2 * self.width and not self._swallows(record):
                self.repaired(record.number, "a quote read as text")
                return record.fields
        found = None
        if self._weighed < MAX_WEIGHED + 0.1 * self.account.kept:
            self._weighed += 1
            budget = _BUDGET + 0.3 * self.width
            found = repair(record.raw, self.parser, self.width, column_misfit(self.columns), budget=budget)
        plain = self._plain(record)
        if found is not None and (plain is None or found.price <= plain.price):
            if found.how != "as it stood":
                self.repaired(record.number, found.how)
            return found.fields
        if plain is None:
            return None
        self.repaired(record.number, plain.how)
        return plain.fields

    def _swallows(self, record: Record) -> bool:
        """A field that was read across a quote and a delimiter that may have been meant."""
        mark, name = self.parser.dialect.quote, self.parser.dialect.delimiter
        return any(
            mark in text and (name in text or text.endswith(mark) or text.startswith(mark)) for text in record.fields
        )

    def _plain(self, record: Record) -> Repaired | None:
        """The record with what it lacks left empty at its end, where its fields fit the columns."""
        count = len(record.fields)
        if record.flaw or count > self.width:
            extra = record.fields[self.width :]
            if record.flaw or any(text.strip() for text in extra):
                return None
            fields: list[str | None] = list(record.fields[: self.width])
        else:
            fields = [*record.fields, *[None] * (self.width - count)]
        prices = [column.misfit(text) for column, text in zip(self.columns, record.fields, strict=False) if text]
        misfits = sum(price >= 2 for price in prices)
        # A number where the column has only words belongs to another column, if one takes it.
        price = 0.9 + 2.0 * misfits + 1.3 * sum(0.7 < price < 2 for price in prices)
        how = "missing fields left empty" if count < self.width else "empty fields beyond the last column left out"
        return Repaired(fields, price, how) if misfits == 0 or misfits <= 0.34 * record.filled else None

    def _reason(self, record: Record) -> str:
        if record.flaw:
            return "quotes that fit no reading"
        count = len(record.fields)
        return f"{count} fields where the table has {self.width}"

    @property
    def pending(self) -> int:
        """Rows that wait to be given out."""
        return len(self._numbers)

    def flush(self) -> Iterator[TextBatch]:
        """The waiting rows as a batch, if there are any."""
        batch = self.batch()
        if batch is not None:
            yield batch

    def accept(self, batch: pa.RecordBatch, first: int) -> pa.RecordBatch:
        """Rows that another reader read and verified, the first of them numbered ``first``."""
        count: int = batch.num_rows
        self.account.seen += count
        self.account.kept += count
        return numbered(batch.columns, count, first)

    def batch(self) -> TextBatch | None:
        """The rows since the last call."""
        if not self._numbers:
            return None
        cells, numbers = self._cells, self._numbers
        self._cells, self._numbers = [[] for _ in range(self.width)], []
        if self._long:
            self._clip(cells, numbers)
        return TextBatch(cells, numbers)

    def _clip(self, cells: list[list[str | None]], numbers: list[int]) -> None:
        limit, self._long = self.max_cell_chars, False
        for column in cells:
            for i, text in enumerate(column):
                if text is not None and len(text) > limit:
                    column[i] = text[:limit]
                    self.repaired(numbers[i], f"a cell longer than {limit} characters cut")

    def finish(self) -> None:
        if self.more_repairs:
            self.account.repairs.append(f"{self.more_repairs} more rows repaired in the same ways")
            self.more_repairs = 0


def texts_of(records: Sequence[Record]) -> list[str]:
    """The texts of records around a table, one per record, without empty fields."""
    texts = (" ".join(text.strip() for text in record.fields if text.strip()) for record in records)
    return [text for text in texts if text]


def assemble(region: Region, assembler: Assembler, batch_rows: int) -> Iterator[TextBatch]:
    """The batches of a region whose header was taken already."""
    taken = 0
    for record in region.body:
        if record.number in region.repeats:
            assembler.set_aside(record, "header repeated")
            continue
        assembler.add(record)
        taken += 1
        if taken % batch_rows == 0 and (batch := assembler.batch()) is not None:
            yield batch
    for record in region.tail:
        assembler.set_aside(record, "blank" if record.blank else "note")
    batch = assembler.batch()
    if batch is not None:
        yield batch
    assembler.finish()
