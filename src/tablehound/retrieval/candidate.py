"""What a search returns, and the interface that the engines share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from tablehound.retrieval.patterns.types import Pattern

MAX_COLUMNS = 50
"""Columns named with a value that is like a text."""


@dataclass(frozen=True, slots=True)
class CellMatch:
    """A cell (or, with ``row`` None, a header) in which a pattern occurs."""

    table_id: str
    row: int | None
    """0-based row index within the table."""
    column: int
    text: str
    pattern: int
    """Index of the pattern in the query."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked table."""

    table_id: str
    score: float
    matched: tuple[int, ...] = ()
    """Indices of the patterns that occur in it."""
    rows: tuple[int, ...] = ()
    """0-based indices of matched rows, those with most patterns first; filled for the top tables only."""
    explanation: Mapping[str, float] = field(default_factory=dict)
    """Feature → contribution to the score."""


@dataclass(frozen=True, slots=True)
class ColumnOverlap:
    """A column that shares values with another."""

    table_id: str
    column: int
    overlap: int
    """Distinct values in common, trimmed and in lower case; blanks do not count."""
    distinct: int
    """Distinct raw values of this column."""


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """A value of the lake that is like a text."""

    text: str
    similarity: float
    """0 to 1: normalised edit similarity (indel), trimmed and in lower case."""
    columns: tuple[tuple[str, int], ...]
    """Table id and column index of those that hold it, sorted, ``MAX_COLUMNS`` at most."""
    n_columns: int
    """How many there are."""


class SearchEngine(Protocol):
    """Exact search over one state of a lake: the same answer as each pattern over every cell of every table."""

    def tables(self, patterns: Sequence[Pattern]) -> Sequence[Set[str]]:
        """For each pattern, the ids of the tables in which it occurs (cells, and headers unless column-scoped).

        Raises:
            PatternError: look-around, back-references, syntax, or over a limit.
        """
        ...

    def cells(
        self, patterns: Sequence[Pattern], *, table_ids: Sequence[str] | None = None, limit: int | None = None
    ) -> list[CellMatch]:
        """Matching cells ordered by table id, row (headers first), column and pattern, at most ``limit``."""
        ...

    def rows(self, table_id: str, patterns: Sequence[Pattern], *, per_pattern: int, limit: int) -> tuple[int, ...]:
        """0-based rows for a preview: at most ``per_pattern`` new rows a pattern and ``limit`` in all; rows in which
        more patterns meet come first, then the earlier row."""
        ...
