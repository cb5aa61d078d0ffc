"""Value grounding: the actual values of a column nearest to a phrase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tablehound.lake import canonical_in_column, canonicals_of_text

if TYPE_CHECKING:
    from tablehound.lake import Lake


@dataclass(frozen=True, slots=True)
class GroundScores:
    """How near a value is to a phrase, 0 to 1. All by hand."""

    exact: float = 1.0
    case: float = 0.99
    value: float = 0.97
    tokens: float = 0.9
    """All words of the phrase occur in the value, or the other way round."""
    missing_tokens: float = 0.15
    """Off, times the share of words that only one of them has."""
    most_fuzzy: float = 0.96
    least_fuzzy: float = 0.6
    """Values less alike in spelling are left out."""


_SCORES = GroundScores()

Found = Literal["exact", "case", "value", "tokens", "fuzzy"]


@dataclass(frozen=True, slots=True)
class Grounded:
    """An actual value of a column near to a phrase."""

    text: str
    """The cell's raw text."""
    score: float
    """0 to 1, where 1 is the same text."""
    how: Found
    """By the same text, by text without regard to case and space, by the same number, date or truth value, by words in
    common, or by likeness of spelling."""
    rows: int = 1
    """Cells with this text."""


def ground_value(lake: Lake, table_id: str, column: int, text: str, limit: int = 5) -> list[Grounded]:
    """The column's distinct values nearest to a phrase, best first, at most ``limit``.

    Raises:
        TableMissingError: the lake has no such table.
        IndexError: the table has no such column.
    """
    table = lake.table(table_id)
    if not 0 <= column < len(table.info.columns):
        raise IndexError(f"table {table_id} has no column {column}")
    counts = _counts(table.cells.column(column))
    reading = table.info.columns[column].reading
    wanted = set(canonicals_of_text(text))
    own = canonical_in_column(text, reading)
    if own is not None:
        wanted.add(own)
    folded = _folded(text)
    best: dict[str, Grounded] = {}
    for value, rows in counts.items():
        if value == text:
            best[value] = Grounded(value, _SCORES.exact, "exact", rows)
        elif _folded(value) == folded:
            best[value] = Grounded(value, _SCORES.case, "case", rows)
        elif wanted and canonical_in_column(value, reading) in wanted:
            best[value] = Grounded(value, _SCORES.value, "value", rows)
    if reading.kind in ("text", "empty") or not best:
        _add_similar(folded, counts, best, limit)
    ranked = sorted(best.values(), key=lambda found: (-found.score, -found.rows, found.text))
    return ranked[:limit]


def _counts(column: object) -> dict[str, int]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(column, pa.Array | pa.ChunkedArray):
        raise TypeError("a column of a table is needed")
    counted = pc.value_counts(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)
    pairs = ((item["values"], item["counts"]) for item in counted.to_pylist())
    return {value: count for value, count in pairs if value is not None and value.strip()}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _add_similar(folded: str, counts: dict[str, int], best: dict[str, Grounded], limit: int) -> None:
    from rapidfuzz import fuzz, process

    choices = {value: _folded(value) for value in counts if value not in best}
    words = set(_words(folded))
    for value, other in choices.items():
        others = set(_words(other))
        if words and others and (words <= others or others <= words):
            share = min(len(words), len(others)) / max(len(words), len(others))
            likeness = round(_SCORES.tokens - _SCORES.missing_tokens * (1 - share), 4)
            best[value] = Grounded(value, likeness, "tokens", counts[value])
    least = 100 * _SCORES.least_fuzzy
    near = process.extract(folded, choices, scorer=fuzz.ratio, limit=limit + len(best), score_cutoff=least)
    for _, score, value in near:
        found = best.get(value)
        if found is None or found.score < score / 100:
            best[value] = Grounded(value, round(min(score / 100, _SCORES.most_fuzzy), 4), "fuzzy", counts[value])


def _words(text: str) -> list[str]:
    return [word for word in "".join(c if c.isalnum() else " " for c in text).split() if word]
