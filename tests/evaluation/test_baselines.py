"""Baselines on a small lake whose right answers are plain to see."""

from __future__ import annotations

import builtins
import csv
import dataclasses
import importlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tablehound.errors import MissingExtraError
from tablehound.evaluation.datasets import BenchQuestion, Collection, TableKeys
from tablehound.evaluation.datasets.base import stem_key
from tablehound.evaluation.runs import Record
from tablehound.evaluation.scores import score
from tablehound.evaluation.systems import SYSTEMS, Outcome, make_system
from tablehound.evaluation.systems.bm25 import Bm25
from tablehound.evaluation.systems.jar import JarOptions, select
from tablehound.evaluation.systems.kept import kept_arrays
from tablehound.evaluation.systems.learned import ColBert, Splade
from tablehound.evaluation.systems.materialised import guessed_keys
from tablehound.evaluation.systems.multihop import hop_scores
from tablehound.lake import Lake, index_sources
from tablehound.relations import relationship_graph
from tablehound.retrieval import segment_builders
from tablehound.settings import Settings

CITIES = ["Oslo", "Bergen", "Malmo", "Uppsala", "Lahti", "Turku", "Aarhus", "Odense", "Porto", "Braga"]
RIVERS = ["Glomma", "Torne", "Kemijoki", "Guden", "Douro", "Minho", "Tagus", "Lagan"]


@pytest.fixture(scope="module")
def small_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Museums in two parts with the same columns, the cities they are in by a key, and tables about other things."""
    folder = tmp_path_factory.mktemp("small") / "tables"
    folder.mkdir()
    tables: dict[str, list[list[object]]] = {
        "cities": [["city id", "city", "inhabitants"], *([100 + i, name, 1000 * i] for i, name in enumerate(CITIES))],
        "museums-a": [["museum", "city id", "visitors"], *([f"Museum {i}", 100 + i, 10 * i] for i in range(5))],
        "museums-b": [["museum", "city id", "visitors"], *([f"Museum {i}", 100 + i, 10 * i] for i in range(5, 10))],
        "rivers": [["river", "length in km"], *([name, 500 + i] for i, name in enumerate(RIVERS))],
        "planets": [["planet", "moons"], ["Mars", 2], ["Earth", 1], ["Saturn", 82]],
    }
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(rows)
    path = folder.parent / "lake"
    index_sources([str(folder)], path, Settings(workers=1), builders=segment_builders())
    return path


@pytest.fixture(scope="module")
def lake(small_lake: Path) -> Iterator[Lake]:
    with Lake.open(small_lake) as opened:
        yield opened


@pytest.fixture(scope="module")
def keys(lake: Lake) -> TableKeys:
    return TableKeys.of(lake, Collection("small", (), (), stem_key))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "vectors"))


SETTINGS = Settings().with_values(**{"backbone.blind": True})
VISITORS = BenchQuestion("q1", "How many visitors has the museum in the city Lahti?", answers=("40",))
SATURN = BenchQuestion("q2", "How many moons has Saturn?", tables=("planets",), answers=("82",))


def run(name: str, lake: Lake, keys: TableKeys, question: BenchQuestion, **values: object) -> tuple[Outcome, list[str]]:
    outcome = make_system(name, lake, keys, SETTINGS.with_values(**values)).run(question)
    assert outcome.error == ""
    return outcome, [keys.keys[table_id] for table_id in outcome.ranked]


@pytest.mark.parametrize("name", ["bm25", "dense", "rerank-3", "rerank-5", "find-rerank-3", "table-rag", "jar", "mmqa"])
def test_a_question_over_one_table(lake: Lake, keys: TableKeys, name: str) -> None:
    outcome, ranked = run(name, lake, keys, SATURN)
    assert ranked[0] == "planets"
    assert len(set(ranked)) == len(ranked)
    if outcome.counts:
        assert outcome.values == ("82",)


@pytest.mark.parametrize("name", ["jar", "mmqa", "text-to-sql"])
def test_a_question_over_a_join_with_a_table_in_two_parts(lake: Lake, keys: TableKeys, name: str) -> None:
    outcome, ranked = run(name, lake, keys, VISITORS)
    assert set(ranked[:3]) <= {"cities", "museums-a", "museums-b", "rivers"}
    assert {"cities", "museums-a", "museums-b"} <= {keys.keys[table_id] for table_id in outcome.tried}
    assert outcome.values == ("40",)


def test_the_oracle_joins_and_stacks_the_gold_tables(lake: Lake, keys: TableKeys) -> None:
    gold = dataclasses.replace(VISITORS, tables=("cities", "museums-a", "museums-b"))
    outcome, ranked = run("oracle", lake, keys, gold)
    assert outcome.values == ("40",)
    assert set(ranked) == set(gold.tables)
    outcome, _ = run("oracle", lake, keys, SATURN)
    assert outcome.values == ("82",)


def test_decomposition_is_rated_against_the_columns_and_tables_of_the_gold_program(lake: Lake, keys: TableKeys) -> None:
    sql = "SELECT visitors FROM museums JOIN cities ON museums.city_id = cities.city_id WHERE city = 'Lahti'"
    gold = dataclasses.replace(VISITORS, tables=("cities", "museums-a", "museums-b"), sql=sql)
    outcome, _ = run("decompose", lake, keys, gold)
    assert outcome.values == ("40",)
    # Six pairs of gold table and column: visitors and city id of both museum tables, city and city id of the cities.
    # The key that joins them is no need of the question, so no sub-question is mapped to it.
    assert outcome.rates["IRR"] == pytest.approx(3 / 6)
    assert outcome.rates["SR"] == 1.0
    assert 0.0 <= outcome.rates["SAR"] <= 1.0
    outcome, _ = run(
        "decompose", lake, keys, dataclasses.replace(SATURN, sql="SELECT moons FROM planets WHERE planet = 'Saturn'")
    )
    assert outcome.rates == {"IRR": 1.0, "SR": 1.0, "SAR": 1.0}
    found = score("wild", [Record(SATURN, outcome), Record(gold, Outcome(rates={"IRR": 0.5, "SR": 0.0, "SAR": 0.0}))])
    assert [found.get(name) for name in ("IRR", "SR", "SAR")] == [0.75, 0.5, 0.5]


def test_the_same_question_gives_the_same_outcome(lake: Lake, keys: TableKeys) -> None:
    for name in ("jar", "mmqa", "text-to-sql", "table-rag", "rerank-5", "dense"):
        one, two = (run(name, lake, keys, VISITORS)[0] for _ in range(2))
        assert (one.ranked, one.values, one.final) == (two.ranked, two.values, two.final)


def test_reranking_moves_the_first_tables_only(lake: Lake, keys: TableKeys) -> None:
    _, plain = run("bm25", lake, keys, VISITORS)
    _, ordered = run("rerank-3", lake, keys, VISITORS)
    assert set(ordered[:3]) == set(plain[:3])
    assert ordered[3:] == plain[3:]


def best_by_trial(
    coarse: list[float], fine: list[dict[int, float]], joins: dict[tuple[int, int], float], options: JarOptions
) -> float:
    """The objective's optimum over every selection."""
    best = float("-inf")
    for mask in range(1, 2 ** len(coarse)):
        chosen = [k for k in range(len(coarse)) if mask >> k & 1]
        if len(chosen) > options.tables:
            continue
        best = max(best, objective(chosen, coarse, fine, joins, options))
    return best


