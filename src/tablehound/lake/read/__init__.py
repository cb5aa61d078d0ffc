"""Readers, one module per format; the registry picks one by name and by first bytes."""

from tablehound.lake.read.contract import Account, Format, Overrides, Reader, SetAside, SourceFile, TableDraft
from tablehound.lake.read.registry import formats, pick_format

__all__ = [
    "Account",
    "Format",
    "Overrides",
    "Reader",
    "SetAside",
    "SourceFile",
    "TableDraft",
    "formats",
    "pick_format",
]
