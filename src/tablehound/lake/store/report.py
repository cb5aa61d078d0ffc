"""What became of every source: machine-readable, and complete. Rows seen are rows kept and rows set aside."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from tablehound.errors import SourceError, TablehoundError
from tablehound.lake.read.contract import Account, SetAside

Status = Literal["read", "empty", "skipped", "failed"]

HARMLESS = frozenset(
    {"header", "blank", "title", "preamble", "note", "separator"}
    | {"header repeated", "repeated header", "merged with the row above"}
)
"""Reasons that lose nothing: the text is kept as header, title or note, stands in another row, or there is none."""


@dataclass(frozen=True, slots=True)
class TableReport:
    """How one table was read."""

    table_id: str
    label: str
    n_rows: int
    columns: tuple[str, ...] = ()
    seen: int = 0
    kept: int = 0
    header_rows: tuple[int, ...] = ()
    reasons: dict[str, int] = field(default_factory=dict)
    """Reason → rows set aside for it."""
    set_aside: tuple[SetAside, ...] = ()
    """The first of them, as many as ``read.max_listed_rows`` says."""
    repairs: tuple[str, ...] = ()
    ambiguities: tuple[str, ...] = ()
    dialect: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    """Not empty when the account does not add up."""


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What became of one source, or one member of an archive."""

    source: str
    status: Status
    member: str | None = None
    format: str = ""
    tables: tuple[TableReport, ...] = ()
    error: str = ""
    kind: str = ""
    """Class name of the error."""
    where: str = ""
    remedy: str = ""
    left_out: tuple[str, ...] = ()
    """Parts that are not read unless asked for: hidden sheets, views."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong: no failure, and every account adds up."""
        return self.status != "failed" and not any(table.problem for table in self.tables)

    @property
    def label(self) -> str:
        return self.source + (f"!{self.member}" if self.member else "")

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {**dataclasses.asdict(self), "ok": self.ok}


def failed(
    source: str,
    member: str | None,
    error: BaseException,
    *,
    status: Status = "failed",
    format: str = "",
    tables: tuple[TableReport, ...] = (),
    left_out: tuple[str, ...] = (),
) -> SourceReport:
    """The report of a source that could not be read, or only in part: ``tables`` are those read before the error."""
    known = isinstance(error, TablehoundError)
    message = error.message if isinstance(error, TablehoundError) else f"{type(error).__name__}: {error}"
    if isinstance(error, SourceError) and error.where:
        message = message.removeprefix(f"{error.where}: ")
    return SourceReport(
        source=source,
        status=status,
        member=member,
        format=format,
        tables=tables,
        error=message,
        kind=type(error).__name__ if known else "BrokenSourceError",
        where=error.where if isinstance(error, SourceError) else "",
        remedy=(error.remedy or "") if isinstance(error, TablehoundError) else "",
        left_out=left_out,
    )


def table_report(
    table_id: str, label: str, n_rows: int, columns: tuple[str, ...], account: Account, max_listed: int
) -> TableReport:
    """The report of a table whose batches were consumed; says so when its account does not add up."""
    problem = ""
    if account.seen != account.kept + len(account.set_aside):
        problem = (
            f"the account does not add up: {account.seen} rows seen, {account.kept} kept, "
            f"{len(account.set_aside)} set aside"
        )
    elif account.kept != n_rows:
        problem = f"the account says {account.kept} rows were kept, but the table has {n_rows}"
    return TableReport(
        table_id=table_id,
        label=label,
        n_rows=n_rows,
        columns=columns,
        seen=account.seen,
        kept=account.kept,
        header_rows=tuple(account.header_rows),
        reasons=dict(Counter(item.reason for item in account.set_aside)),
        set_aside=tuple(account.set_aside[:max_listed]),
        repairs=tuple(account.repairs),
        ambiguities=tuple(account.ambiguities),
        dialect=dict(account.dialect),
        problem=problem,
    )


_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def encode_reports(reports: list[SourceReport]) -> str:
    """Reports as JSON, without what is empty."""
    data = [{**_filled(report), "tables": [_table_data(table) for table in report.tables]} for report in reports]
    return _json(data)


def _table_data(table: TableReport) -> dict[str, Any]:
    data = _filled(table)
    if table.set_aside:
        data["set_aside"] = [[item.row, item.reason, item.text] for item in table.set_aside]
    return data


def _filled(report: SourceReport | TableReport) -> dict[str, Any]:
    # dataclasses.asdict copies everything deeply, which costs more than all else that is done for a small file.
    names = report.__slots__
    return {name: value for name in names if (value := getattr(report, name)) or name == "n_rows"}


def decode_reports(text: str) -> list[SourceReport]:
    """The reports that ``encode_reports`` made JSON of."""
    return [_source_report(item) for item in json.loads(text)]


def _source_report(item: dict[str, Any]) -> SourceReport:
    tables = tuple(_table_report(table) for table in item.pop("tables", ()))
    return SourceReport(tables=tables, left_out=tuple(item.pop("left_out", ())), **item)


def _table_report(item: dict[str, Any]) -> TableReport:
    aside = tuple(SetAside(*row) for row in item.pop("set_aside", ()))
    for name in ("columns", "header_rows", "repairs", "ambiguities"):
        if name in item:
            item[name] = tuple(item[name])
    return TableReport(set_aside=aside, **item)


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run of ``index_sources`` did."""

    generation: str
    n_sources: int = 0
    """Sources that were found, members of archives each counted."""
    n_tables: int = 0
    """Tables in the lake now."""
    read: int = 0
    """Sources that were read in this run."""
    unchanged: int = 0
    removed: int = 0
    skipped: int = 0
    problems: tuple[SourceReport, ...] = ()
    """Reports of the sources of this call that failed or whose account does not add up."""
    seconds: float = 0.0
    remarks: tuple[str, ...] = ()
    """What the caller should know, though nothing failed: entries of ``tablehound.toml`` that fit no file."""

    @property
    def ok(self) -> bool:
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        data = dataclasses.asdict(self)
        data["problems"] = [report.to_json() for report in self.problems]
        return {**data, "ok": self.ok}
