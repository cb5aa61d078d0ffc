"""Programs and what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class View:
    """What a program sees under one alias: a table, or the tables of a union cluster stacked row-wise."""

    table_ids: tuple[str, ...]
    header: tuple[str, ...] = ()
    """Column names of the view; empty means those of the first table."""
    alignment: tuple[tuple[int, ...], ...] = ()
    """Per table, the index of its column at each place of ``header``; empty means the same places in every table."""


@dataclass(frozen=True, slots=True)
class Program:
    """One read-only program over whole tables.

    In SQL (DuckDB dialect) every table of ``tables`` is a view named by its alias, with the lake's column names, typed
    by each column's reading, and three more columns: ``_row`` (0-based row index), ``_table`` (the table's id, so that
    the views of a union cluster name their parts) and ``_rollup`` (true for rows that add up others).
    """

    text: str
    tables: Mapping[str, View]
    """Alias → what it stands for."""
    language: Literal["sql", "python"] = "sql"


@dataclass(frozen=True, slots=True)
class CellRef:
    """One cell that an answer rests on."""

    table_id: str
    row: int
    """0-based row index."""
    column: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class JoinReport:
    """What a join did, said with every answer that rests on one."""

    left: str
    right: str
    left_rows: int
    right_rows: int
    left_matched: int
    right_matched: int
    result_rows: int

    @property
    def multiplied(self) -> bool:
        """Whether some row of a side found more than one partner."""
        return self.result_rows > max(self.left_matched, self.right_matched)

    @property
    def matched_none(self) -> bool:
        """Whether both sides have rows and no row of one found a partner."""
        return bool(self.left_rows and self.right_rows and not self.result_rows)

    def exploded(self, times: float) -> bool:
        """Whether the result has more than ``times`` as many rows as the larger side."""
        return self.result_rows > times * max(self.left_rows, self.right_rows)


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """Rows that a program returned, or the error that stopped it."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    truncated: bool = False
    seconds: float = 0.0
    error: str | None = None
    """Message for the backbone to repair from; None when it ran."""
    evidence: tuple[CellRef, ...] = ()
    evidence_truncated: bool = False
    joins: tuple[JoinReport, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    doubts: tuple[str, ...] = ()
    """Why the result may be wrong, though the program ran: what some cells of its columns leave open."""
    shown: tuple[tuple[str | None, ...], ...] = ()
    """Per value the text of its cell to print in place of the value, which may lose digits; None where it does not."""
    units: tuple[str | None, ...] = ()
    """Per column its unit, where it is that of a table's column."""
    scales: tuple[float, ...] = ()
    """Per column how many of the unit a value of 1 is."""

    @property
    def ok(self) -> bool:
        return self.error is None
