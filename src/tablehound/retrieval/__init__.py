"""Search: patterns, the value index, exact search, ranking, dense vectors, coverage score."""

from tablehound.retrieval.candidate import Candidate, CellMatch, SearchEngine
from tablehound.retrieval.find import find
from tablehound.retrieval.pattern import Pattern, PatternKind
from tablehound.retrieval.ranking import rank, rank_by_share
from tablehound.retrieval.vocabulary import Vocabulary, vocabulary

__all__ = [
    "Candidate",
    "CellMatch",
    "Pattern",
    "PatternKind",
    "SearchEngine",
    "Vocabulary",
    "find",
    "rank",
    "rank_by_share",
    "vocabulary",
]
