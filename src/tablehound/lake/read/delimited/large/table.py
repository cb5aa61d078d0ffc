"""One table of a large file while its rows stream: what a row means may depend on what follows it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from tablehound.lake.read.delimited import layout
from tablehound.lake.read.delimited.assemble import Assembler, texts_of
from tablehound.lake.read.delimited.cell_shapes import CellKind, alike, kind_of, profile
from tablehound.lake.read.delimited.dialect import RUNS
from tablehound.lake.read.delimited.large.blocks import Fast
from tablehound.lake.read.delimited.large.lines import LineStream, telling_starts, tells
from tablehound.lake.read.delimited.layout import Region
from tablehound.lake.read.delimited.records import Parser, Record

if TYPE_CHECKING:
    import pyarrow as pa

MAX_HELD = 1_000
"""Rows that are held back at most until it is clear whether they are notes."""
ALIKE_ROWS = 40
"""Rows after a blank one that leave no doubt when all of them are as wide as those above, and the first ones alike."""
_FIRST_ROWS = 6
CONTEXT_ROWS = 100
"""First and last rows of a table by which is judged what follows it."""


class Runs:
    """Records of one width in a row: the last width that lasted, and the run that goes on."""

    def __init__(self) -> None:
        self.before: int | None = None
        self.width = 0
        self.count = 0

    def quiet(self, width: int) -> bool:
        """Records of this width divide nothing, however many come."""
        return self.before is None or self.before == width

    def see(self, width: int, count: int) -> bool:
        """Go past some records; whether their run has just become a lasting one, of another width than the last."""
        if width != self.width:
            self.width, self.count = width, 0
        known = self.count
        self.count += count
        if width < 2 or self.count < layout.STEADY or known >= layout.STEADY or self.before == width:
            return False
        other, self.before = self.before is not None, width
        return other

    @property
    def open(self) -> bool:
        """The run may become a lasting one that divides."""
        return self.width > 1 and self.count < layout.STEADY and not self.quiet(self.width)

    def restart(self) -> None:
        """Its records will be seen again."""
        self.width, self.count = 0, 0


class OddLines:
    """Which of the lines that are held take a closer look."""

    def __init__(self, lines: Sequence[str], indices: list[int]) -> None:
        self._lines, self._count, self._indices = lines, len(lines), indices
        self._place = 0

    def stale(self, lines: Sequence[str]) -> bool:
        return lines is not self._lines or len(lines) != self._count

    def rewind(self) -> None:
        self._place = 0

    def next(self, at: int) -> int:
        """The first such line from a line on; the number of lines where there is none."""
        if self._place >= len(self._indices) or self._indices[self._place] < at:
            self._place = bisect_left(self._indices, at, self._place)
        return self._indices[self._place] if self._place < len(self._indices) else self._count


class LargeTable:
    """A region and its assembler, with what is known of its rows so far."""

    def __init__(self, region: Region, assembler: Assembler, parser: Parser, *, heads_block: bool) -> None:
        self.region, self.assembler, self.parser = region, assembler, parser
        self.notes: list[str] = []
        """Texts of records that were set aside below or between the rows."""
        self.held: list[tuple[Record, int]] = []
        """Records whose fate depends on the next ones, with their lines."""
        self._latest: pa.RecordBatch | None = None
        """Rows that were read last, where they were read in bulk."""
        self.pages: bool | None = None
        """The header comes back on every page."""
        names = tuple(region.header[0].fields) if region.header else ()
        self._named = [text.strip().casefold() for text in names]
        if sum(map(bool, self._named)) < 2:
            self._named = []
        self.fast = Fast(
            parser.dialect,
            parser.newline,
            region.width,
            assembler.max_cell_chars,
            names if len(names) == region.width else (),
        )
        self._first = region.body[:CONTEXT_ROWS]
        self._last = region.body[CONTEXT_ROWS:][-CONTEXT_ROWS:]
        self._lines: list[str] = []
        """Lines that come after the last rows."""
        self._kinds: list[CellKind] | None = None
        self._heads_block = heads_block
        """The header is the first record of its block."""
        self._begun = 0
        self._odd: OddLines | None = None
        self._notable = parser.dialect.width > 1 and region.width > 1

    def probe(self) -> Region:
        """The region with its first and last rows, to place other records after."""
        if self._latest is not None:
            read = self._latest.slice(max(0, self._latest.num_rows - CONTEXT_ROWS)).to_pylist()
            fields = [[text or "" for text in list(row.values())[: self.region.width]] for row in read]
            self._last = [Record(0, self.parser.dialect.delimiter.join(row), row) for row in fields]
            self._latest = None
        if self._lines:
            rows = [Record(0, line, self.parser.split(line)[0]) for line in self._lines]
            self._last = (self._last + [row for row in rows if not row.blank])[-CONTEXT_ROWS:]
            self._lines = []
        return replace(self.region, body=[*self._first, *self._last], tail=[], repeats=set())

    def resembles(self, lines: Sequence[str]) -> bool:
        """Some lines are rows like those of the table, with figures or dates where it has them: no other one begins."""
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
            if any(
                one not in (other, "empty") and not alike(one, other) for one, other in zip(own, kinds, strict=True)
            ):
                return False
            if all(one in ("text", "empty") for one in own):
                return False
        return True

    def take(self, probe: Region) -> None:
        """What was added to the region in the meantime."""
        added = probe.body[len(self._first) + len(self._last) :]
        self.keep(added, probe.repeats)
        self.aside(probe.tail)
        self.reconsider(probe)
        if added:
            known = [*self._first, *added]
            self._first, later = known[:CONTEXT_ROWS], known[CONTEXT_ROWS:]
            self._last = (self._last + later)[-CONTEXT_ROWS:]

    def reconsider(self, probe: Region) -> None:
        """What was said of the header, with rows that came later."""
        if probe.note != self.region.note:
            notes = self.assembler.account.ambiguities
            notes.remove(self.region.note)
            notes += [probe.note] if probe.note else []
            self.region.note = probe.note

    def keep(self, records: Sequence[Record], repeats: Set[int]) -> None:
        for record in records:
            if record.number in repeats:
                self.assembler.set_aside(record, "header repeated")
            else:
                self.assembler.add(record)

    def aside(self, records: Sequence[Record]) -> None:
        """Records that are no rows: blank ones, and notes."""
        for record in records:
            self.assembler.set_aside(record, "blank" if record.blank else "note")
        self.notes += texts_of(records)

    def begin(self, number: int) -> None:
        """Rows stream from this record on."""
        self.pages = None if not self._begun and self._may_divide(number) else True
        self._begun = number

    def _may_divide(self, number: int) -> bool:
        """A header that comes back in the block that begins with it may begin another table."""
        header = self.region.header
        if not header or header[-1].number + 1 != number or not self._named:
            return False
        return self._heads_block and not any(any(char.isdigit() for char in text) for text in self._named)

    def remember(self, plain: Sequence[str], at: int, number: int) -> None:
        """The last rows before a line."""
        # The look at the table may have gone beyond its end.
        self._first = [record for record in self._first if record.number < number]
        self._last = [record for record in self._last if record.number < number]
        if number - self._begun > CONTEXT_ROWS:
            self._lines = (self._lines + list(plain[max(0, at - CONTEXT_ROWS) : at]))[-CONTEXT_ROWS:]

    def read_in_bulk(self, batch: pa.RecordBatch) -> None:
        """These are the last rows now."""
        self._latest, self._lines = batch, []

    def odd_lines(self, lines: Sequence[str], plain: Sequence[str]) -> OddLines:
        """Lines that are not just ``width`` fields without quotes, are blank, or repeat the header."""
        if self._odd is not None and not self._odd.stale(lines):
            self._odd.rewind()
            return self._odd
        dialect = self.parser.dialect
        name, mark, count = dialect.delimiter, dialect.quote, self.region.width - 1
        if not name or name in RUNS or dialect.words:
            indices = list(range(len(plain)))
        else:
            raw = self.region.header[0].raw if self._named else None
            starts, tell = telling_starts(name, raw), tells(name, raw)
            if mark:
                indices = [
                    i
                    for i, line in enumerate(plain)
                    if line.count(name) != count or mark in line or (line[:1] in starts and tell(line))
                ]
            else:
                indices = [
                    i
                    for i, line in enumerate(plain)
                    if line.count(name) != count or (line[:1] in starts and tell(line))
                ]
        self._odd = OddLines(lines, indices)
        return self._odd

    def recurs(self, record: Record) -> bool:
        """A record says the same as the header."""
        fields, named = record.fields, self._named
        return (
            bool(named)
            and len(fields) == len(named)
            and fields[0].strip().casefold() == named[0]
            and [text.strip().casefold() for text in fields] == named
        )

    def divides(self, record: Record, stream: LineStream, after: int) -> bool:
        """A header that came back begins another table: it does not come back on page after page."""
        header = self.region.header[0]
        if record.number - header.number < 3:
            return False
        if self.pages is None:
            ahead = stream.repeats_ahead(header.raw, after, layout.PAGE_REPEATS - 1)
            self.pages = 1 + ahead >= layout.PAGE_REPEATS
        return not self.pages

    def start_of(self, record: Record, at: int, runs: Runs) -> tuple[int, int] | None:
        """The line and number at which records of another width began, once they last."""
        if not runs.see(len(record.fields), 1):
            return None
        run = [*self.held, (record, at)][-layout.STEADY :]
        return run[0][1], run[0][0].number

    def judge(self, record: Record, at: int, runs: Runs, *, lasting: bool) -> None:
        """Hold a record back, or make it a row, or set it aside."""
        if self.recurs(record):
            self.release()
            self.assembler.set_aside(record, "header repeated")
        elif not lasting and (runs.open or (self._notable and layout.is_note(record, self.region.width))):
            self.hold(record, at)
        else:
            self.release()
            self.assembler.add(record)

    def before_notes(self, plain: Sequence[str], at: int, end: int) -> int:
        """Where notes begin that stand at the end of some plain lines."""
        name = self.parser.dialect.delimiter
        if not self._notable or not name:
            return end
        last = max(at, end - MAX_HELD)
        while end > last and plain[end - 1].rstrip(" ").endswith(name.rstrip(" ") or "  "):
            fields = self.parser.split(plain[end - 1])[0]
            if not layout.is_note(Record(0, plain[end - 1], fields), self.region.width):
                break
            end -= 1
        return end

    def hold(self, record: Record, at: int) -> None:
        if len(self.held) >= MAX_HELD:
            self.release()
        self.held.append((record, at))

    def release(self) -> None:
        """The records that were held back are rows like others."""
        for record, _ in self.held:
            self.assembler.add(record)
        self.held.clear()

    def hold_off(self, at: int, number: int) -> tuple[int, int]:
        """The line and number from which to read again, so that what was held back is seen with what follows."""
        if not self.held:
            return at, number
        record, line = self.held[0]
        self.held.clear()
        return line, record.number

    def close(self, before: int | None = None) -> None:
        """The block of rows ends: notes at its end are set aside. Records from number ``before`` on are read again."""
        if before is not None:
            self.held = [pair for pair in self.held if pair[0].number < before]
        end = len(self.held)
        while end and self._notable and layout.is_note(self.held[end - 1][0], self.region.width):
            end -= 1
        notes = [record for record, _ in self.held[end:]]
        del self.held[end:]
        self.release()
        self.aside(notes)
