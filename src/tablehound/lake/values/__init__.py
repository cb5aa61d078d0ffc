"""Values: what the raw texts of a column mean. One parser for all paths; the raw text is never changed.

:func:`read_column` (or :class:`ReadingBuilder`, in batches) decides once per column how it is read, :func:`parse` reads
one text that way, :func:`typed_column` a whole column, and :func:`canonical` writes a value in the one form that the
value index, lookups and joins compare.
"""

from __future__ import annotations

from tablehound.lake.values.canonical import Value, canonical
from tablehound.lake.values.parse import (
    amounts_of_text,
    bounds_in_column,
    bounds_of_cell,
    canonical_in_column,
    canonical_of_text,
    canonicals_of_text,
    exact_number,
    parse,
    plain_number,
)
from tablehound.lake.values.reading import ReadingBuilder, read_column
from tablehound.lake.values.typed import canonical_column, canonical_texts, typed_array, typed_column
from tablehound.lake.values.units.convert import Amount, Measure, factor, measure_of, scale_of
from tablehound.lake.values.units.known import Unit, unit_of

__all__ = [
    "Amount",
    "Measure",
    "ReadingBuilder",
    "Unit",
    "Value",
    "amounts_of_text",
    "bounds_in_column",
    "bounds_of_cell",
    "canonical",
    "canonical_column",
    "canonical_in_column",
    "canonical_of_text",
    "canonical_texts",
    "canonicals_of_text",
    "exact_number",
    "factor",
    "measure_of",
    "parse",
    "plain_number",
    "read_column",
    "scale_of",
    "typed_array",
    "typed_column",
    "unit_of",
]
