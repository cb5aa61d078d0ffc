"""Reports of sources and of how they were read, printed as text or as JSON."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tablehound.interfaces.terminal import complain, emit, emit_json, grid, printable, shorten

if TYPE_CHECKING:
    from tablehound.lake import IndexReport, Lake, SourceReport, TableReport

_SUMMARY_TABLES = 30
_ROWS_SHOWN = 10


def print_index_report(outcome: IndexReport, lake_path: Path, *, as_json: bool, detailed: bool, strict: bool) -> int:
    """What a run of ``index`` did; its exit code: 1 when some source could not be read, 2 when none."""
    from tablehound.lake import Lake

    reports: list[SourceReport] = []
    if detailed:
        with Lake.open(lake_path) as lake:
            reports = list(lake.reports())
    if as_json:
        emit_json(outcome.to_json() | ({"sources": [report.to_json() for report in reports]} if detailed else {}))
    else:
        for report in reports:
            print_source_report(report)
        emit(
            f"{outcome.n_tables} tables from {outcome.n_sources} sources in {printable(str(lake_path))}: "
            f"{outcome.read} read, {outcome.unchanged} unchanged, {outcome.removed} removed, "
            f"{outcome.skipped} skipped, {len(outcome.problems)} with problems, {outcome.seconds:.1f} s"
        )
    for remark in outcome.remarks:
        complain(remark)
    for report in outcome.problems:
        complain(_problem(report))
    return (2 if strict or not outcome.n_tables else 1) if outcome.problems else 0


def _problem(report: SourceReport) -> str:
    where = report.where or report.label
    texts = [report.error] if report.error else []
    texts += [f"{table.label}: {table.problem}" for table in report.tables if table.problem]
    remedy = f" ({report.remedy})" if report.remedy else ""
    return f"{where}: {'; '.join(texts)}{remedy}"


def print_source_report(report: SourceReport) -> None:
    """One source: its status, and for each table the dialect, what was set aside and why, repairs, ambiguities."""
    emit(f"{printable(report.label)}: {report.status}" + (f", {report.format}" if report.format else ""))
    if report.error:
        emit(f"  {printable(report.error)}" + (f" ({report.remedy})" if report.remedy else ""))
    for part in report.left_out[:_ROWS_SHOWN]:
        emit(f"  left out: {printable(part)}")
    if len(report.left_out) > _ROWS_SHOWN:
        emit(f"  … and {len(report.left_out) - _ROWS_SHOWN} more left out")
    for table in report.tables:
        _print_table_report(table)


def _print_table_report(table: TableReport) -> None:
    emit(
        f"  {printable(table.label)}: {table.seen} rows seen = {table.kept} kept + {table.seen - table.kept} set aside"
    )
    if table.problem:
        emit(f"    PROBLEM: {printable(table.problem)}")
    if table.dialect:
        emit(
            "    read as: " + printable(", ".join(f"{name} {value!r}" for name, value in sorted(table.dialect.items())))
        )
    for row in table.set_aside[:_ROWS_SHOWN]:
        emit(
            f"    row {row.row} set aside: {printable(row.reason)}"
            + (f": {shorten(printable(row.text), 80)}" if row.text else "")
        )
    if len(table.set_aside) > _ROWS_SHOWN:
        emit(f"    … and {table.seen - table.kept - _ROWS_SHOWN} more rows set aside")
    for label, texts in (("repaired", table.repairs), ("ambiguous", table.ambiguities)):
        for text in texts[:_ROWS_SHOWN]:
            emit(f"    {label}: {printable(text)}")
        if len(texts) > _ROWS_SHOWN:
            emit(f"    … and {len(texts) - _ROWS_SHOWN} more {label}")


def print_lake(lake: Lake, *, as_json: bool) -> None:
    """How many tables of which formats; all of them as JSON lines when asked."""
    infos = sorted(lake.infos(), key=lambda info: info.provenance.label())
    if as_json:
        for info in infos:
            emit_json(
                {
                    "table": info.id,
                    "label": info.provenance.label(),
                    "format": info.provenance.format,
                    "title": info.title,
                    "rows": info.n_rows,
                    "header": list(info.header),
                }
            )
        return
    formats = Counter(info.provenance.format for info in infos)
    emit(f"{len(infos)} tables, {sum(info.n_rows for info in infos)} rows, lake {printable(str(lake.path))}")
    emit("formats: " + ", ".join(f"{name} {count}" for name, count in sorted(formats.items())))
    rows: list[Sequence[str | None]] = [
        [info.id, info.provenance.label(), str(info.n_rows), shorten(" | ".join(info.header), 60)]
        for info in infos[:_SUMMARY_TABLES]
    ]
    if rows:
        emit(grid(["table", "source", "rows", "columns"], rows, max_width=60))
    if len(infos) > _SUMMARY_TABLES:
        emit(f"… {len(infos) - _SUMMARY_TABLES} more: use --json for all")
    for report in lake.reports():
        if not report.ok:
            complain(_problem(report))


def print_table_info(lake: Lake, table_id: str, *, as_json: bool) -> None:
    """Columns with the reading that was chosen, and the account of the table's rows."""
    from tablehound.lake import measure_of

    info = lake.info(table_id)
    reports = [table for report in lake.reports() for table in report.tables if table.table_id == table_id]
    if as_json:
        emit_json({"info": dataclasses.asdict(info), "reports": [dataclasses.asdict(report) for report in reports]})
        return
    emit(f"{printable(info.provenance.label())} (table {info.id}), {info.n_rows} rows")
    if info.title:
        emit(f"title: {printable(info.title)}")
    rows: list[Sequence[str | None]] = []
    for column in info.columns:
        reading = column.reading
        remarks = [reading.note] if reading.note else []
        if column.inferred:
            remarks.append("the source has no name for it")
        elif column.name != column.original:
            remarks.append(f"named {column.original!r} in the source")
        if reading.ambiguous:
            remarks.append("ambiguous")
        if reading.exceptions:
            remarks.append(f"{reading.exceptions} cells do not read so")
        rows.append(
            [column.name, column.kind, measure_of(reading).label(), ", ".join(reading.styles), "; ".join(remarks)]
        )
    emit(grid(["column", "type", "unit", "written", "remarks"], rows, cut_last=False))
    for note in info.notes:
        emit(f"note: {printable(note)}")
    for report in reports[:1]:
        _print_table_report(report)
