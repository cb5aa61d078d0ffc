"""The lake: a collection of tables read from sources into one folder on disk, with its indexes.

The names below are what other rooms use. Those that bring heavy libraries are loaded when first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tablehound.lake.locks import only_one
from tablehound.lake.segments import Segment, SegmentBuilder, SegmentPlan, opening_segment
from tablehound.lake.table import ROW, Column, Kind, Provenance, Reading, Table, TableInfo

if TYPE_CHECKING:
    from tablehound.lake.catalogue import FORMAT_VERSION
    from tablehound.lake.indexing import IndexProgress, index_sources
    from tablehound.lake.previews import preview, shows_whole
    from tablehound.lake.read import Account, Overrides, SetAside, SourceFile, TableDraft, formats
    from tablehound.lake.report import IndexReport, SourceReport, TableReport
    from tablehound.lake.sources import clean_bytes
    from tablehound.lake.store import Lake
    from tablehound.lake.values import (
        ReadingBuilder,
        Value,
        canonical,
        canonical_column,
        canonical_in_column,
        canonical_of_text,
        canonical_texts,
        canonicals_of_text,
        parse,
        read_column,
        typed_array,
        typed_column,
    )

_HOMES = {
    "FORMAT_VERSION": "catalogue",
    "Account": "read",
    "IndexProgress": "indexing",
    "IndexReport": "report",
    "Lake": "store",
    "Overrides": "read",
    "ReadingBuilder": "values",
    "SetAside": "read",
    "SourceFile": "read",
    "SourceReport": "report",
    "TableDraft": "read",
    "TableReport": "report",
    "Value": "values",
    "canonical": "values",
    "canonical_column": "values",
    "canonical_in_column": "values",
    "canonical_of_text": "values",
    "canonical_texts": "values",
    "canonicals_of_text": "values",
    "clean_bytes": "sources",
    "formats": "read",
    "index_sources": "indexing",
    "parse": "values",
    "preview": "previews",
    "shows_whole": "previews",
    "read_column": "values",
    "typed_array": "values",
    "typed_column": "values",
}

__all__ = [
    "FORMAT_VERSION",
    "ROW",
    "Account",
    "Column",
    "IndexProgress",
    "IndexReport",
    "Kind",
    "Lake",
    "Overrides",
    "Provenance",
    "Reading",
    "ReadingBuilder",
    "Segment",
    "SegmentBuilder",
    "SegmentPlan",
    "SetAside",
    "SourceFile",
    "SourceReport",
    "Table",
    "TableDraft",
    "TableInfo",
    "TableReport",
    "Value",
    "canonical",
    "canonical_column",
    "canonical_in_column",
    "canonical_of_text",
    "canonical_texts",
    "canonicals_of_text",
    "clean_bytes",
    "formats",
    "index_sources",
    "only_one",
    "opening_segment",
    "parse",
    "preview",
    "read_column",
    "shows_whole",
    "typed_array",
    "typed_column",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"tablehound.lake.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
