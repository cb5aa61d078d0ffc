"""The encoding of a page: what its bytes show, and what it declares of itself.

A declared name is read as browsers read it, as the larger set of characters that pages in practice use under it: a page
that declares ISO-8859-1 has the dashes and quotes of Windows-1252, one that declares GB2312 has all characters of
GB18030. It is used only as far as the bytes fit.
"""

from __future__ import annotations

import codecs
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tablehound.lake.read.text.encoding import Encoding, decode

# What decides, all by hand.
GOOD_PER_BAD = 4
"""A declared encoding is used if so many characters beyond ASCII fit it for each byte that does not …"""
GOOD_PER_BAD_LETTER = 1
"""… and if more than so many do where a letter is a byte: of those, few bytes mean nothing, so that text of another
encoding seldom has one of them."""
PIECE_BYTES = 1 << 12
"""Bytes decoded at a time where some do not fit, so that many of them do not make the work grow with their square."""
HEAD_BYTES = 1 << 16
"""Bytes at the start of a page in which a declaration is looked for."""
_META = re.compile(rb"<meta\b[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
_ASIDE = re.compile(rb"<!--.*?(?:-->|\Z)|<script\b.*?(?:</script|\Z)", re.IGNORECASE | re.DOTALL)
_SHIFTED = frozenset(("iso2022_jp", "iso2022_jp_ext", "iso2022_kr", "hz"))
"""Encodings whose bytes are all ASCII."""
_HIGH = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class PageText:
    """A page as text."""

    text: str
    encoding: str
    remarks: tuple[str, ...] = ()
    """What does not fit, for the account."""


def declared_encoding(data: bytes) -> str | None:
    """The name of the encoding that a page declares; none if it declares none."""
    head = data[:HEAD_BYTES]
    found = _META.search(_ASIDE.sub(b"", head)) or _XML.match(head)
    return found.group(1).decode("ascii", "replace") if found else None


def page_text(data: bytes, found: Encoding) -> PageText:
    """Decode a page without loss.

    Args:
        found: the encoding that the bytes show. It decides where it leaves no doubt (byte order mark, valid UTF-8,
            pinned by the user); otherwise the declared one does, if the bytes fit it.
    """
    label = declared_encoding(data)
    names = _codecs(label)
    shifted = found.ascii and names[:1] and names[0] in _SHIFTED and (b"\x1b" in data or b"~{" in data)
    sure = found.mark or found.how in ("utf-8", "override", "given", "zero bytes") or (found.ascii and not shifted)
    letters = bool(names) and names[0].startswith(("cp125", "iso8859"))
    # Nearly valid UTF-8 is no text of an encoding with a byte per letter, which would take any bytes.
    if not sure and names and names[0] != "utf-8" and not (letters and found.mixed):
        for name in names:
            try:
                return PageText(data.decode(name), name)
            except UnicodeDecodeError:
                continue
        text, bad = _piecewise(data, names)
        good = sum(map(len, _HIGH.findall(text))) - bad
        if good >= GOOD_PER_BAD * bad or (letters and good > GOOD_PER_BAD_LETTER * bad):
            remarks = (f"{bad} bytes do not fit {label}, and are read as Windows-1252",) if bad else ()
            return PageText(text, names[0], remarks)
    doubts: list[str] = []
    if label is not None and not sure and found.name not in names:
        why = "its bytes do not fit" if names else "is no encoding for pages"
        doubts.append(f"the page says {label}, which {why}; read as {found.name}")
    if found.mixed:
        doubts.append("bytes that are not UTF-8 are read as Windows-1252")
    text = decode(data, found)
    # UTF-8 may contain the character itself; in other encodings it is what does not fit.
    if found.name != "utf-8" and (bad := text.count("\ufffd")):
        doubts.append(f"{bad} places do not fit {found.name}, and are read as U+FFFD")
    return PageText(text, found.name, tuple(doubts))


@cache
def _known_names() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("encodings.toml").read_text(encoding="utf-8"))


def _codecs(label: str | None) -> tuple[str, ...]:
    """Names of Python's for what a page means by a label; none if it is unknown or cannot be meant."""
    known_names = _known_names()
    plain = (label or "").lower().removeprefix("x-")
    for name in (label, known_names["aliases"].get(plain, plain)):
        try:
            known = codecs.lookup(name or "").name
        except LookupError:
            continue
        if known in known_names["larger"]:
            return tuple(known_names["larger"][known])
        if known in known_names["as_named"]["names"]:
            return (known,)
        if known.startswith("utf-16"):
            # It could not have been read, were it true.
            return ("utf-8",)
    return ()


def _piecewise(data: bytes, names: tuple[str, ...]) -> tuple[str, int]:
    """Text in the first encoding; what does not fit it in one of the others, else as Windows-1252 and counted."""
    parts: list[str] = []
    at = bad = 0
    while at < len(data):
        piece = data[at : at + PIECE_BYTES]
        try:
            parts.append(piece.decode(names[0]))
            at += len(piece)
            continue
        except UnicodeDecodeError as error:
            start = error.start
        parts.append(piece[:start].decode(names[0], "replace"))
        at += start
        if start and start + 4 > PIECE_BYTES:
            continue  # the piece may only have cut a character in two
        other = _other(data[at : at + 2], names)
        bad += not other
        parts.append(other or _western(data[at : at + 1]))
        at += 2 if other else 1
    return "".join(parts), bad


def _other(pair: bytes, names: tuple[str, ...]) -> str:
    """Two bytes as one character of an encoding that the first of the names lacks; empty if there is none."""
    if names[0] == "euc_jp" and min(pair) >= 0xA1 and len(pair) == 2:
        # Characters of NEC and IBM, which pages use but Python's codec lacks, are in Shift JIS at the same place.
        row, cell = pair[0] - 0xA1, pair[1] - 0xA1
        lead = (row >> 1) + (0x81 if row < 62 else 0xC1)
        pair = bytes((lead, cell + (0x9F if row & 1 else 0x40 if cell < 63 else 0x41)))
        names = ("", "cp932")
    for name in names[1:]:
        try:
            return pair.decode(name)
        except UnicodeDecodeError:
            continue
    return ""


def _western(byte: bytes) -> str:
    """A byte that does not fit, as a character all the same."""
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:
        return byte.decode("latin-1")
