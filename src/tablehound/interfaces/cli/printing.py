"""Answers, trails, candidates, cells and results, printed as text or as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablehound.interfaces.terminal import emit, emit_json, grid, printable, shorten

if TYPE_CHECKING:
    from tablehound.answer import Answer, EvidenceTable
    from tablehound.lake import Lake, Table
    from tablehound.program import ProgramResult
    from tablehound.retrieval import Candidate, CellMatch
    from tablehound.trail import Trail

_EVIDENCE_ROWS = 8
_SUMMARY_TABLES = 30


def print_answer(answer: Answer) -> None:
    """The answer, what it rests on, and the program; or what nothing covers."""
    if not answer.answered:
        emit("The tables do not say.")
        for part in answer.missing:
            emit(f"  not covered: {printable(part)}")
        return
    if answer.verdict is not None:
        emit(answer.verdict)
    else:
        unit = f" {answer.counted_in}" if answer.counted_in else ""
        emit("\n".join(printable(value) + printable(unit) for value in answer.values))
    if answer.truncated:
        emit("… more values were left out")
    if answer.sentence and not _repeats(answer):
        emit(printable(answer.sentence))
    for table in answer.evidence:
        emit()
        _print_evidence(table)
    if answer.evidence_truncated:
        emit("… more evidence was left out")
    for join in answer.joins:
        emit(
            f"\nJoin {printable(join.left)} = {printable(join.right)}: {join.left_matched} of {join.left_rows} and "
            f"{join.right_matched} of {join.right_rows} rows matched" + (", rows multiplied" if join.multiplied else "")
        )
    for assumption in answer.assumptions:
        emit(f"\nAssumed: {printable(assumption)}")
    if answer.program is not None:
        emit(f"\nProgram ({answer.program.language.upper()}):")
        for line in answer.program.text.splitlines():
            emit(f"  {printable(line)}")


def _repeats(answer: Answer) -> bool:
    """Whether the sentence says no more than the values above it."""
    unit = f" {answer.counted_in}" if answer.counted_in else ""
    return answer.sentence.rstrip(".") in (", ".join(map(str, answer.values)) + unit, answer.verdict)


def _print_evidence(table: EvidenceTable) -> None:
    """The cells of one table, one line a row, with the row's number in the source."""
    rows: dict[int, dict[int, str]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, {})[cell.column] = cell.text
    columns = sorted({cell.column for cell in table.cells})
    emit(f"Evidence: {printable(table.label)} (table {table.table_id})")
    header = ["row", *(table.header[column] for column in columns)]
    shown = sorted(rows)[:_EVIDENCE_ROWS]
    lines = [
        [str(table.source_rows.get(row, row + 1)), *(rows[row].get(column, "") for column in columns)] for row in shown
    ]
    emit("  " + grid(header, lines).replace("\n", "\n  "))
    if len(rows) > len(shown):
        emit(f"  … and {len(rows) - len(shown)} more rows")


def print_trail(trail: Trail) -> None:
    """One line a step, then what it cost."""
    import json

    emit(f"Trail of {trail.backbone}: {printable(trail.question)}")
    for number, step in enumerate(trail.steps, 1):
        decided = json.dumps(dict(step.decided), ensure_ascii=False, default=str)
        emit(f"{number:3} {step.kind:<13} {step.seconds:7.3f} s  {shorten(printable(decided), 160)}")
        if step.note:
            emit(f"      {printable(step.note)}")
    counts = ", ".join(f"{count} {kind}" for kind, count in trail.counts().items())
    emit(f"{trail.backbone_steps} backbone steps ({counts}), {trail.tokens} tokens, {trail.seconds:.2f} s")


def print_candidates(lake: Lake, found: Sequence[Candidate], *, as_json: bool, explain: bool) -> None:
    """Ranked tables, best first."""
    for place, candidate in enumerate(found, 1):
        info = lake.info(candidate.table_id)
        if as_json:
            data = {
                "rank": place,
                "table": info.id,
                "label": info.provenance.label(),
                "title": info.title,
                "score": candidate.score,
                "header": list(info.header),
                "rows": list(candidate.rows),
            }
            emit_json(data | ({"explanation": dict(candidate.explanation)} if explain else {}))
            continue
        emit(f"{place:3}  {candidate.score:8.3f}  {printable(info.provenance.label())}  ({info.n_rows} rows)")
        emit(f"     {shorten(printable(' | '.join(info.header)), 110)}")
        if explain:
            for name, share in sorted(candidate.explanation.items(), key=lambda item: -abs(item[1])):
                emit(f"       {share:+9.3f}  {name}")


