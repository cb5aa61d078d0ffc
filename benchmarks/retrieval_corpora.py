"""The public corpora of the ranking benchmarks, read straight from their archives: content only."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.dense import TableText, VectorIndex
from tablehound.retrieval.dense.embedder import Embedder
from tablehound.retrieval.dense.vectors import similarities
from tablehound.retrieval.ranking.shortlist import DenseScores
from tablehound.retrieval.terms.index import TermIndex, TermIndexWriter

Rows = list[list[str]]


def data_folder(given: Path | None) -> Path:
    """``--data``, else TABLEHOUND_DATA, else beside the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return given or Path(os.environ.get("TABLEHOUND_DATA", beside))


def read_tables(archive: Path, delimiter: str) -> dict[str, Rows]:
    """Member name -> rows, the header first, every row as wide as the header."""
    out: dict[str, Rows] = {}
    with zipfile.ZipFile(archive) as members:
        for name in sorted(members.namelist()):
            text = members.read(name).decode("utf-8")
            if delimiter == "#":
                rows = [line.split("#") for line in text.split("\n") if line]
            else:
                rows = list(csv.reader(io.StringIO(text)))
            if rows:
                width = len(rows[0])
                out[name] = [(row + [""] * width)[:width] for row in rows]
    return out


def read_lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def build_index(tables: dict[str, Rows]) -> TermIndex:
    writer = TermIndexWriter()
    for rows in tables.values():
        writer.add(rows[0], [[row[i] for row in rows[1:]] for i in range(len(rows[0]))])
    return TermIndex(tuple(tables), writer.arrays())


def table_text(rows: Rows) -> TableText:
    return TableText(tuple(rows[0]), tuple(tuple(row) for row in rows[1:33]))


@dataclass
class Vectors:
    """Vectors of tables and questions, kept in a folder between runs."""

    embedder: Embedder
    cache: Path

    def tables(self, name: str, tables: dict[str, Rows]) -> VectorIndex:
        folder = self.cache / f"{self.embedder.name}-{name}"
        if not (folder / "about.json").is_file():
            folder.mkdir(parents=True, exist_ok=True)
            texts = [table_text(rows) for rows in tables.values()]
            VectorIndex.build(self.embedder, list(tables), texts).save(folder)
        return VectorIndex.load(folder, tuple(tables))

    def questions(self, name: str, texts: list[str]) -> dict[str, NDArray[np.float32]]:
        """Question -> (1 + W, D) vectors of it and of its words."""
        path = self.cache / f"{self.embedder.name}-{name}-questions.npz"
        if not path.is_file():
            self.cache.mkdir(parents=True, exist_ok=True)
            vectors = [self.embedder.embed_words(text) for text in texts]
            ends = np.cumsum([len(part) for part in vectors])
            np.savez(path, vectors=np.concatenate(vectors).astype(np.float16), ends=ends)
        with np.load(path) as kept:
            parts = np.split(kept["vectors"].astype(np.float32), kept["ends"][:-1])
        return dict(zip(texts, parts, strict=True))


@dataclass
class Nearness:
    """Question -> cosines with the tables of one index."""

    parts: list[VectorIndex]
    vectors: dict[str, NDArray[np.float32]]

    def __call__(self, question: str) -> DenseScores:
        words = self.vectors[question]
        table = np.concatenate([similarities(part.tables, words[0]) for part in self.parts])
        header = np.concatenate([similarities(part.headers, words[0]) for part in self.parts])
        return DenseScores([table], [header], lambda chosen: self._columns(words, chosen))

    def _columns(self, words: NDArray[np.float32], chosen: NDArray[Any]) -> NDArray[np.float32]:
        out = np.zeros((len(chosen), len(words)), np.float32)
        begin = 0
        for part in self.parts:
            mine = np.flatnonzero((chosen >= begin) & (chosen < begin + len(part.table_ids)))
            out[mine] = part.word_columns(words, chosen[mine] - begin)
            begin += len(part.table_ids)
        return out