def objective(
    chosen: list[int], coarse: list[float], fine: list[dict[int, float]], joins: dict[tuple[int, int], float],
    options: JarOptions,
) -> float:  # fmt: skip
    scores = sorted((score for (a, b), score in joins.items() if a in chosen and b in chosen), reverse=True)
    return (
        sum(coarse[k] - options.price for k in chosen)
        + sum(max([0.0, *(nodes[k] for k in chosen if k in nodes)]) for nodes in fine)
        + sum(scores[: len(chosen) - 1])
    )


@pytest.mark.parametrize("seed", range(10))
def test_the_integer_program_finds_the_optimum(seed: int) -> None:
    random_ = random.Random(seed)
    size = 6
    coarse = sorted((random_.random() for _ in range(size)), reverse=True)
    fine = [{k: random_.random() for k in random_.sample(range(size), 3)} for _ in range(3)]
    joins = {(a, b): random_.random() for a in range(size) for b in range(a + 1, size) if random_.random() < 0.4}
    options = JarOptions()
    chosen = select(coarse, fine, joins, options)
    assert 1 <= len(chosen) <= options.tables
    found = objective(chosen, coarse, fine, joins, options)
    assert found == pytest.approx(best_by_trial(coarse, fine, joins, options), abs=1e-4)


def test_jar_takes_a_weak_table_that_joins_and_covers_rather_than_a_stronger_one_that_does_not() -> None:
    fine = [{0: 1.0}, {2: 1.0}]
    assert select([1.0, 0.6, 0.3], fine, {(0, 2): 0.9}, JarOptions(tables=2)) == [0, 2]
    assert select([1.0, 0.6, 0.3], [{0: 1.0}], {}, JarOptions(tables=1)) == [0]
    assert select([], [], {}, JarOptions()) == []


