"""Which values can match a regex: trigram bitmaps, combined as the regex requires."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tablehound.lake import SealedFolder
from tablehound.retrieval.arrays import Array, ranges
from tablehound.retrieval.patterns.regex_syntax import OTHER
from tablehound.retrieval.patterns.trigrams import AllOf, AnyOf, Query, Window, required
from tablehound.retrieval.sealed_arrays import SealedArray
from tablehound.retrieval.value_index.bitmaps import Bitmaps
from tablehound.retrieval.value_index.segment_files import DTYPES

if TYPE_CHECKING:
    from pyroaring import BitMap

_LEAD = sum(1 << byte for byte in range(0xC2, 0xF5))
_NEXT = sum(1 << byte for byte in range(0x80, 0xC0))
_BYTES = (1 << 256) - 1
_PAIRS = 4_096
_TRIPLES = 65_536
USELESS = 0.4
"""A condition that this share of all values meets is not worth its bitmaps."""
_JUDGED_PER_BYTE = 1 / 400
"""Values that the engine judges in the time in which one byte of bitmap is read and combined."""
_JUDGED_PER_KEY = 12
"""The same for one bitmap more."""


@dataclass(frozen=True, slots=True)
class _Keys:
    """The trigrams of a window that occur, by place; what they cost, and how many values they leave at most."""

    places: Array
    most: int
    cost: float


class Prefilter:
    """The trigram files of a segment."""

    def __init__(self, keys: SealedArray, counts: SealedArray, bitmaps: Bitmaps) -> None:
        self._keys = keys
        self._counts = counts
        self._bitmaps = bitmaps

    @classmethod
    def open(cls, folder: SealedFolder, below: str = "") -> Prefilter:
        """Open the trigram files of a segment, or those in a folder ``below`` it (with a slash)."""
        keys, ends, counts = (
            SealedArray.flat(folder.file(below + name), DTYPES[name])
            for name in ("trigram_keys", "trigram_ends", "trigram_counts")
        )
        return cls(keys, counts, Bitmaps(folder.file(f"{below}trigrams.bin"), ends))

    def survivors(self, expression: str, n_values: int) -> Array | None:
        """Ids of values among which all matches are, ascending; None when they may be anywhere."""
        query = _required(expression)
        found = None if query is None else self._evaluate(query, n_values)
        return None if found is None else np.frombuffer(found.to_array(), np.uint32)

    def postings(self, trigrams: Array) -> list[BitMap]:
        """Ids of the values that have each of the trigrams, where any has."""
        return [self._bitmaps[place] for place in self._present(trigrams).tolist()]

    def _evaluate(self, query: Query, n_values: int) -> BitMap | None:
        from pyroaring import BitMap

        if isinstance(query, Window):
            keys = self._find(query)
            return None if keys is None or keys.most > USELESS * n_values else self._union(keys)
        if isinstance(query, AnyOf):
            parts = []
            for part in query.parts:
                found = self._evaluate(part, n_values)
                if found is None:
                    return None
                parts.append(found)
            return BitMap.union(*parts)
        return self._intersection(query, n_values)

    def _intersection(self, query: AllOf, n_values: int) -> BitMap | None:
        trigrams = [key for part in query.parts if isinstance(part, Window) and (key := _trigram(part)) is not None]
        windows = self._find_trigrams(trigrams)
        for part in query.parts:
            if isinstance(part, Window) and _trigram(part) is None and (keys := self._find(part)) is not None:
                windows.append(keys)
        windows = [keys for keys in windows if keys.most <= USELESS * n_values]
        windows.sort(key=lambda keys: (keys.most + keys.cost, keys.most))
        found: BitMap | None = None
        left = gone = n_values
        for keys in windows:
            if found is None:
                found = self._union(keys)
            elif left <= keys.cost or gone <= keys.cost:
                # Judging what is left is cheaper than looking further, or the last look removed few.
                break
            else:
                found &= self._union(keys)
            gone, left = left - len(found), len(found)
            if not found:
                return found
        for part in query.parts:
            if not isinstance(part, Window) and (found is None or len(found) > 1_000):
                more = self._evaluate(part, n_values)
                if more is not None:
                    found = more if found is None else found & more
        return found

    def _union(self, keys: _Keys) -> BitMap:
        from pyroaring import BitMap

        maps = [self._bitmaps[place] for place in keys.places.tolist()]
        if not maps:
            return BitMap()
        return maps[0] if len(maps) == 1 else BitMap.union(*maps)

    def _find_trigrams(self, trigrams: list[int]) -> list[_Keys]:
        """The same as :meth:`_find` for windows of one trigram each."""
        if not trigrams or not len(self._keys):
            return [_Keys(np.zeros(0, np.int64), 0, 0.0) for _ in trigrams]
        wanted = np.array(trigrams, np.uint32)
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        if (self._keys[places] != wanted).any():
            return [_Keys(np.zeros(0, np.int64), 0, 0.0)]
        ends = self._bitmaps.ends[places].tolist()
        starts = [int(self._bitmaps.ends[place - 1]) if place else 0 for place in places.tolist()]
        counts = self._counts[places].tolist()
        return [
            _Keys(places[i : i + 1], counts[i], (ends[i] - starts[i]) * _JUDGED_PER_BYTE + _JUDGED_PER_KEY)
            for i in range(len(trigrams))
        ]

    def _find(self, window: Window) -> _Keys | None:
        places: list[Array] = []
        for masks in _products(window):
            found = self._places(*masks)
            if found is None:
                return None
            places.append(found)
        chosen = np.unique(np.concatenate(places)) if len(places) > 1 else places[0]
        ends = self._bitmaps.ends[chosen].astype(np.int64)
        starts = np.where(chosen > 0, self._bitmaps.ends[np.maximum(chosen, 1) - 1].astype(np.int64), 0)
        size = int((ends - starts).sum())
        cost = size * _JUDGED_PER_BYTE + len(chosen) * _JUDGED_PER_KEY
        return _Keys(chosen, int(self._counts[chosen].sum(dtype=np.int64)), cost)

    def _present(self, wanted: Array) -> Array:
        """Places of those of the wanted trigrams that occur."""
        if not len(self._keys):
            return np.zeros(0, np.int64)
        at = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        places: Array = at[self._keys[at] == wanted]
        return places

    def _places(self, first: int, second: int, third: int) -> Array | None:
        """Places of the trigrams that occur, of one byte from each set; None when there would be too many to try."""
        a, b, c = _bytes(first), _bytes(second), _bytes(third)
        if len(a) * len(b) * len(c) <= 256:
            return self._present(_triples(a, b, c))
        if len(a) * len(b) <= _PAIRS:
            pairs = ((a[:, None] << 16) | (b[None, :] << 8)).ravel()
            starts = np.searchsorted(self._keys, pairs)
            stops = np.searchsorted(self._keys, pairs + np.uint32(256))
            lengths = stops - starts
            places = ranges(starts, lengths)
            if third == _BYTES:
                return places
            allowed = np.zeros(256, bool)
            allowed[c] = True
            kept: Array = places[allowed[self._keys[places] & np.uint32(0xFF)]]
            return kept
        if len(a) * len(b) * len(c) <= _TRIPLES:
            return self._present(_triples(a, b, c))
        return None


_required = lru_cache(maxsize=1024)(required)


def _triples(a: Array, b: Array, c: Array) -> Array:
    wanted: Array = ((a[:, None, None] << 16) | (b[None, :, None] << 8) | c[None, None, :]).ravel()
    return wanted


def _products(window: Window) -> list[tuple[int, int, int]]:
    """Sets of bytes for the three places of a trigram that a text matched by the window has: at least one applies.

    A character beyond ASCII is a lead byte and one or more next bytes; it fills the window with what surrounds it.
    """
    a, b, c = window.elements
    products = [(a & _BYTES, b & _BYTES, c & _BYTES)]
    if a & OTHER:
        products.append((_NEXT, b & _BYTES, c & _BYTES))
        if c & OTHER:
            products.append((_NEXT, b & _BYTES, _LEAD))
    if b & OTHER:
        products.append((a & _BYTES, _LEAD, _NEXT))
        if a & OTHER:
            products.append((_NEXT, _LEAD, _NEXT))
    if c & OTHER:
        products.append((a & _BYTES, b & _BYTES, _LEAD))
    return [product for product in products if all(product)] or [(0, 0, 0)]


@lru_cache(maxsize=4096)
def _trigram(window: Window) -> int | None:
    """The one trigram that a window allows, if it is one."""
    key = 0
    for element in window.elements:
        if element.bit_count() != 1 or element == OTHER:
            return None
        key = key << 8 | (element.bit_length() - 1)
    return key


@lru_cache(maxsize=4096)
def _bytes(mask: int) -> Array:
    bits = np.frombuffer(mask.to_bytes(32, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(bits, bitorder="little")).astype(np.uint32)
