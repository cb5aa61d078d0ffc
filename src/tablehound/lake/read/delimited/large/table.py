"""What is known of the open table of a large file: first and last rows, kinds of columns, undecided records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tablehound.lake.read.delimited.assemble import Assembler
from tablehound.lake.read.delimited.cell_shapes import CellKind, alike, kind_of, profile
from tablehound.lake.read.delimited.dialect import RUNS
from tablehound.lake.read.delimited.large.bulk import BulkReader
from tablehound.lake.read.delimited.large.lines import is_blank, telling_starts
from tablehound.lake.read.delimited.layout import LIMITS, Region, is_note, repeatable_names, repeats
from tablehound.lake.read.delimited.records import Parser, Record

if TYPE_CHECKING:
    import pyarrow as pa

ALIKE_ROWS = 40
"""Rows after a blank one that leave no doubt when all of them are as wide as those above, and the first ones alike."""
CONTEXT_ROWS = 100
"""First and last rows of a table by which is judged what follows it."""
_FIRST_ROWS = 6


@dataclass(slots=True)
class WidthRuns:
    """Records of one width in a row: the last width that lasted, and the current run."""

    before: int | None = None
    width: int = 0
    count: int = 0

    def quiet(self, width: int) -> bool:
        """Records of this width divide nothing, however many come."""
        return self.before is None or self.before == width

    def add(self, width: int, count: int) -> bool:
        """Add some records; whether their run has just become a lasting one, of another width than the last."""
        if width != self.width:
            self.width, self.count = width, 0
        known = self.count
        self.count += count
        if width < 2 or self.count < LIMITS.steady or known >= LIMITS.steady or self.before == width:
            return False
        other, self.before = self.before is not None, width
        return other

    @property
    def open(self) -> bool:
        """The run may become a lasting one that divides."""
        return self.width > 1 and self.count < LIMITS.steady and not self.quiet(self.width)

    def restart(self) -> None:
        """Its records will be added again."""
        self.width, self.count = 0, 0


class OpenTable:
    """A region and its assembler, with what is known of its rows so far."""

    def __init__(self, region: Region, assembler: Assembler, parser: Parser) -> None:
        self.region, self.assembler, self.parser = region, assembler, parser
        self.notes: list[str] = []
        """Texts of records that were set aside below or between the rows."""
        self.undecided: list[tuple[Record, int]] = []
        """Records that may be rows or notes, or begin another table, as the next ones show; with their lines."""
        self.pages: bool | None = None
        """The header comes back on every page; none while that is not known."""
        self.streamed = False
        """Some of its rows were streamed."""
        self.runs = WidthRuns()
        self.names = repeatable_names(region.header)
        self.notable = parser.dialect.width > 1 and region.width > 1
        """Its rows may be followed by notes."""
        names = tuple(region.header[0].fields) if region.header else ()
        self.bulk = BulkReader(
            parser.dialect,
            parser.newline,
            region.width,
            assembler.max_cell_chars,
            names if len(names) == region.width else (),
        )
        self._first = region.body[:CONTEXT_ROWS]
        self._last = region.body[CONTEXT_ROWS:][-CONTEXT_ROWS:]
        self._latest: pa.RecordBatch | None = None
        """The last rows, where they were read in bulk."""
        self._lines: list[str] = []
        """Lines of rows that come after the last ones."""
        self._kinds: list[CellKind] | None = None
        self._odd: tuple[Sequence[str], int, list[int]] = ((), 0, [])
        """Lines, how many they were, and which of them take a closer look."""

    def probe(self) -> Region:
        """The region with its first and last rows, to place other records after."""
        if self._latest is not None:
            rows = self._latest.slice(max(0, self._latest.num_rows - CONTEXT_ROWS)).to_pylist()
            fields = [[text or "" for text in list(row.values())[: self.region.width]] for row in rows]
            self._last = [Record(0, self.parser.dialect.delimiter.join(row), row) for row in fields]
            self._latest = None
        if self._lines:
            records = [Record(0, line, self.parser.split(line)[0]) for line in self._lines]
            self._last = (self._last + [record for record in records if not record.blank])[-CONTEXT_ROWS:]
            self._lines = []
        return replace(self.region, body=[*self._first, *self._last], footer=[], repeats=set())

    def added_to(self, probe: Region) -> list[Record]:
        """The rows that were added to a probe; they are the last ones now."""
        added = probe.body[len(self._first) + len(self._last) :]
        known = [*self._first, *added]
        if added:
            self._first, later = known[:CONTEXT_ROWS], known[CONTEXT_ROWS:]
            self._last = (self._last + later)[-CONTEXT_ROWS:]
        return added

    def remember(self, plain: Sequence[str], at: int, *, streamed: int) -> None:
        """The lines before one, so many of which are streamed rows, are the last rows now."""
        if streamed > CONTEXT_ROWS:
            self._lines = (self._lines + list(plain[max(0, at - CONTEXT_ROWS) : at]))[-CONTEXT_ROWS:]

    def forget_from(self, number: int) -> None:
        """Records from a number on are no rows: a look at the table went beyond its end."""
        self._first = [record for record in self._first if record.number < number]
        self._last = [record for record in self._last if record.number < number]

    def remember_batch(self, batch: pa.RecordBatch) -> None:
        """These are the last rows now."""
        self._latest, self._lines = batch, []

    def resembles(self, lines: Sequence[str]) -> bool:
        """Whether lines are rows like those of the table, with figures or dates where it has them: no other begins."""
        if self._kinds is None:
            rows = [record.fields for record in self._first if len(record.fields) == self.region.width]
            self._kinds = [column.dominant() for column in profile(rows, self.region.width)]
        kinds = self._kinds
        if len(lines) < ALIKE_ROWS or all(kind in ("text", "empty") for kind in kinds):
            return False
        name, count = self.parser.dialect.delimiter, self.region.width - 1
        if any(line.count(name) != count for line in lines[_FIRST_ROWS:] if name):
            return False
        for line in lines[:_FIRST_ROWS]:
            fields, flaw = self.parser.split(line)
            if flaw or len(fields) != len(kinds):
                return False
            own = list(map(kind_of, fields))
            pairs = zip(own, kinds, strict=True)
            if any(one not in (other, "empty") and not alike(one, other) for one, other in pairs):
                return False
            if all(one in ("text", "empty") for one in own):
                return False
        return True

    def recurs(self, record: Record) -> bool:
        """Whether a record is the same as the header."""
        return bool(self.names) and repeats(record.fields, self.names)

    def odd_lines(self, lines: Sequence[str], plain: Sequence[str]) -> list[int]:
        """Lines that are not just ``width`` fields without quotes, are blank, or repeat the header.

        They are looked for once as long as ``lines``, of which ``plain`` are the texts, does not change.
        """
        known, count, indices = self._odd
        if known is lines and count == len(lines):
            return indices
        dialect = self.parser.dialect
        name, mark, count = dialect.delimiter, dialect.quote, self.region.width - 1
        if not name or name in RUNS or dialect.words:
            indices = list(range(len(plain)))
        else:
            raw = self.region.header[0].raw if self.names else None
            starts, wanted = telling_starts(name, raw), raw.casefold() if raw else None
            indices = [
                i
                for i, line in enumerate(plain)
                if line.count(name) != count
                or (mark and mark in line)
                or (line[:1] in starts and (line.casefold() == wanted or is_blank(line, name)))
            ]
        self._odd = lines, len(lines), indices
        return indices

    def end_of_rows(self, plain: Sequence[str], at: int, end: int, most: int) -> int:
        """Where notes begin that end a stretch of plain lines; ``most`` of them are looked at."""
        name = self.parser.dialect.delimiter
        if not self.notable or not name:
            return end
        last = max(at, end - most)
        while end > last and plain[end - 1].rstrip(" ").endswith(name.rstrip(" ") or "  "):
            fields = self.parser.split(plain[end - 1])[0]
            if not is_note(Record(0, plain[end - 1], fields), self.region.width):
                break
            end -= 1
        return end
