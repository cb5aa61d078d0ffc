"""Which exact engine a lake is searched with: the value index, or a scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablehound.retrieval.candidate import SearchEngine
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake


def open_engine(lake: Lake, settings: Settings | None = None) -> SearchEngine:
    """The exact engine for the lake's present state: the value index when the lake has one, else a scan."""
    search = (settings or Settings()).search
    live = set(lake.table_ids())
    segments = lake.segments("values")
    indexed = {table_id for segment in segments for table_id in segment.table_ids}
    if live <= indexed:
        from tablehound.retrieval.value_index import IndexEngine
        from tablehound.retrieval.value_index.segment_files import is_current

        if all(is_current(segment.path) for segment in segments):
            return IndexEngine(lake, search)
    from tablehound.retrieval.scan import ScanEngine

    return ScanEngine(lake, search)
