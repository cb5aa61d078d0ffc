"""Ranking by structure, without and with vectors, against BM25 and vectors alone: TabFact claims cross-validated by
table, the same among distractors, and OTT-QA questions. Content only.

    python benchmarks/ranking.py --data DIR [--embedder minilm|none] [--vectors all|tabfact] [--write-weights]

For each fold the ranking is trained on the claims about the tables of the other folds and on WikiTableQuestions (with
vectors: on the claims alone), and measured on the claims of the fold. OTT-QA is never trained on. Times are
the processor's per question, without embedding it. R@1 has its 95% interval (Wilson). Vectors of all tables take the
most time of a first run and are kept in a folder.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from retrieval_corpora import Nearness, Rows, Vectors, build_index, data_folder, read_lines, read_tables
from tablehound.retrieval.dense import open_embedder
from tablehound.retrieval.ranking.model import SHIPPED, RankingModel
from tablehound.retrieval.ranking.shortlist import shortlist
from tablehound.retrieval.ranking.training import (
    RankingCorpus,
    TrainingOptions,
    train_models,
)
from tablehound.retrieval.terms.index import TermIndex

DEPTHS = (1, 5, 10, 50)
FIRST_STAGE = 150
Questions = tuple[tuple[str, str], ...]


@dataclass
class Tally:
    """Places of the right tables, and times."""

    places: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def line(self, name: str) -> str:
        places = np.array(self.places)
        cells = [f"{(places < depth).mean():.3f}" for depth in DEPTHS]
        cells[0] += " ({:.3f} to {:.3f})".format(*interval(int((places < 1).sum()), len(places)))
        speed = f"{1000 * np.median(self.seconds):.1f} ms" if self.seconds else "-"
        return f"| {name} | {len(places)} | {' | '.join(cells)} | {speed} |"


def interval(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share."""
    if not n:
        return 0.0, 1.0
    share, z = hits / n, 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return float(middle - half), float(middle + half)


def place_of(scores: np.ndarray, gold: int) -> float:
    """Tables before the right one; ties count half."""
    mine = scores[gold]
    return float((scores > mine).sum() + ((scores == mine).sum() - 1) / 2)


