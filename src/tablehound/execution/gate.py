"""The one gate for programs: every program of an answer runs through :func:`run_program`."""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tablehound.errors import LakeError, ProgramRefusedError
from tablehound.execution.checks import check_result
from tablehound.execution.evidence import EvidenceQuery, cells_of, evidence_queries
from tablehound.execution.join_counts import JoinQuery, join_queries
from tablehound.execution.messages import explain
from tablehound.execution.origins import (
    doubts_of,
    percent_warnings,
    result_origins,
    shown_texts,
    unlike_scales,
)
from tablehound.execution.pool import STOPPED, Query, Reply, pool
from tablehound.execution.statement import Statement, look_at
from tablehound.execution.view import TypedView, typed_view
from tablehound.program import CellRef, JoinReport, Program, ProgramResult
from tablehound.settings import ProgramSettings, Settings

if TYPE_CHECKING:
    import pyarrow as pa

    from tablehound.lake import Lake

_TOO_DEEP = "the program nests too deeply: write it with fewer operators in a row"


_FLOAT_DIGITS = 15
_OVERFLOW = re.compile(r"overflow|out of range", re.IGNORECASE)
_ROUNDED = "computed with 15 significant digits, as exact numbers overflow"


def run_program(lake: Lake, program: Program, settings: Settings) -> ProgramResult:
    """Run one read-only program over whole tables of the lake.

    The program runs in a child process without files, network or settings, within the limits of ``settings.program``.
    Its own faults, and its going over a limit, come back in ``error``, in words that it can be repaired from; nothing
    is raised for them. The result carries the cells it rests on, a report of each join, and warnings.
    """
    started = time.perf_counter()
    if program.language != "sql":
        return ProgramResult(
            error=f"programs in {program.language} are not supported: write one SELECT statement in DuckDB's SQL"
        )
    try:
        statement = look_at(program.text, program.tables, settings.program)
        views = {
            alias.lower(): typed_view(lake, alias, view, statement.words)
            for alias, view in program.tables.items()
            if _is_named(alias, statement)
        }
    except (ProgramRefusedError, LakeError) as error:
        return ProgramResult(error=str(error), seconds=time.perf_counter() - started)
    unlike = unlike_scales(statement.tree, views) if statement.tree else None
    if unlike is not None:
        return ProgramResult(error=unlike, seconds=time.perf_counter() - started)
    limits = settings.program
    try:
        evidence = evidence_queries(statement.tree, views, limits.max_evidence_cells)
        joins = join_queries(statement.tree, views)
    except RecursionError:
        return ProgramResult(error=_TOO_DEEP, seconds=time.perf_counter() - started)
    queries = [
        Query(statement.limited(limits.max_result_rows + 1), limits.max_result_rows + 1, checked=True),
        *(Query(query.text, limits.max_evidence_cells + 1) for query in evidence),
        *(Query(query.text, 1) for query in joins),
    ]
    replies = _replies(views, statement, queries, limits)
    rounded = replies[0].table is None and _OVERFLOW.search(replies[0].error or "") is not None
    if rounded:
        views = {alias: view.with_floats() for alias, view in views.items()}
        replies = _replies(views, statement, queries, limits)
    result = _main_result(replies[0], limits, views)
    if rounded and result.ok:
        result = dataclasses.replace(result, warnings=(*result.warnings, _ROUNDED))
    if result.ok:
        result = _with_evidence(result, replies[1:], evidence, joins, limits.max_evidence_cells)
        result = dataclasses.replace(
            result,
            warnings=(
                *result.warnings,
                *_reading_warnings(views, statement),
                *check_result(result, limits.exploded_join),
            ),
        )
        if statement.tree:
            result = _with_origins(result, statement.tree, views)
    return dataclasses.replace(result, seconds=time.perf_counter() - started)


def _replies(
    views: Mapping[str, TypedView], statement: Statement, queries: Sequence[Query], limits: ProgramSettings
) -> list[Reply]:
    return pool().run(
        {view.parts: view.data for view in views.values()},
        {view.base: view.converted() for view in views.values() if view.conversions}
        | {view.alias: view.select(statement.words) for view in views.values()},
        queries,
        limits,
    )


