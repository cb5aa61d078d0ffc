"""JSON documents and JSON lines: arrays of records as tables, nested records as columns by path.

Texts of numbers, ``true`` and ``false`` are kept as written; ``null`` and a missing name are no cell; an array of plain
values stays in its cell as JSON. An array of records inside a record is a table of its own, with a key to its parent.
Documents may follow one another, and there may be one record, one array, or an array of records a line. Which of the
two a file is, its lines decide, and its ending where they do not.

document or lines -> parser -> tables (where they are) -> flatten (records), or layout (arrays) -> totals
"""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecodeError
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.contract import SetAside, SourceFile, TableDraft
from tablehound.lake.read.json.flatten import record_tables
from tablehound.lake.read.json.lines import Lines
from tablehound.lake.read.json.parser import TOO_DEEP, ValueParser, plain_text, reason_of
from tablehound.lake.read.json.tables import rows_table, shapes
from tablehound.lake.read.text.document import document_encoding, document_text
from tablehound.lake.read.text.encoding import Encoding


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read the tables of a document, or of a file with one record a line.

    Raises:
        BrokenSourceError: not JSON, nested too deep, or beyond a limit.
    """
    parser = ValueParser(source.settings.max_nesting)
    encoding = document_encoding(source)
    drafts = _drafts(source, encoding, parser)
    first = next(drafts, None)
    if first is None:
        return
    # All is parsed before the first table is known.
    first.account.repairs.extend([*encoding.faults.drain(), *parser.repairs()])
    first.account.ambiguities.extend(parser.ambiguities())
    yield first
    yield from drafts


def _drafts(source: SourceFile, encoding: Encoding, parser: ValueParser) -> Iterator[TableDraft]:
    lines = Lines(source, encoding, parser)
    if lines.is_likely():
        yield from _read_lines(source, lines)
        return
    try:
        encoding.faults.restart()
        text = document_text(source, encoding, remedy=", or use JSON lines")
        documents = _documents(text, source, parser)
    except BrokenSourceError:
        if not lines.is_possible():
            raise
        yield from _read_lines(source, lines)
        return
    value = documents[0] if len(documents) == 1 else documents
    ordinal = 0
    for path, shape in shapes(value):
        for draft in shape(source, path, ordinal):
            yield draft
            ordinal += 1


def _documents(text: str, source: SourceFile, parser: ValueParser) -> list[Any]:
    """One document, or several after one another."""
    try:
        return parser.values(text)
    except JSONDecodeError as error:
        place = "" if error.msg == TOO_DEEP else f", line {error.lineno}, column {error.colno}"
        raise BrokenSourceError(reason_of(error), where=f"{source.name}{place}") from error


def _read_lines(source: SourceFile, lines: Lines) -> Iterator[TableDraft]:
    bad = lines.bad()
    records = lines.records()
    first = next((value for _, value, _ in records if value is not None and value != []), None)
    if not isinstance(first, list):
        yield from record_tables(source, records, "", 0, bad)
        return
    rows = [(number, value) for number, value, _ in records if isinstance(value, list)]
    bad += [
        SetAside(number, "not an array like the first line", plain_text(value)[:200])
        for number, value, _ in records
        if not isinstance(value, list)
    ]
    yield from rows_table(source, "", 0, [value for _, value in rows], [number for number, _ in rows], bad)
