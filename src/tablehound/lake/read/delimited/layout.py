"""Stage 4, layout: where the tables of delimited text are, and what is above, between and below them.

Works on records of one dialect. Blank records and lasting changes of width divide; a part that has a header of its own
is a table of its own; everything else belongs to the table next to it. No record is lost: each is preamble, header,
body or footer of exactly one region.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tablehound.lake.read.contract import Overrides
from tablehound.lake.read.delimited.cell_shapes import alike, kind_of, profile
from tablehound.lake.read.delimited.dialect import COMMENT_MARKS
from tablehound.lake.read.delimited.header import MAX_LEVELS, SAMPLE_ROWS, header_choice
from tablehound.lake.read.delimited.records import Parsed, Record, without_delimiter_line


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Sizes and shares that the layout is decided by. All were chosen by hand."""

    steady: int = 3
    """Records of one width in a row that make a change of width a lasting one."""
    max_preamble: int = 40
    """Records above a table that may be its title."""
    max_narrow: int = 20
    """Records of names and values above the header proper."""
    page_repeats: int = 3
    """A header that comes back this often is a page break, not the start of another table."""
    small_table: int = 20
    """Records of a block that may be text beside a table rather than a table."""
    tiny_table: int = 2
    """Records that are too few for a table of their own."""
    own_header: float = 1
    """Evidence of a header that makes a block a table of its own."""
    comment_above: float = 0.5
    """Evidence of a header that makes a comment of a wide record above it."""
    max_lone_share: float = 0.05
    """Share of rows with a single cell, above which a single cell is no note."""
    long_note_chars: int = 40
    long_note_spaces: int = 5
    """A text longer than that, with as many spaces, is a note."""
    wide_share: float = 0.05
    """Share of records wider than usual that may give the width of a table."""
    ragged_share: float = 0.8
    """Share of records of the usual width below which wider ones give the width."""
    one_wider_share: float = 0.2
    """Share of records of the only greater width that makes it the width."""


