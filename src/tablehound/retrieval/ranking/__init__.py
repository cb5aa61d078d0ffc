"""Ranking: the paper's share score, BM25, and the learned structure score."""

from tablehound.retrieval.ranking.by_setting import rank
from tablehound.retrieval.ranking.share import rank_by_share

__all__ = ["rank", "rank_by_share"]
