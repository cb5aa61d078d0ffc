"""Which encoding a text file is in. What does not fit it is replaced and counted (:mod:`decoding`).

Order: byte order mark, UTF-16 and UTF-32 without one (by where the zero bytes are), strict UTF-8 over the whole file,
UTF-8 with a few foreign bytes (files put together from several), escape sequences of the East Asian 7-bit encodings,
then the old encodings (:mod:`legacy_encodings`), judged from the lines that have bytes above 127.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tablehound.errors import SettingError
from tablehound.lake.read.text.decoding import Faults, text_of

BLOCK = 1 << 22
SAMPLE = 1 << 16
"""Bytes of non-ASCII lines that detection looks at."""
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Weights:
    """Thresholds of the choice between encodings. All were chosen by hand."""

    min_zeros: int = 3
    """Zero bytes of a sample of UTF-16 or UTF-32 without a mark: so many, and this share."""
    zero_share: float = 0.03
    common_zeros: float = 0.5
    """UTF-32: share of zero bytes at the places of the high bytes at least, and at that of the low byte at most."""
    rare_zeros: float = 0.2
    high_zeros: float = 0.1
    """UTF-16: zero bytes per unit in the high half, and at most how many as many in the low half."""
    low_zeros: float = 0.15
    odd_share: float = 0.01
    """Share of characters of a sample that may be none of a text."""
    good_utf8: int = 4
    """So many bytes of UTF-8 per byte that is none make UTF-8 with foreign bytes; or any majority over few of them."""
    few_bad: int = 2
    wide_confidence: float = 0.95
    foreign_confidence: float = 0.8
    cut_confidence: float = 0.9


WEIGHTS = Weights()
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_UTF8_CHAR = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


@dataclass(frozen=True, slots=True)
class Encoding:
    """An encoding as decided, and why."""

    name: str
    mark: int = 0
    """Bytes of the byte order mark, to be skipped."""
    how: str = "utf-8"
    confidence: float = 1.0
    mixed: bool = False
    """UTF-8 with foreign bytes, which are read as Windows-1252."""
    ascii: bool = False
    rival: str | None = None
    """Another encoding in which the text reads nearly as well."""
    faults: Faults = field(default_factory=Faults, compare=False)
    """What does not fit, filled while the file is decoded."""


def given_encoding(name: str, head: bytes) -> Encoding:
    """An encoding that is given by name, for a file that starts with some bytes.

    Raises:
        SettingError: Python knows no encoding of that name.
    """
    try:
        known = codecs.lookup(name).name
    except LookupError as error:
        raise SettingError(f"there is no encoding named {name!r}") from error
    for mark, marked in _MARKS:
        # A name without a byte order leaves it to the mark.
        if head.startswith(mark) and known in (marked, marked[:-3], "utf-8-sig" if marked == "utf-8" else marked):
            return Encoding(marked, len(mark), "given")
    return Encoding(known, 0, "given")


def detect(path: Path) -> Encoding:
    """The encoding of a file, from all of its bytes."""
    with path.open("rb") as file:
        return encoding_of(iter(lambda: file.read(BLOCK), b""))


def encoding_of(blocks: Iterator[bytes]) -> Encoding:
    """The encoding of a byte stream."""
    head = next(blocks, b"")
    for mark, name in _MARKS:
        if head.startswith(mark):
            return Encoding(name, len(mark), "byte order mark", mixed=name == "utf-8" and not _valid(head, blocks))
    wide = _wide(head)
    if wide is not None:
        return wide
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    ascii_only, valid, good, bad = True, True, 0, 0
    sample = bytearray()
    block = first = head
    while block:
        if not block.isascii():
            ascii_only = False
            if valid:
                try:
                    decoder.decode(block)
                except UnicodeDecodeError:
                    valid = False
            if not valid or len(sample) < SAMPLE:
                good_here = sum(len(found) for found in _UTF8_CHAR.findall(block))
                high = sum(len(run) for run in _HIGH_RUN.findall(block))
                good, bad = good + good_here, bad + high - good_here
                _collect(block, sample)
        block = next(blocks, b"")
    if ascii_only:
        return _escaped(first) or Encoding("utf-8", 0, "ascii", ascii=True)
    if valid:
        try:
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            return Encoding("utf-8", 0, "utf-8, cut off", WEIGHTS.cut_confidence, mixed=True)
        return Encoding("utf-8")
    if good >= WEIGHTS.good_utf8 * max(bad, 1) or (good > bad and bad <= WEIGHTS.few_bad):
        return Encoding("utf-8", 0, "utf-8 with foreign bytes", WEIGHTS.foreign_confidence, mixed=True)
    return _guessed(bytes(sample))


def _valid(head: bytes, blocks: Iterator[bytes]) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        decoder.decode(head)
        for block in blocks:
            decoder.decode(block)
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True


def _wide(head: bytes) -> Encoding | None:
    """UTF-16 or UTF-32 without a mark: their zero bytes are at one place of every unit."""
    sample = head[: 1 << 14]
    sample = sample[: len(sample) // 4 * 4]
    zeros = sample.count(0)
    if len(sample) < 8 or zeros < max(WEIGHTS.min_zeros, WEIGHTS.zero_share * len(sample)):
        return None
    at = [sample[i::4].count(0) / (len(sample) // 4) for i in range(4)]
    for name, rare, common in (("utf-32-le", 0, (2, 3)), ("utf-32-be", 3, (0, 1))):
        in_place = all(at[i] > WEIGHTS.common_zeros for i in common) and at[rare] < WEIGHTS.rare_zeros
        if in_place and _reads(sample, name):
            return Encoding(name, 0, "zero bytes", WEIGHTS.wide_confidence)
    for name, low in (("utf-16-le", 0), ("utf-16-be", 1)):
        lows, highs = at[low] + at[low + 2], at[1 - low] + at[3 - low]
        # In other scripts only digits, delimiters and line ends have a zero byte, and all at the same half.
        if highs > WEIGHTS.high_zeros and lows < WEIGHTS.low_zeros * highs and _reads(sample, name):
            return Encoding(name, 0, "zero bytes", WEIGHTS.wide_confidence)
    return None


def _reads(sample: bytes, name: str) -> bool:
    """Whether a sample is text of lines in a wide encoding, but for a bad place or two."""
    text = sample.decode(name, "replace")
    odd = sum(not (char.isprintable() or char in "\t\r\n\u3000\u00a0") or char == "\ufffd" for char in text)
    return odd <= max(1, WEIGHTS.odd_share * len(text)) and any(end in text for end in "\n\r")


def _escaped(head: bytes) -> Encoding | None:
    """Japanese, Korean or Chinese in seven bits, which escape sequences switch to."""
    for escape, name in ((b"\x1b$B", "iso2022_jp"), (b"\x1b$@", "iso2022_jp"), (b"\x1b$)C", "iso2022_kr")):
        if escape in head:
            try:
                codecs.getincrementaldecoder(name)("strict").decode(head)
            except UnicodeDecodeError:
                continue
            return Encoding(name, 0, "escape sequences", WEIGHTS.wide_confidence)
    return None


def _collect(block: bytes, sample: bytearray) -> None:
    """Add lines with high bytes to the sample until it is full."""
    position = 0
    while len(sample) < SAMPLE:
        found = _HIGH_RUN.search(block, position)
        if found is None:
            return
        start = max(block.rfind(b"\n", 0, found.start()) + 1, found.start() - 400)
        end = block.find(b"\n", found.end())
        end = min(end if end >= 0 else len(block), found.end() + 400)
        sample += block[start:end] + b"\n"
        position = end


def _guessed(sample: bytes) -> Encoding:
    """The encoding of text that is not Unicode, from lines that have high bytes."""
    from tablehound.lake.read.text.legacy_encodings import likeliest_encoding

    found = likeliest_encoding(sample)
    return Encoding(found.name, 0, "letters and signs in their places", found.confidence, rival=found.rival)


def decode(data: bytes, encoding: Encoding) -> str:
    """Bytes as text; what does not fit is in the encoding's faults."""
    return text_of(data[encoding.mark :] if encoding.mark else data, encoding.name, encoding.faults)
