"""The words of a segment's values: an index beside that of whole values, for patterns that match within one word.

A word is a longest run of word characters (``\\w+`` of the regex engine), its ASCII letters in lower case. A pattern of
word characters and word boundaries alone occurs in a value exactly when it occurs in one of its words. Few words match,
and their columns are neighbours; the values that match are many, and theirs are scattered.

Files of the folder ``words`` of a segment, memory-mapped:

=====================  =======  ==============================================================================
``values.arrow``                the distinct words, sorted
``trigram_*``                   their trigrams, as those of the values
``few_columns``        uint32   columns of the words that have few, one word after another, ascending
``few_offsets``        int32    per word, the start of its run, and the end of the last (int64 when too many)
``many_words``         uint32   words that have many columns, ascending …
``many_ends``          uint64   … the end of the bitmap of each in …
``many.bin``           bytes    … roaring bitmaps of columns
=====================  =======  ==============================================================================

A column's name counts as the column's number plus the number of columns, if the source gave the name.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tablehound.lake import SealedFolder
from tablehound.retrieval.arrays import Array, as_arrow, as_numpy, in_order, ranges
from tablehound.retrieval.patterns.folding import lower_ascii
from tablehound.retrieval.patterns.plain_text import matches, scan
from tablehound.retrieval.sealed_arrays import SealedArray, SealedLists, SealedTexts
from tablehound.retrieval.value_index.bitmaps import Bitmaps, write_bitmaps
from tablehound.retrieval.value_index.building.trigram_postings import write_trigrams
from tablehound.retrieval.value_index.prefilter import Prefilter
from tablehound.retrieval.value_index.segment_files import (
    ArrayFile,
    map_array,
    map_values,
    sealed_offsets,
    write_offsets,
    write_texts,
)

if TYPE_CHECKING:
    import pyarrow as pa

WORD = r"\w+"
MANY = 32
"""Columns from which on a word has a bitmap."""
MOST_WORDS = 50_000
"""A pattern that matches more words is looked up among the values."""
_BLOCK = 1 << 17
"""Values that are split into words at a time."""
_PAIRS = 1 << 24
"""Pairs of a word and a column that are brought in order at a time."""
_HIGH = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class Words:
    """The words of one open segment."""

    def __init__(self, segment: SealedFolder, n_columns: int) -> None:
        self._n_columns = n_columns
        self._words = SealedTexts(segment.file("words/values.arrow"))
        self._prefilter = Prefilter.open(segment, "words/")
        offsets = sealed_offsets(segment, "words/few_offsets", len(self._words))
        self._few = SealedLists(offsets, SealedArray.flat(segment.file("words/few_columns"), np.uint32))
        self._many_words = SealedArray.flat(segment.file("words/many_words"), np.uint32)
        ends = SealedArray.flat(segment.file("words/many_ends"), np.uint64)
        self._many = Bitmaps(segment.file("words/many.bin"), ends)

    def columns(
        self, expression: str, literals: tuple[bytes, ...] | None, pool: ThreadPoolExecutor
    ) -> tuple[Array, Array] | None:
        """Numbers of the columns with a cell in which a regex within words occurs, in any order, some more than once;
        and of those whose name has it, ascending. None when it matches more words than can be read.
        ``literals`` are those of the compiled pattern."""
        words = self._matching(expression, literals, pool)
        if len(words) > MOST_WORDS:
            return None
        columns = as_numpy(self._few.take(words).values)
        at = np.searchsorted(self._many_words, words)
        inside = at < len(self._many_words)
        at = at[inside]
        many = at[self._many_words[at] == words[inside]]
        if len(many):
            columns = np.concatenate([columns, self._union(many.tolist())])
        is_name = columns >= self._n_columns
        if not is_name.any():
            return columns, np.zeros(0, np.uint32)
        return columns[~is_name], np.unique(columns[is_name] - np.uint32(self._n_columns))

    def _union(self, places: list[int]) -> Array:
        from pyroaring import BitMap

        bitmaps = [self._many[place] for place in places]
        union = bitmaps[0] if len(bitmaps) == 1 else BitMap.union(*bitmaps)
        return np.frombuffer(union.to_array(), np.uint32)

    def _matching(self, expression: str, literals: tuple[bytes, ...] | None, pool: ThreadPoolExecutor) -> Array:
        survivors = self._prefilter.survivors(expression, len(self._words))
        if survivors is None:
            return scan(self._words, expression, literals, pool)
        matched: Array = survivors[matches(self._words.take(survivors), expression, literals)]
        return matched


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where the values of a segment occur, as written: the runs of columns of the values, and the names."""

    offsets: Array
    columns: Array
    names: Array
    """Per column the id of its name."""
    named: Array
    """Per column, whether the source gave the name."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Words of a block of values: their pairs with columns are spilled, sorted by word."""

    words: pa.Array
    """Distinct, sorted."""
    ends: Array
    """Per word the end of its pairs in the spilled file."""
    start: int


def write_words(values: pa.Array, where: Occurrences, folder: Path, work: Path) -> None:
    """Write the words of the values, and their columns, into the folder ``words`` of a segment."""
    target = folder / "words"
    target.mkdir()
    spilled = work / "word_pairs"
    blocks: list[_Block] = []
    size = 0
    with spilled.open("wb") as out:
        for words, pairs in _blocks(values, where):
            counts = np.bincount((pairs >> _HIGH).astype(np.int64), minlength=len(words))
            blocks.append(_Block(words, np.cumsum(counts) + size, size))
            out.write(pairs.data)
            size += len(pairs)
    places = _places([block.words for block in blocks])
    distinct = _distinct([block.words for block in blocks])
    write_texts(target / "values.arrow", distinct)
    write_trigrams(map_values(target / "values.arrow"), target, work)
    _write_columns(blocks, places, map_array(spilled, np.uint64), len(distinct), target)
    spilled.unlink()


