"""Delimited text: CSV, TSV and their relatives. One parameterless reader for clean and for dirty files.

Three ways lead to the same tables. A small clean file is proven clean and split at once (:mod:`certain`). Otherwise
the encoding, the dialect and the layout are decided (:mod:`encoding`, :mod:`dialect`, :mod:`layout`), and records that
do not fit are repaired or set aside (:mod:`assemble`). A large file is decided on parts of it and then read block by
block: blocks that prove clean go through Arrow's reader, the others through the careful way (:mod:`blocks`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from tablehound.errors import BrokenSourceError, UnsupportedSourceError
from tablehound.lake.read.batches import Batch, TextBatch
from tablehound.lake.read.contract import DETECT_ALL, Account, Overrides, SetAside, SourceFile, TableDraft
from tablehound.lake.read.delimited import dialect as dialects
from tablehound.lake.read.delimited import fast_path as certain
from tablehound.lake.read.delimited import header as heads
from tablehound.lake.read.delimited import layout
from tablehound.lake.read.delimited.assemble import SHOWN_CHARS, Assembler, assemble, texts_of
from tablehound.lake.read.delimited.large import reader as large
from tablehound.lake.read.delimited.layout import Region
from tablehound.lake.read.delimited.printed import Drawn, drawn, is_rule_row
from tablehound.lake.read.delimited.records import Newline, Parser, Record, newline_of
from tablehound.lake.read.text import encoding as encodings
from tablehound.lake.read.text.decoding import Faults
from tablehound.lake.read.totals import streamed as rollup_stream
from tablehound.lake.read.totals.labels import may_hold_subtotals, may_label_subtotals
from tablehound.lake.read.totals.subtotals import mark_subtotals, subtotal_rows
from tablehound.lake.table import Provenance

PROVEN_HEADERS = (None, heads.HeaderChoice(1, 1.0), heads.HeaderChoice(2, 1.0))
"""By the number of lines that are proven to be the header."""
HABITUAL_HEADERS = (None, heads.HeaderChoice(1, 0.0, heads.BY_HABIT), heads.HeaderChoice(2, 0.0, heads.BY_HABIT))
"""The same where no figure below the header tells it from the rows."""
PLAIN = encodings.Encoding("utf-8")
WHOLE_BYTES = 8 << 20
"""Up to this size a file is decided on, and held, as a whole."""
_READ_BYTES = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_FIRST_BYTES = 1 << 15
SAMPLE_CHARS = 1 << 18
_LONG_SAMPLE_CHARS = 1 << 21
_FEW_LINES = 8
_MOST = 0.7
HEADER_SAMPLE = 24
"""Rows that the header of a proven table is decided on."""
TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv", ".ssv"})
_NEWLINES: dict[Newline, str] = {"\n": "line feed", "\r": "carriage return", "mixed": "mixed"}
_SAID_DELIMITER = re.compile(r"\"?sep=(.)\"?\r?(?:\n|\r|\Z)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x02-\x08\x0b\x0e-\x1a\x7f\ufffe]")


def read(source: SourceFile) -> Iterator[TableDraft]:
    """The tables of a delimited text file.

    Raises:
        BrokenSourceError: larger than a limit allows.
    """
    # Plain system calls: for a file of a kilobyte, opening it through pathlib takes longer than reading it.
    handle = os.open(source.path, _READ_BYTES)
    try:
        data = os.read(handle, _FIRST_BYTES)
        # Nothing more to read is the one proof of the end; only a longer file is asked for its size.
        size = os.fstat(handle).st_size if os.read(handle, 1) else len(data)
    finally:
        os.close(handle)
    if size > source.settings.max_source_bytes:
        raise BrokenSourceError(
            f"{size} bytes are more than the limit of {source.settings.max_source_bytes}", where=source.name
        )
    if len(data) < size <= WHOLE_BYTES:
        data = source.path.read_bytes()
    if size > WHOLE_BYTES:
        yield from _read_large(source, size)
        return
    if len(data) <= certain.MAX_BYTES and (source.overrides is DETECT_ALL or source.overrides == DETECT_ALL):
        proven = certain.certain(data)
        if proven is not None:
            draft = _certain_draft(proven, source)
            if draft is not None:
                yield draft
                return
            drafts = _drafts(_records(proven), source, Parser(_plain_dialect(proven)), PLAIN)
            yield from map(mark_subtotals, drafts) if may_hold_subtotals(data) else drafts
            return
    drafts = _read_whole(source, data)
    yield from map(mark_subtotals, drafts) if may_hold_subtotals(data) else drafts


def _certain_draft(proven: certain.Certain, source: SourceFile) -> TableDraft | None:
    """The one table of a file that proved clean; none where its layout takes a closer look."""
    width, count, limits = proven.width, proven.count, source.settings
    if width > limits.max_columns or len(proven.data) > limits.max_cell_chars:
        return None
    choice = PROVEN_HEADERS[proven.header] if proven.figures else HABITUAL_HEADERS[proven.header]
    choice = choice or _header_rows(proven)
    if choice is None:
        return None
    header, cells = choice.rows, proven.cells
    if header == 1:
        aside = [SetAside(1, "header", proven.first[:SHOWN_CHARS])]
        names = heads.single(cells[:width])
    else:
        lines = enumerate(proven.lines[:header], start=1)
        aside = [SetAside(number, "header", line[:SHOWN_CHARS]) for number, line in lines]
        names = heads.bands(proven.rows(0, header), width) if header else ((),) * width
    notes = [choice.note] if choice.note else []
    dialect = dict(_plain_description(proven.delimiter, proven.quote))
    account = Account(count, count - header, tuple(range(1, header + 1)), aside, [], notes, dialect)
    columns = proven.columns
    if header != proven.header:
        columns = [cells[place::width] for place in range(header * width, header * width + width)]
    batch = TextBatch(columns, range(header + 1, count + 1))
    return TableDraft(
        names,
        batch.split(limits.batch_rows),
        Provenance(source.name, source.format or "csv", source.member),
        rollup_rows=_rollup_rows(proven, header, columns),
        account=account,
    )


def _rollup_rows(proven: certain.Certain, header: int, columns: Sequence[Sequence[str]]) -> tuple[int, ...]:
    firsts = columns[0]
    if "" in firsts:
        firsts = [next(filter(None, row), "") for row in proven.rows(header)]
    if not may_label_subtotals(firsts, proven.cells, header * proven.width, proven.data):
        return ()
    return subtotal_rows(columns, proven.count - header)


@cache
def _plain_description(delimiter: str, quote: str) -> Mapping[str, str]:
    return describe(dialects.Dialect(delimiter, quote), PLAIN)


def _plain_dialect(proven: certain.Certain) -> dialects.Dialect:
    return dialects.Dialect(proven.delimiter, proven.quote, width=proven.width)


def _records(proven: certain.Certain) -> list[Record]:
    lines = zip(proven.lines, proven.rows(), strict=True)
    return [Record(number, line, fields) for number, (line, fields) in enumerate(lines, start=1)]


def _header_rows(proven: certain.Certain) -> heads.HeaderChoice | None:
    """How many header rows a table of equal rows has; none where its layout takes a closer look."""
    rows, lines = proven.rows(0, HEADER_SAMPLE), proven.lines
    last = proven.cells[-proven.width :]
    if sum(map(bool, rows[0])) < 2 or sum(map(bool, last)) < 2 or lines.count(lines[0]) > 1:
        return None
    if proven.delimiter * (proven.width - 1) in lines or is_rule_row(rows[1]):
        return None
    return heads.choose(rows, proven.width)


def _read_whole(source: SourceFile, data: bytes) -> Iterator[TableDraft]:
    pinned = source.overrides
    encoding = encodings.given(pinned.encoding, data) if pinned.encoding else encodings.decide(iter([data]))
    text = encodings.decode(data, encoding)
    if not text.strip("\0 \t\r\n"):
        return
    refuse_binary(text[:SAMPLE_CHARS], source)
    tables = drawn(text) if pinned == DETECT_ALL else []
    if tables:
        yield from _read_drawn(tables, source, encoding)
        return
    dialect = _dialect(sample_of(text), pinned)
    notes: list[str] = []
    inner = dialects.without_line_quotes(text) if dialect.width == 1 and pinned == DETECT_ALL else None
    if inner is not None and (within := _dialect(sample_of(inner), pinned)).width > 1:
        text, dialect = inner, within
        notes.append("every line stood in quotes as a whole: taken off")
    parser = Parser(dialect, newline_of(text), source.settings.max_cell_lines)
    records = _records_of(text, parser)
    if parser.fed:
        notes.append(f"{parser.fed} rows put together across line feeds, where lines end with CR LF")
    if pinned.delimiter is None:
        refuse_prose(records, dialect, source)
    for draft in _drafts(records, source, parser, encoding):
        draft.account.repairs += notes
        yield draft


def _ends_with_returns(text: str, parser: Parser) -> bool:
    """Most lines end with CR LF, and some with a line feed alone."""
    ends = text.count("\n")
    return parser.newline == "\n" and ends > text.count("\r\n") >= _MOST * ends


def _records_of(text: str, parser: Parser) -> list[Record]:
    """All records of a text that is held in memory."""
    parser.returns = _ends_with_returns(text, parser)
    width = parser.dialect.width
    records = list(parser.records(parser.lines(text), 1, width))
    if 0 < parser.doubted < parser.joined:
        # Cells of several lines are usual here: what was doubted before that was known is one too.
        parser.doubted = parser.fed = 0
        records = list(parser.records(parser.lines(text), 1, width))
    return records


def _read_drawn(tables: Sequence[Drawn], source: SourceFile, encoding: encodings.Encoding) -> Iterator[TableDraft]:
    ordinal = 0
    for table in tables:
        parser = Parser(dialects.Dialect(table.bar, "", width=table.width))
        for draft in _drafts(table.records, source, parser, encoding, table.rules, ordinal):
            yield draft
            ordinal += 1


def _read_large(source: SourceFile, size: int) -> Iterator[TableDraft]:
    pinned = source.overrides
    encoding = encodings.given(pinned.encoding, _head(source)) if pinned.encoding else encodings.detect(source.path)
    sample = "".join(_parts(source, size, encoding))
    refuse_binary(sample, source)
    dialect = _dialect(sample, pinned)
    parser = Parser(dialect, newline_of(sample), source.settings.max_cell_lines)
    parser.returns = _ends_with_returns(sample, parser)
    file = large.LargeFile(source, parser, encoding)
    said = _SAID_DELIMITER.match(sample) is not None and not pinned.skip_rows
    region = file.first(header_rows=pinned.header_rows, skipped=pinned.skip_rows or 0, marked=said)
    ordinal = 0
    while region is not None:
        assembler, draft = _open_draft(region, ordinal, source, parser, encoding)
        batches = file.batches(region, draft, assembler, source.settings.batch_rows)
        batches = _accounted(batches, draft, parser, encoding)
        draft.batches = batches = rollup_stream.marked(draft, batches)
        yield draft
        for _ in batches:
            # Rows that nobody asked for are read all the same: the account and the next table depend on them.
            continue
        region, ordinal = file.following(), ordinal + 1


def _accounted(
    batches: Iterator[Batch], draft: TableDraft, parser: Parser, encoding: encodings.Encoding
) -> Iterator[Batch]:
    """Batches, at the end of which the account says what decoding and parsing found wrong on the way."""
    yield from batches
    if parser.fed:
        # Rows that were looked at twice were counted twice.
        draft.account.repairs.append("rows put together across line feeds, where lines end with CR LF")
        parser.fed = 0
    draft.account.repairs += encoding.faults.drain()


def _dialect(sample: str, pinned: Overrides) -> dialects.Dialect:
    """The dialect of a text; its first line may name the delimiter (``sep=;``), as spreadsheets write it."""
    said = _SAID_DELIMITER.match(sample)
    delimiter = said[1] if said is not None and pinned.delimiter is None else pinned.delimiter
    text = sample[said.end() :] if said is not None else sample
    return dialects.detect(text, delimiter=delimiter, quote=pinned.quote, escape=pinned.escape)


def _head(source: SourceFile) -> bytes:
    with source.path.open("rb") as file:
        return file.read(4)


def _parts(source: SourceFile, size: int, encoding: encodings.Encoding) -> Iterator[str]:
    """Head, middle and tail of a file, in whole lines."""
    width = 4 if encoding.name.startswith("utf-32") else 2 if encoding.name.startswith("utf-16") else 1
    step = SAMPLE_CHARS // 4 * width
    with source.path.open("rb") as file:
        if size <= 4 * step:
            file.seek(encoding.mark)
            yield encodings.decode(file.read(), replace(encoding, mark=0))
            return
        for start, length in ((encoding.mark, 2 * step), (size // 2, step), (size - step, step)):
            aligned = max(encoding.mark, start - (start - encoding.mark) % width)
            file.seek(aligned)
            data = file.read(length)
            text = encodings.decode(data, replace(encoding, mark=0, faults=Faults()))
            first = 0 if start == encoding.mark else text.find("\n") + 1
            yield text[first : text.rfind("\n") + 1] or text


def _drafts(
    records: list[Record],
    source: SourceFile,
    parser: Parser,
    encoding: encodings.Encoding,
    marks: Sequence[Record] = (),
    first: int = 0,
) -> Iterator[TableDraft]:
    dialect = parser.dialect
    skipped, header_rows = source.overrides.skip_rows or 0, source.overrides.header_rows
    if not skipped and records and _SAID_DELIMITER.match(f"{records[0].raw}\n"):
        marks, records = [records[0], *marks], records[1:]
    regions = layout.find(records[skipped:], dialect.width, header_rows=header_rows, fixed=dialect.words)
    if regions:
        regions[0].lead[:0] = records[:skipped]
    for mark in marks if regions else ():
        above = [region for region in regions if region.first <= mark.number]
        (above or regions)[-1 if above else 0].marks.append(mark)
    for ordinal, region in enumerate(regions, start=first):
        yield draft_of(region, ordinal, source, parser, encoding)


def sample_of(text: str) -> str:
    """Head, middle and tail of a long text, in whole lines; a short one as it is."""
    part = SAMPLE_CHARS // 4
    if len(text) <= SAMPLE_CHARS or text.count("\n", 0, 2 * part) < _FEW_LINES:
        # Lines as long as that would be cut in the middle of a quoted cell.
        return text[:_LONG_SAMPLE_CHARS]
    middle = len(text) // 2
    pieces = [text[: 2 * part], text[middle : middle + part], text[-part:]]
    cut = [piece[: piece.rfind("\n") + 1] or piece for piece in pieces[:1]]
    cut += [piece[piece.find("\n") + 1 : piece.rfind("\n") + 1] or piece for piece in pieces[1:]]
    return "".join(cut)


def refuse_binary(head: str, source: SourceFile) -> None:
    """Refuse what is no text at all.

    Raises:
        UnsupportedSourceError: control characters all over.
    """
    odd = len(_CONTROL.findall(head))
    if odd > max(4, 0.02 * len(head)) or head.startswith(("PK\x03\x04", "\x1f\x8b", "\x1f\u2039", "%PDF-", "BZh9")):
        raise UnsupportedSourceError("this is binary data, not delimited text", where=source.name)


def refuse_prose(records: list[Record], dialect: dialects.Dialect, source: SourceFile) -> None:
    """Refuse running text in a file that does not claim to be a table.

    Raises:
        UnsupportedSourceError: sentences, and no delimiter but the comma of a sentence.
    """
    if source.path.suffix.lower() in TABLE_SUFFIXES or dialect.words or dialect.delimiter.strip() not in ("", ",", ":"):
        return
    filled = [record for record in records if not record.blank][:400]
    widths = [len(record.fields) for record in filled]
    steady = sum(one == two > 1 for one, two in pairwise(widths)) + 1
    if dialect.delimiter and len(filled) >= 4 and steady >= 0.8 * len(filled):
        return
    lines = [record.raw.strip() for record in filled]
    sentences = sum(len(line.split()) >= 7 and any(mark in line for mark in (". ", ", ", ": ")) for line in lines)
    ends = sum(line.endswith((".", "!", "?", ";", ":")) for line in lines)
    if sum(len(line.split()) for line in lines) >= 20 and sentences + ends >= 0.4 * len(lines):
        raise UnsupportedSourceError("this is running text, not a table", where=source.name)


def draft_of(
    region: Region, ordinal: int, source: SourceFile, parser: Parser, encoding: encodings.Encoding
) -> TableDraft:
    """The draft of one region that is held in memory."""
    assembler, draft = _open_draft(region, ordinal, source, parser, encoding)
    draft.batches = assemble(region, assembler, source.settings.batch_rows)
    return draft


def _open_draft(
    region: Region, ordinal: int, source: SourceFile, parser: Parser, encoding: encodings.Encoding
) -> tuple[Assembler, TableDraft]:
    """A draft without its batches, and what makes them."""
    if region.width > source.settings.max_columns:
        raise BrokenSourceError(
            f"{region.width} columns are more than the limit of {source.settings.max_columns}", where=source.name
        )
    account = Account(dialect=describe(parser.dialect, encoding, parser.newline), repairs=encoding.faults.drain())
    if encoding.rival and not ordinal:
        account.ambiguities.append(f"the text reads nearly as well in the encoding {encoding.rival}")
    limits = source.settings
    assembler = Assembler(
        region.width, parser, account, limits.max_cell_chars, region.body, max_repairs=limits.max_listed_rows
    )
    for record in region.marks:
        assembler.set_aside(record, "separator")
    for record in region.lead:
        assembler.set_aside(record, "blank" if record.blank else "preamble")
    header = assembler.header(region.header)
    if region.note:
        account.ambiguities.append(region.note)
    account.ambiguities += [f"delimiter {rival} would fit nearly as well" for rival in parser.dialect.rivals]
    lead, tail = texts_of(region.lead), texts_of(region.tail)
    return assembler, TableDraft(
        header=header or ((),) * region.width,
        batches=(),
        provenance=Provenance(source.name, source.format or "csv", source.member, ordinal=ordinal),
        title=lead[0] if lead else None,
        notes=tuple(lead[1:] + tail),
        account=account,
    )


def describe(dialect: dialects.Dialect, encoding: encodings.Encoding, newline: Newline = "\n") -> dict[str, str]:
    """The dialect as the account shows it."""
    return {
        "encoding": encoding.name,
        "encoding_by": encoding.how,
        **dialect.describe(),
        "newline": _NEWLINES[newline],
    }
