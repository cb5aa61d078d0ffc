"""Third stage of a build: for each trigram, a compressed bitmap of the values that have it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tablehound.retrieval.arrays import Array, in_order
from tablehound.retrieval.patterns.folding import folded_bytes
from tablehound.retrieval.patterns.regex_syntax import END, START
from tablehound.retrieval.value_index.bitmaps import write_bitmaps
from tablehound.retrieval.value_index.segment_files import write_array

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 16
_THREADS = 2


def trigrams_of(texts: pa.Array) -> tuple[Array, Array]:
    """Trigrams of at most 65,536 texts: sorted distinct pairs as trigrams (uint32) and places of texts (uint16)."""
    return _trigrams(*folded_bytes(texts))


def _trigrams(data: Array, offsets: Array) -> tuple[Array, Array]:
    n = len(offsets) - 1
    lengths = np.diff(offsets)
    # Each text between its two marks; the empty one has a further mark, so that it has a trigram too.
    sizes = lengths + 2 + (lengths == 0)
    ends = np.cumsum(sizes)
    begins = ends - sizes
    marked = np.full(int(ends[-1]) if n else 0, END, np.uint8)
    marked[begins] = START
    places = np.repeat(np.arange(n, dtype=np.uint32), sizes)
    inside = np.ones(len(marked), bool)
    inside[begins] = False
    inside[ends - 1] = False
    inside[(ends - 2)[lengths == 0]] = False
    marked[inside] = data
    wide = marked.astype(np.uint32)
    keys = (wide[:-2] << 16) | (wide[1:-1] << 8) | wide[2:]
    within = places[:-2] == places[2:]
    packed = (keys[within].astype(np.uint64) << np.uint64(16)) | places[:-2][within]
    packed = in_order(packed)
    return (packed >> np.uint64(16)).astype(np.uint32), packed.astype(np.uint16)


def write_trigrams(texts: pa.Array, folder: Path, work: Path) -> Array:
    """Write the trigram files of a segment for its values. Returns (n, 2) uint64: which ASCII characters each text
    has, as bits."""
    characters = np.zeros((len(texts), 2), np.uint64)
    runs: list[tuple[Array, Array]] = []
    spilled = work / "trigram_places"
    starts = range(0, len(texts), BLOCK)
    with ThreadPoolExecutor(_THREADS) as pool, spilled.open("wb") as out:
        # A few blocks at a time, so that memory stays bounded.
        for group in range(0, len(starts), _THREADS):
            blocks = [texts.slice(start, BLOCK) for start in starts[group : group + _THREADS]]
            for number, (keys, places, of_block) in enumerate(pool.map(_of_block, blocks)):
                start = starts[group + number]
                characters[start : start + BLOCK] = of_block
                change = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else keys
                distinct = keys[change]
                counts = np.diff(np.append(change, len(keys))).astype(np.uint32)
                runs.append((distinct, counts))
                out.write(places.data)
    keys = np.unique(np.concatenate([np.zeros(0, np.uint32), *(distinct for distinct, _ in runs)]))
    totals = np.zeros(len(keys), np.int64)
    for distinct, counts in runs:
        totals[np.searchsorted(keys, distinct)] += counts
    ends = np.cumsum(totals)
    ids = _scatter(spilled, runs, keys, ends, work)
    spilled.unlink()
    with (folder / "trigrams.bin").open("wb") as out:
        byte_ends = write_bitmaps(out, ids, ends)
    del ids
    (work / "trigram_ids").unlink(missing_ok=True)
    write_array(folder, "trigram_keys", keys)
    write_array(folder, "trigram_ends", byte_ends)
    write_array(folder, "trigram_counts", totals)
    return characters


def _of_block(texts: pa.Array) -> tuple[Array, Array, Array]:
    """The trigrams of a block, and which characters each text has."""
    data, offsets = folded_bytes(texts)
    return *_trigrams(data, offsets), _characters(data, offsets)


def _characters(data: Array, offsets: Array) -> Array:
    """(n, 2) uint64: which ASCII characters each text has, as bits."""
    characters = np.zeros((len(offsets) - 1, 2), np.uint64)
    starts, filled = offsets[:-1], np.diff(offsets) > 0
    if filled.any():
        bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
        for word in (0, 1):
            of_byte = np.zeros(256, np.uint64)
            of_byte[word * 64 : (word + 1) * 64] = bits
            characters[filled, word] = np.bitwise_or.reduceat(of_byte[data], starts[filled])
    return characters


def _scatter(spilled: Path, runs: list[tuple[Array, Array]], keys: Array, ends: Array, work: Path) -> Array:
    """Value ids of all trigrams, one trigram after another."""
    total = int(ends[-1]) if len(ends) else 0
    if not total:
        return np.zeros(0, np.uint32)
    cursor = np.concatenate(([0], ends[:-1]))
    # Plain arrays over the mappings: the class of memmap costs time with every slice.
    ids = np.asarray(np.memmap(work / "trigram_ids", dtype=np.uint32, mode="w+", shape=(total,)))
    places = np.asarray(np.memmap(spilled, dtype=np.uint16, mode="r"))
    at = 0
    for block, (distinct, counts) in enumerate(runs):
        rank = np.searchsorted(keys, distinct)
        size = int(counts.sum())
        begin = np.cumsum(counts, dtype=np.int64) - counts
        to = np.arange(size) + np.repeat(cursor[rank] - begin, counts)
        ids[to] = places[at : at + size].astype(np.uint32) + np.uint32(block * BLOCK)
        cursor[rank] += counts
        at += size
    return ids
