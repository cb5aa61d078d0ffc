"""The inverted term index: which tables, cells and places contain a term.

One segment is a folder of memory-mapped arrays over a sorted list of tables:

* ``terms``/``term_ends``: distinct terms, sorted, as UTF-8 with end offsets;
* ``pair_ends``: per term, the end of its run in the pair arrays;
* ``pair_table``, ``pair_count``: one entry per (term, table), tables ascending, with the number of occurrences;
* ``place_ends``: per term, the end of its run in the place arrays;
* ``place_cell``, ``place_span``: for each pair, its first occurrences: cell number (row * width + column, the header
  being row 0), and in one byte the token offset within the cell and the tokens of the cell (both capped at 15);
* ``labels_*``: the same term -> table pairs for titles and file names, which are no content;
* ``sizes``: per table tokens, rows (with the header) and columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tablehound.lake import SealedFolder, seal
from tablehound.retrieval.arrays import Array, ranges
from tablehound.retrieval.sealed_arrays import SealedArray
from tablehound.retrieval.terms.batch import TermNumbers, TermsOfTexts

VERSION = 2
"""Format of the files: to be raised with every change of it, ``MAX_PLACES`` and the rules of ``terms`` included."""
MAX_PLACES = 16
"""Occurrences of a term that are kept per table; more add nothing to a ranking."""
CELLS_AT_ONCE = 500_000
"""Cells that are cut into terms together."""
_CAP = 15
_LAST_CELL = (1 << 28) - 1
_MOST = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class _Postings:
    """Terms of one table, ascending, with their counts and first places."""

    terms: Array
    counts: Array
    packed: Array
    """One number per place (term, cell, span): a plain sort brings them in the order of the postings."""

    @classmethod
    def of(cls, packed: Array) -> _Postings:
        packed.sort()
        first = np.flatnonzero(np.diff(packed >> 36, prepend=-1))
        return cls((packed >> 36)[first], np.diff(first, append=len(packed)), _first_places(packed))

    def and_later(self, other: _Postings) -> _Postings:
        """With those of rows that come later."""
        terms, inverse = np.unique(np.concatenate([self.terms, other.terms]), return_inverse=True)
        counts = np.bincount(inverse, np.concatenate([self.counts, other.counts]), len(terms)).astype(np.int64)
        packed = np.concatenate([self.packed, other.packed])
        packed.sort()
        return _Postings(terms, counts, _first_places(packed))

    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """Terms, counts, cells and spans."""
        return (
            self.terms.astype(np.uint32),
            np.minimum(self.counts, _MOST).astype(np.uint32),
            (self.packed >> 8 & _LAST_CELL).astype(np.uint32),
            (self.packed & 255).astype(np.uint8),
        )


def _first_places(packed: Array) -> Array:
    term = packed >> 36
    first = np.flatnonzero(np.diff(term, prepend=-1))
    nth = np.arange(len(term)) - np.repeat(first, np.diff(first, append=len(term)))
    kept: Array = packed[nth < MAX_PLACES]
    return kept


def _append(stretches: list[tuple[int, _Postings]], postings: _Postings) -> None:
    """Add the postings of later rows. Stretches merge with their like: each term is moved a few times, however many
    stretches a large table has."""
    level = 0
    while stretches and stretches[-1][0] == level:
        postings = stretches.pop()[1].and_later(postings)
        level += 1
    stretches.append((level, postings))


def _merged(stretches: list[tuple[int, _Postings]]) -> _Postings:
    _, postings = stretches[-1]
    for _, before in reversed(stretches[:-1]):
        postings = before.and_later(postings)
    return postings


@dataclass(frozen=True, slots=True)
class _Piece:
    """Cells of a table that wait to be cut into terms."""

    table: int
    cells: Array
    """The number of each cell."""


@dataclass(slots=True)
class TermIndexWriter:
    """Collects the terms of tables one by one; ``arrays`` gives the finished segment.

    Cells of many tables are cut into terms together. Memory is bounded by these, and by the distinct terms and their
    first places in each table."""

    _terms: TermNumbers = field(default_factory=TermNumbers)
    _tables: list[list[tuple[int, _Postings]]] = field(default_factory=list)
    """Per table the postings of its stretches of rows, in order, each with how often it was merged."""
    _tokens: list[int] = field(default_factory=list)
    _shapes: list[tuple[int, int]] = field(default_factory=list)
    _labels: list[tuple[int, ...]] = field(default_factory=list)
    _waiting: list[_Piece] = field(default_factory=list)
    _texts: list[Any] = field(default_factory=list)
    _n_waiting: int = 0

    def add(self, header: Sequence[str], columns: Sequence[Any], label: str = "") -> None:
        """Add a table: its header, one Arrow array (or list) of raw texts per column, and title with file name."""
        self.add_batches(header, [columns] if columns else [], label)

    def add_batches(self, header: Sequence[str], batches: Iterable[Sequence[Any]], label: str = "") -> None:
        """Add a table whose rows come in batches."""
        width = max(1, len(header))
        table = len(self._tables)
        self._tables.append([])
        self._tokens.append(0)
        self._labels.append(tuple(sorted(set(self._terms.of(label)))))
        self._wait(table, [list(header)], np.arange(len(header)))
        n_rows = 0
        for columns in batches:
            rows = len(columns[0]) if columns else 0
            # Columns come one after another; cell numbers go row by row, the header being row 0.
            body = np.arange(rows * width)
            self._wait(table, columns, (body % max(rows, 1) + 1 + n_rows) * width + body // max(rows, 1))
            n_rows += rows
        self._shapes.append((min(n_rows + 1, _MOST), width))

    def _wait(self, table: int, columns: Sequence[Any], cells: Array) -> None:
        import pyarrow as pa

        for column in columns:
            part = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column, pa.string())
            self._texts.extend(part.chunks if isinstance(part, pa.ChunkedArray) else [part])
        self._waiting.append(_Piece(table, cells))
        self._n_waiting += len(cells)
        if self._n_waiting >= CELLS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        """Cut what waits into terms."""
        import pyarrow as pa

        if not self._waiting:
            return
        coded = pa.concat_arrays([pa.array([], pa.string()), *(t.cast(pa.string()) for t in self._texts)])
        coded = coded.dictionary_encode()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        known = self._terms.of_texts(coded.dictionary)
        end = 0
        for piece in self._waiting:
            start, end = end, end + len(piece.cells)
            packed = _occurrences(codes[start:end], piece.cells, known)
            self._tokens[piece.table] += len(packed)
            _append(self._tables[piece.table], _Postings.of(packed))
        self._waiting, self._texts, self._n_waiting = [], [], 0

    def arrays(self) -> dict[str, Array]:
        """The segment's arrays by name."""
        self._flush()
        ordered = sorted(self._terms.ids)
        place = np.empty(len(ordered), np.uint32)
        for new, term in enumerate(ordered):
            place[self._terms.ids[term]] = new
        encoded = [term.encode() for term in ordered]
        tables = [_merged(stretches).arrays() for stretches in self._tables if stretches]
        term_of = _joined([place[t[0]] for t in tables], np.uint32)
        table_of = np.repeat(np.arange(len(tables), dtype=np.uint32), [len(t[0]) for t in tables])
        count = _joined([t[1] for t in tables], np.uint32)
        kept = np.minimum(count, MAX_PLACES).astype(np.int64)
        begin = np.cumsum(kept) - kept
        order = np.argsort(term_of, kind="stable")
        source = ranges(begin[order], kept[order])
        labels = np.array([t for ids in self._labels for t in ids], np.int64)
        label_table = np.repeat(np.arange(len(self._labels), dtype=np.uint32), [len(ids) for ids in self._labels])
        label_term = place[labels] if len(labels) else np.zeros(0, np.uint32)
        label_order = np.argsort(label_term, kind="stable")
        size = len(ordered)
        places = np.bincount(term_of, weights=kept, minlength=size)
        number = np.uint16 if len(tables) <= 65_536 else np.uint32
        cell = _joined([t[2] for t in tables], np.uint32)[source]
        if len(cell) == 0 or cell.max() < 65_536:
            cell = cell.astype(np.uint16)
        return {
            "terms": np.frombuffer(b"".join(encoded), np.uint8),
            "term_ends": _ends(np.array([len(e) for e in encoded], np.int64)),
            "pair_ends": _ends(np.bincount(term_of, minlength=size)),
            "pair_table": table_of[order].astype(number),
            "pair_count": np.minimum(count[order], 65_535).astype(np.uint16),
            "place_ends": _ends(places),
            "place_cell": cell,
            "place_span": _joined([t[3] for t in tables], np.uint8)[source],
            "label_ends": _ends(np.bincount(label_term, minlength=size)),
            "label_table": label_table[label_order],
            "sizes": np.array(
                [(min(n, _MOST), *shape) for n, shape in zip(self._tokens, self._shapes, strict=True)], np.uint32
            ).reshape(-1, 3),
        }


