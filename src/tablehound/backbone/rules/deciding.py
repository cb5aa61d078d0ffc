"""When a reading is good enough to answer from, and what is missing when none is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tablehound.answer import Missing
from tablehound.backbone.rules.admitting import dropped, made_up, shifted
from tablehound.backbone.rules.bounded import as_cell, open_question
from tablehound.backbone.rules.candidates import Generator
from tablehound.backbone.rules.conditions import Linked
from tablehound.backbone.rules.features import Scored
from tablehound.backbone.rules.plan import Plan
from tablehound.backbone.rules.scoring import Reading
from tablehound.backbone.rules.sql import NotExpressible, plan_sql
from tablehound.language.lexicon import is_function, lexicon
from tablehound.language.question import Analysis
from tablehound.linking import (
    ColumnProfile,
    TableProfile,
    asked_unit,
    column_measure,
    conversion,
    in_column,
    is_converted,
)

HARD = ("number", "quoted", "name", "value")
"""Kinds of words that must be linked: without them the table is about something else."""
LOOKED_AT = 16
CLOSE = 0.5
"""A reading that leaves nothing out is preferred to one that is at most twice as likely and leaves words out."""
CONFIDENT_ALL_LINKED = 0.08
CONFIDENT_ONE_WORD = 0.25
CONFIDENT_CLAIM = 0.55
MAX_LOOSE_CLAIM_SHARE = 0.5
ASKS_BY_VERB = frozenset(("who", "whom", "when", "where"))
"""After these the verb says what is asked for: it must be linked too."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reading with its program, or what it lacks. ``merit`` orders tables: higher is better."""

    sufficient: bool
    merit: float
    scored: Scored | None = None
    sql: str = ""
    missing: tuple[Missing, ...] = ()


def left_over(scored: Scored, kinds: Sequence[str]) -> float:
    """How many words of these kinds a reading leaves unlinked."""
    return sum(scored.features.get(f"left={kind}", 0.0) for kind in kinds)


def decide(analysis: Analysis, table: TableProfile, reading: Reading) -> Verdict:
    """Answer from the best reading that the typed view can express, or say what is not linked."""
    first: Verdict | None = None
    gen = Generator(analysis, table)
    for scored in reading.best[:LOOKED_AT]:
        if first is not None and scored.share < CLOSE * reading.confidence:
            break
        scored, unit, fits = in_asked_unit(analysis, table, as_cell(scored, table))
        try:
            sql = plan_sql(scored.candidate.plan, table)
        except NotExpressible:
            continue
        missing = _needs(analysis, scored.uncovered)
        unknown = open_question(analysis, scored.candidate, table)
        good = fits and not unknown and _sufficient(analysis, table, scored, gen)
        if unknown:
            missing = (*missing, Missing("bounds", unknown))
        if not fits and unit:
            missing = (*missing, Missing("unit", f"the unit of the column, for {unit}"))
        verdict = Verdict(good, merit(scored, analysis), scored, sql, missing)
        if good:
            return verdict
        first = first or verdict
        if unknown:
            break  # a less likely reading does not answer what the cells leave open
    if first is not None:
        return first
    return Verdict(False, 0.0, missing=_needs(analysis, _content(analysis)))


def merit(scored: Scored, analysis: Analysis) -> float:
    """Orders the same question over several tables: what is linked first, then how sure the reading is."""
    hard, soft = left_over(scored, HARD), left_over(scored, ("word", "header"))
    about = left_over(scored, ("about",))
    return scored.share - 0.6 * hard - 0.25 * soft - 0.05 * about


_COMPARED_COUNTS = frozenset(("claim_more_count", "claim_diff_count", "claim_distinct"))
_QUANTIFIERS = frozenset(("all", "every", "each", "most", "majority", "only", "always"))


