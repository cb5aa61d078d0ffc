"""Checks of a result: what a reader of it must be told."""

from __future__ import annotations

from tablehound.program import ProgramResult


def check_result(result: ProgramResult, exploded: float) -> tuple[str, ...]:
    """Warnings about a result: nothing found, nothing but NULL, cut off, or a join that multiplied rows (more than
    ``exploded`` times those of its larger side) or matched none. Empty for a sound result, and for one with an
    error."""
    if not result.ok:
        return ()
    warnings = []
    if not result.rows:
        warnings.append("the result is empty: no row satisfies the conditions")
    elif all(value is None for row in result.rows for value in row):
        warnings.append("the result is nothing but NULL")
    if result.truncated:
        warnings.append(f"the result is cut off after {len(result.rows)} rows")
    for join in result.joins:
        sides = f"{join.left} = {join.right}"
        if join.matched_none:
            warnings.append(f"the join {sides} matches no row")
        elif join.exploded(exploded):
            warnings.append(
                f"the join {sides} exploded: {join.left_rows} and {join.right_rows} rows became {join.result_rows}"
            )
    return tuple(warnings)


def adds_up_rows(text: str) -> bool:
    """Whether an SQL text counts, sums or averages rows, so that a row that a join repeats counts several times.

    Counts of distinct values do not, nor do extremes. A text that is no SQL does not either: the gate refuses it.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(text, read="duckdb")
    except SqlglotError:
        return False
    return any(
        not isinstance(found.this, exp.Distinct) for found in tree.find_all(exp.Count, exp.Sum, exp.Avg, exp.CountIf)
    )
