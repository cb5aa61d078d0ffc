"""Which encoding a text file is in. Nothing is decoded with loss: a byte that does not fit is kept as a character.

Order: byte order mark, UTF-16 and UTF-32 without one (by where the zero bytes are), strict UTF-8 over the whole file,
UTF-8 with a few foreign bytes (files put together from several), then detection from the lines that hold bytes above
127. Single accented letters within ASCII words are Western whatever a detector says; runs of high bytes never are
taken for Western without a second look, so that Cyrillic and Chinese survive.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tablehound.errors import SettingError

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
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
# One high byte by itself, or two that touch an ASCII letter: Größe.
_HIGH_LETTER = re.compile(
    rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])|(?<=[A-Za-z])[\x80-\xff]{2}(?![\x80-\xff])|"
    rb"(?<![\x80-\xff])[\x80-\xff]{2}(?=[A-Za-z])"
)
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


def given(name: str, head: bytes) -> Encoding:
    """An encoding that somebody named, for a file that starts with some bytes.

    Raises:
        SettingError: Python knows no encoding of that name.
    """
    try:
        known = codecs.lookup(name).name
    except LookupError as error:
        raise SettingError(f"there is no encoding named {name!r}") from error
    marks = {marked: mark for mark, marked in _MARKS}
    mark = marks.get(known, b"")
    return Encoding(known, len(mark) if mark and head.startswith(mark) else 0, "given")


def detect(path: Path) -> Encoding:
    """The encoding of a file, from all of its bytes."""
    with path.open("rb") as file:
        return decide(iter(lambda: file.read(BLOCK), b""))


def decide(blocks: Iterator[bytes]) -> Encoding:
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
    block = head
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
        return Encoding("utf-8", 0, "ascii", ascii=True)
    if valid:
        try:
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            return Encoding("utf-8", 0, "utf-8, cut off", 0.9, mixed=True)
        return Encoding("utf-8")
    if good >= 4 * max(bad, 1) or (good > bad and bad <= 2):
        return Encoding("utf-8", 0, "utf-8 with foreign bytes", 0.8, mixed=True)
    return guess(bytes(sample))


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
    """UTF-16 or UTF-32 without a mark: their zero bytes stand at one place of every unit."""
    sample = head[: 1 << 14]
    sample = sample[: len(sample) // 4 * 4]
    zeros = sample.count(0)
    if len(sample) < 8 or zeros < 0.2 * len(sample):
        return None
    at = [sample[i::4].count(0) / (len(sample) // 4) for i in range(4)]
    for name, rare, common in (
        ("utf-32-le", (0,), (2, 3)),
        ("utf-32-be", (3,), (0, 1)),
        ("utf-16-le", (0, 2), (1, 3)),
        ("utf-16-be", (1, 3), (0, 2)),
    ):
        if all(at[i] > 0.5 for i in common) and all(at[i] < 0.2 for i in rare):
            try:
                codecs.getincrementaldecoder(name)("strict").decode(sample)
            except UnicodeDecodeError:
                continue
            return Encoding(name, 0, "zero bytes", 0.95)
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


def guess(sample: bytes) -> Encoding:
    """The encoding of text that is not Unicode, from lines that hold high bytes."""
    from charset_normalizer import from_bytes

    from tablehound.lake.read.scripts import judge

    runs = _HIGH_RUN.findall(sample)
    lone = len(_HIGH_LETTER.findall(sample))
    undefined = {0x81, 0x8D, 0x8F, 0x90, 0x9D}
    # One accented letter within ASCII: no Cyrillic, Greek or Chinese text looks like that.
    if runs and lone >= 0.75 * len(runs) and not any(byte in undefined for run in runs for byte in run):
        western = judge(sample, western=True)
        if western is not None:
            return Encoding(western, 0, "single letters above 127", 0.7)
    judged = judge(sample, western=False)
    if judged is not None:
        return Encoding(judged, 0, "letters of its script", 0.8)
    best = from_bytes(sample).best()
    name = str(best.encoding) if best is not None else "cp1252"
    try:
        sample.decode(name)
    except UnicodeDecodeError:
        name = "cp1252"
    if name == "cp1252" and any(byte in undefined for byte in sample):
        name = "latin-1"
    return Encoding(name, 0, "detection", 0.5)


def decode(data: bytes, encoding: Encoding) -> str:
    """All of some bytes as text, without loss: bytes that do not fit are read as Windows-1252 or Latin-1."""
    data = data[encoding.mark :]
    try:
        return data.decode(encoding.name)
    except UnicodeDecodeError:
        pass
    # Line by line, so that many foreign bytes do not make the work grow with their square.
    return "\n".join(_decode_line(line, encoding.name) for line in data.split(b"\n"))


def _decode_line(line: bytes, name: str) -> str:
    parts: list[str] = []
    while line:
        try:
            parts.append(line.decode(name))
            break
        except UnicodeDecodeError as error:
            bad = max(error.end, error.start + 1)
            parts += [line[: error.start].decode(name), foreign(line[error.start : bad])]
            line = line[bad:]
    return "".join(parts)


def foreign(data: bytes) -> str:
    """Bytes that do not fit the file's encoding, each as a character."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")
