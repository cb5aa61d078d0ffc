"""The text of a document that is read as a whole: HTML, Markdown, JSON."""

from __future__ import annotations

import codecs

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.text.encoding import Encoding, decode, detect


def document_encoding(source: SourceFile) -> Encoding:
    """The encoding that an override pins, else the detected one."""
    found = detect(source.path)
    pinned = source.overrides.encoding
    if pinned is None:
        return found
    name = codecs.lookup(pinned).name
    return Encoding(name, found.mark if found.mark and found.name == name else 0, "override")


def document_bytes(source: SourceFile, remedy: str = "") -> bytes:
    """The whole file.

    Raises:
        BrokenSourceError: larger than ``max_document_bytes``.
    """
    size = source.path.stat().st_size
    if size > source.settings.max_document_bytes:
        raise BrokenSourceError(
            f"a document of {size} bytes", where=source.name, remedy=f"raise read.max_document_bytes{remedy}"
        )
    return source.path.read_bytes()


def document_text(source: SourceFile, encoding: Encoding, remedy: str = "") -> str:
    """The whole file as text; what does not fit the encoding is in its ``faults``.

    Raises:
        BrokenSourceError: larger than ``max_document_bytes``.
    """
    return decode(document_bytes(source, remedy), encoding)