def _occurrences(codes: Array, cells: Array, known: TermsOfTexts) -> Array:
    """All occurrences of terms as numbers (term, cell, span), unsorted.

    ``codes`` has for each cell the number of its text, -1 for none."""
    kept = codes >= 0
    codes, cells = codes[kept], cells[kept]
    counts = known.lengths[codes]
    owner = np.repeat(np.arange(len(codes)), counts)
    offset = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    term = known.flat[known.starts[codes][owner] + offset]
    span = np.minimum(offset, _CAP) * (_CAP + 1) + np.minimum(counts, _CAP)[owner]
    packed: Array = term << 36 | np.minimum(cells, _LAST_CELL)[owner] << 8 | span
    return packed


def _joined(parts: Sequence[Array], dtype: Any) -> Array:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def _ends(counts: Array) -> Array:
    """Where runs of these lengths end, in as few bytes as possible."""
    ends = np.cumsum(counts.astype(np.int64))
    return ends.astype(np.uint32) if len(ends) == 0 or ends[-1] < 1 << 32 else ends


@dataclass(frozen=True, slots=True)
class Places:
    """Occurrences of question terms in chosen tables, as parallel arrays."""

    term: Array
    """Index of the term in the request."""
    table: Array
    """Index of the table in the request."""
    row: Array
    """0 is the header."""
    column: Array
    offset: Array
    length: Array


