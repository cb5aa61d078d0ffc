"""Finding tables for a question without a backbone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablehound.retrieval.candidate import Candidate, SearchEngine
from tablehound.retrieval.patterns.types import Pattern
from tablehound.retrieval.ranking import rank
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake


def find(
    lake: Lake,
    question: str,
    *,
    patterns: Sequence[Pattern] = (),
    settings: Settings | None = None,
    limit: int = 10,
    engine: SearchEngine | None = None,
) -> list[Candidate]:
    """The best ``limit`` tables of the lake for a question, best first, with matched patterns, rows and explanation.

    Args:
        lake: where to look.
        question: question, claim or key words; may be empty when there are patterns.
        patterns: further clues.
        settings: ``settings.search`` is read.
        limit: tables returned at most.
        engine: an open engine on the same lake, else one is opened.

    Raises:
        PatternError: a pattern that the engine refuses.
    """
    from tablehound.retrieval import open_engine

    settings = settings or Settings()
    engine = engine or open_engine(lake, settings)
    return rank(lake, engine, patterns, question, settings=settings.ranking, limit=limit)
