"""Search: patterns, the value index, exact search, ranking, dense vectors, coverage score."""

from typing import TYPE_CHECKING

from tablehound.retrieval.candidate import Candidate, CellMatch, SearchEngine
from tablehound.retrieval.engine import open_engine
from tablehound.retrieval.find import find
from tablehound.retrieval.pattern import Pattern, PatternKind
from tablehound.retrieval.ranking import rank, rank_by_share
from tablehound.retrieval.regex import compile_pattern, compile_patterns
from tablehound.retrieval.vocabulary import Vocabulary, vocabulary

if TYPE_CHECKING:
    from tablehound.retrieval.scan import ScanEngine

__all__ = [
    "Candidate",
    "CellMatch",
    "Pattern",
    "PatternKind",
    "ScanEngine",
    "SearchEngine",
    "Vocabulary",
    "compile_pattern",
    "compile_patterns",
    "find",
    "open_engine",
    "rank",
    "rank_by_share",
    "vocabulary",
]


def __getattr__(name: str) -> object:
    if name == "ScanEngine":
        from tablehound.retrieval.scan import ScanEngine

        return ScanEngine
    raise AttributeError(name)
