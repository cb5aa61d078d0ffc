"""Training of the ranking: term necessity by counting, trees by LambdaRank (LightGBM, extra ``train``)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tablehound.errors import MissingExtraError, UsageError
from tablehound.retrieval.ranking.model import RankingModel, load_model
from tablehound.retrieval.ranking.question_terms import TermNeed, contexts, term_class
from tablehound.retrieval.ranking.shortlist import DenseScores, Shortlist, shortlist
from tablehound.retrieval.ranking.trees import Trees
from tablehound.retrieval.terms.index import TermIndex
from tablehound.retrieval.terms.segments import index_lake
from tablehound.retrieval.terms.tokenizer import terms

if TYPE_CHECKING:
    from tablehound.lake import Lake

Array = NDArray[Any]

MIN_SEEN = 5
"""Questions a term must be in before its own count is kept."""
MIN_TABLES = 3
"""Tables those questions must be about."""
MAX_DEPTH = 9
"""Bounds the steps that evaluating a tree takes."""
FEW = 5
"""Words in fewer questions make up the prior of words."""


@dataclass(frozen=True, slots=True)
class RankingCorpus:
    """Questions with known tables over one index."""

    name: str
    index: TermIndex
    questions: tuple[tuple[str, str], ...]
    """(question, table id)"""
    dense: Callable[[str], DenseScores] | None = None
    """Nearness of all tables to a question, when the weights are for lakes with vectors."""

    @classmethod
    def from_lake(cls, name: str, lake: Lake, questions: Sequence[tuple[str, str]]) -> RankingCorpus:
        """From a lake.

        Raises:
            UsageError: a question names a table that is not in the lake.
        """
        index = index_lake(lake, lake.table_ids())
        known = set(index.table_ids)
        for question, table_id in questions:
            if table_id not in known:
                raise UsageError(f"the lake has no table {table_id!r}, named by the question {question!r}")
        return cls(name, index, tuple(questions))


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Options of the trees; the defaults are those of the shipped weights."""

    rounds: int = 150
    leaves: int = 31
    learning_rate: float = 0.05
    min_leaf: int = 50
    shortlist: int = 80
    seen: int = 40
    """Tables of each question that the trees learn from: the best of the first stage. A question whose table is not
    among them is left out, so the place itself gives nothing away."""
    seed: int = 0
    threads: int = 0
    """0 for one per core; the result does not depend on it."""


@dataclass(slots=True)
class NeedCounts:
    """Counts behind the term necessity, kept by table so that a table's own questions can be left out."""

    totals: dict[str, list[int]] = field(default_factory=dict)
    by_table: dict[tuple[str, str], dict[str, tuple[int, int]]] = field(default_factory=dict)
    tables_of: Counter[str] = field(default_factory=Counter)
    priors: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    @classmethod
    def count(cls, corpora: Sequence[RankingCorpus]) -> NeedCounts:
        """Over the questions of all corpora."""
        out = cls()
        sightings: list[tuple[str, bool]] = []
        for corpus in corpora:
            number = {table_id: i for i, table_id in enumerate(corpus.index.table_ids)}
            holders: dict[str, set[int]] = {}
            own: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
            for question, table_id in corpus.questions:
                for term, beside in contexts(terms(question)).items():
                    if term not in holders:
                        at = corpus.index.number(term)
                        held = corpus.index.arrays["pair_table"][corpus.index.pairs(at)].tolist() if at >= 0 else ()
                        holders[term] = set(held)
                    if not holders[term]:
                        continue
                    hit = number[table_id] in holders[term]
                    for key in (term, *beside):
                        counts = own[table_id][key]
                        counts[0] += hit
                        counts[1] += 1
                    sightings.append((term, hit))
            for table_id, table_terms in own.items():
                out.by_table[corpus.name, table_id] = {t: (h, s) for t, (h, s) in table_terms.items()}
                for term, (held_by, seen) in table_terms.items():
                    total = out.totals.setdefault(term, [0, 0])
                    total[0] += held_by
                    total[1] += seen
                    out.tables_of[term] += 1
        for term, hit in sightings:
            if term[0].isdigit() or out.totals[term][1] < FEW:
                prior = out.priors[term_class(term)]
                prior[0] += hit
                prior[1] += 1
        return out

    def need(self, base: TermNeed | None = None) -> TermNeed:
        """The term necessity of all counted questions, added to that of a model trained before."""
        kept = {
            term: (held, seen)
            for term, (held, seen) in self.totals.items()
            if seen >= MIN_SEEN and self.tables_of[term] >= MIN_TABLES
        }
        priors = {name: held / seen for name, (held, seen) in sorted(self.priors.items())}
        if base is None:
            return TermNeed(priors, kept)
        counts = dict(base.counts)
        for term, (held, seen) in kept.items():
            before = counts.get(term, (0, 0))
            counts[term] = (before[0] + held, before[1] + seen)
        return TermNeed(dict(base.priors), counts)


