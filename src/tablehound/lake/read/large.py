"""Tables of a file that is too large to hold: the layout of its head, and then row after row."""

from __future__ import annotations

from collections.abc import Iterator

from tablehound.lake.read import encoding as encodings
from tablehound.lake.read import layout
from tablehound.lake.read.assemble import Assembler
from tablehound.lake.read.batches import Batch
from tablehound.lake.read.blocks import Fast, utf8_blocks
from tablehound.lake.read.dialect import SPACE_RUNS
from tablehound.lake.read.draft import SourceFile
from tablehound.lake.read.layout import Region
from tablehound.lake.read.records import Parser, Record

NOTE_LINES = 50
"""Lines at the end of a file among which notes are looked for."""
NEW_TABLE_SHARE = 0.2
"""Share of records that do not fit, above which a part of the file is looked at for another table."""


class LargeFile:
    """Reads one large file forward. A region stays open until another one begins or the file ends."""

    def __init__(self, source: SourceFile, parser: Parser, encoding: encodings.Encoding) -> None:
        self._source = source
        self._parser = parser
        self._blocks = utf8_blocks(source.path, encoding, parser.newline)
        self._block = next(self._blocks, b"")
        self._next = next(self._blocks, b"")
        self._number = 1
        self._regions: list[Region] = []
        self.waiting: Region | None = None
        """The region that comes after the one being read."""
        self._cut = 0
        self._resume = 1

    def first(self, *, header_rows: int | None, skipped: int) -> Region | None:
        """The first region of the file, from its head, after some rows that are set aside."""
        records = self._take_records()
        self._regions = layout.find(
            records[skipped:], self._parser.dialect.width, header_rows=header_rows, fixed=self._parser.dialect.words
        )
        if self._regions:
            self._regions[0].lead[:0] = records[:skipped]
        return self.following()

    def following(self) -> Region | None:
        """The next region that is known to begin."""
        if self._regions:
            return self._regions.pop(0)
        region, self.waiting = self.waiting, None
        return region

    def batches(self, region: Region, assembler: Assembler, batch_rows: int) -> Iterator[Batch]:
        """The rows of a region; all of them when another region is known to follow, else to the end of the file."""
        for record in region.body:
            if record.number in region.repeats:
                assembler.set_aside(record, "header repeated")
            else:
                assembler.add(record)
        if not self._regions and self.waiting is None and (self._block or self._next):
            for record in region.tail:
                assembler.add(record)
            yield from self._stream(region, assembler, batch_rows)
        else:
            for record in region.tail:
                assembler.set_aside(record, "blank" if record.blank else "note")
        yield from assembler.flush()
        assembler.finish()

    def _stream(self, region: Region, assembler: Assembler, batch_rows: int) -> Iterator[Batch]:
        names = tuple(region.header[0].fields) if region.header else ()
        fast = Fast(
            self._parser.dialect,
            self._parser.newline,
            region.width,
            assembler.max_cell_chars,
            names if len(names) == region.width else (),
        )
        while self._block:
            final = not self._next
            cut = fast.cut(self._block, final=final) if fast.usable else None
            batches = fast.read(self._block[:cut]) if cut is not None else None
            if batches is not None:
                yield from assembler.flush()
                for batch in batches:
                    yield assembler.accept(batch, self._number)
                    self._number += batch.num_rows
                self._advance(self._block[cut:])
                continue
            yield from self._careful(region, assembler, batch_rows)
            if self.waiting is not None:
                self._number = self._resume
                return

    def _careful(self, region: Region, assembler: Assembler, batch_rows: int) -> Iterator[Batch]:
        """One block, in which plain lines are split in bulk and only the others are looked at one by one."""
        parser = self._parser
        final = not self._next
        lines = parser.lines(self._block.decode("utf-8", "surrogatepass"))
        if parser.newline != "\n" or any(line.endswith("\r") for line in lines[:100]):
            plain = [parser.bare(line) for line in lines]
        else:
            plain = lines
        odd = self._odd_lines(plain, region)
        odd.append(len(lines))
        if len(odd) > max(20, NEW_TABLE_SHARE * len(lines)) and self._split(region, lines):
            lines, plain = lines[: self._cut], plain[: self._cut]
            odd = [i for i in odd if i < self._cut] + [self._cut]
            final = True
        parser.rest, parser.misses = [], 0
        at = 0
        for i in odd:
            if i < at:
                continue
            while at < i:
                end = min(i, at + batch_rows)
                assembler.extend(plain[at:end], self._number)
                self._number += end - at
                at = end
                if assembler.pending >= batch_rows:
                    yield from assembler.flush()
            if i == len(lines):
                break
            taken = parser.take(lines, i, self._number, region.width, final=final)
            if taken is None:
                parser.rest = lines[i:]
                break
            record, at = taken
            self._number += 1
            self._judge(record, region, assembler, last=final and at >= len(lines) - NOTE_LINES)
        self._leave_lines()

    def _odd_lines(self, plain: list[str], region: Region) -> list[int]:
        """Indices of lines that are not just ``width`` fields without quotes."""
        dialect, width = self._parser.dialect, region.width
        name, mark = dialect.delimiter, dialect.quote
        if not name or name == SPACE_RUNS or dialect.words:
            return list(range(len(plain)))
        header = region.header[0].raw if region.header else None
        empty = name * (width - 1)
        if mark:
            return [
                i
                for i, line in enumerate(plain)
                if line.count(name) != width - 1 or mark in line or line in (header, empty)
            ]
        return [i for i, line in enumerate(plain) if line.count(name) != width - 1 or line in (header, empty)]

    def _judge(self, record: Record, region: Region, assembler: Assembler, *, last: bool) -> None:
        if region.header and record.fields == region.header[0].fields:
            assembler.set_aside(record, "header repeated")
        elif last and region.width > 1 and layout.is_note(record, region.width):
            assembler.set_aside(record, "note")
        else:
            assembler.add(record)

    def _split(self, region: Region, lines: list[str]) -> bool:
        """Whether another table begins within the lines; it then waits, and ``_cut`` is its first line."""
        records = list(self._parser.records(lines, self._number, region.width))
        for found in layout.find(records, region.width):
            if found.width != region.width and found.header and found.evidence >= 1:
                start, after = found.header[0].number, found.header[-1].number
                body = [record for record in records if record.number > after]
                self.waiting = Region(found.width, [], found.header, body, [], found.evidence, found.note)
                before = [record.raw for record in records if record.number < start]
                self._cut = sum(max(1, len(self._parser.lines(raw))) for raw in before)
                self._resume = records[-1].number + 1
                return True
        return False

    def _take_records(self) -> list[Record]:
        """The records of the current block; what is left of an open record goes to the next block."""
        lines = self._parser.lines(self._block.decode("utf-8", "surrogatepass"))
        records = list(self._parser.records(lines, self._number, self._parser.dialect.width, final=not self._next))
        if records:
            self._number = records[-1].number + 1
        self._leave_lines()
        return records

    def _leave_lines(self) -> None:
        rest = self._parser.rest
        self._advance(self._parser.join(rest).encode("utf-8", "surrogatepass") if rest else b"")

    def _advance(self, rest: bytes) -> None:
        self._block = rest + self._next if rest else self._next
        self._next = next(self._blocks, b"")