def print_cells(
    lake: Lake,
    cells: Sequence[CellMatch],
    *,
    tables: Sequence[str] = (),
    count: bool = False,
    as_json: bool,
    color: bool = False,
    cut: bool = False,
) -> None:
    """Matching cells, or counts per table, or tables only."""
    labels: dict[str, str] = {}

    def label(table_id: str) -> str:
        if table_id not in labels:
            labels[table_id] = lake.info(table_id).provenance.label()
        return labels[table_id]

    for table_id in sorted(tables, key=label):
        emit_json({"table": table_id, "label": label(table_id)}) if as_json else emit(printable(label(table_id)))
    if count:
        totals = Counter(cell.table_id for cell in cells)
        for table_id in sorted(totals, key=label):
            data = {"table": table_id, "label": label(table_id), "count": totals[table_id]}
            emit_json(data) if as_json else emit(f"{printable(label(table_id))}:{totals[table_id]}")
        return
    headers: dict[str, tuple[str, ...]] = {}
    numbers: dict[str, list[int]] = {}
    for cell in sorted(
        cells, key=lambda cell: (label(cell.table_id), cell.row is not None, cell.row or 0, cell.column)
    ):
        header = headers.setdefault(cell.table_id, lake.info(cell.table_id).header)
        row = None
        if cell.row is not None:
            if cell.table_id not in numbers:
                numbers = {cell.table_id: lake.table(cell.table_id).source_rows()}
            row = numbers[cell.table_id][cell.row]
        if as_json:
            emit_json(
                {
                    "table": cell.table_id,
                    "label": label(cell.table_id),
                    "row": row,
                    "column": header[cell.column],
                    "text": cell.text,
                    "pattern": cell.pattern,
                }
            )
            continue
        place = "header" if row is None else str(row)
        name, text = printable(label(cell.table_id)), printable(cell.text)
        if color:
            name, text = f"\x1b[35m{name}\x1b[0m", f"\x1b[1;31m{text}\x1b[0m"
        emit(f"{name}:{place}:{printable(header[cell.column])}: {text}")
    if cut:
        emit_json({"truncated": True}) if as_json else emit("… more cells match: raise --limit")


def print_table(table: Table, indices: range, *, as_json: bool) -> None:
    """Rows of a table, as they were in the source."""
    rows = list(table.rows(indices)) if len(indices) else []
    numbers = table.source_rows()[indices.start : indices.stop]
    if as_json:
        info = table.info
        emit_json(
            {
                "table": info.id,
                "label": info.provenance.label(),
                "title": info.title,
                "header": list(info.header),
                "n_rows": info.n_rows,
                "source_rows": numbers,
                "rows": [list(row) for row in rows],
                "notes": list(info.notes),
            }
        )
        return
    emit(f"{printable(table.info.provenance.label())} (table {table.id})")
    if table.info.title:
        emit(printable(table.info.title))
    rollups = set(table.info.rollup_rows)
    lines = [
        [f"{number}{'*' if index in rollups else ''}", *row]
        for index, number, row in zip(indices, numbers, rows, strict=True)
    ]
    emit(grid(["row", *table.header], lines))
    if rollups & set(indices):
        emit("* adds up other rows")
    if len(rows) < table.n_rows:
        emit(f"… {len(rows)} of {table.n_rows} rows shown")
    for note in table.info.notes:
        emit(printable(note))


def print_result(result: ProgramResult, *, as_json: bool) -> int:
    """The rows of a program; its exit code."""
    if as_json:
        emit_json(
            {
                "columns": list(result.columns),
                "rows": [list(row) for row in result.rows],
                "truncated": result.truncated,
                "error": result.error,
                "units": list(result.units),
                "scales": list(result.scales),
                "warnings": [*result.warnings, *result.doubts],
            }
        )
    elif result.error is None:
        emit(grid(list(result.columns), [[None if cell is None else str(cell) for cell in row] for row in result.rows]))
        if result.truncated:
            emit(f"… cut at {len(result.rows)} rows")
        for warning in (*result.warnings, *result.doubts):
            emit(f"note: {printable(warning)}")
    else:
        from tablehound.interfaces.terminal import complain

        complain(result.error)
    if result.error is not None:
        return 2
    return 0 if result.rows else 1
