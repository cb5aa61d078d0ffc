"""Opening the exact engine that fits a lake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablehound.retrieval.candidate import SearchEngine
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake

VALUE_INDEX = "values"
"""Kind of the segments that the value index is made of."""


def open_engine(lake: Lake, settings: Settings | None = None) -> SearchEngine:
    """The exact engine for the lake's present state: the value index when the lake has one, else a scan."""
    from tablehound.retrieval.scan import ScanEngine

    return ScanEngine(lake, (settings or Settings()).search)
