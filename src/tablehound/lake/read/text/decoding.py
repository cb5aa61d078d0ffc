"""Bytes to text in an encoding that is decided. What does not fit is replaced and counted; the rest stays as it is.

One bad byte must not change how the rest of a file reads. In UTF-8, a line of old bytes only is read in the encoding
that such lines are in, and bytes within a line as Windows-1252: files are put together from several. A line that fits
UTF-8 but not the file's encoding is read as UTF-8; any other place becomes U+FFFD. UTF-16 is resumed at the next line
end, so that a lost byte, a cut end or a line of 8-bit text costs no more than its line. Byte order marks within a file
and padding with NUL are taken out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

REPLACED = "\ufffd"
MARK = "\ufeff"
_SHOWN = 5
_PROBE = 1 << 14
_PROBE_LINES = 200
_SURE = 0.98
"""Confidence from which lines that are not in UTF-8 are in the encoding they look like. By hand."""
_UTF8_CHAR = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_PADDING = re.compile(r"\A\0+|\0{2,}|\0+(?=\r?\n?\Z)")
_PADDING_BYTES = re.compile(rb"\0{2,}")
_LINE_MARK = re.compile(rf'(?m)(?:^|(?<=^")){MARK}+')
_LINE_MARK_BYTES = re.compile(b'(?m)(?:^|(?<=^")|(?<=\\r))(?:\xef\xbb\xbf)+')
_PLAIN_LINE = re.compile(rb"[\t\x20-\x7e]{2,}(?:\r?\n|\Z)(?!\0)")
_PLAIN = re.compile(rb"[\t\r\n\x20-\x7e]*")
_WIDE_SCRIPTS = re.compile(r"[\u2e80-\ud7ff\uf900-\uffdc]")


@dataclass(slots=True)
class Faults:
    """What decoding found wrong, over all calls for one file."""

    lines: int = 0
    """Line ends decoded so far."""
    marks: int = 0
    """Byte order marks taken out."""
    zeros: int = 0
    """NUL characters taken out."""
    foreign: str = ""
    """The encoding of lines that are not in UTF-8, once that is known."""
    ideographs: bool = False
    """UTF-16 with characters of East Asia, whose bytes may both look like ASCII."""
    kinds: dict[str, int] = field(default_factory=dict)
    """Places that did not fit, by what was made of them."""
    where: dict[str, list[int]] = field(default_factory=dict)
    """The first lines with such places, 1-based."""

    def add(self, what: str, line: int, count: int = 1) -> None:
        self.kinds[what] = self.kinds.get(what, 0) + count
        lines = self.where.setdefault(what, [])
        number = self.lines + line
        if len(lines) < _SHOWN and number not in lines:
            lines.append(number)

    def drain(self) -> list[str]:
        """The faults as sentences for an account; each is given once."""
        sentences = []
        for what, count in self.kinds.items():
            lines = ", ".join(map(str, self.where[what]))
            more = " ..." if count > len(self.where[what]) == _SHOWN else ""
            sentences.append(f"encoding: {count} x {what} (line {lines}{more})")
        if self.marks:
            sentences.append(f"byte order marks within the file taken out: {self.marks}")
        if self.zeros:
            sentences.append(f"NUL characters of padding taken out: {self.zeros}")
        self.kinds, self.where, self.marks, self.zeros = {}, {}, 0, 0
        return sentences

    def restart(self) -> None:
        """Forget all: the file is gone through again from its start."""
        self.drain()
        self.lines = 0


def text_of(data: bytes, name: str, faults: Faults) -> str:
    """Bytes, without a byte order mark, as text."""
    if _is_wide(name):
        text = _wide_text(data, name, faults)
    else:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            # Line by line, so that many bad bytes do not make the work grow with their square.
            lines = data.split(b"\n")
            if _is_utf8(name) and not faults.foreign:
                faults.foreign = _foreign_encoding(lines)
            text = "\n".join(_line(line, name, number, faults) for number, line in enumerate(lines, start=1))
    faults.lines += text.count("\n")
    return tidy(text, faults)


def tidy(text: str, faults: Faults) -> str:
    """Text without the byte order marks of files that were joined, and without NULs that fill up space."""
    if MARK in text:
        before = len(text)
        text = _LINE_MARK.sub("", text)
        faults.marks += before - len(text)
    if "\0" in text:
        before = len(text)
        text = _PADDING.sub("", text)
        faults.zeros += before - len(text)
    return text


def tidy_utf8(block: bytes, faults: Faults) -> bytes:
    """The same for a block of whole lines in UTF-8."""
    # Single bytes are found many times as fast as three.
    if 0xEF in block and b"\xef\xbb\xbf" in block:
        before = len(block)
        block = _LINE_MARK_BYTES.sub(b"", block)
        faults.marks += (before - len(block)) // 3
    if 0 in block:
        before = len(block)
        block = _PADDING_BYTES.sub(b"", block)
        faults.zeros += before - len(block)
    return block


def line_ends(name: str) -> tuple[bytes, ...]:
    """Line feed and carriage return in an encoding of a fixed unit, or in one where they are never half of a pair."""
    if not _is_wide(name):
        return b"\n", b"\r"
    return "\n".encode(_ordered(name)), "\r".encode(_ordered(name))


def _is_wide(name: str) -> bool:
    return name.replace("_", "-").startswith(("utf-16", "utf-32"))


def _ordered(name: str) -> str:
    """With a byte order; the one of small machines where neither the name nor a mark gives it."""
    plain = name.replace("_", "-")
    return plain if plain.endswith(("le", "be")) else f"{plain}-le"


def _decoded(line: bytes, name: str) -> str | None:
    """A line in an encoding; none where its bytes are none of it."""
    try:
        return line.decode(name)
    except UnicodeDecodeError:
        return None


def _line(line: bytes, name: str, number: int, faults: Faults) -> str:
    whole = _decoded(line, name)
    if whole is not None:
        return whole
    old = _is_utf8(name)
    other = faults.foreign if old else "utf-8"
    if not old or _UTF8_CHAR.search(line) is None:
        text = _decoded(line, other)
        if text is not None:
            faults.add(f"a line in {other} among {name}", number)
            return text
    parts: list[str] = []
    while line:
        try:
            parts.append(line.decode(name))
            break
        except UnicodeDecodeError as error:
            bad = max(error.end, error.start + 1)
            piece = line[error.start : bad]
            parts += [line[: error.start].decode(name), foreign(piece) if old else REPLACED]
            made = "read as Windows-1252" if old else "replaced by U+FFFD"
            faults.add(f"0x{piece.hex().upper()} that is not {name}, {made}", number)
            line = line[bad:]
    return "".join(parts)


def _is_utf8(name: str) -> bool:
    return name.replace("_", "-") in ("utf-8", "ascii")


def _foreign_encoding(lines: list[bytes]) -> str:
    """What the lines are in that have bytes above 127 and no character of UTF-8; Windows-1252 unless that is plain."""
    from tablehound.lake.read.text.legacy_encodings import likeliest_encoding

    found = [line for line in lines if not line.isascii() and _UTF8_CHAR.search(line) is None][:_PROBE_LINES]
    if not found:
        return "cp1252"
    judged = likeliest_encoding(b"\n".join(found))
    return judged.name if judged.confidence > _SURE else "cp1252"


def foreign(data: bytes) -> str:
    """Bytes within UTF-8 that do not fit it, each as a character."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _wide_text(data: bytes, name: str, faults: Faults) -> str:
    name = _ordered(name)
    try:
        text = data.decode(name)
    except UnicodeDecodeError:
        text = None
    feed = "\n".encode(name)
    if text is not None and (len(feed) == 4 or not _has_plain_line(data, feed)):
        faults.ideographs = faults.ideographs or _WIDE_SCRIPTS.search(text, 0, _PROBE) is not None
        return text
    if len(feed) == 4:
        return _replaced(data, name, 1, faults)
    pieces = data.split(feed)
    pieces = [piece + feed for piece in pieces[:-1]] + pieces[-1:]
    even = [piece for piece in pieces if len(piece) % 2 == 0 and _PLAIN_LINE.match(piece) is None]
    # Bytes of ASCII are fine ideographs in UTF-16: in such a file no line counts as 8-bit text.
    ideographs = faults.ideographs or any(
        _WIDE_SCRIPTS.search(piece.decode(name, "replace")) is not None for piece in even
    )
    out: list[str] = []
    for number, piece in enumerate(pieces, start=1):
        while not ideographs or len(piece) % 2:
            found = _PLAIN_LINE.match(piece)
            if found is None:
                break
            out.append(found[0].decode("ascii"))
            faults.add(f"8-bit text in {name}", number)
            piece = piece[found.end() :]
        if len(piece) % 2 == 0:
            out.append(_replaced(piece, name, number, faults))
            continue
        faults.add(f"a byte missing or left over in {name}", number)
        bare = piece.replace(b"\0", b"")
        if not ideographs and _PLAIN.fullmatch(bare) is not None:
            out.append(bare.decode("ascii"))
        else:
            end = piece[-1:] if piece[-1:] in (b"\r", b"\n") else b""
            out.append(piece[:-1].decode(name, "replace") + end.decode("ascii"))
    return "".join(out)


def _has_plain_line(data: bytes, feed: bytes) -> bool:
    """Whether some line may be ASCII without zero bytes."""
    at = 0
    while 0 <= at < len(data):
        if _PLAIN_LINE.match(data, at) is not None:
            return True
        found = data.find(feed, at)
        at = found + len(feed) if found >= 0 else -1
    return False


def _replaced(piece: bytes, name: str, number: int, faults: Faults) -> str:
    try:
        return piece.decode(name)
    except UnicodeDecodeError:
        text = piece.decode(name, "replace")
        count = text.count(REPLACED) - piece.decode(name, "ignore").count(REPLACED)
        faults.add(f"bytes that are not {name}, replaced by U+FFFD", number, max(count, 1))
        return text
