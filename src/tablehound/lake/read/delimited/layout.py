"""Where the tables of a delimited text are: what stands before them, between them and after them.

Works on records of one dialect. Blank records and lasting changes of width divide; a part that has a header of its own
is a table of its own; everything else belongs to the table next to it. No record is left out: each is header, body,
lead (before the header) or tail (after the body) of exactly one region.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tablehound.lake.read.delimited import header as heads
from tablehound.lake.read.delimited.cell_shapes import alike, kind_of, profile
from tablehound.lake.read.delimited.dialect import COMMENT_MARKS
from tablehound.lake.read.delimited.records import Record

STEADY = 3
"""Records of one width in a row that make a change of width a lasting one."""
MAX_LEAD = 40
SAMPLE = heads.BODY_SAMPLE
"""Records by which a table is told from what stands above it."""
PAGE_REPEATS = 3
"""A header that comes back this often is a page break, not the start of another table."""
_NOTE = re.compile(
    r"\s*(?:source|notes?|footnote|remark|quelle|fuente|\*|†|‡|¹|\(\d\)|\[\d\]|#|//|--|\(?\d+ rows?\b|generated|"
    r"copyright|©|end of)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Region:
    """One table of the text, as records."""

    width: int
    lead: list[Record] = field(default_factory=list)
    header: list[Record] = field(default_factory=list)
    body: list[Record] = field(default_factory=list)
    tail: list[Record] = field(default_factory=list)
    evidence: float = 0.0
    note: str = ""
    repeats: set[int] = field(default_factory=set)
    """Numbers of body records that repeat the header."""
    marks: list[Record] = field(default_factory=list)
    """Records without a text: a line that names the delimiter, rules drawn between rows."""

    @property
    def first(self) -> int:
        """The number of its first record."""
        return next((part[0].number for part in (self.lead, self.header, self.body, self.tail) if part), 0)


def find(records: Sequence[Record], hint: int, *, header_rows: int | None = None, fixed: bool = False) -> list[Region]:
    """The regions of a text, in order. ``hint`` is the usual width; ``header_rows`` is given, not detected, if set.

    With ``fixed`` every table has the width ``hint``.
    """
    regions: list[Region] = []
    waiting: list[Record] = []
    for block in _blocks(records, 1 if fixed else hint):
        waiting = place(block, regions, waiting, hint, header_rows=header_rows, fixed=fixed)
    if not regions:
        regions, waiting = whole(waiting, hint, header_rows=header_rows, fixed=fixed), []
    if waiting and regions:
        regions[-1].tail += waiting
    return regions


def place(
    block: list[Record],
    regions: list[Region],
    waiting: list[Record],
    hint: int,
    *,
    header_rows: int | None = None,
    fixed: bool = False,
) -> list[Record]:
    """Add the next block to the regions before it, or as a region of its own; gives what waits for the next one.

    ``waiting``, what waited until now, may be changed.
    """
    if block[0].blank:
        waiting += block
        return waiting
    lead, rows, tail = _trim(block, hint, first=not regions)
    if not rows:
        waiting += lead + tail
        return waiting
    if regions and all(_is_padded_note(record, regions[-1]) for record in (*rows, *tail)):
        waiting += lead + rows + tail
        return waiting
    region = _region(rows, hint, header_rows, fixed)
    if regions and _continues(regions[-1], region, waiting + lead):
        _reconsider(regions[-1], rows)
        rows = [*waiting, *lead, *region.header, *region.body]
        regions[-1].repeats |= repeats(regions[-1].header, rows)
        regions[-1].body += rows
        regions[-1].tail += tail
        return []
    if regions and len(rows) <= 2 and region.evidence < 1 and len(rows[0].fields) >= regions[-1].width > 1:
        # Too little to be a table of its own: rows of the one before, for better or worse.
        _reconsider(regions[-1], rows)
        regions[-1].body += [*waiting, *lead, *rows]
        regions[-1].tail += tail
        return []
    if _is_aside(region, regions, hint):
        waiting += lead + rows + tail
        return waiting
    before, after = share(waiting, has_table=bool(regions))
    if regions:
        regions[-1].tail += before
    region.lead = after + lead if regions else before + after + lead
    region.tail = tail
    regions.append(region)
    return []


def whole(waiting: list[Record], hint: int, *, header_rows: int | None, fixed: bool) -> list[Region]:
    """One region of all records of a text in which none was found; nothing of a blank text."""
    rows = [record for record in waiting if not record.blank]
    if not rows:
        return []
    region = _region(rows, hint, header_rows, fixed)
    # Blank records keep their place among the others.
    region.body = sorted(region.body + [record for record in waiting if record.blank], key=lambda record: record.number)
    return [region]


def _blocks(records: Sequence[Record], hint: int) -> list[list[Record]]:
    """Stretches of blank records, and stretches between them, divided again where the width changes for good."""
    parts: list[list[Record]] = []
    for record in records:
        if parts and parts[-1][0].blank == record.blank:
            parts[-1].append(record)
        else:
            parts.append([record])
    blocks: list[list[Record]] = []
    for part in parts:
        blocks += divide(part, hint)
    return blocks


def divide(part: list[Record], hint: int, *, goes_on: bool = False) -> list[list[Record]]:
    """Blocks of records without a blank one among them, or of blank ones.

    Where the part goes on beyond these records, it is not known yet how often the header of the last block comes back.
    """
    if part[0].blank or hint < 2:
        return [part]
    blocks = _by_width(part)
    return [*_by_header(blocks[:-1]), blocks[-1]] if goes_on else _by_header(blocks)


def _by_width(part: list[Record]) -> list[list[Record]]:
    """Divide where another width lasts and its first record is a header over the rest."""
    runs: list[tuple[int, int, int]] = []
    start = 0
    for i in range(1, len(part) + 1):
        if i == len(part) or len(part[i].fields) != len(part[start].fields):
            if i - start >= STEADY and len(part[start].fields) > 1:
                runs.append((len(part[start].fields), start, i))
            start = i
    cuts = []
    for (before, _, _), (width, first, end) in pairwise(runs):
        if width != before:
            rows = [record.fields for record in part[first:end]]
            if begins(rows[:SAMPLE], width):
                cuts.append(first)
    return [part[a:b] for a, b in zip([0, *cuts], [*cuts, len(part)], strict=True)]


def begins(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether records of another width than those above are a table of their own."""
    # A header that comes back would make its columns look like words.
    choice = heads.choose([*rows[:1], *[row for row in rows[1:] if row != rows[0]]], width)
    return choice.rows > 0 and choice.evidence >= 1


