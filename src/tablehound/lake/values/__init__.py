"""Values: what the raw texts of a column mean. One parser for all paths; the raw text is never changed.

:func:`read_column` (or :class:`ReadingBuilder`, in batches) decides once per column how it is read, :func:`parse` reads
one text that way, :func:`typed_column` a whole column, and :func:`canonical` writes a value in the one form that the
value index, lookups and joins compare.
"""

from __future__ import annotations

from tablehound.lake.values.canonical import Value, canonical
from tablehound.lake.values.parse import canonical_in_column, canonical_of_text, canonicals_of_text, parse
from tablehound.lake.values.reading import ReadingBuilder, read_column
from tablehound.lake.values.typed import canonical_column, canonical_texts, typed_array, typed_column

__all__ = [
    "ReadingBuilder",
    "Value",
    "canonical",
    "canonical_column",
    "canonical_in_column",
    "canonical_of_text",
    "canonical_texts",
    "canonicals_of_text",
    "parse",
    "read_column",
    "typed_array",
    "typed_column",
]
