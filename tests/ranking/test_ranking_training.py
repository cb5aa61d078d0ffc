"""Training the ranking: what is learned, written, read and explained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tablehound.errors import UsageError
from tablehound.lake import Lake
from tablehound.retrieval import find
from tablehound.retrieval.ranking.model import SHIPPED, RankingModel, load_model
from tablehound.retrieval.ranking.question_terms import TermNeed, contexts
from tablehound.retrieval.ranking.training import TrainingOptions, train_ranking
from tablehound.retrieval.ranking.trees import Trees
from tablehound.settings import SearchSettings, Settings

OPTIONS = TrainingOptions(rounds=5, leaves=4, min_leaf=1, threads=1)


def _questions(lake: Lake) -> list[tuple[str, str]]:
    out = []
    for table_id in lake.table_ids():
        table = lake.table(table_id)
        for row in table.rows():
            out.append((f"the {table.header[1]} of {row[0]} is {row[1]}", table_id))
    return out


def test_weights_are_trained_written_and_used(small_lake: Lake, tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    path = tmp_path / "mine.npz"
    model = train_ranking(small_lake, _questions(small_lake), path, options=OPTIONS)
    again = RankingModel.load(path)
    assert again.name == model.name
    assert again.features == model.features
    assert again.need == model.need
    assert all(
        np.array_equal(getattr(again.trees, n), getattr(model.trees, n)) for n in ("feature", "threshold", "value")
    )
    settings = Settings(search=SearchSettings(ranking_weights=str(path)))
    assert find(small_lake, "gold of cuba", settings=settings)


def test_training_twice_gives_the_same_weights(small_lake: Lake, tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    one = train_ranking(small_lake, _questions(small_lake), tmp_path / "1.npz", options=OPTIONS)
    two = train_ranking(small_lake, _questions(small_lake), tmp_path / "2.npz", options=OPTIONS)
    assert np.array_equal(one.trees.value, two.trees.value)


def test_training_says_what_is_wrong_with_the_questions(small_lake: Lake, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no questions"):
        train_ranking(small_lake, [], tmp_path / "w.npz")
    with pytest.raises(UsageError, match="no table 'nowhere'"):
        train_ranking(small_lake, [("who", "nowhere")], tmp_path / "w.npz")


def test_a_file_that_holds_no_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"no weights")
    with pytest.raises(UsageError, match="holds no ranking weights"):
        RankingModel.load(tmp_path / "x.npz")
    with pytest.raises(UsageError):
        RankingModel.load(tmp_path / "absent.npz")


def test_trees_score_as_lightgbm_does_and_contributions_add_up() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    features = rng.random((300, 5)).astype(np.float32)
    target = features[:, 0] * 2 + (features[:, 1] > 0.5)
    options = {"objective": "regression", "num_leaves": 7, "verbose": -1, "num_threads": 1, "boost_from_average": False}
    booster = lightgbm.train(options, lightgbm.Dataset(features, target), 20)
    trees = Trees.from_dump(booster.dump_model()["tree_info"])
    assert np.allclose(trees.scores(features), booster.predict(features), atol=1e-5)
    assert np.allclose(trees.with_masks().scores(features), trees.scores(features), atol=1e-9)
    base, parts = trees.contributions(features)
    assert np.allclose(base + parts.sum(axis=1), trees.scores(features), atol=1e-4)


def test_need_is_smoothed_and_can_leave_counts_out() -> None:
    need = TermNeed({"word": 0.5, "number2": 0.9}, {"than": (0, 92)})
    assert need.probability("than") == pytest.approx(0.04)
    assert need.probability("than", without={"than": (0, 92)}) == 0.5
    assert need.probability("unseen") == 0.5
    assert need.probability("17") == pytest.approx(0.9)


def test_the_words_beside_a_number_move_its_need() -> None:
    need = TermNeed({"word": 0.5, "number2": 0.8}, {"than number2": (1, 90), "in number2": (88, 90), "cup": (40, 90)})
    assert contexts(["more", "than", "17", "cup"])["17"] == ("than number2", "number2 cup")
    below, plain, above = (need.probability("17", beside) for beside in (("than number2",), (), ("in number2",)))
    assert below < plain < above
    assert need.probability("cup", ("than number2",)) == need.probability("cup")


def test_the_shipped_weights_are_small() -> None:
    assert load_model().trees.masks is not None
    assert all(path.stat().st_size < 600_000 for path in SHIPPED.iterdir())