def _blocks(values: pa.Array, where: Occurrences) -> Iterator[tuple[pa.Array, Array]]:
    """Per block of values its distinct words, sorted, and ``word << 32 | column``, sorted, distinct."""
    n_columns = len(where.names)
    own = np.flatnonzero(where.named)
    by_name = own[np.argsort(where.names[own], kind="stable")]
    names = where.names[by_name]
    name_columns = (by_name + n_columns).astype(np.uint32)
    for start in range(0, len(values), _BLOCK):
        texts = values.slice(start, _BLOCK)
        words, codes, holders = _words_of(texts)
        held = in_order((codes.astype(np.uint64) << _HIGH) | holders.astype(np.uint64))
        codes, holders = held >> _HIGH, (held & _LOW).astype(np.int64)
        offsets = where.offsets[start : start + len(texts) + 1].astype(np.int64)
        ids = np.arange(start, start + len(texts) + 1)
        cells = _pairs(codes, holders, offsets, where.columns)
        headers = _pairs(codes, holders, np.searchsorted(names, ids), name_columns)
        yield words, in_order(np.concatenate([cells, headers]))


def _pairs(codes: Array, holders: Array, offsets: Array, columns: Array) -> Array:
    """``word << 32 | column`` for each word and each column of each value that contains it."""
    counts = np.diff(offsets)[holders]
    starts = offsets[:-1][holders]
    pairs: Array = np.repeat(codes << _HIGH, counts) | columns[ranges(starts, counts)].astype(np.uint64)
    return pairs


def _words_of(texts: pa.Array) -> tuple[pa.Array, Array, Array]:
    """Distinct words, sorted; and for each occurrence the place of the word and of the text."""
    import polars as pl

    found = pl.Series("", lower_ascii(texts)).str.extract_all(WORD)
    counts = found.list.len().to_numpy()
    holders = np.repeat(np.arange(len(counts)), counts)
    flat = found.filter(pl.Series("", counts > 0)).explode()
    coded = flat.cast(pl.String).to_arrow().dictionary_encode()
    words, rank = _sorted(coded.dictionary)
    return words, rank[as_numpy(coded.indices)], holders


def _sorted(words: pa.Array) -> tuple[pa.Array, Array]:
    """Distinct texts sorted by their bytes, and the place of each among them."""
    import polars as pl

    order = pl.Series("", words, dtype=pl.String).arg_sort().to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return words.take(as_arrow(order)), rank


def _distinct(blocks: list[pa.Array]) -> pa.Array:
    import pyarrow as pa

    if not blocks:
        return pa.array([], pa.large_string())
    return _sorted(pa.concat_arrays(blocks).unique())[0]


def _places(blocks: list[pa.Array]) -> list[Array]:
    """Per block the place of each of its words among all."""
    import pyarrow as pa

    if not blocks:
        return []
    coded = pa.concat_arrays(blocks).dictionary_encode()
    every = _sorted(coded.dictionary)[1][as_numpy(coded.indices)]
    return np.split(every, np.cumsum([len(block) for block in blocks])[:-1])


def _write_columns(blocks: list[_Block], places: list[Array], pairs: Array, n_words: int, target: Path) -> None:
    totals = np.zeros(n_words, np.int64)
    for block, place in zip(blocks, places, strict=True):
        totals[place] += np.diff(block.ends, prepend=block.start)
    sums = np.cumsum(totals)
    few_counts: list[Array] = []
    many_words: list[Array] = []
    many_ends: list[Array] = []
    size = first = 0
    few = ArrayFile(target / "few_columns", np.uint32)
    with (target / "many.bin").open("wb") as out:
        while first < n_words:
            done = int(sums[first - 1]) if first else 0
            after = max(first + 1, int(np.searchsorted(sums, done + _PAIRS, side="right")))
            joined = _range(blocks, places, pairs, first, after)
            word = (joined >> _HIGH).astype(np.int64) - first
            columns = (joined & _LOW).astype(np.uint32)
            counts = np.bincount(word, minlength=after - first)
            is_few = counts < MANY
            few.append(columns[is_few[word]])
            few_counts.append(np.where(is_few, counts, 0))
            ends = write_bitmaps(out, columns[~is_few[word]], np.cumsum(counts[~is_few]))
            many_words.append((np.flatnonzero(~is_few) + first).astype(np.uint32))
            many_ends.append(ends + np.uint64(size))
            size += int(ends[-1]) if len(ends) else 0
            first = after
    few.close()
    write_offsets(target / "few_offsets", np.concatenate(few_counts) if few_counts else np.zeros(0, np.int64))
    np.concatenate([np.zeros(0, np.uint32), *many_words]).tofile(target / "many_words")
    np.concatenate([np.zeros(0, np.uint64), *many_ends]).tofile(target / "many_ends")


def _range(blocks: list[_Block], places: list[Array], pairs: Array, first: int, after: int) -> Array:
    """``word << 32 | column`` of all blocks for a range of words, sorted, distinct."""
    parts = []
    for block, place in zip(blocks, places, strict=True):
        low, high = np.searchsorted(place, (first, after))
        if low < high:
            start = int(block.ends[low - 1]) if low else block.start
            part = pairs[start : int(block.ends[high - 1])]
            parts.append((place[(part >> _HIGH).astype(np.int64)].astype(np.uint64) << _HIGH) | (part & _LOW))
    return in_order(np.concatenate(parts) if parts else np.zeros(0, np.uint64))
