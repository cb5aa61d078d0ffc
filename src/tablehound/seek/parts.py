"""Tables split by rows: a count over one part is wrong, so a program is run over all parts when their rows matter.

The parts are unionable tables with different rows. Tables that say other things of the same things (goals by season)
share the values of a key and are no parts of each other; and a question that names one part (``1970``) means that one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablehound.answer import Answer
from tablehound.execution.program import Program, View
from tablehound.retrieval.candidate import SearchEngine
from tablehound.retrieval.pattern import Pattern
from tablehound.seek.answering import build_answer
from tablehound.seek.judging import judge
from tablehound.settings import Settings, Task
from tablehound.trail import Step

if TYPE_CHECKING:
    from tablehound.lake import Lake, TableInfo
    from tablehound.relations import TableFacts

LOOKED_AT = 300
"""Tables of which a part is looked for: all of a small lake, else those with most of the same column names."""
_KEY = 0.95
"""Uniqueness from which a column is a key of its table."""
_SHARED_KEYS = 0.05
"""Share of key values that two parts may have in common."""
_LONG_NAME = 200
_SHORT_WORD = 3
_WORD = re.compile(r"[^\W_]+")


def over_all_parts(answer: Answer, lake: Lake, engine: SearchEngine, settings: Settings, task: Task) -> Answer:
    """The answer of the same program over all parts of its table; the answer as it is where that changes nothing."""
    program = answer.program
    if not answer.answered or program is None or len(program.tables) != 1:
        return answer
    ((alias, view),) = program.tables.items()
    if len(view.table_ids) != 1:
        return answer
    started = time.perf_counter()
    whole = _whole_view(answer.question, view.table_ids[0], lake, engine, settings)
    if whole is None:
        return answer
    from tablehound.execution import run_program

    widened = Program(program.text, {alias: whole}, program.language)
    result = run_program(lake, widened, settings)
    judgement = judge(result, task)
    changed = judgement.strength == "strong" and judgement.values != answer.values
    if answer.trail is not None:
        answer.trail.add(
            Step(
                kind="check",
                saw={"parts": list(whole.table_ids)},
                decided={"values": list(judgement.values[:5]), "changed": changed},
                seconds=time.perf_counter() - started,
                note="the table is one of several parts",
            )
        )
    if not changed:
        return answer
    labels = ", ".join(lake.info(table_id).provenance.label() for table_id in whole.table_ids)
    return build_answer(
        lake,
        answer.question,
        widened,
        result,
        judgement,
        unit=answer.unit,
        assumptions=(*answer.assumptions, f"taken as parts of one table: {labels}"),
        tried=(*answer.tried, *(t for t in whole.table_ids if t not in answer.tried)),
        trail=answer.trail,
    )


def _whole_view(question: str, table_id: str, lake: Lake, engine: SearchEngine, settings: Settings) -> View | None:
    """The table with its other parts stacked below, columns in its own order and names; None when it has none."""
    from tablehound.relations import table_facts, union_clusters

    near = _look_alikes(table_id, lake, engine)
    if len(near) < 2:
        return None
    clusters = union_clusters(lake, settings, near)
    cluster = next((c for c in clusters if table_id in c.table_ids and len(c.table_ids) > 1), None)
    if cluster is None:
        return None
    own = cluster.alignment[cluster.table_ids.index(table_id)]
    facts = table_facts(lake, table_id)
    places = [own.index(column) for column in range(len(facts.info.columns)) if column in own]
    if len(places) != len(facts.info.columns):
        return None
    parts = [table_id]
    alignments = [tuple(range(len(places)))]
    for other, alignment in zip(cluster.table_ids, cluster.alignment, strict=True):
        columns = tuple(alignment[place] for place in places)
        if other != table_id and _different_rows(facts, table_facts(lake, other), columns):
            parts.append(other)
            alignments.append(columns)
    infos = [lake.info(part) for part in parts]
    if len(parts) == 1 or (not settings.backbone.blind and _names_one(question, infos[0], infos[1:])):
        return None
    return View(tuple(parts), facts.info.header, tuple(alignments))


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


def _different_rows(table: TableFacts, other: TableFacts, columns: Sequence[int]) -> bool:
    """Whether the rows are of different things: the first key of both tables, which is how tables name their rows,
    shares no values."""
    for column, place in zip(table.columns, columns, strict=True):
        partner = other.columns[place]
        if min(column.uniqueness, partner.uniqueness) < _KEY:
            continue
        shared = len(column.values & partner.values)
        return shared <= _SHARED_KEYS * min(len(column.values), len(partner.values))
    return False


def _names_one(question: str, info: TableInfo, others: Sequence[TableInfo]) -> bool:
    """Whether the question names this part, by a word that stands in its names and in no other part's."""
    asked = _words(question)
    rest = set().union(*(_words(_names(other)) for other in others))
    return bool(asked & (_words(_names(info)) - rest))


def _names(info: TableInfo) -> str:
    where = info.provenance
    return " ".join([where.source, where.member or "", where.sheet or "", info.title or ""])


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if len(word) >= _SHORT_WORD or word.isdigit()}