def measure(model: RankingModel, index: TermIndex, questions: Questions, dense: Nearness | None, tally: Tally) -> None:
    """As a search ranks, without patterns and titles."""
    number = {table_id: i for i, table_id in enumerate(index.table_ids)}
    for question, table_id in questions:
        started = time.process_time()
        near = dense(question) if dense else None
        also = [near.best(FIRST_STAGE // 3)] if near else []
        found = shortlist([index], question, model.need, size=FIRST_STAGE, also=also, dense=near)
        score = model.scores(found)
        tally.seconds.append(time.process_time() - started)
        gold = np.flatnonzero(found.table == number[table_id])
        tally.places.append(place_of(score, int(gold[0])) if len(gold) else np.inf)


def measure_bm25(tables: dict[str, Rows], questions: Questions) -> Tally:
    """bm25s (k1 1.5, b 0.75), Snowball stems, over cells and header."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    texts = [" ".join(" ".join(row) for row in rows) for rows in tables.values()]
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    retriever = bm25s.BM25(k1=1.5, b=0.75)
    retriever.index(tokens, show_progress=False)
    ids = list(tables)
    asked = bm25s.tokenize(
        [q for q, _ in questions], stopwords="en", stemmer=stemmer, show_progress=False, return_ids=False
    )
    tally = Tally()
    for words, (_, table_id) in zip(asked, questions, strict=True):
        started = time.process_time()
        found, scores = retriever.retrieve([words], k=min(100, len(ids)), show_progress=False)
        tally.seconds.append(time.process_time() - started)
        gold = [i for i, number in enumerate(found[0]) if ids[int(number)] == table_id and scores[0][i] > 0]
        tally.places.append(float(gold[0]) if gold else np.inf)
    return tally


def measure_dense(index: TermIndex, questions: Questions, dense: Nearness) -> Tally:
    number = {table_id: i for i, table_id in enumerate(index.table_ids)}
    tally = Tally()
    for question, table_id in questions:
        started = time.process_time()
        scores = dense(question).table[0]
        tally.seconds.append(time.process_time() - started)
        tally.places.append(place_of(scores, number[table_id]))
    return tally


def sampled(questions: Sequence[tuple[str, str]], count: int, seed: int = 0) -> Questions:
    chosen = np.sort(np.random.default_rng(seed).permutation(len(questions))[:count])
    return tuple(questions[int(i)] for i in chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--embedder", default="minilm", help="minilm, a folder, a name, or none")
    parser.add_argument("--vectors", choices=("all", "tabfact"), default="all", help="which tables have vectors")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--fold", type=int, help="measure this fold only")
    parser.add_argument("--claims", type=int, default=0, help="sample of the claims; 0 for all")
    parser.add_argument("--wtq", type=int, default=2_000, help="WikiTableQuestions trained on beside the claims")
    parser.add_argument("--among", type=int, default=1_000, help="claims measured among the distractors")
    parser.add_argument("--tabfact-only", action="store_true", help="neither distractors nor OTT-QA")
    parser.add_argument("--cache", type=Path, default=Path(".cache/ranking"), help="folder for vectors")
    parser.add_argument("--write-weights", action="store_true", help="train on everything and write the package's own")
    arguments = parser.parse_args()
    data = data_folder(arguments.data)
    options = TrainingOptions(threads=1)

    tables = read_tables(data / "tabfact_val" / "tables.zip", "#")
    claims: Questions = tuple(
        (str(r["claim"]), str(r["table"])) for r in read_lines(data / "tabfact_val" / "claims.jsonl")
    )
    if arguments.claims:
        claims = sampled(claims, arguments.claims)
    wtq_tables = read_tables(data / "wtq" / "tables.zip", ",")
    wtq = sampled([(r["question"], r["table"]) for r in read_lines(data / "wtq" / "train.jsonl")], arguments.wtq)
    ott_tables = {
        name.removesuffix(".csv"): rows
        for name, rows in read_tables(data / "distractors" / "ottqa_tables.zip", ",").items()
    }
    ott: Questions = tuple(
        (str(r["question"]), str(r["table"])) for r in read_lines(data / "ottqa" / "questions.jsonl")
    )
    more = read_tables(data / "distractors" / "tabfact_train_tables.zip", "#")
    among_tables = tables | {f"train/{k}": v for k, v in more.items()} | {f"ott/{k}": v for k, v in ott_tables.items()}
    index, wtq_index, ott_index = build_index(tables), build_index(wtq_tables), build_index(ott_tables)

    few_corpora = arguments.tabfact_only or arguments.write_weights
    near: dict[str, Nearness] = {}
    if arguments.embedder != "none":
        vectors = Vectors(open_embedder(arguments.embedder), arguments.cache)

        def embedded(name: str, questions: Questions) -> dict[str, np.ndarray]:
            return vectors.questions(f"{name}-{len(questions)}", list(dict.fromkeys(q for q, _ in questions)))

        own_vectors = vectors.tables("tabfact", tables)
        near["tabfact"] = Nearness([own_vectors], embedded("tabfact", claims))
        if not few_corpora and arguments.vectors == "all":
            others = [vectors.tables("tabfact-train", more), vectors.tables("ottqa", ott_tables)]
            near["ottqa"] = Nearness(others[1:], embedded("ottqa", ott))
            near["among"] = Nearness([own_vectors, *others], near["tabfact"].vectors)

    def corpora(questions: Questions) -> list[RankingCorpus]:
        return [
            RankingCorpus("tabfact", index, questions, near.get("tabfact")),
            RankingCorpus("wtq", wtq_index, wtq),
        ]

    if arguments.write_weights:
        SHIPPED.mkdir(exist_ok=True)
        plain, joint = train_models(corpora(claims), "2: TabFact, WikiTableQuestions", options)
        plain.save(SHIPPED / "structure.npz")
        if joint is not None:
            joint.save(SHIPPED / f"structure-{arguments.embedder}.npz")
        print("wrote", *sorted(str(path) for path in SHIPPED.glob("*.npz")))
        return

    fold = dict(zip(tables, np.random.default_rng(0).permutation(len(tables)) % arguments.folds, strict=True))
    among = set(sampled(claims, arguments.among))
    tallies: dict[tuple[str, str], Tally] = {}
    among_index = index if few_corpora else build_index(among_tables)
    for k in range(arguments.folds) if arguments.fold is None else [arguments.fold]:
        plain, joint = train_models(corpora(tuple(c for c in claims if fold[c[1]] != k)), f"fold {k}", options)
        own = tuple(c for c in claims if fold[c[1]] == k)
        few = tuple(c for c in own if c in among)
        modes: list[tuple[str, RankingModel, dict[str, Nearness]]] = [("structure", plain, {})]
        if joint is not None:
            modes.append(("structure + vectors", joint, near))
        for mode, model, known in modes:
            todo = [("claims", "tabfact", index, own)]
            if not few_corpora:
                todo.append(("among", "among", among_index, few))
            if not few_corpora and k == (arguments.fold or 0):
                todo.append(("ottqa", "ottqa", ott_index, ott))
            for key, name, where, questions in todo:
                if model is plain or name in known:
                    measure(model, where, questions, known.get(name), tallies.setdefault((key, mode), Tally()))
            print(f"fold {k}:", tallies["claims", mode].line(mode), flush=True)
    if arguments.fold is not None:
        claims = tuple(c for c in claims if fold[c[1]] == arguments.fold)
    measured_among = tuple(c for c in claims if c in among)
    reports = [
        ("claims", f"TabFact claims, {len(tables):,} tables", tables, index, claims),
        ("among", f"TabFact claims, {len(among_tables):,} tables", among_tables, among_index, measured_among),
        ("ottqa", f"OTT-QA questions, {len(ott_tables):,} tables", ott_tables, ott_index, ott),
    ]
    for key, title, own_tables, own_index, asked in reports[: 1 if few_corpora else None]:
        print(f"\n{title}\n\n| ranking | questions | R@1 | R@5 | R@10 | R@50 | median |\n|---|---|---|---|---|---|---|")
        for mode in ("structure", "structure + vectors"):
            if (key, mode) in tallies:
                print(tallies[key, mode].line(mode))
        print(measure_bm25(own_tables, asked).line("BM25 (bm25s)"), flush=True)
        name = {"claims": "tabfact"}.get(key, key)
        if name in near:
            print(measure_dense(own_index, asked, near[name]).line(f"vectors ({arguments.embedder})"), flush=True)


if __name__ == "__main__":
    main()
