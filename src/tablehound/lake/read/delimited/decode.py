"""Stage 1, decode: the bytes of a source, in which encoding they are, and the text that they are in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tablehound.errors import BrokenSourceError, UnsupportedSourceError
from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.text.decoding import Faults
from tablehound.lake.read.text.encoding import Encoding, decode, detect, encoding_of, given_encoding

WHOLE_BYTES = 8 << 20
"""Up to this size a file is decided on, and kept in memory, as a whole."""
SAMPLE_CHARS = 1 << 18
"""Characters of a text that its dialect is decided on."""
UTF8 = Encoding("utf-8")
_LONG_SAMPLE_CHARS = 1 << 21
_FEW_LINES = 8
_FIRST_BYTES = 1 << 15
_READ_BYTES = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_CONTROL = re.compile(r"[\x02-\x08\x0b\x0e-\x1a\x7f\ufffe]")
_MAX_CONTROLS, _MAX_CONTROL_SHARE = 4, 0.02
"""Control characters that a text may have, whichever is more. By hand."""
_BINARY_STARTS = ("PK\x03\x04", "\x1f\x8b", "\x1f\u2039", "%PDF-", "BZh9")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and its encoding. Of a large file the text is a sample."""

    text: str
    encoding: Encoding


def whole_bytes(source: SourceFile) -> bytes | None:
    """All bytes of a file; none where there are more than ``WHOLE_BYTES``.

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
    if size > WHOLE_BYTES:
        return None
    return source.path.read_bytes() if len(data) < size else data


def decoded(source: SourceFile, data: bytes) -> Decoded | None:
    """The text of a whole file; none where it is blank.

    Raises:
        UnsupportedSourceError: no text at all.
    """
    pinned = source.overrides.encoding
    encoding = given_encoding(pinned, data) if pinned else encoding_of(iter([data]))
    text = decode(data, encoding)
    if not text.strip("\0 \t\r\n"):
        return None
    _refuse_binary(text[:SAMPLE_CHARS], source)
    return Decoded(text, encoding)


def decoded_sample(source: SourceFile) -> Decoded:
    """Head, middle and tail of a file that is too large to keep, in whole lines; its encoding is that of all its bytes.

    Raises:
        UnsupportedSourceError: no text at all.
    """
    pinned = source.overrides.encoding
    if pinned:
        with source.path.open("rb") as file:
            encoding = given_encoding(pinned, file.read(4))
    else:
        encoding = detect(source.path)
    text = "".join(_parts(source, encoding))
    _refuse_binary(text, source)
    return Decoded(text, encoding)


def _parts(source: SourceFile, encoding: Encoding) -> Iterator[str]:
    width = 4 if encoding.name.startswith("utf-32") else 2 if encoding.name.startswith("utf-16") else 1
    step = SAMPLE_CHARS // 4 * width
    with source.path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size <= 4 * step:
            file.seek(encoding.mark)
            yield decode(file.read(), replace(encoding, mark=0))
            return
        for start, length in ((encoding.mark, 2 * step), (size // 2, step), (size - step, step)):
            aligned = max(encoding.mark, start - (start - encoding.mark) % width)
            file.seek(aligned)
            text = decode(file.read(length), replace(encoding, mark=0, faults=Faults()))
            first = 0 if start == encoding.mark else text.find("\n") + 1
            yield text[first : text.rfind("\n") + 1] or text


def sample_of(text: str) -> str:
    """Head, middle and tail of a long text, in whole lines; a short one as it is."""
    part = SAMPLE_CHARS // 4
    if len(text) <= SAMPLE_CHARS or text.count("\n", 0, 2 * part) < _FEW_LINES:
        # Lines as long as that would be cut in the middle of a quoted cell.
        return text[:_LONG_SAMPLE_CHARS]
    middle = len(text) // 2
    head = text[: 2 * part]
    cut = [head[: head.rfind("\n") + 1] or head]
    for piece in (text[middle : middle + part], text[-part:]):
        cut.append(piece[piece.find("\n") + 1 : piece.rfind("\n") + 1] or piece)
    return "".join(cut)


def _refuse_binary(head: str, source: SourceFile) -> None:
    controls = len(_CONTROL.findall(head))
    if controls > max(_MAX_CONTROLS, _MAX_CONTROL_SHARE * len(head)) or head.startswith(_BINARY_STARTS):
        raise UnsupportedSourceError("this is binary data, not delimited text", where=source.name)
