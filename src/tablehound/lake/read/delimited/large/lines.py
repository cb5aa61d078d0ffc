"""A position in a large file that moves forward: what is next is in memory as bytes or, once looked at, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tablehound.lake.read.delimited.dialect import RUNS
from tablehound.lake.read.delimited.large.blocks import utf8_blocks
from tablehound.lake.read.delimited.records import MAX_FED_LINES, Parser, Record
from tablehound.lake.read.text.encoding import Encoding

LOOK_BYTES = 16 << 20
"""How much more than a block is kept at most to see what follows."""


@dataclass(slots=True)
class Stretch:
    """A stretch of records that are all blank, or none of them."""

    records: list[Record] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    """Per record the line that follows it."""
    ended: bool = True
    """The stretch ends with the last record; otherwise it continues."""


class Cursor:
    """A position in a file, and what is in memory from there on."""

    def __init__(self, path: Path, encoding: Encoding, parser: Parser) -> None:
        self._path, self._encoding, self.parser = path, encoding, parser
        self._blocks = utf8_blocks(path, encoding, parser.newline)
        self.block = next(self._blocks, b"")
        """The text from the position on; empty while :attr:`lines` has it."""
        self._next = next(self._blocks, b"")
        self._taken = 2
        self.lines: list[str] = []
        self.plain: list[str] = []
        """The lines without their ends."""
        self.at = 0
        """The line at which the position is, while there are lines."""
        self.number = 1
        """Of the record that begins at the position."""
        self._scout: Iterator[bytes] | None = None
        self._scouted = 0
        self._scout_block = b""

    @property
    def final(self) -> bool:
        """What is in memory is the rest of the file."""
        return not self._next

    def fill(self) -> bool:
        """Have something, as bytes or as lines; false at the end of the file."""
        if self.at < len(self.lines):
            return True
        self.lines, self.plain, self.at = [], [], 0
        if not self.block:
            self.block = self._pull()
        return bool(self.block)

    def fill_lines(self) -> bool:
        """Have lines; false at the end of the file."""
        if not self.fill():
            return False
        if not self.lines:
            self._append(self.block)
            self.block = b""
        return True

    def more(self) -> bool:
        """Have the lines of the next block too; whether there were any and room for them."""
        if not self._next or sum(map(len, self.lines[self.at :])) > LOOK_BYTES:
            return False
        self._append(self._pull())
        return True

    def back_to_bytes(self, at: int, number: int) -> None:
        """Go to a line, in bytes, together with the next block."""
        rest = self.lines[at:]
        kept = self.parser.join(rest).encode("utf-8", "surrogatepass") if rest else b""
        self.block = kept + self._pull()
        self.lines, self.plain, self.at, self.number = [], [], 0, number

    def advance(self, cut: int, records: int) -> None:
        """Go past some bytes of the block, which were that many records."""
        rest = self.block[cut:]
        self.block = rest + self._pull() if rest else self._pull()
        self.number += records

    def move_to(self, at: int, number: int) -> None:
        """Go to a line, which begins the record of a number."""
        self.at, self.number = at, number

    def record(self, at: int, number: int, width: int) -> tuple[Record, int] | None:
        """The record at a line and the line after it; none where it may end in lines further on."""
        near = self.parser.returns and not self.final and len(self.lines) - at < MAX_FED_LINES
        if near and not any(line.endswith("\r") for line in self.lines[at:]):
            # What ends here may be a line feed within the row.
            return None
        return self.parser.take(self.lines, at, number, width, final=self.final)

    def next_lines(self, count: int) -> list[str]:
        """The next lines, without their ends, as far as they are in memory."""
        return self.plain[self.at : self.at + count] if self.fill_lines() else []

    def stretch(self, limit: int, width: int) -> Stretch:
        """The records from the position on that are alike in being blank or not, at most ``limit`` of them."""
        found = Stretch()
        if not self.fill_lines():
            return found
        if len(self.lines) - self.at <= limit and not self.final:
            self.lines, self.plain, self.at = self.lines[self.at :], self.plain[self.at :], 0
            self.more()
        self.parser.misses = 0
        at, number = self.at, self.number
        while at < len(self.lines) or self.more():
            taken = self.record(at, number, width)
            if taken is None:
                if self.more():
                    continue
                taken = self.parser.take(self.lines, at, number, width)
                assert taken is not None
            record, after = taken
            if found.records and record.blank != found.records[0].blank:
                return found
            if len(found.records) == limit:
                found.ended = False
                return found
            found.records.append(record)
            found.after.append(after)
            at, number = after, number + 1
        found.ended = self.final and at >= len(self.lines)
        return found

    def rows_alike(self, at: int, number: int, limit: int) -> list[list[str]]:
        """The fields of the records from a line on that have as many as the first, at most ``limit`` of them."""
        rows: list[list[str]] = []
        while len(rows) < limit and (at < len(self.lines) or self.more()):
            taken = self.parser.take(self.lines, at, number, self.parser.dialect.width)
            assert taken is not None
            record, at = taken
            if record.blank or (rows and len(record.fields) != len(rows[0])):
                break
            rows.append(record.fields)
            number += 1
        return rows

    def repeats_ahead(self, raw: str, at: int, limit: int) -> int:
        """How many lines from one on, which comes after ``raw``, are the same before a blank one; ``limit`` at most."""
        count, ended = self._count(self.plain[at:], raw, limit, follows=True)
        if ended or not self._next:
            return count
        for block in self._beyond():
            lines = self.parser.lines(block.decode("utf-8", "surrogatepass"))
            more, ended = self._count([self.parser.bare(line) for line in lines], raw, limit - count)
            count += more
            if ended:
                break
        return count

    def _count(self, plain: Sequence[str], raw: str, limit: int, *, follows: bool = False) -> tuple[int, bool]:
        name = self.parser.dialect.delimiter
        starts, wanted, count = telling_starts(name, raw), raw.casefold(), 0
        last = -1 if follows else None
        for i, line in enumerate(plain):
            if line[:1] not in starts:
                continue
            if is_blank(line, name):
                return count, True
            if line.casefold() == wanted:
                # Right below itself it is the same one twice.
                count += last is None or i - last > 1
                last = i
            if count >= limit:
                return count, True
        return count, False

    def _beyond(self) -> Iterator[bytes]:
        """The blocks that are not in memory yet: a second pass over the file, forward as the first one."""
        yield self._next
        if self._scout is None or self._scouted > self._taken + 1:
            self._scout, self._scouted, self._scout_block = (
                utf8_blocks(self._path, self._encoding, self.parser.newline),
                0,
                b"",
            )
        while self._scouted <= self._taken:
            block = next(self._scout, b"")
            if not block:
                return
            self._scout_block, self._scouted = block, self._scouted + 1
        while self._scout_block:
            yield self._scout_block
            self._scout_block = next(self._scout, b"")
            self._scouted += 1

    def _pull(self) -> bytes:
        block, self._next = self._next, next(self._blocks, b"")
        self._taken += 1
        return block

    def _append(self, block: bytes) -> None:
        """Have the lines of a block after those that are in memory."""
        lines = self.parser.lines(block.decode("utf-8", "surrogatepass"))
        bare = self.parser.newline != "\n" or any(line.endswith("\r") for line in lines[:100])
        self.lines += lines
        self.plain += [self.parser.bare(line) for line in lines] if bare else lines


def is_blank(line: str, delimiter: str) -> bool:
    """Whether a line has no text."""
    return not (line.replace(delimiter, "") if delimiter else line).strip()


def telling_starts(delimiter: str, raw: str | None) -> frozenset[str]:
    """First characters, or none, of lines that are blank or the same as ``raw``."""
    starts = {"", " ", "\t", "\xa0", "\u3000"}
    if delimiter and delimiter not in RUNS:
        starts.add(delimiter[0])
    return frozenset(starts | {raw[0], raw[0].lower(), raw[0].upper()} if raw else starts)