def _by_header(parts: list[list[Record]]) -> list[list[Record]]:
    """Divide where the first record of a part comes back, unless it does so on every page."""
    divided: list[list[Record]] = []
    for part in parts:
        first = [text.strip().casefold() for text in part[0].fields]
        cuts: list[int] = []
        if len(first) > 1 and part[0].filled > 1 and not any(any(char.isdigit() for char in text) for text in first):
            cuts = [
                i
                for i in range(2, len(part))
                if len(part[i].fields) == len(first)
                and part[i].fields[0].strip().casefold() == first[0]
                and [text.strip().casefold() for text in part[i].fields] == first
            ]
        bands = 1
        while bands < len(part) and part[bands].raw.casefold() == part[0].raw.casefold():
            bands += 1
        cuts = [cut for cut in cuts if cut - 1 not in cuts and cut > bands + 1]
        if not cuts or len(cuts) >= PAGE_REPEATS:
            divided.append(part)
        else:
            divided += [part[a:b] for a, b in zip([0, *cuts], [*cuts, len(part)], strict=True)]
    return divided


def _trim(block: list[Record], hint: int, *, first: bool) -> tuple[list[Record], list[Record], list[Record]]:
    """Take titles off the top and notes off the bottom of a block."""
    if hint < 2:
        return [], block, []
    width = _width(block)
    start, end = 0, len(block)
    while start < end and start < MAX_LEAD and _is_title(block, start, width):
        start += 1
    if first and start < end and len(block) - start > STEADY:
        # Names and values before the header proper: narrower than everything below.
        narrow = start
        while narrow < end and narrow - start <= 20 and len(block[narrow].fields) < width:
            narrow += 1
        rest = block[narrow:end]
        if narrow > start and len(rest) > STEADY and _more_of_a_table(block[start:narrow], rest, width):
            start = narrow
    while end > start + 1 and is_note(block[end - 1], width):
        end -= 1
    return block[:start], block[start:end], block[end:]