def _with_origins(result: ProgramResult, tree: Any, views: Mapping[str, TypedView]) -> ProgramResult:
    """The result with units of its columns, texts of its cells, and what may be wrong with it."""
    origins = result_origins(tree, views)
    if len(origins) != len(result.columns):
        origins = [None] * len(result.columns)
    measures = [origin.measure if origin is not None else None for origin in origins]
    return dataclasses.replace(
        result,
        shown=shown_texts(result.rows, origins, result.evidence),
        units=tuple(measure.unit if measure is not None else None for measure in measures),
        scales=tuple(measure.scale if measure is not None else 1.0 for measure in measures),
        doubts=doubts_of(tree, views, result.evidence, result.evidence_truncated),
        warnings=(*result.warnings, *percent_warnings(tree, views)),
    )


def _is_named(alias: str, statement: Statement) -> bool:
    """Whether the program names the table; any part of a name that is no plain word is taken as naming it."""
    return alias.lower() in statement.words or not alias.isidentifier()


def _main_result(reply: Reply, limits: ProgramSettings, views: Mapping[str, TypedView]) -> ProgramResult:
    if reply.table is None:
        return ProgramResult(error=explain(reply.error or "", reply.kind, limits, views))
    table = reply.table
    rows = _rows(table.slice(0, limits.max_result_rows))
    return ProgramResult(tuple(table.column_names), rows, table.num_rows > limits.max_result_rows)


def _rows(table: pa.Table) -> tuple[tuple[Any, ...], ...]:
    columns = [
        [int(text) if text is not None else None for text in column.to_pylist()]
        if field.metadata
        else [_plain(value) for value in column.to_pylist()]
        for field, column in zip(table.schema, table.columns, strict=True)
    ]
    return tuple(zip(*columns, strict=True))


def _plain(value: Any) -> Any:
    """Exact decimals (sums of whole numbers come as such) as ``int``, or as ``float`` where that keeps all digits."""
    if isinstance(value, Decimal):
        if value == value.to_integral_value():
            return int(value)
        return value if len(value.normalize().as_tuple().digits) > _FLOAT_DIGITS else float(value)
    return value


def _with_evidence(
    result: ProgramResult,
    replies: Sequence[Reply],
    evidence: Sequence[EvidenceQuery],
    joins: Sequence[JoinQuery],
    max_cells: int,
) -> ProgramResult:
    seen: dict[tuple[str, int, int], CellRef] = {}
    truncated = len(replies) < len(evidence) or any(reply.kind in STOPPED for reply in replies)
    for query, reply in zip(evidence, replies, strict=False):
        if reply.table is not None:
            truncated = cells_of(query, reply.table, max_cells, seen) or truncated
            truncated = truncated or reply.table.num_rows > max_cells
    reports: list[JoinReport] = []
    for join, reply in zip(joins, replies[len(evidence) :], strict=False):
        if reply.table is not None and reply.table.num_rows == 1:
            reports.append(join.report(reply.table))
    return dataclasses.replace(
        result, evidence=tuple(seen.values()), evidence_truncated=truncated, joins=tuple(reports)
    )


def _reading_warnings(views: Mapping[str, TypedView], statement: Statement) -> list[str]:
    """Cells that count as NULL because they do not read as their column's kind, readings that are ambiguous, and
    roll-up rows left out, for the columns that the program names."""
    warnings = []
    for view in views.values():
        warnings += [f"{view.alias}: parts are brought to one scale by {text}" for text in view.conversions]
        if view.rollups:
            warnings.append(f"{view.rollups} roll-up rows of {view.alias} were left out")
        for place, name in enumerate(view.names):
            if name.lower() not in statement.words:
                continue
            readings = [
                table.info.columns[at[place]].reading
                for table, at in zip(view.tables, view.places, strict=True)
                if at[place] >= 0
            ]
            exceptions = sum(reading.exceptions for reading in readings if reading.kind != "text")
            if exceptions:
                kind = next(reading.kind for reading in readings if reading.exceptions)
                warnings.append(f'{exceptions} cells of {view.alias}."{name}" are no {kind} and count as NULL')
            for note in sorted({reading.note for reading in readings if reading.ambiguous and reading.note}):
                warnings.append(f'{view.alias}."{name}": {note}')
    return warnings
