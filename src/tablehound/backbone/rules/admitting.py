"""Readings that are never right, whatever their score: they are dropped before the readings are weighed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tablehound.backbone.rules.candidates import Choice, Generator
from tablehound.backbone.rules.features import Scored
from tablehound.backbone.rules.plan import select
from tablehound.language.lexicon import is_carrier, is_function, lexicon
from tablehound.linking.schema_links import header_core
from tablehound.linking.table_profile import SHARES, TableProfile

COUNTING = frozenset(("most", "least", "fewest", "more", "less", "fewer"))
"""Superlatives and comparatives that may compare how many rows there are; ``longest`` may not."""
_COUNTED = frozenset(("number", "amount", "count", "many", "often", "frequently", "times", "common"))
_COUNTING_SHAPES = ("group_count", "choice_count", "claim_group", "claim_more_count", "claim_diff_count", "diff_counts")
_AVERAGES = frozenset(("average", "mean", "avg"))
_AGGREGATES = frozenset(("sum", "avg", "min", "max", "median", "diff", "ratio", "share", "range"))
_OF_A_NAME = ("name", "part", "synonym")


def admissible(gen: Generator, scored: Sequence[Scored]) -> list[Scored]:
    """The readings that may be right."""
    silent = _silent_targets(gen, scored)
    return [s for s in scored if s.result and not _wrong(gen, s) and not _beside(s, silent)]


def _wrong(gen: Generator, s: Scored) -> bool:
    return (
        _many_for_one_number(gen, s)
        or _answers_with_a_condition(gen, s)
        or _counts_for_a_measure(gen, s)
        or _measure_of_nothing(gen, s)
        or _no_average(gen, s)
        or _needless_join(gen, s)
        or _counts_rows_of_a_measure(gen, s)
        or (gen.analysis.intent == "claim" and gen.analysis.norms[:1] == ["most"] and s.candidate.shape != "claim_most")
        or _named_better(gen, s)
        or _two_values_at_once(s)
        or _excluded_again(gen, s)
    )


def _many_for_one_number(gen: Generator, s: Scored) -> bool:
    """Several rows where one number is asked for."""
    plan = s.candidate.plan
    if gen.analysis.intent not in {"count", "sum", "diff"} or plan.kind != "values":
        return False
    if len(s.result) > 1:
        return True
    return gen.analysis.intent != "diff" and plan.column is not None and _amounts(gen, plan.column) and (
        len([r for r in select(plan.rows, gen.table) if gen.table.columns[plan.column].folded[r]]) > 1
    )  # fmt: skip


def _amounts(gen: Generator, column: int) -> bool:
    profile = gen.table.columns[column]
    return profile.measure == "number" and not profile.datelike and not profile.identifier


def _answers_with_a_condition(gen: Generator, s: Scored) -> bool:
    """``which region … North`` answered with North: a condition has fixed the column already."""
    plan, shape = s.candidate.plan, s.candidate.shape
    if plan.kind != "values" or plan.check is not None or shape.startswith(("choice", "same", "neighbour", "extreme")):
        return False
    keys = gen.table.keys if plan.column in gen.table.keys else frozenset()
    own = [i for i in s.candidate.conditions if i.condition.column == plan.column or i.condition.column in keys]
    target = dict(s.candidate.roles).get("target")
    for item in own:
        if item.condition.op == "in" and item.how not in ("inside", "date") and len(own) == 1:
            return True
        partial = item.how in ("bound", "date")
        if partial and (target is None or target.how not in _OF_A_NAME) and gen.analysis.answer_type != "date":
            return True
    return False


def _counts_for_a_measure(gen: Generator, s: Scored) -> bool:
    """``the longest``, ``older than`` say a measure: how many rows there are is none."""
    if s.candidate.shape not in _COUNTING_SHAPES:
        return False
    norms = gen.analysis.norms
    if set(norms) & _COUNTED:
        return False
    said = {norms[sup.end - 1] for sup in gen.superlatives}
    if gen.analysis.comparative:
        said.add(norms[gen.analysis.comparative[0]])
    return not said & COUNTING


def _counts_rows_of_a_measure(gen: Generator, s: Scored) -> bool:
    """Rows counted where a column holds the number asked for, where its distinct values are, or where one thing is
    named; amounts added up where the question counts what they bound."""
    plan, analysis, table = s.candidate.plan, gen.analysis, gen.table
    if plan.kind == "sum" and analysis.intent == "count":
        return any(c.column == plan.column for c in plan.rows.conditions)
    if plan.kind not in ("count", "per") or plan.check is not None or analysis.intent not in ("count", "sum"):
        return False
    if plan.kind == "count" and analysis.intent == "sum":
        return not {"number", "count", "times"} & set(analysis.norms)
    if plan.distinct or analysis.target is None or s.candidate.shape not in ("count", "count_top"):
        return False
    last = analysis.target[1] - 1
    bound = {c.column for c in plan.rows.conditions}
    for header in gen.links.headers:
        if header.how != "name" or header.end - 1 != last or header.column in bound:
            continue
        column = table.columns[header.column]
        if _amounts(gen, header.column) and plan.inner == "count":
            return True
        repeated = column.kind == "text" and column.uniqueness < SHARES.unique
        if repeated and not plan.rows.conditions and plan.kind == "count":
            return True
    return "times" not in analysis.norms and any(
        item.condition.op == "in"
        and len(item.condition.values) == 1
        and (item.start <= last < item.end or (item.condition.column in table.subjects and len(table.aliases) == 1))
        and table.columns[item.condition.column].uniqueness >= SHARES.unique
        for item in s.candidate.conditions
    )


def _two_values_at_once(s: Scored) -> bool:
    """``gold is denser than lead`` as a row whose name is both."""
    if s.candidate.plan.kind != "exists":
        return False
    columns = [c.condition.column for c in s.candidate.conditions if c.condition.op == "in" and c.how != "inside"]
    return len(columns) > len(set(columns))


def _named_better(gen: Generator, s: Scored) -> bool:
    """``units`` taken for a part of ``Unit price`` where there is a column ``Units``."""
    for role, choice in s.candidate.roles:
        if role not in ("target", "order") or choice.how.removeprefix("far_") not in ("part", "synonym", "generic"):
            continue
        for header in gen.links.headers:
            place = frozenset(range(header.start, header.end))
            fits = role == "target" or gen.table.columns[header.column].measure != "none"
            if (
                header.how == "name"
                and header.column != choice.column
                and choice.tokens
                and choice.tokens <= place
                and fits
            ):
                return True
    return False


def _excluded_again(gen: Generator, s: Scored) -> bool:
    """``which X were not sold in the North``: what was sold there and elsewhere is not among them."""
    plan = s.candidate.plan
    if plan.kind not in ("values", "count") or plan.check is not None or plan.column is None or plan.rows.order:
        return False
    negated = [c for c in plan.rows.conditions if c.op == "not in"]
    if not negated:
        return False
    texts = gen.table.columns[plan.column].folded
    kept = {texts[r] for r in select(plan.rows, gen.table)} - {""}
    turned = tuple(replace(c, op="in") if c.op == "not in" else c for c in plan.rows.conditions)
    return bool(kept & {texts[r] for r in select(replace(plan.rows, conditions=turned), gen.table)})


def _measure_of_nothing(gen: Generator, s: Scored) -> bool:
    """``heaviest`` compared by a column that says nothing of weight."""
    order = dict(s.candidate.roles).get("order")
    if order is None or order.how != "type":
        return False
    about = {sup.about for sup in gen.superlatives if set(range(sup.start, sup.end)) & s.candidate.spent}
    if gen.analysis.comparative and gen.analysis.comparative[0] in s.candidate.spent:
        about.add(gen.analysis.comparative[2])
    return bool(about - {""})


def _no_average(gen: Generator, s: Scored) -> bool:
    """An average is asked for, and neither the plan nor a column's name is one."""
    plan = s.candidate.plan
    said = [i for i, word in enumerate(gen.analysis.norms) if word in _AVERAGES]
    if not said or plan.kind == "avg" or plan.inner == "avg":
        return False
    used = {choice.column for _, choice in s.candidate.roles} | {c.condition.column for c in s.candidate.conditions}
    named = {i for h in gen.links.headers if h.column in used for i in range(h.start, h.end)}
    return not set(said) & named


