"""Tables of a file that is too large to hold: each block of records is placed as in a small file, long ones by a look.

Where a table goes on is decided by :mod:`layout`, for small files and for large ones. Here only as much is held as such
a decision takes: the next records after a blank one, or after a change of width. What is known to be rows of a table
then streams, in bulk where lines are plain, until something comes up that may divide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import replace

from tablehound.lake.read.batches import Batch, escaped
from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.delimited import layout
from tablehound.lake.read.delimited.assemble import Assembler
from tablehound.lake.read.delimited.large.lines import LineStream, Part
from tablehound.lake.read.delimited.large.table import ALIKE_ROWS, LargeTable, Runs
from tablehound.lake.read.delimited.layout import Region
from tablehound.lake.read.delimited.records import Parser, Record
from tablehound.lake.read.text import encoding as encodings

GLANCE_ROWS = 120
"""Records after which it is clear that a table goes on: as many as a header is judged by, and some."""
LOOK_ROWS = 3_000
"""Records by which a new table is judged, where it has more."""
MAX_WAITING = 10_000
"""Records between tables that are held at most."""


class LargeFile:
    """Reads one large file forward. A region stays open until another one begins or the file ends."""

    def __init__(self, source: SourceFile, parser: Parser, encoding: encodings.Encoding) -> None:
        self._stream = LineStream(source.path, encoding, parser)
        self._parser = parser
        self._fixed = parser.dialect.words
        self._header_rows: int | None = None
        self._blocks: deque[list[Record]] = deque()
        """Whole blocks that were not placed yet."""
        self._waiting: list[Record] = []
        self._found: Region | None = None
        """The region that comes after the one being read."""
        self._heads_block = False
        self._streams = False
        """What was placed last goes on at the position of the stream."""

    def first(self, *, header_rows: int | None, skipped: int, marked: bool = False) -> Region | None:
        """The first region of the file, after some rows that are set aside, or after one that names the delimiter."""
        self._header_rows = header_rows
        marks = self._skip(1) if marked else []
        lead = self._skip(skipped)
        while self._found is None and len(self._waiting) < MAX_WAITING and self._step(None):
            continue
        if self._found is None:
            self._give_up()
        region = self.following()
        if region is not None:
            region.lead[:0] = lead
            region.marks[:0] = marks
        return region

    def following(self) -> Region | None:
        """The next region that is known to begin."""
        region, self._found = self._found, None
        return region

    def batches(self, region: Region, draft: TableDraft, assembler: Assembler, batch_rows: int) -> Iterator[Batch]:
        """The rows of a region; its account and notes are complete at the end."""
        table = LargeTable(region, assembler, self._parser, heads_block=self._heads_block)
        if self._streams:
            yield from self._rows(table, batch_rows)
        else:
            for at in range(0, len(region.body), batch_rows):
                table.keep(region.body[at : at + batch_rows], region.repeats)
                yield from assembler.flush()
            for record in region.tail:
                assembler.set_aside(record, "blank" if record.blank else "note")
        while self._found is None and self._step(table):
            if self._streams and self._found is None:
                yield from self._rows(table, batch_rows)
            elif assembler.pending >= batch_rows:
                yield from assembler.flush()
        if self._found is None:
            table.aside(self._waiting)
            self._waiting = []
        yield from assembler.flush()
        assembler.finish()
        if table.notes:
            draft.notes += tuple(map(escaped, table.notes))

    def _skip(self, count: int) -> list[Record]:
        records: list[Record] = []
        while len(records) < count:
            part = self._stream.part(count - len(records), self._parser.dialect.width)
            if not part.records:
                break
            records += part.records
            self._stream.skip_to(part.after[-1], part.records[-1].number + 1)
        return records

    def _give_up(self) -> None:
        """No table was found in all that was read: it is one, whatever it looks like."""
        found = layout.whole(
            self._waiting, self._parser.dialect.width, header_rows=self._header_rows, fixed=self._fixed
        )
        if not found:
            return
        self._found, self._waiting = found[0], []

    def _step(self, table: LargeTable | None) -> bool:
        """Place the next block after the open table; false at the end of the file."""
        self._streams = False
        if not self._blocks and not self._gather(table):
            return False
        if self._blocks:
            self._settle(self._blocks.popleft(), table)
        if table is not None and len(self._waiting) > MAX_WAITING:
            before, left = layout.share(self._waiting, has_table=True)
            if not before:
                # Nothing but blank records, or one long text: the end of it is enough to go by.
                before, left = left[:-GLANCE_ROWS], left[-GLANCE_ROWS:]
            table.aside(before)
            self._waiting = left
        return True

    def _gather(self, table: LargeTable | None) -> bool:
        """Take the next blocks that are whole; one that goes on is placed at once, by a look at it."""
        hint = 1 if self._fixed else self._parser.dialect.width
        if table is not None and self._waiting:
            lines = self._stream.glance(ALIKE_ROWS)
            if table.resembles(lines) and all(record.blank for record in self._waiting):
                table.keep(self._waiting, set())
                self._waiting, self._streams = [], True
                return True
        for limit in (GLANCE_ROWS, LOOK_ROWS) if table is not None else (LOOK_ROWS,):
            part = self._stream.part(limit, self._parser.dialect.width)
            if not part.records:
                return False
            blocks = layout.divide(part.records, hint, goes_on=not part.ended)
            if part.records[0].blank or part.ended or len(blocks) > 1:
                whole = blocks if part.ended or part.records[0].blank else blocks[:-1]
                self._blocks += whole
                count = sum(map(len, whole))
                self._stream.skip_to(part.after[count - 1], part.records[count - 1].number + 1)
                return True
            if self._look_at(part, table, sure=limit == LOOK_ROWS):
                break
        return True

    def _place(
        self, block: list[Record], table: LargeTable | None, waiting: list[Record]
    ) -> tuple[Region | None, Region | None, list[Record]]:
        """The open region as it then is, the new one if there is one, and what waits."""
        probe = table.probe() if table is not None else None
        regions = [probe] if probe is not None else []
        waiting = layout.place(
            block,
            regions,
            waiting,
            self._parser.dialect.width,
            header_rows=self._header_rows,
            fixed=self._fixed,
        )
        return probe, regions[-1] if len(regions) > (probe is not None) else None, waiting

    def _settle(self, block: list[Record], table: LargeTable | None) -> None:
        if block[0].blank:
            self._waiting += block
            return
        probe, self._found, self._waiting = self._place(block, table, self._waiting)
        if table is not None and probe is not None:
            table.take(probe)

    def _look_at(self, part: Part, table: LargeTable | None, *, sure: bool) -> bool:
        """Place a block of which only the first records are known; false where more of them are needed."""
        waiting = len(self._waiting)
        probe, found, left = self._place(list(part.records), table, list(self._waiting))
        if found is None and len(left) > waiting:
            if not sure:
                return False
            # No part of a table, as far as can be seen: what follows is looked at anew.
            self._stream.skip_to(part.after[-1], part.records[-1].number + 1)
            self._waiting = left
        elif found is None:
            assert table is not None and probe is not None
            table.reconsider(probe)
            table.keep(self._waiting, set())
            self._waiting, self._streams = [], True
        else:
            if not sure:
                return False
            if table is not None and probe is not None:
                table.take(probe)
            rows = found.header[-1].number + 1 if found.header else found.body[0].number
            first = part.records[0].number
            self._stream.skip_to(part.after[rows - first - 1] if rows > first else self._stream.at, rows)
            self._heads_block = bool(found.header) and found.header[0].number == first
            self._found, self._waiting, self._streams = replace(found, tail=[]), left, True
        return True

    def _rows(self, table: LargeTable, batch_rows: int) -> Iterator[Batch]:
        """The rows from here on, until something may divide them from what follows."""
        stream, fast, width = self._stream, table.fast, table.region.width
        table.begin(stream.number)
        runs = Runs()
        while stream.fill():
            if not stream.lines:
                cut = fast.cut(stream.block, final=stream.final) if fast.usable and runs.quiet(width) else None
                batches = fast.read(stream.block[:cut]) if cut is not None else None
                if batches is not None and cut is not None:
                    yield from table.assembler.flush()
                    number = stream.number
                    for batch in batches:
                        table.read_in_bulk(batch)
                        yield table.assembler.accept(batch, number)
                        number += batch.num_rows
                    runs.see(width, number - stream.number)
                    stream.advance(cut, number - stream.number)
                    continue
                stream.look()
            if (yield from self._lines(table, runs, batch_rows)):
                return

    def _lines(self, table: LargeTable, runs: Runs, batch_rows: int) -> Generator[Batch, None, bool]:
        """The lines that are held: plain ones in bulk, the others one by one. True where the block of rows ends."""
        stream, assembler, width = self._stream, table.assembler, table.region.width
        at, number = stream.at, stream.number
        self._parser.misses = 0
        odd = table.odd_lines(stream.lines, stream.plain)
        while at < len(stream.lines):
            if odd.stale(stream.lines):
                odd = table.odd_lines(stream.lines, stream.plain)
            end = odd.next(at)
            if end > at and runs.quiet(width) and (assembler.account.kept or not table.region.header):
                rows = table.before_notes(stream.plain, at, end)
                if rows > at:
                    table.release()
                for start in range(at, rows, batch_rows):
                    lines = stream.plain[start : min(rows, start + batch_rows)]
                    assembler.extend(lines, number + start - at)
                    if assembler.pending >= batch_rows:
                        yield from assembler.flush()
                for i in range(rows, end):
                    table.hold(Record(number + i - at, stream.plain[i], self._parser.split(stream.plain[i])[0]), i)
                runs.see(width, end - at)
                number, at = number + end - at, end
                continue
            taken = stream.take(at, number, width)
            if taken is None:
                stream.leave(*table.hold_off(at, number))
                runs.restart()
                return False
            record, after = taken
            if record.blank or (table.recurs(record) and table.divides(record, stream, after)):
                table.close()
                table.remember(stream.plain, at, number)
                stream.skip_to(at, number)
                return True
            lasting = table.start_of(record, at, runs)
            if lasting is not None:
                line, first = lasting
                if layout.begins(stream.alike(line, first, layout.SAMPLE), len(record.fields)):
                    table.close(before=first)
                    table.remember(stream.plain, line, first)
                    stream.skip_to(line, first)
                    return True
            table.judge(record, at, runs, lasting=lasting is not None)
            at, number = after, number + 1
            if assembler.pending >= batch_rows:
                yield from assembler.flush()
        if stream.final:
            table.close()
            stream.skip_to(at, number)
            return True
        if table.held:
            stream.leave(*table.hold_off(at, number))
            runs.restart()
        else:
            stream.skip_to(at, number)
        return False
