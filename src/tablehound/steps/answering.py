"""From a decision of the backbone to an :class:`Answer`: values and evidence come from the program that ran."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tablehound.answer import Answer, EvidenceTable, Missing
from tablehound.lake import Measure
from tablehound.program import CellRef, Program, ProgramResult
from tablehound.steps.judging import Judgement
from tablehound.trail import Trail

if TYPE_CHECKING:
    from tablehound.lake import Lake

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NUMERIC = re.compile(r"-?\d+(?:\.\d+)?")
_SHOWN_VALUES = 10


def build_answer(
    lake: Lake,
    question: str,
    program: Program,
    result: ProgramResult,
    judgement: Judgement,
    *,
    sentence: str = "",
    unit: str | None = None,
    assumptions: Sequence[str] = (),
    tried: Sequence[str] = (),
    trail: Trail | None = None,
) -> Answer:
    """The answer that a program gave: its values, and the cells it rests on with their file, sheet and source row."""
    said = [*assumptions, *result.warnings]
    unit, scale = _counted_in(result, unit)
    if not any(_NUMERIC.fullmatch(value) for value in judgement.values):
        unit, scale = None, 1.0
    if judgement.strength == "weak" and judgement.reason:
        said.append(judgement.reason)
    said += result.doubts
    return Answer(
        question=question,
        answered=True,
        values=judgement.values,
        unit=unit,
        scale=scale,
        counted_in=Measure(unit, scale).label(),
        verdict=judgement.verdict,
        sentence=word_sentence(question, judgement, Measure(unit, scale).label(), sentence),
        evidence=evidence_tables(lake, program, result.evidence),
        evidence_truncated=result.evidence_truncated,
        program=program,
        joins=result.joins,
        assumptions=tuple(dict.fromkeys(said)),
        truncated=result.truncated,
        doubtful=judgement.strength == "weak" or bool(result.doubts),
        tried=tuple(tried),
        trail=trail,
    )


def _counted_in(result: ProgramResult, unit: str | None) -> tuple[str | None, float]:
    """Unit and scale of the values: those of the table's column that they are from, else the unit that was decided."""
    known = {(own, scale) for own, scale in zip(result.units, result.scales, strict=True) if own or scale != 1}
    if len(result.units) == 1 and len(known) == 1:
        own, scale = next(iter(known))
        return own or unit, scale
    return unit, 1.0


def unanswered(
    question: str,
    missing: Iterable[Missing],
    *,
    tried: Sequence[str] = (),
    trail: Trail | None = None,
    sentence: str = "",
) -> Answer:
    """The plain "the tables do not say", with what nothing covers."""
    return Answer(
        question=question,
        answered=False,
        sentence=sentence or "The tables do not say.",
        lacks=tuple(dict.fromkeys(part for part in missing if part.text)),
        tried=tuple(tried),
        trail=trail,
    )


def evidence_tables(lake: Lake, program: Program, cells: Sequence[CellRef]) -> tuple[EvidenceTable, ...]:
    """The cells grouped by table, each table with its label for people and the source rows of its cells.

    Tables of the program come first, in its order, also where no single cell stands out.
    """
    grouped: dict[str, list[CellRef]] = {}
    if not cells or len(program.tables) == 1:
        for view in program.tables.values():
            if len(view.table_ids) == 1:
                grouped.setdefault(view.table_ids[0], [])
    for cell in cells:
        grouped.setdefault(cell.table_id, []).append(cell)
    if not grouped:
        grouped = {table_id: [] for view in program.tables.values() for table_id in view.table_ids}
    tables = []
    for table_id, own in grouped.items():
        table = lake.table(table_id)
        rows = sorted({cell.row for cell in own if 0 <= cell.row < table.n_rows})
        tables.append(
            EvidenceTable(
                table_id=table_id,
                label=table.info.provenance.label(),
                header=table.header,
                cells=tuple(own),
                source_rows={row: table.source_row(row) for row in rows},
            )
        )
    return tuple(tables)


def word_sentence(question: str, judgement: Judgement, unit: str | None, offered: str) -> str:
    """The sentence of the answer. The backbone's wording is kept when every number in it is the program's or the
    question's (``{answer}`` stands for the values); else a plain one is made, so that no number of its own gets in."""
    values = ", ".join(judgement.values[:_SHOWN_VALUES]) + (" …" if len(judgement.values) > _SHOWN_VALUES else "")
    shown = f"{values} {unit}" if unit else values
    if judgement.verdict:
        plain = f"The tables {'support' if judgement.verdict == 'supported' else 'refute'} the claim."
    else:
        plain = f"{shown}."
    if not offered.strip():
        return plain
    if "{answer}" in offered:
        filled = offered.replace("{answer}", shown)
    else:
        filled = offered
        if judgement.verdict is None and not all(value in offered for value in judgement.values[:_SHOWN_VALUES]):
            return plain
    allowed = {_bare(n) for text in (question, shown, *judgement.values) for n in _NUMBER.findall(text)}
    return filled if all(_bare(n) in allowed for n in _NUMBER.findall(filled)) else plain


def _bare(number: str) -> str:
    return number.replace(",", "").rstrip(".")
