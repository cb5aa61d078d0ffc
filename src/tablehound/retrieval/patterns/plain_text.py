"""Literals judged without the regex engine: the same answer as ``(?i)`` with the text itself, several times as fast.

Only ASCII literals qualify. Beyond ASCII, two characters equal an ASCII letter but for case (long s and the Kelvin
sign); where a batch of texts has one of them, the engine is asked.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tablehound.retrieval.arrays import Array

if TYPE_CHECKING:
    import pyarrow as pa

    from tablehound.retrieval.patterns.types import Pattern

_SLICE = 1 << 18
"""Texts that one thread judges at a time."""
_PLAIN = re.compile(r"[^\\.+*?()|\[\]{}^$\x00-\x1f\x7f-\U0010ffff]+")
_RARE = b"zqxjvkwyg:;#%&/fbp9-87654u3hm,dc.l2o0tr1nsiea "
"""Characters of cells, rare ones first; those that are not listed are rarer still."""


def literals_of(pattern: Pattern) -> tuple[bytes, ...] | None:
    """Lower-cased texts of which a cell must have one, if the pattern says no more than that, else None."""
    if pattern.case_sensitive or pattern.kind not in ("regex", "literal"):
        return None
    parts = pattern.text.split("|") if pattern.kind == "regex" else [pattern.text]
    if pattern.kind == "regex" and not all(_PLAIN.fullmatch(part) for part in parts):
        return None
    if not all(part and part.isascii() for part in parts):
        return None
    return tuple(dict.fromkeys(part.lower().encode() for part in parts))


def matches(texts: pa.Array, expression: str, literals: tuple[bytes, ...] | None) -> Array:
    """Per text, whether the regex occurs in it; never in a null. ``literals`` are those of the compiled pattern."""
    import polars as pl

    found = have_literal(texts, literals) if literals is not None else None
    if found is None:
        return pl.Series("", texts).str.contains(expression, strict=True).fill_null(False).to_numpy()
    return found if texts.null_count == 0 else found & pl.Series("", texts).is_not_null().to_numpy()


class Texts(Protocol):
    """Texts that are handed out in slices."""

    def __len__(self) -> int: ...

    def slice(self, start: int, length: int) -> pa.Array: ...


def scan(texts: Texts, expression: str, literals: tuple[bytes, ...] | None, pool: ThreadPoolExecutor) -> Array:
    """Places of all texts that the regex occurs in, ascending, uint32; slices of them are judged side by side."""

    def judge(start: int) -> Array:
        found = np.flatnonzero(matches(texts.slice(start, _SLICE), expression, literals))
        return found.astype(np.uint32) + np.uint32(start)

    return np.concatenate([np.zeros(0, np.uint32), *pool.map(judge, range(0, len(texts), _SLICE))])


def have_literal(texts: pa.Array, literals: tuple[bytes, ...]) -> Array | None:
    """Per text whether one of the literals occurs in it, in any case; None when only the engine can tell. What it says
    of a null is of no meaning."""
    import pyarrow as pa

    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    found = np.zeros(len(texts), bool)
    _, offset_buffer, data_buffer = texts.buffers()
    if not len(texts) or data_buffer is None:
        return found
    offsets = np.frombuffer(offset_buffer, width)[texts.offset : texts.offset + len(texts) + 1]
    raw = np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]]
    joined = b"".join(literals)
    if (b"k" in joined or b"s" in joined) and _has_lookalike(raw):
        return None
    ends = offsets[1:].astype(np.int64) - int(offsets[0])
    for literal in literals:
        size = len(literal)
        room = max(0, len(raw) - size + 1)
        # The two rarest characters tell most places away; the others are looked at in what is left.
        first, *others = sorted(range(size), key=lambda i: _RARE.find(literal[i]))
        here = _is(raw[first : first + room], literal[first])
        for i in others[:1]:
            here &= _is(raw[i : i + room], literal[i])
        at = np.flatnonzero(here)
        for i in others[1:]:
            at = at[_is(raw[at + i], literal[i])]
        owner = np.searchsorted(ends, at, side="right")
        found[owner[at + size <= ends[owner]]] = True
    return found


def _has_lookalike(raw: Array) -> bool:
    """Whether UTF-8 has a character beyond ASCII that equals an ASCII letter but for case."""
    if raw.max(initial=0) < 0x80:
        return False
    long_s = (raw[:-1] == 0xC5) & (raw[1:] == 0xBF)
    kelvin = (raw[1:-1] == 0x84) & (raw[2:] == 0xAA) & (raw[:-2] == 0xE2)
    return bool(long_s.any() or kelvin.any())


def _is(raw: Array, byte: int) -> Array:
    """Where a lower-case ASCII character is, in either case."""
    same: Array = (raw | np.uint8(0x20) if 97 <= byte <= 122 else raw) == np.uint8(byte)
    return same
