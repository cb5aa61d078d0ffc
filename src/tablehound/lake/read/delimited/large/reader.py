"""Delimited text that is too large for memory: the same stages as for a small file, as the file streams.

Encoding and dialect are decided on head, middle and tail. Where a table continues is decided by :mod:`layout`, as for
small files. Only as much is in memory as such a decision takes: the next records after a blank one, or after a change
of width. What is known to be rows of a table then streams, in bulk where blocks or lines are plain, until something
comes up that may divide.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from enum import Enum, auto

from tablehound.lake.read.batches import Batch, escaped
from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.delimited.assemble import Assembler, Reading, opened, texts_of
from tablehound.lake.read.delimited.decode import decoded_sample
from tablehound.lake.read.delimited.dialect import dialect_of, names_delimiter
from tablehound.lake.read.delimited.header import SAMPLE_ROWS
from tablehound.lake.read.delimited.large.lines import Cursor, Stretch
from tablehound.lake.read.delimited.large.table import ALIKE_ROWS, OpenTable, WidthRuns
from tablehound.lake.read.delimited.layout import (
    LIMITS,
    Hints,
    Region,
    begins_table,
    divided,
    footer_and_preamble,
    has_figures,
    is_note,
    place,
    whole,
)
from tablehound.lake.read.delimited.records import Record, parser_for
from tablehound.lake.read.totals.streamed import marked

GLANCE_ROWS = 120
"""Records after which it is clear that a table continues: as many as a header is judged by, and some."""
LOOK_ROWS = 3_000
"""Records by which a new table is judged, where it has more."""
MAX_WAITING = 10_000
"""Records between tables that are kept at most."""
MAX_UNDECIDED = 1_000
"""Rows that are kept back at most until it is clear whether they are notes."""


def large_tables(source: SourceFile) -> Iterator[TableDraft]:
    """The tables of a file that is too large for memory. The batches of each are read before the next one is given.

    Raises:
        BrokenSourceError: more columns than a limit allows.
        UnsupportedSourceError: binary data.
    """
    pinned = source.overrides
    # decode, dialect: on a sample. records: a parser that reads them as they come.
    sample = decoded_sample(source)
    dialect = dialect_of(sample.text, pinned)
    reading = Reading(source, parser_for(dialect, sample.text, source.settings.max_cell_lines), sample.encoding)
    # layout, header: where the next table begins, and which of its rows name the columns.
    file = LargeFile(reading)
    marked_delimiter = names_delimiter(sample.text) and not pinned.skip_rows
    region = file.first_region(skipped=pinned.skip_rows or 0, rules=int(marked_delimiter))
    ordinal = 0
    while region is not None:
        # assemble: rows, with an account of each record. totals: rows that add up others.
        assembler, draft = opened(region, ordinal, reading)
        draft.batches = batches = marked(draft, file.batches(region, assembler, draft))
        yield draft
        for _ in batches:
            # Rows that nobody asked for are read all the same: the account and the next table depend on them.
            continue
        region, ordinal = file.next_region(), ordinal + 1


class State(Enum):
    """What a large file is read for at its position."""

    PLACING = auto()
    """To find the table, open or new, that the next block of records belongs to."""
    BLOCKS = auto()
    """Rows of the open table, in bulk."""
    LINES = auto()
    """Rows of the open table, line by line."""
    FOUND = auto()
    """Nothing: the next table is known to begin."""
    ENDED = auto()
    """Nothing: this is the end of the file."""


class LargeFile:
    """Reads one large file forward. A table stays open until another one begins or the file ends."""

    def __init__(self, reading: Reading) -> None:
        self._source, self._parser, self._encoding = reading.source, reading.parser, reading.encoding
        self._cursor = Cursor(self._source.path, self._encoding, self._parser)
        dialect = self._parser.dialect
        self._width = dialect.width
        self._hints = Hints(dialect.width, self._source.overrides.header_rows, dialect.words)
        self._state = State.PLACING
        self._table: OpenTable | None = None
        self._blocks: deque[list[Record]] = deque()
        """Whole blocks that are not placed yet."""
        self._waiting: list[Record] = []
        """Records that belong to the open table or to the next one."""
        self._found: Region | None = None
        """The region that comes after the open one."""
        self._found_streams = False
        """The position is among its rows; otherwise it is known as a whole."""
        self._heads_block = False
        """Its header is the first record of its block."""
        self._streams_from = 0
        """The number of the first row that streams."""

    def first_region(self, *, skipped: int, rules: int) -> Region | None:
        """The first region of the file, after some records without a text and some that are set aside."""
        above = [self._skipped(rules), self._skipped(skipped)]
        while self._state is State.PLACING and len(self._waiting) < MAX_WAITING:
            self._place_next()
        if self._found is None and (found := whole(self._waiting, self._hints)):
            # No table was found in all that was read: it is one, whatever it looks like.
            self._found, self._waiting = found[0], []
        region = self.next_region()
        if region is not None:
            region.rules[:0], region.preamble[:0] = above
        return region

    def next_region(self) -> Region | None:
        """The next region that is known to begin."""
        region, self._found = self._found, None
        return region

    def batches(self, region: Region, assembler: Assembler, draft: TableDraft) -> Iterator[Batch]:
        """The rows of a region; its account and notes are complete at the end."""
        batch_rows = self._source.settings.batch_rows
        table = self._table = OpenTable(region, assembler, self._parser)
        if self._found_streams:
            self._begin_rows(table)
        else:
            self._state = State.PLACING
            for at in range(0, len(region.body), batch_rows):
                _keep(table, region.body[at : at + batch_rows], region.repeats)
                yield from assembler.flush()
            assembler.set_aside_around(region.footer)
        while self._state not in (State.FOUND, State.ENDED):
            if self._state is State.BLOCKS:
                yield from self._read_block(table)
                continue
            if self._state is State.LINES:
                yield from self._read_lines(table, batch_rows)
                continue
            self._place_next()
            if self._state is State.PLACING and assembler.pending >= batch_rows:
                yield from assembler.flush()
        if self._state is State.ENDED:
            _set_aside(table, self._waiting)
            self._waiting = []
        yield from assembler.flush()
        assembler.finish()
        if table.notes:
            draft.notes += tuple(map(escaped, table.notes))
        repairs = draft.account.repairs
        if self._parser.fed:
            # Rows that were looked at twice were counted twice.
            repairs.append("rows put together across line feeds, where lines end with CR LF")
            self._parser.fed = 0
        repairs += self._encoding.faults.drain()

    def _skipped(self, count: int) -> list[Record]:
        records: list[Record] = []
        while len(records) < count:
            stretch = self._cursor.stretch(count - len(records), self._width)
            if not stretch.records:
                break
            records += stretch.records
            self._cursor.move_to(stretch.after[-1], stretch.records[-1].number + 1)
        return records

    # From PLACING: to PLACING, BLOCKS, FOUND or ENDED.

    def _place_next(self) -> None:
        """Place the next block after the open table."""
        if not self._blocks and not self._gathered():
            self._state = State.ENDED
            return
        if self._blocks:
            self._settle(self._blocks.popleft())
        if self._table is not None and len(self._waiting) > MAX_WAITING:
            above, left = footer_and_preamble(self._waiting)
            if not above:
                # Nothing but blank records, or one long text: its end is enough to go by.
                above, left = left[:-GLANCE_ROWS], left[-GLANCE_ROWS:]
            _set_aside(self._table, above)
            self._waiting = left

    def _gathered(self) -> bool:
        """Take the next blocks that are whole; one that continues is placed at once. False at the end of the file."""
        cursor, table = self._cursor, self._table
        if table is not None and self._waiting:
            lines = cursor.next_lines(ALIKE_ROWS)
            if table.resembles(lines) and all(record.blank for record in self._waiting):
                self._go_on_with(table)
                return True
        for limit in (GLANCE_ROWS, LOOK_ROWS) if table is not None else (LOOK_ROWS,):
            stretch = cursor.stretch(limit, self._width)
            records = stretch.records
            if not records:
                return False
            blocks = divided(records, self._hints, goes_on=not stretch.ended)
            if records[0].blank or stretch.ended or len(blocks) > 1:
                self._blocks += blocks if stretch.ended or records[0].blank else blocks[:-1]
                count = sum(map(len, self._blocks))
                cursor.move_to(stretch.after[count - 1], records[count - 1].number + 1)
                return True
            if self._placed_by_look(stretch, sure=limit == LOOK_ROWS):
                break
        return True

    def _settle(self, block: list[Record]) -> None:
        """Place a whole block."""
        if block[0].blank:
            self._waiting += block
            return
        probe, found, self._waiting = self._placed(block, self._waiting)
        if self._table is not None and probe is not None:
            _take(self._table, probe)
        if found is not None:
            self._found, self._found_streams, self._state = found, False, State.FOUND

    def _placed_by_look(self, stretch: Stretch, *, sure: bool) -> bool:
        """Place a block of which only the first records are known; false where more of them are needed."""
        records, table = stretch.records, self._table
        waiting = len(self._waiting)
        probe, found, left = self._placed(list(records), list(self._waiting))
        if found is None and len(left) > waiting:
            if not sure:
                return False
            # No part of a table, as far as is known: what follows is looked at anew.
            self._cursor.move_to(stretch.after[-1], records[-1].number + 1)
            self._waiting = left
        elif found is None:
            assert table is not None and probe is not None
            _reconsider(table, probe)
            self._go_on_with(table)
        else:
            if not sure:
                return False
            if table is not None and probe is not None:
                _take(table, probe)
            start = found.header[-1].number + 1 if found.header else found.body[0].number
            first = records[0].number
            self._cursor.move_to(stretch.after[start - first - 1] if start > first else self._cursor.at, start)
            self._heads_block = bool(found.header) and found.header[0].number == first
            self._found, self._found_streams, self._waiting = replace(found, footer=[]), True, left
            self._state = State.FOUND
        return True

    def _placed(self, block: list[Record], waiting: list[Record]) -> tuple[Region | None, Region | None, list[Record]]:
        """The open region as it then is, the new one if there is one, and what waits."""
        probe = self._table.probe() if self._table is not None else None
        regions = [probe] if probe is not None else []
        waiting = place(block, regions, waiting, self._hints)
        return probe, regions[-1] if len(regions) > (probe is not None) else None, waiting

    def _go_on_with(self, table: OpenTable) -> None:
        """What waits and what follows are rows of the open table."""
        _keep(table, self._waiting, frozenset())
        self._waiting = []
        self._begin_rows(table)

    def _begin_rows(self, table: OpenTable) -> None:
        """Rows of a table stream from the position on."""
        number, header = self._cursor.number, table.region.header
        # A header that comes back in the block that begins with it may begin another table.
        heads = self._heads_block and bool(header) and header[-1].number + 1 == number
        may_divide = heads and not table.streamed and bool(table.names) and not has_figures(table.names)
        table.pages = None if may_divide else True
        table.streamed = True
        table.runs = WidthRuns()
        self._streams_from, self._state = number, State.BLOCKS

    # From BLOCKS: to BLOCKS, LINES, or at the end of the file to PLACING.

    def _read_block(self, table: OpenTable) -> Iterator[Batch]:
        """The rows of a block that proves clean."""
        cursor, bulk, width = self._cursor, table.bulk, table.region.width
        if not cursor.fill():
            self._state = State.PLACING
            return
        if not cursor.lines and bulk.usable and table.runs.quiet(width):
            end = bulk.end_of_records(cursor.block, final=cursor.final)
            batches = bulk.rows(cursor.block[:end]) if end is not None else None
            if batches is not None and end is not None:
                yield from table.assembler.flush()
                number = cursor.number
                for batch in batches:
                    table.remember_batch(batch)
                    yield table.assembler.accept(batch, number)
                    number += batch.num_rows
                table.runs.add(width, number - cursor.number)
                cursor.advance(end, number - cursor.number)
                return
        cursor.fill_lines()
        self._state = State.LINES

    # From LINES: to BLOCKS, or where the block of rows ends to PLACING.

    def _read_lines(self, table: OpenTable, batch_rows: int) -> Iterator[Batch]:
        """The rows of the lines in memory: plain ones in bulk, the others one by one."""
        cursor, assembler, width, runs = self._cursor, table.assembler, table.region.width, table.runs
        at, number = cursor.at, cursor.number
        self._parser.misses = 0
        while at < len(cursor.lines):
            odd = table.odd_lines(cursor.lines, cursor.plain)
            place = bisect_left(odd, at)
            end = odd[place] if place < len(odd) else len(cursor.lines)
            if end > at and runs.quiet(width) and (assembler.account.kept or not table.region.header):
                rows = table.end_of_rows(cursor.plain, at, end, MAX_UNDECIDED)
                if rows > at:
                    _decide(table)
                for start in range(at, rows, batch_rows):
                    lines = cursor.plain[start : min(rows, start + batch_rows)]
                    assembler.extend(lines, number + start - at)
                    if assembler.pending >= batch_rows:
                        yield from assembler.flush()
                for i in range(rows, end):
                    fields = self._parser.split(cursor.plain[i])[0]
                    _keep_back(table, Record(number + i - at, cursor.plain[i], fields), i)
                runs.add(width, end - at)
                number, at = number + end - at, end
                continue
            taken = cursor.record(at, number, width)
            if taken is None:
                self._read_again_from(table, at, number)
                return
            record, after = taken
            if record.blank or (table.recurs(record) and self._divides(table, record, after)):
                self._end_rows(table, at, number)
                return
            lasting = runs.add(len(record.fields), 1)
            if lasting:
                run = [*table.undecided, (record, at)][-LIMITS.steady :]
                first, line = run[0][0].number, run[0][1]
                if begins_table(cursor.rows_alike(line, first, SAMPLE_ROWS), len(record.fields)):
                    table.undecided = [pair for pair in table.undecided if pair[0].number < first]
                    self._end_rows(table, line, first)
                    return
            if table.recurs(record):
                _decide(table)
                assembler.set_aside(record, "header repeated")
            elif not lasting and (runs.open or (table.notable and is_note(record, width))):
                _keep_back(table, record, at)
            else:
                _decide(table)
                assembler.add(record)
            at, number = after, number + 1
            if assembler.pending >= batch_rows:
                yield from assembler.flush()
        if cursor.final:
            _close(table)
            cursor.move_to(at, number)
            self._state = State.PLACING
        elif table.undecided:
            self._read_again_from(table, at, number)
        else:
            cursor.move_to(at, number)
            self._state = State.BLOCKS

    def _divides(self, table: OpenTable, record: Record, after: int) -> bool:
        """A header that came back begins another table: it does not come back on page after page."""
        header = table.region.header[0]
        if record.number - header.number < 3:
            return False
        if table.pages is None:
            ahead = self._cursor.repeats_ahead(header.raw, after, LIMITS.page_repeats - 1)
            table.pages = 1 + ahead >= LIMITS.page_repeats
        return not table.pages

    def _end_rows(self, table: OpenTable, at: int, number: int) -> None:
        """The rows end before a line, which begins the record of a number."""
        _close(table)
        table.forget_from(number)
        table.remember(self._cursor.plain, at, streamed=number - self._streams_from)
        self._cursor.move_to(at, number)
        self._state = State.PLACING

    def _read_again_from(self, table: OpenTable, at: int, number: int) -> None:
        """Read on with the next block, from the first undecided record or else from a line."""
        if table.undecided:
            record, at = table.undecided[0]
            number = record.number
            table.undecided.clear()
        self._cursor.back_to_bytes(at, number)
        table.runs.restart()
        self._state = State.BLOCKS


def _keep(table: OpenTable, records: Sequence[Record], repeated: Set[int]) -> None:
    """Records are rows, but for those that repeat the header."""
    for record in records:
        if record.number in repeated:
            table.assembler.set_aside(record, "header repeated")
        else:
            table.assembler.add(record)


def _set_aside(table: OpenTable, records: Sequence[Record]) -> None:
    """Records are no rows: blank ones, and notes."""
    table.assembler.set_aside_around(records)
    table.notes += texts_of(records)


def _take(table: OpenTable, probe: Region) -> None:
    """What was added to a probe is part of the table."""
    _keep(table, table.added_to(probe), probe.repeats)
    _set_aside(table, probe.footer)
    _reconsider(table, probe)


def _reconsider(table: OpenTable, probe: Region) -> None:
    """What is doubtful about the header, with rows that came later."""
    if probe.note != table.region.note:
        ambiguities = table.assembler.account.ambiguities
        ambiguities.remove(table.region.note)
        ambiguities += [probe.note] if probe.note else []
        table.region.note = probe.note


def _keep_back(table: OpenTable, record: Record, at: int) -> None:
    """A record is undecided on."""
    if len(table.undecided) >= MAX_UNDECIDED:
        _decide(table)
    table.undecided.append((record, at))


def _decide(table: OpenTable) -> None:
    """The undecided records are rows like others."""
    for record, _ in table.undecided:
        table.assembler.add(record)
    table.undecided.clear()


def _close(table: OpenTable) -> None:
    """A block of rows ends: undecided notes at its end are set aside."""
    end = len(table.undecided)
    while end and table.notable and is_note(table.undecided[end - 1][0], table.region.width):
        end -= 1
    notes = [record for record, _ in table.undecided[end:]]
    del table.undecided[end:]
    _decide(table)
    _set_aside(table, notes)
