"""Delimited text: CSV, TSV and their relatives. One reader without parameters for clean and for dirty files.

:func:`read` is the pipeline; each stage is a module. Two ways beside it lead to the same tables: a small file that
proves clean is split at once (:mod:`fast_path`), and a file that is too large for memory goes through the stages as it
streams (:mod:`large`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tablehound.lake.read.contract import DETECT_ALL, SourceFile, TableDraft
from tablehound.lake.read.delimited.assemble import Reading, table_of
from tablehound.lake.read.delimited.decode import UTF8, decoded, whole_bytes
from tablehound.lake.read.delimited.dialect import choice_for
from tablehound.lake.read.delimited.fast_path import clean_table, draft_of
from tablehound.lake.read.delimited.large.reader import large_tables
from tablehound.lake.read.delimited.layout import regions_of
from tablehound.lake.read.delimited.printed import printed_tables
from tablehound.lake.read.delimited.prose import refuse_prose
from tablehound.lake.read.delimited.records import parsed
from tablehound.lake.read.totals.labels import may_hold_subtotals
from tablehound.lake.read.totals.subtotals import mark_subtotals


def read(source: SourceFile) -> Iterator[TableDraft]:
    """The tables of a delimited text file.

    Raises:
        BrokenSourceError: larger than a limit allows.
        UnsupportedSourceError: binary data, or running text.
    """
    pinned = source.overrides
    detect_all = pinned is DETECT_ALL or pinned == DETECT_ALL
    data = whole_bytes(source)
    if data is None:
        yield from large_tables(source)
        return
    clean = clean_table(data) if detect_all else None
    if clean is not None:
        draft = draft_of(clean, source)
        if draft is not None:
            yield draft
            return
        # Its cells are certain, its layout is not.
        encoding, parts = UTF8, [clean.parsed()]
    else:
        # decode: bytes to text.
        text = decoded(source, data)
        if text is None:
            return
        encoding, parts = text.encoding, printed_tables(text.text) if detect_all else []
        if not parts:
            # dialect: delimiter, quote, escape. records: fields and flaws.
            choice = choice_for(text.text, pinned)
            parts = [parsed(choice, source.settings.max_cell_lines)]
            if pinned.delimiter is None:
                refuse_prose(parts[0], source)
    has_totals = may_hold_subtotals(data)
    ordinal = 0
    for part in parts:
        reading = Reading(source, part.parser, encoding)
        # layout: where the tables are. header: which of their rows name the columns.
        for region in regions_of(part, pinned):
            # assemble: rows, with an account of each record.
            draft = table_of(region, ordinal, reading)
            draft.account.repairs += part.repairs
            # totals: rows that add up others.
            yield mark_subtotals(draft) if has_totals else draft
            ordinal += 1
