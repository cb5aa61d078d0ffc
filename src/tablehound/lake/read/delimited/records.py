"""Stage 3, records: the records of a text in a known dialect, with their flaws. Nothing is repaired here.

A quoted field may have line ends. An unclosed quote must not swallow the rest of the file: lines are joined
only where the joined record reads without a flaw, has the usual width, and swallows no line that is a record itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tablehound.lake.read.delimited.dialect import (
    BLANKS,
    COMMENT_MARKS,
    MAX_STRAY_QUOTES,
    SPACE_RUNS,
    Choice,
    Dialect,
    closing_blanks,
    names_delimiter,
    quoted_text,
)

Flaw = Literal["", "stray", "open"]
Newline = Literal["\n", "\r", "mixed"]

MAX_JOIN_TRIES = 60
MAX_FED_LINES = 20
_MOST = 0.7
"""Share of line feeds after a carriage return that makes the others part of cells. By hand."""
_MAX_MISSES, _LINES_AFTER_MISSES = 20, 40
"""Open quotes in a row that no line closes, and how many lines are tried for the next ones. By hand."""
_SPACES = re.compile(r"[ \t]{2,}")
_LINE_STARTS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


@dataclass(slots=True)
class Record:
    """One record as it is in the source."""

    number: int
    """1-based."""
    raw: str
    """Without its line end."""
    fields: list[str]
    flaw: Flaw = ""
    """``stray``: a quote where none should be; ``open``: a quote that is not closed."""

    @property
    def blank(self) -> bool:
        return not any(map(str.strip, self.fields))

    @property
    def comment(self) -> bool:
        """It starts with a mark of comments."""
        return self.raw.lstrip().startswith(COMMENT_MARKS)

    @property
    def filled(self) -> int:
        return sum(map(bool, map(str.strip, self.fields)))


@dataclass(frozen=True, slots=True)
class Parsed:
    """The records of a text, or of one printed table in it."""

    records: Sequence[Record]
    parser: Parser
    rules: Sequence[Record] = ()
    """Records without a text: rules drawn between rows, a line that names the delimiter."""
    repairs: tuple[str, ...] = ()


def parsed(choice: Choice, max_cell_lines: int) -> Parsed:
    """All records of a text that is in memory."""
    parser = parser_for(choice.dialect, choice.text, max_cell_lines)
    width = choice.dialect.width
    records = list(parser.records(parser.lines(choice.text), 1, width))
    if 0 < parser.doubted < parser.joined:
        # Cells of several lines are usual here: what was doubted before that was known is one too.
        parser.doubted = parser.fed = 0
        records = list(parser.records(parser.lines(choice.text), 1, width))
    repairs = choice.repairs
    if parser.fed:
        repairs += (f"{parser.fed} rows put together across line feeds, where lines end with CR LF",)
    return Parsed(records, parser, (), repairs)


def without_delimiter_line(read: Parsed) -> Parsed:
    """The same, its first record a rule where that does nothing but name the delimiter."""
    records = read.records
    if not records or not names_delimiter(f"{records[0].raw}\n"):
        return read
    return replace(read, records=records[1:], rules=[records[0], *read.rules])


def parser_for(dialect: Dialect, text: str, max_cell_lines: int) -> Parser:
    """A parser for lines that end as those of a text do."""
    feeds, returns = text.count("\n"), text.count("\r")
    pairs = text.count("\r\n") if returns else 0
    newline: Newline = "\n"
    if not feeds and returns:
        newline = "\r"
    elif returns > pairs:
        # A lone carriage return among line feeds ends a line too, as everywhere in old files.
        newline = "mixed"
    parser = Parser(dialect, newline, max_cell_lines)
    parser.returns = newline == "\n" and feeds > pairs >= _MOST * feeds
    return parser


class Parser:
    """Reads lines in one dialect."""

    def __init__(self, dialect: Dialect, newline: Newline = "\n", max_cell_lines: int = 2_000) -> None:
        self.dialect = dialect
        self.newline = newline
        self.max_cell_lines = max_cell_lines
        self._joiner = "" if newline == "mixed" else newline
        self.rest: list[str] = []
        self.misses = 0
        self.returns = False
        """Lines end with CR LF: a line feed alone may be part of a cell."""
        self.fed = 0
        """Records joined across such line feeds."""
        self.joined = self.doubted = 0
        """Records of several lines that are beyond doubt, and those that might be rows with stray quotes."""
        mark, name = re.escape(dialect.quote), re.escape(dialect.delimiter)
        if not dialect.quote:
            return
        inner = quoted_text(mark, backslash=dialect.backslash)
        end = rf"(?:({name})|\Z)" if name else r"(?:(\n)|\Z)"
        blanks = closing_blanks(dialect.delimiter)
        stop = rf"(?={name}|\Z)" if name else r"\Z"
        plain = rf"(?:(?!{name})[^{mark}])*+" if len(dialect.delimiter) > 1 else rf"[^{mark}{name}]*+"
        loose = rf"(?:(?!{name}).)*+" if name else r".*+"
        self._field = re.compile(rf"(?:{mark}({inner}){mark}{blanks}|({plain})){end}", re.DOTALL)
        self._open = re.compile(rf"{mark}{inner}\Z", re.DOTALL)
        strays = rf"(?:{mark}(?!{name}|\Z)[^{mark}]*+){{0,{MAX_STRAY_QUOTES}}}+"
        self._sloppy = re.compile(rf"{mark}([^{mark}]*+{strays}){mark}{stop}", re.DOTALL)
        self._loose = re.compile(loose, re.DOTALL)

    def unescape(self, inner: str) -> str:
        """The text between two quotes, its escapes undone."""
        mark = self.dialect.quote
        if self.dialect.backslash and "\\" in inner:
            inner = re.sub(rf"\\([\\{re.escape(mark)}])", r"\1", inner)
        return inner.replace(mark + mark, mark) if mark in inner else inner

    def lines(self, text: str) -> list[str]:
        """The lines of a text; in mixed texts each with its end."""
        if self.newline == "mixed":
            lines = _LINE_STARTS.split(text)
        else:
            lines = text.split(self.newline)
        if lines and not lines[-1]:
            lines.pop()
        return lines

    def join(self, lines: list[str]) -> str:
        """Lines put together again, with the end of the last one."""
        return self._joiner.join(lines) + self._joiner

    def bare(self, line: str) -> str:
        """A line without its end."""
        if self.newline == "mixed":
            return line.rstrip("\r\n")
        return line[:-1] if line.endswith("\r") else line

    def split(self, raw: str) -> tuple[list[str], Flaw]:
        """The fields of one record and its flaw. A flawed record is split as well as can be without knowing more."""
        name, mark = self.dialect.delimiter, self.dialect.quote
        if name == SPACE_RUNS:
            return _SPACES.split(raw.strip()), ""
        if name == BLANKS:
            return raw.split() or [""], ""
        if not mark or mark not in raw:
            return (raw.split(name) if name else [raw]), ""
        fields: list[str] = []
        flaw: Flaw = ""
        position = 0
        while True:
            found = self._field.match(raw, position)
            if found is not None:
                inner = found[1]
                fields.append(found[2] if inner is None else self.unescape(inner))
                if found[3] is None:
                    return fields, flaw
                position = found.end()
                continue
            if raw.startswith(mark, position):
                if not flaw and self._open.match(raw, position) is not None:
                    flaw = "open"
                closed = self._sloppy.match(raw, position)
                if closed is not None:
                    flaw = flaw or "stray"
                    fields.append(self.unescape(closed[1]))
                    position = closed.end()
                    if position >= len(raw):
                        return fields, flaw
                    position += len(name)
                    continue
            flaw = flaw or "stray"
            plain = self._loose.match(raw, position)
            assert plain is not None
            fields.append(plain[0])
            position = plain.end()
            if position >= len(raw):
                return fields, flaw
            position += len(name)

    def records(self, lines: list[str], start: int, width: int, *, final: bool = True) -> Iterator[Record]:
        """Records of some lines, numbered from ``start``; without ``final`` an open record at the end is not given.

        The caller learns from :attr:`rest` which lines were left for the next block.
        """
        self.rest = []
        self.misses = 0
        number, i, count = start, 0, len(lines)
        while i < count:
            taken = self.take(lines, i, number, width, final=final)
            if taken is None:
                self.rest = lines[i:]
                return
            record, i = taken
            yield record
            number += 1

    def take(
        self, lines: list[str], i: int, number: int, width: int, *, final: bool = True
    ) -> tuple[Record, int] | None:
        """The record that starts at line ``i``, and the line after it; none when it may end in lines still to come."""
        raw = self.bare(lines[i])
        fields, flaw = self.split(raw)
        after = i + 1
        if flaw == "open":
            limit = self.max_cell_lines
            if self.misses >= _MAX_MISSES:
                limit = min(limit, _LINES_AFTER_MISSES)
            joined = self._join(lines, i, width, limit)
            if joined is not None:
                raw, fields, count = joined
                flaw, after, self.misses = "", i + count, 0
            else:
                self.misses += 1
                if not final and i + limit >= len(lines) and "".join(lines[i:]).count(self.dialect.quote) % 2:
                    return None
        elif self.returns and len(fields) < width and not flaw and not lines[i].endswith("\r"):
            whole = self._fed(lines, i, width)
            if whole is not None:
                raw, fields, after = whole
                self.fed += 1
        return Record(number, raw, fields, flaw), after

    def _fed(self, lines: list[str], i: int, width: int) -> tuple[str, list[str], int] | None:
        """The record of lines of which only the last one ends as lines do here; none where it has not all fields."""
        for j in range(i + 1, min(len(lines), i + MAX_FED_LINES)):
            if lines[j].endswith("\r"):
                raw = self.bare("\n".join(lines[i : j + 1]))
                fields, flaw = self.split(raw)
                return (raw, fields, j + 1) if not flaw and len(fields) == width else None
        return None

    def _join(self, lines: list[str], i: int, width: int, limit: int) -> tuple[str, list[str], int] | None:
        """The record whose quoted cell continues over the next lines: its text, its fields, how many lines it has."""
        mark, name = self.dialect.quote, self.dialect.delimiter
        tries = swallowed = 0
        marks = lines[i].count(mark)
        for j in range(i + 1, min(len(lines), i + limit)):
            line = lines[j]
            if mark not in line:
                swallowed += width > 2 and line.count(name) == width - 1
                continue
            alone, own = self.split(self.bare(line))
            marks += line.count(mark)
            if marks % 2 == 0 or self.dialect.backslash:
                # With an odd number of quotes the cell is open still.
                raw = self.bare(self._joiner.join(lines[i : j + 1]))
                fields, flaw = self.split(raw)
                if not flaw:
                    if len(fields) != width and width > 1:
                        return None
                    # Whole rows in between are lines of a text, unless the lines with the quotes may be whole rows too.
                    if swallowed and lines[i].count(name) == line.count(name) == width - 1:
                        self.doubted += 1
                        return (raw, fields, j + 1 - i) if self.joined > self.doubted else None
                    self.joined += 1
                    return raw, fields, j + 1 - i
                tries += 1
                if flaw == "stray" or tries > MAX_JOIN_TRIES:
                    return None
            if width > 2 and not own and len(alone) == width:
                return None
        return None