def _hangs_on_what_is_left(analysis: Analysis, scored: Scored) -> bool:
    """Whether a claim may turn on a word that its program leaves out. That there is no row which satisfies a part of
    the claim refutes all of it; that there is one supports nothing. Counts may stand for another number."""
    shape = scored.candidate.shape
    if shape == "exists":
        return bool(scored.result and scored.result[0])
    if shape == "claim_count":
        numbers = [n.start for n in analysis.numbers if n.start in scored.candidate.spent]
        return any(start - 1 in scored.uncovered for start in numbers)
    return shape in _COMPARED_COUNTS


def _decisive_word_lost(analysis: Analysis, scored: Scored) -> bool:
    """A claim's superlative, comparison or quantifier that its program does not test."""
    lost = ("lost_superlative", "lost_comparison", "lost_comparative")
    if any(scored.features.get(name) for name in lost):
        return True
    used = scored.candidate.spent | {i for c in scored.candidate.conditions for i in range(c.start, c.end)}
    compares = scored.candidate.shape not in ("exists", "absent")
    if not compares and any(word == "than" and i not in used for i, word in enumerate(analysis.norms)):
        return True  # "denser than": compared, by what no column says
    return any(word in _QUANTIFIERS and i not in used for i, word in enumerate(analysis.norms))


def _sufficient(analysis: Analysis, table: TableProfile, scored: Scored, gen: Generator) -> bool:
    if left_over(scored, HARD) or dropped(gen, scored):
        return False
    loose = left_over(scored, ("word", "header"))
    if analysis.task == "fact_verification":
        if _decisive_word_lost(analysis, scored) or (loose and _hangs_on_what_is_left(analysis, scored)):
            return False
        content = max(1, len(_content(analysis)))
        if not scored.candidate.conditions and not scored.candidate.roles:
            return False
        return scored.share >= CONFIDENT_CLAIM and loose / content <= MAX_LOOSE_CLAIM_SHARE
    features = scored.features
    if features.get("lost_comparison") or features.get("lost_comparative") or features.get("split_name"):
        return False
    if features.get("lost_superlative", 0.0) > features.get("lost_superlative_light", 0.0):
        return False
    if made_up(gen, scored) or shifted(gen, scored):
        return False
    if features.get("text_for_number") == 1.0 or _no_time(analysis, table, scored):
        return False
    if loose == 0:
        return scored.share >= CONFIDENT_ALL_LINKED
    if loose > 1 or features.get("left_target"):
        return False  # what is asked for must be linked itself
    if analysis.lead in ASKS_BY_VERB and not _named_otherwise(analysis, scored):
        return False
    return scored.share >= CONFIDENT_ONE_WORD


_IN_UNITS = frozenset(("values", "sum", "avg", "min", "max", "median"))


def in_asked_unit(analysis: Analysis, table: TableProfile, scored: Scored) -> tuple[Scored, str | None, bool]:
    """The reading with its numbers in the unit that the question names, that unit, and whether it can be told."""
    wanted, plan = asked_unit(analysis.question), scored.candidate.plan
    if wanted is None or plan.column is None or plan.kind in ("count", "group", "exists", "share", "ratio"):
        return scored, None, True
    column = table.columns[plan.column]
    if column.measure == "none" or (column.kind == "text" and plan.kind == "values"):
        return scored, None, column.measure == "none"
    by = conversion(wanted, column)
    if by is None or (by != 1 and plan.kind not in _IN_UNITS):
        return scored, wanted.text, False
    if by == 1:
        return scored, wanted.text, True
    turned = replace(plan, scale=plan.scale / by)
    return replace(scored, candidate=replace(scored.candidate, plan=turned)), wanted.text, True


def _named_otherwise(analysis: Analysis, scored: Scored) -> bool:
    """The column asked for is named outright, and the word left is a verb: ``who won the men's singles``."""
    target = dict(scored.candidate.roles).get("target")
    named = target is not None and target.how in ("name", "far_name")
    return named and all(analysis.tokens[i].norm in lexicon().asking_verbs for i in scored.uncovered)


