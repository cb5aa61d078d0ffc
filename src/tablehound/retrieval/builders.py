"""The segments that a lake gets when it is indexed."""

from __future__ import annotations

from tablehound.lake.store.builder import SegmentBuilder
from tablehound.settings import Settings


def segment_builders(settings: Settings | None = None) -> tuple[SegmentBuilder, ...]:
    """Builders of the value index and the term index and, when ``search.embedder`` is set, of the vectors."""
    from tablehound.retrieval.terms.segments import TermIndexBuilder
    from tablehound.retrieval.value_index import ValueIndexBuilder

    embedder = (settings or Settings()).search.embedder
    if embedder is None:
        return ValueIndexBuilder(), TermIndexBuilder()
    from tablehound.retrieval.dense import VectorIndexBuilder

    return ValueIndexBuilder(), TermIndexBuilder(), VectorIndexBuilder(embedder)
