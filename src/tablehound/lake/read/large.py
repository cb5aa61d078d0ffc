"""Tables of a file that is too large to hold: the layout of its head, and then row after row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from tablehound.lake.read import encoding as encodings
from tablehound.lake.read import layout
from tablehound.lake.read.assemble import Assembler
from tablehound.lake.read.blocks import Fast, utf8_blocks
from tablehound.lake.read.draft import SourceFile
from tablehound.lake.read.layout import Region
from tablehound.lake.read.records import Parser, Record

if TYPE_CHECKING:
    import pyarrow as pa

CHUNK_RECORDS = 20_000
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

    def first(self, *, header_rows: int | None, skipped: int) -> Region | None:
        """The first region of the file, from its head, after some rows that are set aside."""
        records = list(self._take_records())
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

    def batches(self, region: Region, assembler: Assembler, batch_rows: int) -> Iterator[pa.RecordBatch]:
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

    def _stream(self, region: Region, assembler: Assembler, batch_rows: int) -> Iterator[pa.RecordBatch]:
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
                return

    def _careful(self, region: Region, assembler: Assembler, batch_rows: int) -> Iterator[pa.RecordBatch]:
        named = [text.strip().casefold() for text in region.header[0].fields] if region.header else None
        records = self._take_records(stream=True)
        while chunk := list(islice(records, CHUNK_RECORDS)):
            misfits = sum(len(record.fields) != region.width or bool(record.flaw) for record in chunk)
            if misfits > max(20, NEW_TABLE_SHARE * len(chunk)):
                chunk = self._split(region, chunk)
                if self.waiting is not None:
                    self.waiting.body += list(records)
            final = not self._block and self.waiting is None
            chunk, notes = self._notes(chunk, region.width) if final and len(chunk) < CHUNK_RECORDS else (chunk, [])
            for record in chunk:
                if named is not None and len(record.fields) == len(named) and _same(record, named):
                    assembler.set_aside(record, "header repeated")
                else:
                    assembler.add(record)
                if assembler.pending >= batch_rows:
                    yield from assembler.flush()
            for record in notes:
                assembler.set_aside(record, "blank" if record.blank else "note")
            if self.waiting is not None:
                return

    def _split(self, region: Region, chunk: list[Record]) -> list[Record]:
        """The records of a chunk that still belong to the region; the rest waits as the next region."""
        for found in layout.find(chunk, region.width):
            if found.width != region.width and found.header and found.evidence >= 1:
                start = found.header[0].number
                before = [record for record in chunk if record.number < start]
                after = [record for record in chunk if record.number > found.header[-1].number]
                self.waiting = Region(found.width, [], found.header, after, [], found.evidence, found.note)
                return before
        return chunk

    @staticmethod
    def _notes(chunk: list[Record], width: int) -> tuple[list[Record], list[Record]]:
        end = len(chunk)
        while end > 1 and (chunk[end - 1].blank or layout.is_note(chunk[end - 1], width)):
            end -= 1
        return chunk[:end], chunk[end:]

    def _take_records(self, *, stream: bool = False) -> Iterator[Record]:
        """The records of the current block; what is left of an open record goes to the next block."""
        text = self._block.decode("utf-8", "surrogatepass")
        final = not self._next
        lines = self._parser.lines(text)
        records = self._parser.records(lines, self._number, self._parser.dialect.width, final=final)
        if not stream:
            return iter(self._finish(list(records)))
        return self._through(records)

    def _through(self, records: Iterator[Record]) -> Iterator[Record]:
        for record in records:
            self._number = record.number + 1
            yield record
        self._leave()

    def _finish(self, records: list[Record]) -> list[Record]:
        if records:
            self._number = records[-1].number + 1
        self._leave()
        return records

    def _leave(self) -> None:
        rest = self._parser.rest
        joined = self._parser.join(rest) if rest else ""
        self._advance(joined.encode("utf-8", "surrogatepass"))

    def _advance(self, rest: bytes) -> None:
        self._block = rest + self._next if rest else self._next
        self._next = next(self._blocks, b"")


def _same(record: Record, named: list[str]) -> bool:
    return (
        record.fields[0].strip().casefold() == named[0] and [text.strip().casefold() for text in record.fields] == named
    )
