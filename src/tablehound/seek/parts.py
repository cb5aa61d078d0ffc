"""Tables split by rows: a count over one part is wrong, so a program is run over all parts when their rows matter.

The parts are unionable tables with different rows. A question that names one part (``1970``, ``in March``) means that
one. Tables with the same columns that list the same things (a list of cities of two years) are no parts: where they
disagree and the question names none, there is no one answer.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablehound.answer import Answer, Missing
from tablehound.backbone.protocol import AnswerRequest
from tablehound.program import Program, ProgramResult, View
from tablehound.retrieval.candidate import SearchEngine
from tablehound.retrieval.patterns.types import Pattern
from tablehound.steps.answering import build_answer, unanswered
from tablehound.steps.asked import Asked
from tablehound.steps.judging import Judgement, judge
from tablehound.steps.recorder import Recorder
from tablehound.steps.showing import show_view

if TYPE_CHECKING:
    from tablehound.lake import Lake, TableInfo
    from tablehound.relations import TableFacts

LOOKED_AT = 300
"""Tables of which a part is looked for: all of a small lake, else those with most of the same column names."""
_KEY = 0.95
"""Uniqueness from which a column is a key of its table."""
_SHARED_KEYS = 0.05
"""Share of key values that two parts may have in common."""
_SAME_KEYS = 0.8
"""Share of key values from which two tables of one header list the same things."""
_SAME_ROWS = 0.5
"""Share of equal rows from which a table is taken as a copy of another."""
_LONG_NAME = 200
_SHORT_WORD = 3
_WORD = re.compile(r"[^\W\d_]+|\d+")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_COUNTS_ROWS = re.compile(r"count\s*\(\s*\*\s*\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Family:
    """Tables with the columns of one: its other parts, and tables that list the same things (``rivals``)."""

    view: View
    rivals: tuple[View, ...] = ()
    overlapping: bool = False
    """Some parts share keys: a count of rows counts things more than once."""


def over_all_parts(answer: Answer, asked: Asked, engine: SearchEngine) -> Answer:
    """The answer over all parts of its table; the answer as it is where that changes nothing.

    With a step left the program is written anew over all parts, since a condition that lists cells of one part misses
    those of the others; else the same program runs over all of them.
    """
    program = answer.program
    if not answer.answered or program is None or len(program.tables) != 1:
        return answer
    ((alias, view),) = program.tables.items()
    if len(view.table_ids) != 1:
        return answer
    started = time.perf_counter()
    family = _family(view.table_ids[0], asked, engine)
    if family is None:
        return answer
    record = Recorder(asked, answer.trail)
    if family.rivals and not asked.settings.backbone.blind:
        return _unless_contradicted(answer, program, alias, family, record, started)
    whole = family.view
    if whole.table_ids == view.table_ids:
        return answer
    written, unit, said = _written_anew(answer, alias, whole, record)
    result, judgement = _run(written, asked)
    if not _changes(answer, judgement, whole.table_ids, record, started, "the table is one of several parts"):
        return answer
    lake = asked.lake
    labels = ", ".join(lake.info(table_id).provenance.label() for table_id in whole.table_ids)
    tried = (*answer.tried, *(t for t in whole.table_ids if t not in answer.tried))
    if family.overlapping and _COUNTS_ROWS.search(written.text) and " > 0" not in written.text:
        missing = Missing("overlap", f"a count over {labels}, which list the same things more than once")
        return unanswered(answer.question, (missing,), tried=tried, trail=record.trail)
    return build_answer(
        lake,
        answer.question,
        written,
        result,
        judgement,
        unit=unit,
        assumptions=(*said, f"taken as parts of one table: {labels}"),
        tried=tried,
        trail=record.trail,
    )


def _run(program: Program, asked: Asked) -> tuple[ProgramResult, Judgement]:
    from tablehound.execution import run_program

    result = run_program(asked.lake, program, asked.settings)
    return result, judge(result, asked.task)


def _written_anew(
    answer: Answer, alias: str, whole: View, record: Recorder
) -> tuple[Program, str | None, tuple[str, ...]]:
    """The program over all parts, with the unit of its values and what it assumes."""
    assert answer.program is not None
    asked = record.asked
    if record.budget.may_answer():
        shown = show_view(asked.lake, whole, alias, asked.settings, answering=True)
        request = AnswerRequest(answer.question, asked.task, (shown,))
        decision = record.call(
            "answer",
            lambda: asked.backbone.answer(request),
            saw={"tables": list(whole.table_ids)},
            decided=lambda d: {"sufficient": d.sufficient, "program": d.program and d.program.text},
        )
        if decision.sufficient and decision.program is not None:
            return decision.program, decision.unit, decision.assumptions
    widened = Program(answer.program.text, {alias: whole}, answer.program.language)
    return widened, answer.unit, answer.assumptions


def _unless_contradicted(
    answer: Answer, program: Program, alias: str, family: _Family, record: Recorder, started: float
) -> Answer:
    """The answer, unless a table of the same columns and things gives another one and the question names neither."""
    lake = record.asked.lake
    for rival in family.rivals:
        _, judgement = _run(Program(program.text, {alias: rival}, program.language), record.asked)
        ids = (*family.view.table_ids, *rival.table_ids)
        if _changes(answer, judgement, ids, record, started, "another table lists the same things"):
            labels = " or ".join(lake.info(table_id).provenance.label() for table_id in ids)
            missing = Missing("which_table", f"which table is meant: {labels}")
            return unanswered(answer.question, (missing,), tried=answer.tried, trail=record.trail)
    return answer


def _changes(
    answer: Answer, judgement: Judgement, ids: Sequence[str], record: Recorder, started: float, note: str
) -> bool:
    """Whether another table gives another answer; noted as a check."""
    changed = judgement.strength == "strong" and judgement.values != answer.values
    record.note(
        "check", note, since=started, saw={"parts": list(ids)}, values=list(judgement.values[:5]), changed=changed
    )
    return changed


def _family(table_id: str, asked: Asked, engine: SearchEngine) -> _Family | None:
    """The table with its other parts stacked below, columns in its own order and names; None when it has none, or
    when the question names this one."""
    from tablehound.relations import align_columns, table_facts

    lake, settings = asked.lake, asked.settings
    near = _look_alikes(table_id, lake, engine)
    if len(near) < 2:
        return None
    facts = table_facts(lake, table_id)
    width = len(facts.info.columns)
    parts, alignments, rivals, overlapping = [table_id], [tuple(range(width))], [], False
    for other in near:
        if other == table_id:
            continue
        others = table_facts(lake, other)
        aligned = align_columns(facts, others)
        if aligned is None or aligned[0] < settings.multitable.union_threshold:
            continue
        kind = _relation(facts, others, aligned[1], lake)
        if kind == "rival":
            rivals.append(View((other,), facts.info.header, (aligned[1],)))
        elif kind in ("part", "overlap"):
            parts.append(other)
            alignments.append(aligned[1])
            overlapping |= kind == "overlap"
    infos = [lake.info(part) for part in (*parts, *(view.table_ids[0] for view in rivals))]
    if len(infos) == 1:
        return None
    if not settings.backbone.blind:
        named = _named(asked.question, infos)
        if named or (rivals and _of_months(infos)):  # what happened in each month adds up
            parts += [view.table_ids[0] for view in rivals]
            alignments += [view.alignment[0] for view in rivals]
            overlapping |= bool(rivals)
            rivals = []
        if named:
            chosen = [place for place, part in enumerate(parts) if part in named]
            parts, alignments = [parts[i] for i in chosen], [alignments[i] for i in chosen]
            if parts == [table_id]:
                return None
    return _Family(View(tuple(parts), facts.info.header, tuple(alignments)), tuple(rivals), overlapping)


def _look_alikes(table_id: str, lake: Lake, engine: SearchEngine) -> list[str]:
    """Tables of the same width that may be parts: all of a small lake, else those with most of the column names."""
    ids = lake.table_ids()
    header = lake.info(table_id).header
    if len(ids) > LOOKED_AT:
        counts: dict[str, int] = {}
        for found in engine.tables(
            [Pattern(name, "literal") for name in header if name.strip() and len(name) <= _LONG_NAME]
        ):
            for other in found:
                counts[other] = counts.get(other, 0) + 1
        near = sorted((other for other, n in counts.items() if 2 * n >= len(header)), key=lambda t: (-counts[t], t))
        ids = sorted({table_id, *near[:LOOKED_AT]})
    return [other for other in ids if len(lake.info(other).header) == len(header)]


def _relation(facts: TableFacts, other: TableFacts, columns: Sequence[int], lake: Lake) -> str:
    """What a table of the same columns is: a ``part`` with rows of its own, an ``overlap`` (other rows, some of the
    same things), a ``rival`` (the same things), a ``copy``, or ``""``."""
    pairs = [(a, other.columns[place]) for a, place in zip(facts.columns, columns, strict=True)]
    keys = [(a, b) for a, b in pairs if min(a.uniqueness, b.uniqueness) >= _KEY]
    names = [(a, b) for a, b in keys if a.kind != "number" or (a.years and b.years)]
    shares = [len(a.values & b.values) / min(len(a.values), len(b.values)) for a, b in names or keys]
    if any(share <= _SHARED_KEYS for share in shares):
        return "part"
    if not all(a.words == b.words and a.words for a, b in pairs):
        return ""
    rows, others = _rows(facts.info.id, range(len(columns)), lake), _rows(other.info.id, columns, lake)
    if not rows or not others or len(rows & others) >= _SAME_ROWS * min(len(rows), len(others)):
        return "copy"
    if not shares:
        return "part"
    return "rival" if max(shares) >= _SAME_KEYS else "overlap"


def _rows(table_id: str, columns: Sequence[int], lake: Lake) -> frozenset[tuple[str | None, ...]]:
    table = lake.table(table_id)
    return frozenset(zip(*(table.column(column) for column in columns), strict=True))


def _named(question: str, infos: Sequence[TableInfo]) -> frozenset[str]:
    """The tables that the question names, by words in their names that the others' names do not all have."""
    asked = _words(question)
    words = {info.id: _words(_names(info)) for info in infos}
    common = frozenset.intersection(*words.values())
    hits = {table_id: len(asked & (own - common)) for table_id, own in words.items()}
    most = max(hits.values())
    return frozenset(table_id for table_id, n in hits.items() if n == most > 0)


def _of_months(infos: Sequence[TableInfo]) -> bool:
    """Whether the tables are named by different months."""
    months = [tuple(sorted(_words(_names(info)) & set(_MONTHS))) for info in infos]
    return all(months) and len(set(months)) == len(months)


def _names(info: TableInfo) -> str:
    where = info.provenance
    return " ".join([where.source, where.member or "", where.sheet or "", info.title or ""])


def _words(text: str) -> frozenset[str]:
    """Words and numbers, months written out."""
    found = (word for word in _WORD.findall(text.casefold()) if len(word) >= _SHORT_WORD or word.isdigit())
    return frozenset(next((m for m in _MONTHS if m[:3] == w and w != "may"), w) for w in found)
