"""Stage 6, assemble: the records of one region as rows of a table, with an account of each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.batches import TextBatch, numbered
from tablehound.lake.read.contract import Account, SetAside, SourceFile, TableDraft
from tablehound.lake.read.delimited.cell_shapes import ColumnShape, profile
from tablehound.lake.read.delimited.dialect import COMMENT_MARKS, Dialect
from tablehound.lake.read.delimited.header import name_misfit, names_of_rows
from tablehound.lake.read.delimited.layout import Region
from tablehound.lake.read.delimited.printed import is_rule_row
from tablehound.lake.read.delimited.records import Newline, Parser, Record
from tablehound.lake.read.delimited.repair import Repaired, column_misfit, repaired_record
from tablehound.lake.read.text.encoding import Encoding
from tablehound.lake.table import Provenance

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN_CHARS = 200
PROFILE_ROWS = 300
MAX_WEIGHED = 20_000
"""Records, and ``weighed_share`` of those kept, for which all ways to read them are weighed. In a table with more of
them hardly any row fits: the rest has its missing fields left empty, or is set aside."""
_NEWLINES: dict[Newline, str] = {"\n": "line feed", "\r": "carriage return", "mixed": "mixed"}


@dataclass(frozen=True, slots=True)
class Weights:
    """When a record that does not fit is repaired, and what a repair may cost. All were chosen by hand."""

    budget: float = 3.2
    """Price of a repair at most; each column adds ``budget_per_column``, or 1 in a header."""
    budget_per_column: float = 0.3
    weighed_share: float = 0.1
    stray_quote_per_column: float = 0.2
    """Misfit per column up to which a record with a stray quote is kept as it is."""
    missing: float = 0.9
    """Price of fields left empty at the end, and what is added for each text that fits its column badly or somewhat."""
    misfit: float = 2.0
    partial_misfit: float = 1.3
    bad_fit: float = 2
    """Misfit of a text that fits badly, and the one above which it fits somewhat."""
    partial_fit: float = 0.7
    max_bad_share: float = 0.34
    """Share of texts that may fit badly."""
    row_name_filled: float = 0.5
    """Share of filled cells of the last column that make row names of a first column without a name."""
    row_name_narrow: float = 0.05
    """Share of rows as narrow as the header that speaks against row names."""


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Reading:
    """What all tables of one source share once its dialect is known."""

    source: SourceFile
    parser: Parser
    encoding: Encoding


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
        """One record that is no row."""
        self.account.seen += 1
        self.account.set_aside.append(SetAside(record.number, reason, record.raw[:SHOWN_CHARS]))

    def set_aside_around(self, records: Sequence[Record], reason: str = "note") -> None:
        """Records around the rows: blank ones, and texts."""
        for record in records:
            self.set_aside(record, "blank" if record.blank else reason)

    def add_repair(self, number: int, how: str) -> None:
        """Report how one record was repaired."""
        if len(self.account.repairs) < self.max_repairs:
            self.account.repairs.append(f"row {number}: {how}")
        else:
            self.more_repairs += 1

    def column_names(self, records: Sequence[Record]) -> tuple[tuple[str, ...], ...]:
        """The names of the columns; a header with a wrong number of fields is repaired like any record."""
        rows: list[Sequence[str | None]] = []
        for record in records:
            rows.append(self._header_row(record))
            self.set_aside(record, "header")
        self.account.header_rows = tuple(record.number for record in records)
        return names_of_rows(rows, self.width)

    def _header_row(self, record: Record) -> Sequence[str | None]:
        fields = record.fields
        if len(fields) == self.width and not record.flaw:
            return fields
        if len(fields) == self.width - 1 and not record.flaw and self._has_row_names():
            self.add_repair(record.number, "the header has no name for the first column")
            return ["", *fields]
        misfit = name_misfit(self.columns)
        found = repaired_record(
            record.raw, self.parser, self.width, misfit, budget=WEIGHTS.budget + self.width, names=True
        )
        if found is not None:
            self.add_repair(record.number, found.how)
            return found.fields
        if len(fields) < self.width:
            self.add_repair(record.number, "the header has too few names")
        elif any(fields[self.width :]):
            self.add_repair(record.number, f"names without a column: {fields[self.width :]}")
        return fields[: self.width]

    def _has_row_names(self) -> bool:
        """Rows have a first field that the header has no name for: all have it, and the last column is filled too."""
        first, last = self.columns[0], self.columns[-1]
        if (
            self.width < 3
            or first.size < 2
            or first.filled < first.size
            or last.filled <= WEIGHTS.row_name_filled * last.size
        ):
            return False
        # Rows as narrow as the header show that the others have one field too many at another place.
        narrow = sum(len(record.fields) < self.width and not record.blank for record in self.examples)
        return narrow <= WEIGHTS.row_name_narrow * len(self.examples)

    def add(self, record: Record) -> None:
        """One record of the body: kept as it is, repaired, or set aside."""
        fields: Sequence[str | None] = record.fields
        if record.blank and (self.width > 1 or not record.raw):
            self.set_aside(record, "blank")
            return
        if not self.account.kept and self.account.header_rows and self.width > 1 and is_rule_row(record.fields):
            self.set_aside(record, "separator")
            return
        if len(fields) < self.width and record.comment and not self._marked():
            self.set_aside(record, "comment")
            return
        if record.flaw or len(fields) != self.width:
            found = self._repaired(record)
            if found is None:
                wide = f"{len(record.fields)} fields where the table has {self.width}"
                self.set_aside(record, "quotes that fit no reading" if record.flaw else wide)
                return
            fields = found
        self.account.seen += 1
        self.account.kept += 1
        self._numbers.append(record.number)
        self._long = self._long or len(record.raw) > self.max_cell_chars
        for column, text in zip(self._cells, fields, strict=True):
            column.append(text)

    def extend(self, lines: Sequence[str], first: int) -> None:
        """Lines that are nothing but fields, numbered from ``first``."""
        name, width = self.parser.dialect.delimiter, self.width
        self.account.seen += len(lines)
        self.account.kept += len(lines)
        self._numbers += range(first, first + len(lines))
        self._long = self._long or max(map(len, lines)) > self.max_cell_chars
        flat = name.join(lines).split(name)
        for i, column in enumerate(self._cells):
            column += flat[i::width]

    def _marked(self) -> bool:
        """Texts of the first column start like a comment."""
        return any(shape.startswith(COMMENT_MARKS) for shape in self.columns[0].shapes)

    def _repaired(self, record: Record) -> Sequence[str | None] | None:
        if self.width == 1:
            if record.flaw:
                self.add_repair(record.number, "a quote read as text")
                return [record.raw]
            return None
        if len(record.fields) == self.width:
            # A quote in a wrong place, but every field looks like its column.
            price = sum(column.misfit(text) for column, text in zip(self.columns, record.fields, strict=True))
            if (
                record.flaw != "open"
                and price <= WEIGHTS.stray_quote_per_column * self.width
                and not self._swallows(record)
            ):
                self.add_repair(record.number, "a quote read as text")
                return record.fields
        found = None
        if self._weighed < MAX_WEIGHED + WEIGHTS.weighed_share * self.account.kept:
            self._weighed += 1
            budget = WEIGHTS.budget + WEIGHTS.budget_per_column * self.width
            found = repaired_record(record.raw, self.parser, self.width, column_misfit(self.columns), budget=budget)
        plain = self._plain(record)
        if found is not None and (plain is None or found.price <= plain.price):
            if found.how != "as it stood":
                self.add_repair(record.number, found.how)
            return found.fields
        if plain is None:
            return None
        self.add_repair(record.number, plain.how)
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
        misfits = sum(price >= WEIGHTS.bad_fit for price in prices)
        partial = sum(WEIGHTS.partial_fit < price < WEIGHTS.bad_fit for price in prices)
        # A number where the column has only words belongs to another column, if one takes it.
        price = WEIGHTS.missing + WEIGHTS.misfit * misfits + WEIGHTS.partial_misfit * partial
        how = "missing fields left empty" if count < self.width else "empty fields beyond the last column left out"
        return (
            Repaired(fields, price, how) if misfits == 0 or misfits <= WEIGHTS.max_bad_share * record.filled else None
        )

    @property
    def pending(self) -> int:
        """Rows that wait for their batch."""
        return len(self._numbers)

    def flush(self) -> Iterator[TextBatch]:
        """The rows since the last call as a batch, if there are any."""
        if not self._numbers:
            return
        cells, numbers = self._cells, self._numbers
        self._cells, self._numbers = [[] for _ in range(self.width)], []
        if self._long:
            self._clip(cells, numbers)
        yield TextBatch(cells, numbers)

    def accept(self, batch: pa.RecordBatch, first: int) -> pa.RecordBatch:
        """Rows that another reader read and verified, the first of them numbered ``first``."""
        count: int = batch.num_rows
        self.account.seen += count
        self.account.kept += count
        return numbered(batch.columns, count, first)

    def _clip(self, cells: list[list[str | None]], numbers: list[int]) -> None:
        limit, self._long = self.max_cell_chars, False
        for column in cells:
            for i, text in enumerate(column):
                if text is not None and len(text) > limit:
                    column[i] = text[:limit]
                    self.add_repair(numbers[i], f"a cell longer than {limit} characters cut")

    def finish(self) -> None:
        """Report the repairs that are not listed one by one."""
        if self.more_repairs:
            self.account.repairs.append(f"{self.more_repairs} more rows repaired in the same ways")
            self.more_repairs = 0


def table_of(region: Region, ordinal: int, reading: Reading) -> TableDraft:
    """The draft of one region that is in memory."""
    assembler, draft = opened(region, ordinal, reading)
    draft.batches = _batches(region, assembler, reading.source.settings.batch_rows)
    return draft


def opened(region: Region, ordinal: int, reading: Reading) -> tuple[Assembler, TableDraft]:
    """A draft without its batches, and the assembler that makes them.

    Raises:
        BrokenSourceError: more columns than a limit allows.
    """
    source, parser, encoding = reading.source, reading.parser, reading.encoding
    limits = source.settings
    if region.width > limits.max_columns:
        raise BrokenSourceError(
            f"{region.width} columns are more than the limit of {limits.max_columns}", where=source.name
        )
    dialect = described(parser.dialect, encoding, parser.newline)
    account = Account(dialect=dialect, repairs=encoding.faults.drain())
    if encoding.rival and not ordinal:
        account.ambiguities.append(f"the text reads nearly as well in the encoding {encoding.rival}")
    assembler = Assembler(
        region.width, parser, account, limits.max_cell_chars, region.body, max_repairs=limits.max_listed_rows
    )
    for record in region.rules:
        assembler.set_aside(record, "separator")
    assembler.set_aside_around(region.preamble, "preamble")
    header = assembler.column_names(region.header)
    if region.note:
        account.ambiguities.append(region.note)
    account.ambiguities += [f"delimiter {rival} would fit nearly as well" for rival in parser.dialect.rivals]
    above, below = texts_of(region.preamble), texts_of(region.footer)
    return assembler, TableDraft(
        header=header or ((),) * region.width,
        batches=(),
        provenance=Provenance(source.name, source.format or "csv", source.member, ordinal=ordinal),
        title=above[0] if above else None,
        notes=tuple(above[1:] + below),
        account=account,
    )


def described(dialect: Dialect, encoding: Encoding, newline: Newline = "\n") -> dict[str, str]:
    """Encoding and dialect as the account shows them."""
    return {
        "encoding": encoding.name,
        "encoding_by": encoding.how,
        **dialect.describe(),
        "newline": _NEWLINES[newline],
    }


def texts_of(records: Sequence[Record]) -> list[str]:
    """The texts of records around a table, one per record, without empty fields."""
    texts = (" ".join(text.strip() for text in record.fields if text.strip()) for record in records)
    return [text for text in texts if text]


def _batches(region: Region, assembler: Assembler, batch_rows: int) -> Iterator[TextBatch]:
    taken = 0
    for record in region.body:
        if record.number in region.repeats:
            assembler.set_aside(record, "header repeated")
            continue
        assembler.add(record)
        taken += 1
        if taken % batch_rows == 0:
            yield from assembler.flush()
    assembler.set_aside_around(region.footer)
    yield from assembler.flush()
    assembler.finish()
