"""The adapter for TARGET: on a double of its base class, and on the real one where it is installed."""

from __future__ import annotations

import sys
import types
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import pytest

from tablehound.errors import MissingExtraError, UsageError
from tablehound.evaluation import target_retriever
from tablehound.evaluation.target import LakeRetriever
from tablehound.settings import Settings

CORPUS: list[dict[str, list[Any]]] = [
    {
        "table": [
            [["planet", "moons"], ["Mars", "2"], ["Saturn", "82"]],
            [["river", "length"], ["Glomma", "621"], ["Torne", None]],
        ],
        "table_id": ["t1", "t2"],
        "database_id": ["d", "d"],
        "context": [{}, {}],
    },
    {"table": [[["city", "country"], ["Oslo", "Norway"]]], "table_id": ["t3"], "database_id": ["e"], "context": [{}]},
]


def double() -> types.ModuleType:
    """TARGET's class as published in 0.1.3: the abstract methods, and the batch that calls ``retrieve``."""

    class AbsCustomEmbeddingRetriever(ABC):
        def __init__(self, expected_corpus_format: str = "nested array") -> None:
            self.expected_corpus_format = expected_corpus_format

        def get_expected_corpus_format(self) -> str:
            return self.expected_corpus_format

        def retrieve_batch(
            self, queries: dict[str, list[Any]], dataset_name: str, top_k: int, **kwargs: Any
        ) -> list[Any]:
            asked = zip(queries["query_id"], queries["query"], strict=True)
            return [(name, self.retrieve(text, dataset_name, top_k, **kwargs)) for name, text in asked]

        @abstractmethod
        def retrieve(self, query: str, dataset_name: str, top_k: int, **kwargs: Any) -> list[Any]: ...

        @abstractmethod
        def embed_corpus(self, dataset_name: str, corpus: Any) -> None: ...

    module = types.ModuleType("target_benchmark.retrievers")
    module.AbsCustomEmbeddingRetriever = AbsCustomEmbeddingRetriever  # type: ignore[attr-defined]
    return module


@pytest.fixture(params=["double", "real"])
def retriever(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    if request.param == "double":
        monkeypatch.setitem(sys.modules, "target_benchmark", types.ModuleType("target_benchmark"))
        monkeypatch.setitem(sys.modules, "target_benchmark.retrievers", double())
    else:
        pytest.importorskip("target_benchmark.retrievers", reason="target-benchmark is not installed")
    made = target_retriever(Settings(workers=1), tmp_path)
    yield made
    made.close()


def test_a_corpus_in_batches_and_a_batch_of_queries(retriever: Any) -> None:
    assert retriever.get_expected_corpus_format() == "nested array"
    retriever.embed_corpus("small", iter(CORPUS))
    queries = {"query_id": [7, "x"], "query": ["how many moons has Saturn", "length of the Glomma river"]}
    results = retriever.retrieve_batch(queries, "small", 2)
    tops = [r.retrieval_results[0] if hasattr(r, "retrieval_results") else r[1][0] for r in results]
    assert tops == [("d", "t1"), ("d", "t2")]
    assert len(retriever.retrieve("Oslo", "small", 1)) == 1


def test_an_unknown_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="embed_corpus"):
        LakeRetriever(folder=tmp_path).retrieve("q", "nothing", 5)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "target_benchmark", None)
    with pytest.raises(MissingExtraError, match="target-benchmark"):
        target_retriever()
