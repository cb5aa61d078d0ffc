"""The value index: distinct values of cells and headers, their columns, and the trigrams of each."""

from tablehound.retrieval.value_index.building.builder import KIND, ValueIndexBuilder
from tablehound.retrieval.value_index.engine import IndexEngine

__all__ = ["KIND", "IndexEngine", "ValueIndexBuilder"]
