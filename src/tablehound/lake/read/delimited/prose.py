"""Running text: sentences that some delimiter divides, in a file that does not claim to be a table."""

from __future__ import annotations

from itertools import pairwise

from tablehound.errors import UnsupportedSourceError
from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.delimited.records import Parsed

_TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv", ".ssv"})
_SAMPLE = 400
_STEADY_SHARE = 0.8
"""Share of records as wide as the next one that makes a table of them. By hand."""
_SENTENCE_WORDS, _MIN_WORDS, _SENTENCE_SHARE = 7, 20, 0.4
"""Words of a line that may be a sentence, words of a text, and the share of its lines that read as prose. By hand."""


def refuse_prose(parsed: Parsed, source: SourceFile) -> None:
    """Refuse running text.

    Raises:
        UnsupportedSourceError: sentences, and no delimiter but the comma of a sentence.
    """
    dialect = parsed.parser.dialect
    named = source.path.suffix.lower() in _TABLE_SUFFIXES
    if named or dialect.words or dialect.delimiter.strip() not in ("", ",", ":"):
        return
    filled = [record for record in parsed.records if not record.blank][:_SAMPLE]
    widths = [len(record.fields) for record in filled]
    steady = sum(one == two > 1 for one, two in pairwise(widths)) + 1
    if dialect.delimiter and len(filled) >= 4 and steady >= _STEADY_SHARE * len(filled):
        return
    lines = [record.raw.strip() for record in filled]
    counts = [len(line.split()) for line in lines]
    sentences = sum(
        count >= _SENTENCE_WORDS and any(mark in line for mark in (". ", ", ", ": "))
        for line, count in zip(lines, counts, strict=True)
    )
    ends = sum(line.endswith((".", "!", "?", ";", ":")) for line in lines)
    if sum(counts) >= _MIN_WORDS and sentences + ends >= _SENTENCE_SHARE * len(lines):
        raise UnsupportedSourceError("this is running text, not a table", where=source.name)