def _no_time(analysis: Analysis, table: TableProfile, scored: Scored) -> bool:
    """``When …?`` is answered from a column of dates or years only."""
    plan = scored.candidate.plan
    if analysis.lead != "when" or plan.kind != "values" or plan.column is None or plan.piece:
        return False
    return not table.columns[plan.column].datelike


def _content(analysis: Analysis) -> list[int]:
    return [i for i, t in enumerate(analysis.tokens) if t.norm[:1].isalnum() and not is_function(t.norm)]


def _phrases(analysis: Analysis, places: Sequence[int]) -> list[str]:
    """Neighbouring tokens as phrases, in the words of the question."""
    phrases: list[tuple[int, int]] = []
    for place in sorted(places):
        if phrases and place == phrases[-1][1]:
            phrases[-1] = (phrases[-1][0], place + 1)
        else:
            phrases.append((place, place + 1))
    return [analysis.question[analysis.tokens[a].start : analysis.tokens[b - 1].end] for a, b in phrases]


def _needs(analysis: Analysis, places: Sequence[int]) -> tuple[Missing, ...]:
    return tuple(Missing("need", phrase) for phrase in _phrases(analysis, places))


def assumptions(analysis: Analysis, table: TableProfile, scored: Scored) -> list[str]:
    """What was taken for what, where the question did not say so itself."""
    said = []
    for role, choice in scored.candidate.roles:
        column = table.columns[choice.column]
        if choice.how in ("name", "far_name") or role == "counted":
            continue
        words = _phrases(analysis, sorted(choice.tokens))
        if words:
            said.append(f"took {words[0]!r} as column {column.name!r}")
        elif role == "order":
            said.append(f"compared by column {column.name!r}")
        else:
            said.append(f"took column {column.name!r} as what is asked for")
    for item in scored.candidate.conditions:
        column = table.columns[item.condition.column]
        if item.how in ("fuzzy", "stem"):
            shown = ", ".join(item.condition.values[:3])
            said.append(f"took {item.condition.phrase!r} as {shown!r} in column {column.name!r}")
        elif (
            item.how == "exact"
            and not item.column_named
            and column.uniqueness >= 0.9
            and item.condition.column not in table.subjects | table.keys
            and table.subjects
        ):
            said.append(f"took {item.condition.phrase!r} as a value of column {column.name!r}")
        elif item.how == "bound" and not item.column_named:
            said.append(f"took {item.condition.phrase!r} to be about column {column.name!r}")
        said += _converted(analysis, item, column)
    plan, wanted = scored.candidate.plan, asked_unit(analysis.question)
    if wanted and plan.column is not None and plan.kind in _IN_UNITS:
        by = conversion(wanted, table.columns[plan.column])
        if by is not None and by != 1:
            said.append(f"converted from {column_measure(table.columns[plan.column]).label()} to {wanted.text}")
    return list(dict.fromkeys(said))


def _converted(analysis: Analysis, item: Linked, column: ColumnProfile) -> list[str]:
    """That a number of a condition was brought to the unit and scale of its column."""
    label = column_measure(column).label() or "shares of one"
    return [
        f"took {literal.number:g} as {in_column(literal, column):g} in column {column.name!r} ({label})"
        for literal in analysis.numbers
        if item.start <= literal.start < item.end and is_converted(literal, column)
    ]


def unit_of(analysis: Analysis, plan: Plan, table: TableProfile) -> str | None:
    """The unit of the answer: the one asked for, else the column's."""
    if plan.column is None or plan.kind in ("count", "group", "exists", "ratio"):
        return None
    if plan.kind == "share":
        return "%"
    wanted = asked_unit(analysis.question)
    if wanted and conversion(wanted, table.columns[plan.column]) is not None:
        return wanted.text
    return column_measure(table.columns[plan.column]).label() or None
