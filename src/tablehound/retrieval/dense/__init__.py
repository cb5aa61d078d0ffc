"""Dense vectors of tables, headers and columns: a further signal where an embedder is at hand, never required."""

from tablehound.retrieval.dense.embedder import Embedder, open_embedder
from tablehound.retrieval.dense.vectors import TableText, VectorIndex, VectorIndexBuilder, open_vectors

__all__ = ["Embedder", "TableText", "VectorIndex", "VectorIndexBuilder", "open_embedder", "open_vectors"]