def _more_of_a_table(above: list[Record], rest: list[Record], width: int) -> bool:
    if len(above) == 1 and len(above[0].fields) == width - 1 and width > 2:
        return False
    choice = heads.choose([record.fields for record in rest[: heads.BODY_SAMPLE]], width)
    return choice.rows > 0 and (choice.evidence > 0 or max(len(record.fields) for record in above) <= width // 2)


def _is_title(block: list[Record], at: int, width: int) -> bool:
    record = block[at]
    following = block[at + 1 : at + 4]
    if not following or width < 2:
        return False
    if record.filled <= 1:
        if max(other.filled for other in following) < 2:
            # Several lines of title: look further down.
            further = next((other for other in block[at + 1 : at + MAX_LEAD] if other.filled > 1), None)
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
    rest = [record for record in rows[: heads.BODY_SAMPLE] if not record.comment]
    if len(rest) < 2 or len(rest[0].fields) != width:
        return False
    choice = heads.choose([record.fields for record in rest], width)
    return choice.rows > 0 and choice.evidence > 0.5


def _is_padded_note(record: Record, region: Region) -> bool:
    """A text in the first cell alone, below a table whose rows have more than that."""
    if record.filled != 1 or region.width < 2 or not record.fields[0].strip() or not region.body:
        return False
    if kind_of(record.fields[0].strip()) != "text":
        return False
    rows = [other for other in region.body[: heads.BODY_SAMPLE] if not other.blank]
    return sum(other.filled < 2 for other in rows) <= 0.05 * len(rows)


def _reconsider(region: Region, rows: Sequence[Record]) -> None:
    """Rows came to a region: what was said of it while it was a single row holds no longer."""
    if not region.body and region.note:
        known = [record.fields for record in (*region.header, *rows)][: heads.BODY_SAMPLE]
        region.note = heads.choose(known, region.width).note


def is_note(record: Record, width: int) -> bool:
    """A record below a table that says something about it: one text, narrower than the table or worded like a note."""
    if record.filled != 1 or not record.fields[0].strip():
        return False
    text = record.fields[0].strip()
    if len(record.fields) < width and width > 2:
        return True
    return _NOTE.match(text) is not None or (len(text) > 40 and text.count(" ") >= 5)


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
    if named and len(first.fields) == max(wider) and heads.choose([first.fields, *_fields(rows)], usual).rows:
        return len(first.fields)
    often = [width for width in wider if widths[width] >= max(2, 0.05 * total)]
    if often and (count < 0.8 * total or (len(often) == 1 and widths[often[0]] >= 0.2 * total)):
        return max(often)
    return usual


def _fields(rows: Sequence[Record]) -> list[list[str]]:
    return [record.fields for record in rows[1 : heads.BODY_SAMPLE] if record.filled > 1]


def _region(rows: list[Record], hint: int, header_rows: int | None, fixed: bool) -> Region:
    width = hint if fixed or hint < 2 else _width(rows)
    first = rows[0].fields
    fitting = [first] + [
        record.fields
        for i, record in enumerate(rows[1 : 3 * heads.BODY_SAMPLE])
        if (len(record.fields) == width or i < heads.MAX_BANDS) and (i < heads.MAX_BANDS - 1 or record.fields != first)
    ]
    if sum(fields == first for fields in fitting) > 1 and fitting[1] != first:
        # A header that comes back on every page would make its columns look like words.
        fitting = [first] + [fields for fields in fitting[1:] if fields != first]
    choice = heads.choose(fitting[: heads.BODY_SAMPLE + heads.MAX_BANDS], width)
    count = choice.rows if header_rows is None else min(header_rows, len(rows))
    region = Region(width, [], rows[:count], rows[count:], [], choice.evidence, choice.note)
    region.repeats = repeats(region.header, region.body)
    return region


def repeats(header: Sequence[Record], records: Sequence[Record]) -> set[int]:
    """Numbers of the records that say the same as the header."""
    named = [text.strip().casefold() for text in header[0].fields] if header else []
    if sum(map(bool, named)) < 2:
        return set()
    return {
        record.number
        for record in records
        if len(record.fields) == len(named)
        and record.fields[0].strip().casefold() == named[0]
        and [text.strip().casefold() for text in record.fields] == named
    }


def _continues(before: Region, region: Region, between: Sequence[Record]) -> bool:
    """A part after blank records that has no header of its own and the same width goes on with the table before."""
    if any(not record.blank and not (record.comment and len(record.fields) < before.width) for record in between):
        return False
    if region.width != before.width or _of_other_kinds(before, region):
        return False
    rows = [record.fields for record in (*region.header, *region.body)]
    if region.header and region.evidence >= 1:
        return False
    # Names alone are a header only when they are not like the rows before.
    return (
        not (region.header and len(rows) > 1 and rows[0] == [text for text in before.header[-1].fields if text])
        if (before.header)
        else True
    )


def _of_other_kinds(before: Region, region: Region) -> bool:
    """At least half of the columns hold something else: words where there were figures, dates where words were."""
    rows = [record.fields for record in (*region.header, *region.body)][: heads.BODY_SAMPLE]
    above = [record.fields for record in before.body if not record.blank][-heads.BODY_SAMPLE :]
    if min(len(rows), len(above)) < STEADY or before.width < 2:
        return False
    kinds = zip(profile(above, before.width), profile(rows, before.width), strict=False)
    pairs = [(one.dominant(), other.dominant()) for one, other in kinds]
    known = [(one, other) for one, other in pairs if "empty" not in (one, other)]
    return 2 * sum(not alike(one, other) for one, other in known) >= max(2, before.width)


def _is_aside(region: Region, regions: Sequence[Region], hint: int) -> bool:
    """A block that is no table: too small, and narrower than the tables of the text."""
    size = len(region.header) + len(region.body)
    if hint > 1 and all(record.filled < 2 for record in (*region.header, *region.body)):
        return True
    if hint < 2 or region.width >= hint:
        return region.width < 2 <= hint
    if region.width < 2:
        return True
    if size <= 2 or (not region.header and size <= 20):
        return True
    return region.evidence < 1 and size <= 20 and region.width <= hint // 2


def share(waiting: list[Record], *, has_table: bool) -> tuple[list[Record], list[Record]]:
    """Records between two tables: those that touch the next one are its title, the rest are notes of the one before."""
    if not has_table:
        return [], waiting
    at = len(waiting)
    while at and not waiting[at - 1].blank:
        at -= 1
    if at == len(waiting):
        # A blank record stands between; the last stretch of text is still nearer to what follows.
        blank = at
        while blank and waiting[blank - 1].blank:
            blank -= 1
        at = blank
        while at and not waiting[at - 1].blank:
            at -= 1
        if at == 0:
            at = blank
    return waiting[:at], waiting[at:]
