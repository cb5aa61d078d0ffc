"""The one gate for programs: every program of an answer runs through :func:`run_program`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tablehound.execution.program import Program, ProgramResult
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake.store import Lake


def run_program(lake: Lake, program: Program, settings: Settings) -> ProgramResult:
    """Run one read-only program over whole tables of the lake. The program's own faults come back in ``error``."""
    import duckdb

    from tablehound.execution.view import view_table

    started = time.perf_counter()
    if program.language != "sql":
        return ProgramResult(error="programs in Python are not available: write one SELECT statement in SQL")
    connection = duckdb.connect(":memory:", config={"enable_external_access": "false"})
    try:
        for alias, view in program.tables.items():
            connection.register(alias, view_table(lake, view))
        statements = connection.extract_statements(program.text)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            return ProgramResult(error="only one SELECT statement is allowed")
        cursor = connection.execute(program.text)
        names = tuple(column[0] for column in cursor.description or ())
        limit = settings.program.max_result_rows
        rows = cursor.fetchmany(limit + 1)
    except duckdb.Error as error:
        return ProgramResult(error=str(error), seconds=time.perf_counter() - started)
    finally:
        connection.close()
    return ProgramResult(names, tuple(rows[:limit]), len(rows) > limit, time.perf_counter() - started)