@dataclass(frozen=True, slots=True)
class TermIndex:
    """One open segment."""

    table_ids: tuple[str, ...]
    arrays: Mapping[str, Array | SealedArray]
    """In memory, or over the files of a sealed folder."""

    @staticmethod
    def is_current(folder: Path) -> bool:
        """Whether a segment's folder is of the format that this version reads.

        Raises:
            LakeDamagedError: it is not as it was written.
        """
        return SealedFolder(folder).text("version.txt").strip() == str(VERSION)

    @classmethod
    def load(cls, folder: Path, table_ids: Sequence[str]) -> TermIndex:
        """Open a segment's folder, memory-mapped. What is read of it is checked against its seal.

        Raises:
            LakeDamagedError: here and by all that reads; it is not as it was written.
        """
        sealed = SealedFolder(folder)
        names = [name.removesuffix(".npy") for name in sealed.names() if name.endswith(".npy")]
        return cls(tuple(table_ids), {name: SealedArray.npy(sealed.file(f"{name}.npy")) for name in names})

    def save(self, folder: Path) -> None:
        """Write the arrays, and the version, into a folder, and seal it."""
        for name, array in self.arrays.items():
            np.save(folder / f"{name}.npy", np.asarray(array))
        (folder / "version.txt").write_text(f"{VERSION}\n", encoding="utf-8")
        seal(folder)

    @property
    def n_tables(self) -> int:
        return len(self.table_ids)

    @property
    def n_terms(self) -> int:
        return len(self.arrays["term_ends"])

    def term(self, number: int) -> str:
        """The term of a number."""
        ends = self.arrays["term_ends"]
        start = int(ends[number - 1]) if number else 0
        return bytes(self.arrays["terms"][start : int(ends[number])]).decode()

    def number(self, term: str) -> int:
        """The number of a term, -1 when it occurs in no table."""
        place = self._place(term.encode())
        return place if place < self.n_terms and self.term(place) == term else -1

    def _place(self, wanted: bytes) -> int:
        blob, ends = self.arrays["terms"], self.arrays["term_ends"]
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high) // 2
            start = int(ends[middle - 1]) if middle else 0
            if blob[start : int(ends[middle])].tobytes() < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def starting_with(self, prefix: str) -> range:
        """Numbers of the terms that start with the prefix."""
        first = self._place(prefix.encode())
        last = self._place(prefix.encode() + b"\xff")
        return range(first, last)

    def pairs(self, number: int) -> slice:
        """The run of a term in the pair arrays."""
        return _run(self.arrays["pair_ends"], number)

    def labelled(self, number: int) -> Array:
        """Tables whose title or file name contains the term."""
        tables: Array = self.arrays["label_table"][_run(self.arrays["label_ends"], number)]
        return tables

    def places(self, numbers: Sequence[int], tables: Array) -> Places:
        """Occurrences of the terms in the tables (local numbers, ascending)."""
        terms_of: list[Array] = []
        tables_of: list[Array] = []
        begin_of: list[Array] = []
        many_of: list[Array] = []
        for index, number in enumerate(numbers):
            run = self.pairs(number)
            held = self.arrays["pair_table"][run]
            if not len(held):
                continue  # the term occurs in titles and file names only
            at = np.searchsorted(held, tables.astype(held.dtype))
            hit = np.flatnonzero(held[np.minimum(at, len(held) - 1)] == tables)
            kept = np.minimum(self.arrays["pair_count"][run], MAX_PLACES).astype(np.int64)
            begin = np.cumsum(kept) - kept + _run(self.arrays["place_ends"], number).start
            terms_of.append(np.full(len(hit), index))
            tables_of.append(hit)
            begin_of.append(begin[at[hit]])
            many_of.append(kept[at[hit]])
        many = _joined(many_of, np.int64)
        source = ranges(_joined(begin_of, np.int64), many)
        table = np.repeat(_joined(tables_of, np.int64), many)
        cell = self.arrays["place_cell"][source].astype(np.int64)
        span = self.arrays["place_span"][source].astype(np.int64)
        width = np.maximum(self.arrays["sizes"][:, 2][tables].astype(np.int64), 1)[table]
        return Places(
            term=np.repeat(_joined(terms_of, np.int64), many),
            table=table,
            row=cell // width,
            column=cell % width,
            offset=span // (_CAP + 1),
            length=span % (_CAP + 1),
        )


def _run(ends: Array | SealedArray, number: int) -> slice:
    return slice(int(ends[number - 1]) if number else 0, int(ends[number]))