LIMITS = Thresholds()
_NOTE = re.compile(
    r"\s*(?:source|notes?|footnote|remark|quelle|fuente|\*|†|‡|¹|\(\d\)|\[\d\]|#|//|--|\(?\d+ rows?\b|generated|"
    r"copyright|©|end of)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known of the tables of a text before they are found."""

    width: int
    """The usual number of fields."""
    header_rows: int | None = None
    """How many header rows each table has, where that is given, not detected."""
    fixed: bool = False
    """Every table has the usual width."""


@dataclass(slots=True)
class Region:
    """One table of the text, as records. It grows until its end is known."""

    width: int
    header: list[Record] = field(default_factory=list)
    body: list[Record] = field(default_factory=list)
    evidence: float = 0.0
    note: str = ""
    """What is doubtful about its header."""
    preamble: list[Record] = field(default_factory=list)
    footer: list[Record] = field(default_factory=list)
    repeats: set[int] = field(default_factory=set)
    """Numbers of body records that repeat the header."""
    rules: list[Record] = field(default_factory=list)
    """Records without a text: a line that names the delimiter, rules drawn between rows."""

    @property
    def first(self) -> int:
        """The number of its first record."""
        return next((part[0].number for part in (self.preamble, self.header, self.body, self.footer) if part), 0)


def regions_of(parsed: Parsed, pinned: Overrides) -> list[Region]:
    """The tables of a text, in order."""
    dialect, skipped = parsed.parser.dialect, pinned.skip_rows or 0
    if not skipped:
        parsed = without_delimiter_line(parsed)
    regions = _found(parsed.records[skipped:], Hints(dialect.width, pinned.header_rows, dialect.words))
    if not regions:
        return []
    regions[0].preamble[:0] = parsed.records[:skipped]
    for rule in parsed.rules:
        above = [region for region in regions if region.first <= rule.number]
        (above[-1] if above else regions[0]).rules.append(rule)
    return regions


def _found(records: Sequence[Record], hints: Hints) -> list[Region]:
    regions: list[Region] = []
    waiting: list[Record] = []
    for block in _blocks(records, hints):
        waiting = place(block, regions, waiting, hints)
    if not regions:
        return whole(waiting, hints)
    regions[-1].footer += waiting
    return regions


def place(block: list[Record], regions: list[Region], waiting: list[Record], hints: Hints) -> list[Record]:
    """Add the next block to the regions before it, or as a region of its own; gives what waits for the next one.

    ``waiting``, what waited until now, may be changed.
    """
    if block[0].blank:
        waiting += block
        return waiting
    preamble, rows, footer = _trimmed(block, hints.width, first=not regions)
    if not rows:
        waiting += preamble + footer
        return waiting
    if regions and all(_is_padded_note(record, regions[-1]) for record in (*rows, *footer)):
        waiting += preamble + rows + footer
        return waiting
    region = _region(rows, hints)
    if regions and _continues(regions[-1], region, waiting + preamble):
        _reconsider(regions[-1], rows)
        rows = [*waiting, *preamble, *region.header, *region.body]
        regions[-1].repeats |= _repeats(regions[-1].header, rows)
        regions[-1].body += rows
        regions[-1].footer += footer
        return []
    weak = len(rows) <= LIMITS.tiny_table and region.evidence < LIMITS.own_header
    if regions and weak and len(rows[0].fields) >= regions[-1].width > 1:
        # Too little to be a table of its own: rows of the one before, for better or worse.
        _reconsider(regions[-1], rows)
        regions[-1].body += [*waiting, *preamble, *rows]
        regions[-1].footer += footer
        return []
    if _is_no_table(region, hints.width):
        waiting += preamble + rows + footer
        return waiting
    if regions:
        below, waiting = footer_and_preamble(waiting)
        regions[-1].footer += below
    region.preamble = waiting + preamble
    region.footer = footer
    regions.append(region)
    return []


def whole(waiting: Sequence[Record], hints: Hints) -> list[Region]:
    """One region of all records of a text in which none was found; nothing of a blank text."""
    rows = [record for record in waiting if not record.blank]
    if not rows:
        return []
    region = _region(rows, hints)
    # Blank records keep their place among the others.
    region.body = sorted(region.body + [record for record in waiting if record.blank], key=lambda record: record.number)
    return [region]


def _blocks(records: Sequence[Record], hints: Hints) -> list[list[Record]]:
    """Stretches of blank records, and stretches between them, divided again where the width changes for good."""
    parts: list[list[Record]] = []
    for record in records:
        if parts and parts[-1][0].blank == record.blank:
            parts[-1].append(record)
        else:
            parts.append([record])
    blocks: list[list[Record]] = []
    for part in parts:
        blocks += divided(part, hints)
    return blocks


def divided(part: list[Record], hints: Hints, *, goes_on: bool = False) -> list[list[Record]]:
    """Blocks of records without a blank one among them, or of blank ones.

    Where the part continues beyond these records, it is unknown yet how often the header of the last block comes back.
    """
    if part[0].blank or hints.fixed or hints.width < 2:
        return [part]
    blocks = _by_width(part)
    return [*_by_header(blocks[:-1]), blocks[-1]] if goes_on else _by_header(blocks)


def _by_width(part: list[Record]) -> list[list[Record]]:
    """Divide where another width lasts and its first record is a header over the rest."""
    runs: list[tuple[int, int, int]] = []
    start = 0
    for i in range(1, len(part) + 1):
        if i == len(part) or len(part[i].fields) != len(part[start].fields):
            if i - start >= LIMITS.steady and len(part[start].fields) > 1:
                runs.append((len(part[start].fields), start, i))
            start = i
    cuts = []
    for (before, _, _), (width, first, end) in pairwise(runs):
        if width != before:
            rows = [record.fields for record in part[first:end]]
            if begins_table(rows[:SAMPLE_ROWS], width):
                cuts.append(first)
    return [part[a:b] for a, b in zip([0, *cuts], [*cuts, len(part)], strict=True)]


def begins_table(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether records of another width than those above are a table of their own."""
    # A header that comes back would make its columns look like words.
    choice = header_choice([*rows[:1], *[row for row in rows[1:] if row != rows[0]]], width)
    return choice.rows > 0 and choice.evidence >= LIMITS.own_header


def _by_header(parts: list[list[Record]]) -> list[list[Record]]:
    """Divide where the first record of a part comes back, unless it does so on every page."""
    found: list[list[Record]] = []
    for part in parts:
        first = folded(part[0].fields)
        cuts: list[int] = []
        if len(first) > 1 and part[0].filled > 1 and not has_figures(first):
            cuts = [i for i in range(2, len(part)) if repeats(part[i].fields, first)]
        levels = 1
        while levels < len(part) and part[levels].raw.casefold() == part[0].raw.casefold():
            levels += 1
        cuts = [cut for cut in cuts if cut - 1 not in cuts and cut > levels + 1]
        if not cuts or len(cuts) >= LIMITS.page_repeats:
            found.append(part)
        else:
            found += [part[a:b] for a, b in zip([0, *cuts], [*cuts, len(part)], strict=True)]
    return found


def folded(fields: Sequence[str]) -> list[str]:
    """Fields in the form in which a header is compared with what may repeat it."""
    return [text.strip().casefold() for text in fields]


def has_figures(names: Sequence[str]) -> bool:
    """Whether some name has a digit: such a header may come back as data."""
    return any(char.isdigit() for text in names for char in text)


def repeats(fields: Sequence[str], names: Sequence[str]) -> bool:
    """Whether fields are the same as the folded names of a header."""
    return len(fields) == len(names) and fields[0].strip().casefold() == names[0] and folded(fields) == names


def _trimmed(block: list[Record], hint: int, *, first: bool) -> tuple[list[Record], list[Record], list[Record]]:
    """The titles at the top of a block, its rows, and the notes at its bottom."""
    if hint < 2:
        return [], block, []
    width = _width(block)
    start, end = 0, len(block)
    while start < end and start < LIMITS.max_preamble and _is_title(block, start, width):
        start += 1
    if first and start < end and len(block) - start > LIMITS.steady:
        # Names and values before the header proper: narrower than everything below.
        narrow = start
        while narrow < end and narrow - start <= LIMITS.max_narrow and len(block[narrow].fields) < width:
            narrow += 1
        rest = block[narrow:end]
        if narrow > start and len(rest) > LIMITS.steady and _more_of_a_table(block[start:narrow], rest, width):
            start = narrow
    while end > start + 1 and is_note(block[end - 1], width):
        end -= 1
    return block[:start], block[start:end], block[end:]


def _more_of_a_table(above: list[Record], rest: list[Record], width: int) -> bool:
    if len(above) == 1 and len(above[0].fields) == width - 1 and width > 2:
        return False
    choice = header_choice([record.fields for record in rest[:SAMPLE_ROWS]], width)
    return choice.rows > 0 and (choice.evidence > 0 or max(len(record.fields) for record in above) <= width // 2)


def _is_title(block: list[Record], at: int, width: int) -> bool:
    record = block[at]
    following = block[at + 1 : at + 4]
    if not following or width < 2:
        return False
    if record.filled <= 1:
        if max(other.filled for other in following) < 2:
            # Several lines of title: look further down.
            further = next((other for other in block[at + 1 : at + LIMITS.max_preamble] if other.filled > 1), None)
            return further is not None and len(record.fields) != width
        only = next((text for text in record.fields if text.strip()), "")
        if width == 2:
            return len(record.fields) == 1 and (len(block) > 2 or " " in only.strip())
        return len(record.fields) == 1 or bool(record.fields[0].strip()) or record.filled == 0
    if not record.comment:
        return False
    # With as many fields as the table has, it is a comment only above a header that needs no other one; a mark alone
    # is the name of a column.
    alone = record.fields[0].strip() in COMMENT_MARKS
    return len(record.fields) != width or (not alone and _heads_data(block[at + 1 :], width))


def _heads_data(rows: Sequence[Record], width: int) -> bool:
    """The first of these rows, comments passed over, is clearly a header over the others."""
    rest = [record for record in rows[:SAMPLE_ROWS] if not record.comment]
    if len(rest) < 2 or len(rest[0].fields) != width:
        return False
    choice = header_choice([record.fields for record in rest], width)
    return choice.rows > 0 and choice.evidence > LIMITS.comment_above


def _is_padded_note(record: Record, region: Region) -> bool:
    """A text in the first cell alone, below a table whose rows have more than that."""
    if record.filled != 1 or region.width < 2 or not record.fields[0].strip() or not region.body:
        return False
    if kind_of(record.fields[0].strip()) != "text":
        return False
    rows = [other for other in region.body[:SAMPLE_ROWS] if not other.blank]
    return sum(other.filled < 2 for other in rows) <= LIMITS.max_lone_share * len(rows)


def _reconsider(region: Region, rows: Sequence[Record]) -> None:
    """More rows of a region: what was doubtful about it while it was a single row is so no longer."""
    if not region.body and region.note:
        known = [record.fields for record in (*region.header, *rows)][:SAMPLE_ROWS]
        region.note = header_choice(known, region.width).note


def is_note(record: Record, width: int) -> bool:
    """Whether a record below a table is about it: one text, narrower than the table or worded like a note."""
    if record.filled != 1 or not record.fields[0].strip():
        return False
    text = record.fields[0].strip()
    if len(record.fields) < width and width > 2:
        return True
    long = len(text) > LIMITS.long_note_chars and text.count(" ") >= LIMITS.long_note_spaces
    return long or _NOTE.match(text) is not None


def _width(rows: Sequence[Record]) -> int:
    """The width of a table: the usual one, or that of its header where rows end early."""
    rows = [record for record in rows if not record.comment] or rows
    widths = Counter(len(record.fields) for record in rows if len(record.fields) > 1 or record.filled > 1)
    if not widths:
        return max((len(record.fields) for record in rows), default=1)
    first = next((record for record in rows if record.filled > 1), rows[0])
    usual, count = max(widths.items(), key=lambda pair: (pair[1], pair[0] == len(first.fields), pair[0]))
    total = sum(widths.values())
    wider = [width for width in widths if width > usual]
    if not wider:
        return usual
    named = all(text.strip() for text in first.fields) or (
        len(first.fields) > usual + 1 and bool(first.fields[0].strip() and first.fields[-1].strip())
    )
    if named and len(first.fields) == max(wider) and header_choice([first.fields, *_fields(rows)], usual).rows:
        return len(first.fields)
    often = [width for width in wider if widths[width] >= max(2, LIMITS.wide_share * total)]
    one_wider = len(often) == 1 and widths[often[0]] >= LIMITS.one_wider_share * total
    if often and (one_wider or count < LIMITS.ragged_share * total):
        return max(often)
    return usual


def _fields(rows: Sequence[Record]) -> list[list[str]]:
    return [record.fields for record in rows[1:SAMPLE_ROWS] if record.filled > 1]


def _region(rows: list[Record], hints: Hints) -> Region:
    width = hints.width if hints.fixed or hints.width < 2 else _width(rows)
    first = rows[0].fields
    fitting = [first] + [
        record.fields
        for i, record in enumerate(rows[1 : 3 * SAMPLE_ROWS])
        if (len(record.fields) == width or i < MAX_LEVELS) and (i < MAX_LEVELS - 1 or record.fields != first)
    ]
    if sum(fields == first for fields in fitting) > 1 and fitting[1] != first:
        # A header that comes back on every page would make its columns look like words.
        fitting = [first] + [fields for fields in fitting[1:] if fields != first]
    choice = header_choice(fitting[: SAMPLE_ROWS + MAX_LEVELS], width)
    count = choice.rows if hints.header_rows is None else min(hints.header_rows, len(rows))
    region = Region(width, rows[:count], rows[count:], choice.evidence, choice.note)
    region.repeats = _repeats(region.header, region.body)
    return region


def repeatable_names(header: Sequence[Record]) -> list[str]:
    """The folded names of a header's first row; empty where fewer than two are no evidence of a repetition."""
    names = folded(header[0].fields) if header else []
    return names if sum(map(bool, names)) > 1 else []


def _repeats(header: Sequence[Record], records: Sequence[Record]) -> set[int]:
    """Numbers of the records that repeat the header."""
    names = repeatable_names(header)
    return {record.number for record in records if names and repeats(record.fields, names)}


def _continues(before: Region, region: Region, between: Sequence[Record]) -> bool:
    """A part after blank records that has no header of its own and the same width continues the table before."""
    if any(not record.blank and not (record.comment and len(record.fields) < before.width) for record in between):
        return False
    if region.width != before.width or _of_other_kinds(before, region):
        return False
    rows = [record.fields for record in (*region.header, *region.body)]
    if region.header and region.evidence >= LIMITS.own_header:
        return False
    # Names alone are a header only when they are not like the rows before.
    if not before.header or not region.header or len(rows) < 2:
        return True
    return rows[0] != [text for text in before.header[-1].fields if text]


def _of_other_kinds(before: Region, region: Region) -> bool:
    """At least half of the columns have something else: words where there were figures, dates where words were."""
    rows = [record.fields for record in (*region.header, *region.body)][:SAMPLE_ROWS]
    above = [record.fields for record in before.body if not record.blank][-SAMPLE_ROWS:]
    if min(len(rows), len(above)) < LIMITS.steady or before.width < 2:
        return False
    kinds = zip(profile(above, before.width), profile(rows, before.width), strict=False)
    pairs = [(one.dominant(), other.dominant()) for one, other in kinds]
    known = [(one, other) for one, other in pairs if "empty" not in (one, other)]
    return 2 * sum(not alike(one, other) for one, other in known) >= max(2, before.width)


def _is_no_table(region: Region, hint: int) -> bool:
    """A block that is no table: too small, and narrower than the tables of the text."""
    size = len(region.header) + len(region.body)
    if hint > 1 and all(record.filled < 2 for record in (*region.header, *region.body)):
        return True
    if hint < 2 or region.width >= hint:
        return region.width < 2 <= hint
    if region.width < 2:
        return True
    if size <= LIMITS.tiny_table or (not region.header and size <= LIMITS.small_table):
        return True
    return region.evidence < LIMITS.own_header and size <= LIMITS.small_table and region.width <= hint // 2


def footer_and_preamble(waiting: list[Record]) -> tuple[list[Record], list[Record]]:
    """Records between two tables: those next to the one below are its preamble, the rest the footer of that above."""
    at = len(waiting)
    while at and not waiting[at - 1].blank:
        at -= 1
    if at == len(waiting):
        # A blank record is between; the last stretch of text is still nearer to what follows.
        blank = at
        while blank and waiting[blank - 1].blank:
            blank -= 1
        at = blank
        while at and not waiting[at - 1].blank:
            at -= 1
        if at == 0:
            at = blank
    return waiting[:at], waiting[at:]