def _needless_join(gen: Generator, s: Scored) -> bool:
    """A join that repeats rows and gives nothing to the reading, or whose repeated rows would be added up."""
    table, plan = gen.table, s.candidate.plan
    if len(table.aliases) == 1 or plan.without:
        return False
    used = {c.column for _, c in s.candidate.roles} | {c.condition.column for c in s.candidate.conditions}
    used |= {c for c in (plan.column, plan.group) if c is not None}
    aliases = {table.columns[c].alias for c in used - table.keys}
    if plan.unit:
        aliases.add(plan.unit)
    if plan.kind in ("exists", "share") and len(aliases) < 2:
        return True
    if plan.kind not in _AGGREGATES or plan.unit or plan.kind in ("min", "max"):
        return False
    measured = table.columns[plan.column].alias if plan.column is not None else ""
    return any(repeats(table, alias) for alias in ([measured] if measured else table.aliases))


def repeats(table: TableProfile, alias: str) -> bool:
    """Whether rows of a joined table stand in the join more than once."""
    rows = table.parts.get(alias, [])
    return len(set(rows)) < len(rows)


def _target(s: Scored) -> Choice | None:
    return dict(s.candidate.roles).get("target")


def _silent_targets(gen: Generator, scored: Sequence[Scored]) -> list[frozenset[int]]:
    """Words of columns that are named in full, and whose cell is blank in the rows that the question means."""
    return [
        target.tokens
        for s in scored
        if not s.result and s.candidate.shape == "lookup" and s.candidate.conditions
        and (target := _target(s)) is not None and target.how == "name"
        and select(s.candidate.plan.rows, gen.table)
    ]  # fmt: skip


