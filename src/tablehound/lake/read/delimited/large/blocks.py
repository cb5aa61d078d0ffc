"""The text of a large file as UTF-8, in blocks of whole lines. Memory is bounded by the block, whatever the file."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tablehound.lake.read.delimited.records import Newline
from tablehound.lake.read.text.decoding import line_ends, tidy_utf8
from tablehound.lake.read.text.encoding import Encoding, decode

BLOCK_BYTES = 8 << 20
HEAD_BYTES = 1 << 18
MAX_BLOCK_BYTES = 64 << 20
"""A block grows to this at most while it looks for the end of a record."""


def utf8_blocks(path: Path, encoding: Encoding, newline: Newline) -> Iterator[bytes]:
    """The text of a file as UTF-8, in blocks that end with a line; the first block is small."""
    for number, block in enumerate(_line_blocks(path, encoding, newline)):
        if not number and block.startswith(b"\0"):
            # Before the first line a single one is padding too.
            before = len(block)
            block = block.lstrip(b"\0")
            encoding.faults.zeros += before - len(block)
        yield tidy_utf8(block, encoding.faults)


def _line_blocks(path: Path, encoding: Encoding, newline: Newline) -> Iterator[bytes]:
    ends = (b"\n",) if newline == "\n" else (b"\r",) if newline == "\r" else (b"\n", b"\r")
    rest = b""
    size = HEAD_BYTES
    for data in _utf8(path, encoding, HEAD_BYTES):
        rest = rest + data if rest else data
        if len(rest) < size:
            continue
        cut = max(rest.rfind(end) for end in ends) + 1
        # A carriage return that ends the block may be half of a line end.
        if newline == "mixed" and cut == len(rest) and rest.endswith(b"\r"):
            cut = max(rest.rfind(end, 0, cut - 1) for end in ends) + 1
        if not cut:
            if len(rest) >= MAX_BLOCK_BYTES:
                yield rest
                rest = b""
            continue
        yield rest[:cut]
        rest, size = rest[cut:], BLOCK_BYTES
    if rest:
        yield rest


def _utf8(path: Path, encoding: Encoding, step: int) -> Iterator[bytes]:
    plain = encoding.name.replace("_", "-") in ("utf-8", "ascii")
    with path.open("rb", buffering=0) as file:
        file.seek(encoding.mark)
        if plain and not encoding.mixed:
            yield file.read(step)
            while data := file.read(BLOCK_BYTES):
                yield data
        elif encoding.name.replace("_", "-").startswith(("utf-7", "iso2022")):
            decoder = codecs.getincrementaldecoder(encoding.name)("replace")
            while data := file.read(step):
                yield decoder.decode(data).encode("utf-8", "surrogatepass")
                step = BLOCK_BYTES
            yield decoder.decode(b"", True).encode("utf-8", "surrogatepass")
        else:
            yield from _by_line(file.read, step, replace(encoding, mark=0))


def _by_line(read: Callable[[int], bytes], step: int, encoding: Encoding) -> Iterator[bytes]:
    """Whole lines decoded: in these encodings a line end, of the right unit, is never a part of another character."""
    ends = line_ends(encoding.name)
    unit = len(ends[0])
    rest = b""
    while data := read(step):
        data, step = rest + data, BLOCK_BYTES
        cut = max((data.rfind(end) + unit for end in ends if end in data), default=0)
        rest = data[cut:]
        if cut:
            yield decode(data[:cut], encoding).encode("utf-8", "surrogatepass")
    if rest:
        yield decode(rest, encoding).encode("utf-8", "surrogatepass")
