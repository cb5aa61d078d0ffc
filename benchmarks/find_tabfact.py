"""`find` on TabFact claims through a real lake: the default ranking beside rank=share with the same patterns, and BM25.

    python benchmarks/find_tabfact.py --data DIR [--claims 1000]

The claims are about a fifth of the tables; the ranking weights used here are trained on claims about the other four
fifths. Patterns come from the built-in rules. Content only (blind).
"""

from __future__ import annotations

import argparse
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from retrieval_corpora import build_index, data_folder, read_lines, read_tables
from tablehound.backbone import make_backbone
from tablehound.backbone.protocol import PatternsRequest
from tablehound.evaluation.systems.bm25 import Bm25
from tablehound.lake import Lake, SegmentBuilder, index_sources
from tablehound.retrieval import Pattern, TermIndexBuilder, ValueIndexBuilder, find, open_engine
from tablehound.retrieval.ranking.training import RankingCorpus, TrainingOptions, train_models
from tablehound.settings import Settings

FIFTHS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--claims", type=int, default=1_000)
    arguments = parser.parse_args()
    data = data_folder(arguments.data) / "tabfact_val"
    claims = [(str(r["claim"]), str(r["table"])) for r in read_lines(data / "claims.jsonl")]
    tables = read_tables(data / "tables.zip", "#")
    rng = np.random.default_rng(0)
    held_out = {name for name, k in zip(tables, rng.permutation(len(tables)) % FIFTHS, strict=True) if k == 0}
    own = [claim for claim in claims if claim[1] in held_out]
    asked = [own[int(i)] for i in np.sort(rng.permutation(len(own))[: arguments.claims])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        others = tuple(claim for claim in claims if claim[1] not in held_out)
        weights = folder / "weights.npz"
        corpus = RankingCorpus("tabfact", build_index(tables), others)
        train_models([corpus], "four fifths of TabFact", TrainingOptions(threads=1))[0].save(weights)
        with zipfile.ZipFile(data / "tables.zip") as members:
            members.extractall(folder / "tables")
        started = time.perf_counter()
        builders: list[SegmentBuilder] = [ValueIndexBuilder(), TermIndexBuilder()]
        index_sources([str(folder / "tables")], folder / "lake", Settings(), builders=builders)
        print(f"indexed {len(tables):,} tables in {time.perf_counter() - started:.0f} s", flush=True)
        with Lake.open(folder / "lake") as lake:
            measure(lake, asked, weights)


def measure(lake: Lake, asked: Sequence[tuple[str, str]], weights: Path) -> None:
    """Print one line per ranking."""
    source = {info.id: Path(info.provenance.source).name for info in lake.infos()}
    base = Settings().with_values(**{"backbone.blind": True, "search.ranking_weights": str(weights)})
    share = base.with_values(**{"search.rank": "share"})
    engine = open_engine(lake, base)
    backbone = make_backbone(lake, base)
    patterns = {claim: backbone.patterns(PatternsRequest(claim, "fact_verification")).patterns for claim, _ in asked}

    def searched(settings: Settings, clues: Callable[[str], Sequence[Pattern]]) -> Callable[[str], list[str]]:
        def search(claim: str) -> list[str]:
            found = find(lake, claim, patterns=clues(claim), settings=settings, limit=50, engine=engine)
            return [candidate.table_id for candidate in found]

        return search

    library = Bm25.over(lake)

    rankings = {
        "structure, the claim alone": searched(base, lambda _claim: ()),
        "structure, with patterns": searched(base, lambda claim: patterns[claim]),
        "share, the same patterns": searched(share, lambda claim: patterns[claim]),
        "BM25 (bm25s, stemmed)": lambda claim: library.rank(claim, 50),
        "BM25 (ours, as first stage)": searched(base.with_values(**{"search.rank": "bm25"}), lambda _claim: ()),
    }
    print("\n| ranking | claims | R@1 | R@5 | R@50 | median |\n|---|---|---|---|---|---|")
    for name, search in rankings.items():
        places, seconds = [], []
        for claim, table in asked:
            started = time.perf_counter()
            found = [source[table_id] for table_id in search(claim)]
            seconds.append(time.perf_counter() - started)
            places.append(found.index(table) if table in found else np.inf)
        at = np.array(places)
        recall = " | ".join(f"{(at < depth).mean():.3f}" for depth in (1, 5, 50))
        print(f"| {name} | {len(asked):,} | {recall} | {1000 * np.median(seconds):.1f} ms |", flush=True)


if __name__ == "__main__":
    main()