def _beside(s: Scored, silent: Sequence[frozenset[int]]) -> bool:
    """Whether another column is taken for one that is named and blank."""
    target = _target(s)
    if not silent or target is None or s.candidate.plan.kind != "values":
        return False
    return not any(target.tokens > words for words in silent) and target.how != "name"


# --- what is asked for ------------------------------------------------------------------------------------------------


def made_up(gen: Generator, s: Scored) -> bool:
    """A column of the right type taken for what is asked for, although the question names something else."""
    plan, target = s.candidate.plan, _target(s)
    if plan.kind not in ("values", "group") or plan.check is not None or target is None or target.how != "type":
        return False
    if gen.analysis.target and s.candidate.shape == "lookup":
        head = gen.analysis.target[1] - 1
        if any(c.start <= head < c.end for c in s.candidate.conditions) and head >= gen.analysis.target[0]:
            return len(gen.table.aliases) > 1 or target.column not in gen.table.subjects
    span = range(*gen.analysis.target) if gen.analysis.target else range(0)
    used = {i for c in s.candidate.conditions for i in range(c.start, c.end)} | s.candidate.spent
    words = [
        i for i in span
        if i not in used and i not in gen.analysis.triggers and not is_function(gen.analysis.tokens[i].norm)
        and gen.analysis.tokens[i].norm not in lexicon().synonyms
    ]  # fmt: skip
    if not words:
        return False
    return target.column not in gen.table.subjects and not all(is_carrier(gen.analysis.tokens[i].norm) for i in words)


def shifted(gen: Generator, s: Scored) -> bool:
    """``the population of Paris`` from the row of the country whose capital is Paris: a row is about its subject."""
    table, plan, target = gen.table, s.candidate.plan, _target(s)
    if plan.kind not in ("values", "sum") or plan.check is not None or target is None or len(table.aliases) > 1:
        return False
    subjects = {
        c.index
        for c in table.columns
        if c.kind == "text" and c.uniqueness >= SHARES.subject and c.stems and header_core(c) <= table.about_stems
    }  # by the table's own name: the order of its columns says nothing
    if not subjects or target.column in subjects:
        return False
    for item in s.candidate.conditions:
        column = table.columns[item.condition.column]
        if (
            item.condition.op == "in"
            and item.how in ("exact", "alias")
            and not item.column_named
            and item.condition.column not in subjects
            and column.kind == "text"
            and column.uniqueness >= SHARES.subject
            and item.start
            and gen.analysis.tokens[item.start - 1].norm == "of"
            and not any(c.condition.column in subjects for c in s.candidate.conditions)
        ):
            return True
    return False


def dropped(gen: Generator, s: Scored) -> bool:
    """A word that says how to compute and that the reading makes no use of: a negation, ``per X``, ``most``."""
    spent, norms = s.candidate.spent, gen.analysis.norms
    held = {i for h in gen.links.headers for i in range(h.start, h.end) if h.how == "name"}
    held |= {i for c in s.candidate.conditions for i in range(c.start, c.end)}
    negated = any(item.negated for item in s.candidate.conditions)
    if not negated and any(i not in spent | held for i in gen.analysis.negations):
        return True
    grouped = s.candidate.plan.kind == "per" or gen.analysis.intent not in ("count", "sum", "avg", "median")
    if not grouped and any(w in ("per", "each") and i not in held for i, w in enumerate(norms)):
        return True
    uncovered = set(s.uncovered)
    return any(
        norms[sup.end - 1] in COUNTING and sup.end in uncovered and s.candidate.plan.kind != "group"
        for sup in gen.superlatives
    )
