"""Search: patterns, the value index, exact search, ranking, dense vectors, coverage score."""

import importlib
from typing import TYPE_CHECKING

from tablehound.retrieval.candidate import Candidate, CellMatch, SearchEngine
from tablehound.retrieval.engine import open_engine
from tablehound.retrieval.find import find
from tablehound.retrieval.grep import TableCount, grep, grep_counts, grep_tables
from tablehound.retrieval.lookup import ColumnOverlap, ValueMatch, columns_with_values_like, overlaps
from tablehound.retrieval.pattern import Pattern, PatternKind
from tablehound.retrieval.ranking import rank, rank_by_share
from tablehound.retrieval.regex import compile_pattern, compile_patterns
from tablehound.retrieval.vocabulary import Vocabulary, vocabulary

if TYPE_CHECKING:
    from tablehound.retrieval.builders import segment_builders
    from tablehound.retrieval.coverage import coverage_score, train_coverage
    from tablehound.retrieval.dense import Embedder, TableText, VectorIndex, VectorIndexBuilder, open_embedder
    from tablehound.retrieval.ranking.training import train_ranking
    from tablehound.retrieval.scan import ScanEngine
    from tablehound.retrieval.term_segments import TermIndexBuilder
    from tablehound.retrieval.value_index import IndexEngine, ValueIndexBuilder

__all__ = [
    "Candidate",
    "CellMatch",
    "ColumnOverlap",
    "Embedder",
    "IndexEngine",
    "Pattern",
    "PatternKind",
    "ScanEngine",
    "SearchEngine",
    "TableCount",
    "TableText",
    "TermIndexBuilder",
    "ValueIndexBuilder",
    "ValueMatch",
    "VectorIndex",
    "VectorIndexBuilder",
    "Vocabulary",
    "columns_with_values_like",
    "compile_pattern",
    "compile_patterns",
    "coverage_score",
    "find",
    "grep",
    "grep_counts",
    "grep_tables",
    "open_embedder",
    "open_engine",
    "overlaps",
    "rank",
    "rank_by_share",
    "segment_builders",
    "train_coverage",
    "train_ranking",
    "vocabulary",
]

_LATE = {
    "Embedder": "tablehound.retrieval.dense",
    "IndexEngine": "tablehound.retrieval.value_index",
    "ScanEngine": "tablehound.retrieval.scan",
    "TableText": "tablehound.retrieval.dense",
    "TermIndexBuilder": "tablehound.retrieval.term_segments",
    "ValueIndexBuilder": "tablehound.retrieval.value_index",
    "VectorIndex": "tablehound.retrieval.dense",
    "VectorIndexBuilder": "tablehound.retrieval.dense",
    "coverage_score": "tablehound.retrieval.coverage",
    "open_embedder": "tablehound.retrieval.dense",
    "segment_builders": "tablehound.retrieval.builders",
    "train_coverage": "tablehound.retrieval.coverage",
    "train_ranking": "tablehound.retrieval.ranking.training",
}


def __getattr__(name: str) -> object:
    if name in _LATE:
        return getattr(importlib.import_module(_LATE[name]), name)
    raise AttributeError(name)
