"""What a reader hands over: drafts of tables, and an account of every row.

A reader is a function ``read(source) -> Iterator[TableDraft]``. It streams: ``TableDraft.batches`` is
consumed once, and only then is ``TableDraft.account`` complete. The contract "nothing is lost silently" is
``account.seen == account.kept + len(account.set_aside)``, checked by the store for every table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from tablehound.lake.read.batches import Batch, TextBatch, arrow_of, escaped
from tablehound.lake.table import Provenance
from tablehound.settings import ReadSettings

if TYPE_CHECKING:
    import pyarrow as pa

ESCAPES = r"which is no character; it is shown as an escape such as \ud800"
"""How an account describes lone surrogates."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A row of the source that is not a row of the table, and why: title, note, blank, separator, no fit …"""

    row: int
    """1-based row in the source."""
    reason: str
    text: str = ""
    """The raw row, cut to a readable length."""


@dataclass(slots=True)
class Account:
    """What became of a source's rows. The reader fills it while its batches are consumed."""

    seen: int = 0
    kept: int = 0
    header_rows: tuple[int, ...] = ()
    """Source rows that became the header; they count as seen and set aside with the reason ``header``."""
    set_aside: list[SetAside] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    ambiguities: list[str] = field(default_factory=list)
    dialect: dict[str, str] = field(default_factory=dict)
    """Encoding, delimiter, quote … as detected, with ``confidence``."""

    def add_escaped(self, cells: int) -> None:
        """Report cells with lone surrogates."""
        if cells:
            self.repairs.append(f"{cells} cells held half of a surrogate pair, {ESCAPES}")


@dataclass(slots=True)
class TableDraft:
    """A table as found in a source, before the lake gives it an id and derives its values."""

    header: tuple[tuple[str, ...], ...]
    """Per column the header levels from top to bottom; an empty tuple where the source has none."""
    batches: Iterable[Batch]
    provenance: Provenance
    title: str | None = None
    notes: tuple[str, ...] = ()
    rollup_rows: tuple[int, ...] = ()
    number_columns: frozenset[int] = frozenset()
    """Columns that the source types as numbers: none of them are codes, whatever they look like."""
    account: Account = field(default_factory=Account)

    def record_batches(self) -> Iterator[pa.RecordBatch]:
        """The batches as columns of Arrow: ``c0 … cN`` (string, null = no such cell) and ``row`` (int64)."""
        return (arrow for arrow, _ in self.stored_batches())

    def stored_batches(self) -> Iterator[tuple[pa.RecordBatch, Batch]]:
        """Each batch as columns of Arrow and as the reader gave it; what Arrow cannot store is escaped and reported."""
        cells = 0
        for batch in self.batches:
            yield arrow_of(batch), batch
            if isinstance(batch, TextBatch):
                cells += batch.escaped
        self.account.add_escaped(cells)

    def escape_words(self) -> None:
        """Escape lone surrogates in header, title and notes, and report them."""
        words = "".join(("" if self.title is None else self.title, *self.notes, *chain.from_iterable(self.header)))
        if words.isascii() or escaped(words) == words:
            return
        self.header = tuple(tuple(map(escaped, levels)) for levels in self.header)
        self.title = None if self.title is None else escaped(self.title)
        self.notes = tuple(map(escaped, self.notes))
        self.account.repairs.append(f"header, title or notes held half of a surrogate pair, {ESCAPES}")


@dataclass(frozen=True, slots=True)
class Overrides:
    """What a ``tablehound.toml`` beside the sources pins for a source. None and empty mean: detect it."""

    format: str | None = None
    """Name of a format of the registry."""
    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    """Quote character; the empty text for none."""
    escape: str | None = None
    header_rows: int | None = None
    """How many rows make the header; 0 for none."""
    skip_rows: int | None = None
    """Rows before the header that are set aside."""
    sheets: tuple[str, ...] = ()
    """Only these sheets of a workbook, or tables of a database."""
    region: str | None = None
    """Only this range of each sheet, such as ``A5:F40``."""
    decimal: str | None = None
    thousands: str | None = None
    date_order: Literal["ymd", "dmy", "mdy"] | None = None
    """For columns whose dates fit several orders."""
    skip: bool = False
    """Leave the source out."""


DETECT_ALL = Overrides()
"""Nothing is pinned."""
_DEFAULT_LIMITS = ReadSettings()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source made local: a file on this machine and the name under which the lake knows it."""

    path: Path
    name: str
    """Becomes ``Provenance.source``."""
    member: str | None = None
    settings: ReadSettings = _DEFAULT_LIMITS
    overrides: Overrides = DETECT_ALL
    format: str = ""
    """Name of the format that the registry picked."""
    left_out: list[str] = field(default_factory=list, compare=False)
    """The reader names here what it leaves out unless asked for, such as ``hidden sheet 'Old'``."""


class Reader(Protocol):
    """Reads one format."""

    def __call__(self, source: SourceFile) -> Iterator[TableDraft]: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A format, the endings it is known by, and a test on the first bytes."""

    name: str
    suffixes: tuple[str, ...]
    read: Reader
    sniff: Callable[[bytes], bool] | None = None