def find_candidates(
    indexes: Sequence[TermIndex],
    question: str,
    need: TermNeed,
    size: int,
    dense: Callable[[str], DenseScores] | None,
    *,
    without: Mapping[str, tuple[int, int]] | None = None,
) -> Shortlist:
    """The shortlist as a search makes it, without patterns and titles."""
    scores = dense(question) if dense is not None else None
    also = [scores.best(size // 3)] if scores is not None else []
    return shortlist(indexes, question, need, size=size, also=also, dense=scores, without=without)


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Shortlists of questions that contain the right table, as one matrix."""

    names: tuple[str, ...]
    features: NDArray[np.float32]
    """(sum of groups, F)"""
    gold: NDArray[np.int8]
    groups: NDArray[np.int64]
    """Tables per question."""

    def without_vectors(self) -> TrainingData:
        """The same without what only a lake with vectors has."""
        kept = [i for i, name in enumerate(self.names) if "dense_" not in name]
        return replace(self, names=tuple(self.names[i] for i in kept), features=self.features[:, kept])


def collect(
    corpus: RankingCorpus,
    need: TermNeed,
    options: TrainingOptions,
    *,
    own: Mapping[tuple[str, str], Mapping[str, tuple[int, int]]] | None = None,
) -> TrainingData:
    """Shortlists of a corpus; with ``own``, each question sees the necessity without its own table's counts."""
    names: tuple[str, ...] = ()
    rows: list[NDArray[np.float32]] = []
    gold: list[NDArray[np.bool_]] = []
    groups: list[int] = []
    number = {table_id: i for i, table_id in enumerate(corpus.index.table_ids)}
    for question, table_id in corpus.questions:
        without = own.get((corpus.name, table_id)) if own is not None else None
        found = find_candidates([corpus.index], question, need, options.shortlist, corpus.dense, without=without)
        if not len(found.table):
            continue
        names = names or tuple(sorted(found.features))
        seen = found.features["first_place"] < options.seen
        right = (found.table == number[table_id]) & seen
        if right.any():
            rows.append(found.matrix(names)[seen])
            gold.append(right[seen])
            groups.append(int(seen.sum()))
    return TrainingData(
        names,
        np.concatenate([np.zeros((0, len(names)), np.float32), *rows]),
        np.concatenate([np.zeros(0, bool), *gold]).astype(np.int8),
        np.array(groups, np.int64),
    )


def fit_trees(data: TrainingData, options: TrainingOptions) -> Trees:
    """LambdaRank over the questions whose table is on their shortlist.

    Raises:
        UsageError: there is no such question.
        MissingExtraError: LightGBM is not installed.
    """
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtraError(
            "training the ranking needs LightGBM", remedy="pip install 'tablehound[train]'"
        ) from error
    if not len(data.groups):
        raise UsageError("no question's table is among those that hold its words: there is nothing to learn from")
    booster = lightgbm.train(
        {
            "objective": "lambdarank",
            "learning_rate": options.learning_rate,
            "num_leaves": options.leaves,
            "max_depth": MAX_DEPTH,
            "min_data_in_leaf": options.min_leaf,
            "feature_fraction": 0.4,
            "max_bin": 63,
            "bagging_fraction": 0.8,
            "bagging_freq": 1,
            "lambdarank_truncation_level": 10,
            "label_gain": [0, 1],
            "num_threads": options.threads,
            "seed": options.seed,
            "deterministic": True,
            "force_row_wise": True,
            "verbose": -1,
        },
        lightgbm.Dataset(data.features, data.gold, group=data.groups),
        options.rounds,
    )
    return Trees.from_dump(booster.dump_model()["tree_info"]).with_masks()


def train_models(
    corpora: Sequence[RankingCorpus],
    name: str,
    options: TrainingOptions | None = None,
    *,
    base: TermNeed | None = None,
) -> tuple[RankingModel, RankingModel | None]:
    """Train on questions with known tables: weights for all lakes from all corpora, and weights for lakes with vectors
    from the corpora that have them (None where none has).

    The necessity of a term is counted over all questions; when the trees are trained, each question sees it without
    the questions about its own table, as it will be for new tables. ``base`` is the necessity that was counted before
    on other questions.
    """
    options = options or TrainingOptions()
    counts = NeedCounts.count(corpora)
    need = counts.need(base)
    collected = [collect(corpus, need, options, own=counts.by_table) for corpus in corpora]
    plain = _joined([data.without_vectors() for data in collected])
    model = RankingModel(name, plain.names, need, fit_trees(plain, options))
    with_vectors = [data for data, corpus in zip(collected, corpora, strict=True) if corpus.dense is not None]
    if not with_vectors:
        return model, None
    joint = _joined(with_vectors)
    return model, RankingModel(f"{name}, with vectors", joint.names, need, fit_trees(joint, options))


def _joined(parts: Sequence[TrainingData]) -> TrainingData:
    filled = [part for part in parts if len(part.features)]
    if not filled:
        return parts[0]
    return TrainingData(
        filled[0].names,
        np.concatenate([part.features for part in filled]),
        np.concatenate([part.gold for part in filled]),
        np.concatenate([part.groups for part in filled]),
    )


def train_ranking(
    lake: Lake,
    questions: Sequence[tuple[str, str]],
    path: Path,
    *,
    name: str = "",
    options: TrainingOptions | None = None,
) -> RankingModel:
    """Train on a lake's own questions, given as (question, table id), and write the weights to ``path``.

    What the package's weights know of the words of questions is kept and added to; the trees are learned anew, which
    takes some hundreds of questions. The weights are used when the setting ``search.ranking_weights`` names the file.

    Raises:
        UsageError: no questions, or one names a table that is not in the lake.
        MissingExtraError: LightGBM is not installed.
    """
    if not questions:
        raise UsageError("there are no questions to train on")
    corpus = RankingCorpus.from_lake("lake", lake, questions)
    model, _ = train_models([corpus], name or f"{len(questions)} questions", options, base=load_model().need)
    model.save(path)
    return model