def test_hops_add_up_along_joins() -> None:
    # By hand: hop 1 gives a 1 and c 0.5; in hop 2, b joins a by 0.8 (1 x 0.8 x 0.9), d joins nothing (0.1 x 1).
    total = hop_scores([{"a": 1.0, "c": 0.5}, {"b": 0.9, "d": 1.0}], {("a", "b"): 0.8})
    assert total == pytest.approx({"a": 1.0, "c": 0.5, "b": 0.72, "d": 0.1})


def test_keys_are_guessed_from_the_unique_side(lake: Lake, keys: TableKeys) -> None:
    edges = guessed_keys(relationship_graph(lake, SETTINGS))
    named = {frozenset(keys.keys[ref.table_id] for ref in (edge.left, edge.right)) for edge in edges}
    assert any("cities" in pair and pair & {"museums-a", "museums-b"} for pair in named)


def test_every_system_is_described() -> None:
    assert all(about and name == name.lower() for name, about in SYSTEMS.items())


class TinyModel:
    """Term counts over a handful of words, in the two shapes that the published models give."""

    words = ("oslo", "lahti", "mars", "saturn", "river", "moons")

    def counts(self, text: str) -> list[float]:
        return [float(text.lower().count(word)) for word in self.words]

    def encode_document(self, texts: list[str], **_: Any) -> list[list[float]]:
        return [self.counts(text) for text in texts]

    encode_query = encode_document

    def encode(self, texts: list[str], **_: Any) -> list[list[list[float]]]:
        return [
            [[float(word == token) for word in self.words] for token in text.lower().split()] or [[0.0] * 6]
            for text in texts
        ]


def test_sparse_and_late_interaction_scores() -> None:
    texts = ["Oslo Oslo river", "Saturn moons", "Mars"]
    splade = Splade(TinyModel(), ["a", "b", "c"], texts)
    assert splade.rank("moons of Saturn", 3) == ["b", "a", "c"]
    assert splade.rank("Oslo", 1) == ["a"]
    colbert = ColBert(TinyModel(), ["a", "b", "c"], texts)
    assert colbert.rank("mars", 2) == ["c", "a"]
    # Late interaction takes the best match of a token once, however often the table has it.
    assert colbert.rank("oslo moons saturn", 3) == ["b", "a", "c"]


@pytest.mark.parametrize("name", ["splade", "colbert"])
def test_models_without_their_extra_say_what_to_install(
    lake: Lake, keys: TableKeys, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(module: str, *_: object) -> object:
        raise ImportError(module)

    monkeypatch.setattr(importlib, "import_module", _only(refuse, importlib.import_module))
    with pytest.raises(MissingExtraError, match="not installed") as caught:
        make_system(name, lake, keys, SETTINGS)
    assert "tablehound[models]" in str(caught.value)


def _only(refuse: Any, real: Any) -> Any:
    """``import_module`` that refuses the makers' packages and nothing else."""
    return lambda name, package=None: (
        refuse(name) if name.partition(".")[0] in ("sentence_transformers", "pylate") else real(name, package)
    )


def test_the_integer_program_without_scipy_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("scipy"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match="scipy"):
        select([1.0], [], {}, JarOptions())


def test_the_parts_of_a_column_name_are_words(tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    (tables / "a.csv").write_text("song_name,releaseYear\nx,1\ny,2\n", encoding="utf-8")
    (tables / "b.csv").write_text("river,length\nz,1\nw,2\n", encoding="utf-8")
    index_sources([str(tables)], tmp_path / "lake", Settings(workers=1))
    with Lake.open(tmp_path / "lake") as lake:
        bm25 = Bm25.over(lake)
        for asked in ("songs", "year of release"):
            (first, score), (_, other) = bm25.scored(asked, 2)
            assert lake.info(first).header[0] == "song_name"
            assert score > other == 0


def test_what_a_model_made_of_the_tables_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made: list[str] = []

    def kept(model: str, *texts: str) -> list[float]:
        def make() -> dict[str, Any]:
            made.append(model)
            return {"tables": np.arange(len(texts), dtype=np.float32)}

        return [float(x) for x in kept_arrays("test-1", model, texts, make)["tables"]]

    assert kept("m", "a", "b") == [0, 1]
    assert kept("m", "a", "b") == [0, 1]
    assert made == ["m"]
    kept("m", "ab")
    kept("other", "a", "b")
    assert made == ["m", "m", "other"]
    folder = tmp_path / "model"
    folder.mkdir()
    for content in ("one", "longer"):
        (folder / "weights").write_text(content, encoding="utf-8")
        kept(str(folder), "a")
    assert made[3:] == [str(folder)] * 2, "a model that was trained further is another model"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "weights"))
    assert kept("m", "a", "b") == [0, 1], "where nothing can be written the run goes on"
