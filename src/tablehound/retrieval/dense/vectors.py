"""The vector index: one vector per table, per header and per column, in one byte a dimension.

A segment is a folder: ``tables.npy``, ``headers.npy`` (int8, one row per table), ``columns.npy`` with
``column_ends.npy``, ``about.json`` with the embedder's name, and ``tables.faiss`` for large segments.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tablehound.lake import SealedFolder, Segment, SegmentPlan, opening_segment, seal
from tablehound.retrieval.dense.embedder import Embedder, open_embedder
from tablehound.retrieval.sealed_arrays import SealedArray
from tablehound.retrieval.terms.segments import plan_segments

if TYPE_CHECKING:
    from tablehound.lake import Lake

KIND = "vectors"
SAMPLE_ROWS = 3
SAMPLE_VALUES = 8
MAX_CELL_CHARS = 60
BRUTE_FORCE_TABLES = 50_000
"""Up to here every vector is compared; larger segments are searched with FAISS where it is installed."""
LISTS = 1_024
"""Inverted lists of a FAISS index, for segments of a million tables; fewer for smaller ones."""
PROBED = 32
CHUNK = 8_192
ARRAYS = ("tables", "headers", "columns", "column_ends")
_SCALE = 127.0


@dataclass(frozen=True, slots=True)
class TableText:
    """What of a table is embedded: content only."""

    header: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]

    def table(self) -> str:
        """Header and first rows."""
        lines = [" | ".join(self.header)]
        lines += [" | ".join((cell or "")[:MAX_CELL_CHARS] for cell in row) for row in self.rows[:SAMPLE_ROWS]]
        return "\n".join(lines)

    def columns(self) -> list[str]:
        """Per column its name and first distinct values."""
        out = []
        for i, name in enumerate(self.header):
            values = dict.fromkeys((row[i] or "")[:MAX_CELL_CHARS] for row in self.rows if row[i])
            out.append(f"{name}: {', '.join(list(values)[:SAMPLE_VALUES])}")
        return out


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """One open segment."""

    table_ids: tuple[str, ...]
    embedder: str
    """The setting it was built with."""
    tables: NDArray[np.int8] | SealedArray
    headers: NDArray[np.int8] | SealedArray
    columns: NDArray[np.int8] | SealedArray
    column_ends: NDArray[np.int64] | SealedArray
    graph: Any = None
    """A FAISS index over ``tables``, or None."""

    @classmethod
    def build(
        cls,
        embedder: Embedder,
        table_ids: Sequence[str],
        texts: Sequence[TableText],
        *,
        columns: bool = True,
        name: str = "",
    ) -> VectorIndex:
        """Embed tables, headers and (unless off) columns; ``name`` is the setting, if not the embedder's own."""
        names = [" | ".join(text.header) for text in texts]
        of_columns = [text.columns() if columns else [] for text in texts]
        return cls(
            tuple(table_ids),
            name or embedder.name,
            _quantised(embedder, [text.table() for text in texts]),
            _quantised(embedder, names),
            _quantised(embedder, [column for one in of_columns for column in one]),
            np.cumsum([len(one) for one in of_columns], dtype=np.int64),
        )

    def save(self, folder: Path) -> None:
        """Write into a folder, and seal it."""
        for name in ARRAYS:
            np.save(folder / f"{name}.npy", np.asarray(getattr(self, name)))
        (folder / "about.json").write_text(json.dumps({"embedder": self.embedder}), encoding="utf-8")
        if len(self.tables) > BRUTE_FORCE_TABLES and importlib.util.find_spec("faiss"):
            import faiss

            lists = max(1, min(LISTS, len(self.tables) // 64))
            graph = faiss.index_factory(self.tables.shape[1], f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
            exact = np.asarray(self.tables).astype(np.float32) / _SCALE
            graph.train(exact[:: max(1, len(exact) // (256 * lists))])
            graph.add(exact)
            faiss.write_index(graph, str(folder / "tables.faiss"))
        seal(folder)

    @classmethod
    def load(cls, folder: Path, table_ids: Sequence[str]) -> VectorIndex:
        """Open a folder, memory-mapped. What is read of it is checked against its seal.

        Raises:
            LakeDamagedError: here and by all that reads; it is not as it was written.
        """
        sealed = SealedFolder(folder)
        about = _about(sealed)
        arrays = {name: SealedArray.npy(sealed.file(f"{name}.npy")) for name in ARRAYS}
        graph: Any = None
        if "tables.faiss" in sealed.names() and importlib.util.find_spec("faiss"):
            import faiss

            sealed.file("tables.faiss").check_all()
            graph = faiss.read_index(str(folder / "tables.faiss"), faiss.IO_FLAG_MMAP)
            graph.nprobe = PROBED
        return cls(tuple(table_ids), about["embedder"], graph=graph, **arrays)

    def nearest_tables(self, query: NDArray[np.float32], count: int) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """Local numbers of the nearest tables, best first, with their cosines. ``query`` is one unit vector (D,)."""
        if self.graph is not None:
            found = self.graph.search(query[None, :].astype(np.float32), count)[1][0]
            keys = np.sort(found[found >= 0])
            return _sorted(keys, similarities(self.tables, query, keys), count)
        every = np.arange(len(self.tables))
        return _sorted(every, similarities(self.tables, query), count)

    def word_columns(self, words: NDArray[np.float32], chosen: NDArray[Any]) -> NDArray[np.float32]:
        """(len(chosen), W) for each chosen table and each word's unit vector (W, D), the cosine with the column that is
        nearest to the word (late interaction, as in ColBERT, with columns in place of a document's tokens)."""
        ends = self.column_ends[chosen]
        begin = np.where(chosen > 0, self.column_ends[np.maximum(chosen, 1) - 1], 0)
        out = np.zeros((len(chosen), len(words)), np.float32)
        some = np.flatnonzero(ends > begin)
        if not len(some) or not len(words):
            return out
        many = (ends - begin)[some]
        first = np.cumsum(many) - many
        source = np.arange(int(many.sum())) + np.repeat(begin[some] - first, many)
        cosines = self.columns[source].astype(np.float32) @ words.T / _SCALE
        out[some] = np.maximum.reduceat(cosines, first, axis=0)
        return out


def _about(folder: SealedFolder) -> dict[str, str]:
    about: dict[str, str] = json.loads(folder.text("about.json"))
    return about


def similarities(
    vectors: NDArray[np.int8] | SealedArray, query: NDArray[np.float32], chosen: NDArray[Any] | None = None
) -> NDArray[np.float32]:
    """Cosines of a unit vector (D,) with all rows, or with the chosen ones."""
    count = len(vectors) if chosen is None else len(chosen)
    out = np.empty(count, np.float32)
    for start in range(0, count, CHUNK):
        part = vectors[start : start + CHUNK] if chosen is None else vectors[chosen[start : start + CHUNK]]
        out[start : start + CHUNK] = part.astype(np.float32) @ query / _SCALE
    return out


def _sorted(
    numbers: NDArray[Any], cosines: NDArray[np.float32], count: int
) -> tuple[NDArray[Any], NDArray[np.float32]]:
    best = np.lexsort((numbers, -cosines))[:count]
    return numbers[best], cosines[best]


def _quantised(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.int8]:
    out = np.zeros((len(texts), embedder.dimensions), np.int8)
    for start in range(0, len(texts), CHUNK):
        part = embedder.embed(texts[start : start + CHUNK])
        out[start : start + CHUNK] = np.round(part * _SCALE).astype(np.int8)
    return out


@dataclass(frozen=True, slots=True)
class VectorIndexBuilder:
    """Builds segments of vectors; a :class:`SegmentBuilder`, used when ``search.embedder`` is set."""

    embedder: str

    @property
    def kind(self) -> str:
        return KIND

    def plan(self, existing: Sequence[Segment], live: Sequence[str]) -> SegmentPlan:
        """See :meth:`SegmentBuilder.plan`. Segments of another embedder are replaced."""
        same = [s for s in existing if _about(SealedFolder(s.path))["embedder"] == self.embedder]
        other = tuple(s.name for s in existing if s not in same)
        planned = plan_segments(same, live)
        return SegmentPlan(tuple(sorted((*other, *planned.drop))), planned.build)

    def build(self, lake: Lake, table_ids: Sequence[str], folder: Path) -> None:
        """See :meth:`SegmentBuilder.build`."""
        texts = []
        for table_id in table_ids:
            table = lake.table(table_id)
            rows = tuple(table.rows(range(min(table.n_rows, 4 * SAMPLE_VALUES))))
            texts.append(TableText(table.header, rows))
        VectorIndex.build(open_embedder(self.embedder), table_ids, texts, name=self.embedder).save(folder)


def open_vectors(lake: Lake) -> list[VectorIndex]:
    """The vector segments of a lake; empty when it was indexed without an embedder."""
    indexes = []
    for segment in lake.segments(KIND):
        with opening_segment(segment.path):
            indexes.append(VectorIndex.load(segment.path, segment.table_ids))
    return indexes
