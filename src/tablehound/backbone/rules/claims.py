"""The readings of a claim: plans whose result is checked, so that a program returns one truth value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tablehound.backbone.rules.candidates import Candidate, Choice, Generator
from tablehound.backbone.rules.conditions import ConditionSet, Linked
from tablehound.backbone.rules.plan import Check, Condition, Order, Plan, PlanKind, Rows, select
from tablehound.language.question import Superlative
from tablehound.linking import in_column

_ALL = frozenset({"all", "every", "each", "always"})
_NONE = frozenset({"no", "none", "never", "not"})
_MOST = frozenset({"most", "majority"})
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_AGGREGATES: dict[str, PlanKind] = {
    "average": "avg", "mean": "avg", "avg": "avg", "total": "sum", "combined": "sum", "sum": "sum", "median": "median",
}  # fmt: skip

Claimed = tuple[float, frozenset[int], tuple[Linked, ...]]
"""A claimed number, its tokens, and the conditions that are left."""


def claim_readings(gen: Generator, conditions: ConditionSet) -> Iterator[Candidate]:
    """All readings of a claim under one set of conditions."""
    yield from _exists(gen, conditions)
    yield from _numbers(gen, conditions)
    yield from _extremes(gen, conditions)
    yield from _comparisons(gen, conditions)
    yield from _quantified(gen, conditions)
    yield from _order(gen, conditions)


def _exists(gen: Generator, conditions: ConditionSet) -> Iterator[Candidate]:
    if not conditions.items:
        return
    rows = Rows(tuple(i.condition for i in conditions.items))
    yield gen.make(Plan("exists", rows), "exists", conditions)
    positive = Rows(tuple(replace(c, op="in") if c.op == "not in" else c for c in rows.conditions))
    if positive != rows:
        plan = Plan("count", positive, check=Check("=", 0.0))
        yield gen.make(plan, "absent", conditions, spent=frozenset(gen.analysis.negations))
    if "only" in gen.analysis.norms and len(conditions.items) > 1:
        spent = frozenset(i for i, w in enumerate(gen.analysis.norms) if w == "only")
        for item in conditions.items:
            rest = tuple(i.condition for i in conditions.items if i is not item)
            check = Check("=", texts=item.condition.values, column=item.condition.column)
            if item.condition.op == "in":
                plan = Plan("values", Rows(rest), item.condition.column, distinct=True, check=replace(check, only=True))
                yield gen.make(plan, "only_entity", conditions, {}, spent)


def claimed_numbers(gen: Generator, conditions: ConditionSet) -> list[Claimed]:
    """Numbers that a result may be checked with: those that no condition uses, and those of number conditions."""
    found: list[Claimed] = []
    used = {i for item in conditions.items for i in range(item.start, item.end)}
    bounds = {i for item in gen.analysis.comparisons for i in range(item.start, item.end)}
    for literal in gen.analysis.numbers:
        place = frozenset(range(literal.start, literal.end))
        if literal.number is None or literal.ordinal:
            continue
        if not place & used:
            found.append((literal.number, place, conditions.items))
        elif not place & bounds:
            rest = tuple(i for i in conditions.items if not set(range(i.start, i.end)) & place)
            found.append((literal.number, place, rest))
        else:
            rest = tuple(i for i in conditions.items if not (i.how == "bound" and i.start in place | bounds))
            found.append((literal.number, place, rest))
    for i, token in enumerate(gen.analysis.tokens):
        if token.norm in _TIMES:
            found.append((_TIMES[token.norm], frozenset({i}), conditions.items))
    return found


def _check_op(gen: Generator, place: frozenset[int]) -> tuple[str, frozenset[int]]:
    for comparison in gen.analysis.comparisons:
        if place & set(range(comparison.start, comparison.end)) and comparison.op != "between":
            return comparison.op, frozenset(range(comparison.start, comparison.end))
    return "=", place


def _numbers(gen: Generator, conditions: ConditionSet) -> Iterator[Candidate]:
    norms = gen.analysis.norms
    targets = gen.targets(set())
    kinds = {_AGGREGATES[w] for w in norms if w in _AGGREGATES}
    said = frozenset(i for i, w in enumerate(norms) if w in _AGGREGATES)
    for number, place, rest in claimed_numbers(gen, conditions):
        op, spent = _check_op(gen, place)
        check = Check(op, number)  # type: ignore[arg-type]
        rows = Rows(tuple(i.condition for i in rest))
        if number == int(number) and 0 <= number <= max(20, gen.table.n_rows):
            yield gen.make(Plan("count", rows, check=check), "claim_count", conditions, _named(targets), spent, rest)
            for choice in targets[:2]:
                if choice.how in ("name", "part", "far_name") and gen.table.columns[choice.column].measure == "none":
                    plan = Plan("count", rows, choice.column, distinct=True, check=check)
                    yield gen.make(plan, "claim_distinct", conditions, {"target": choice}, spent, rest)
        columns = [c for c in targets if gen.table.columns[c.column].measure in ("number", "inner", "clock", "spelled")]
        for choice in columns[:3]:
            own = number_in(gen, number, place, choice.column)
            if own is None:
                continue
            check = Check(op, own)  # type: ignore[arg-type]
            for kind in sorted(kinds):
                plan = Plan(kind, rows, choice.column, check=check)
                roles = {"target": choice}
                yield gen.make(plan, f"claim_{kind}", conditions, roles, spent | said, rest)
            if rest:
                plan = Plan("sum", rows, choice.column, check=check)
                yield gen.make(plan, "claim_value", conditions, {"target": choice}, spent, rest)
            for sup in gen.superlatives:
                ends = spent | frozenset(range(sup.start, sup.end))
                high = gen.order(sup, gen.table.columns[choice.column]).high
                plan = Plan("max" if high else "min", rows, choice.column, check=check)
                yield gen.make(plan, "claim_extreme", conditions, {"target": choice}, ends, rest)
        yield from _number_differences(gen, conditions, rest, number, spent, columns)


def number_in(gen: Generator, number: float, place: frozenset[int], column: int) -> float | None:
    """A claimed number in the unit and scale of a column; None where its unit excludes the column's."""
    literal = next((literal for literal in gen.analysis.numbers if literal.start in place), None)
    return number if literal is None else in_column(literal, gen.table.columns[column])


def _named(targets: list[Choice]) -> dict[str, Choice]:
    named = [t for t in targets if t.how in ("name", "part", "synonym", "far_name", "far_part")]
    return {"counted": named[0]} if named else {}


def _number_differences(
    gen: Generator,
    conditions: ConditionSet,
    rest: tuple[Linked, ...],
    number: float,
    spent: frozenset[int],
    columns: list[Choice],
) -> Iterator[Candidate]:
    comparative = gen.analysis.comparative
    words = frozenset(i for i, w in enumerate(gen.analysis.norms) if w in {"difference", "margin"})
    if not comparative and not words:
        return
    spent = spent | words | (frozenset({comparative[0]}) if comparative else frozenset())
    check = Check("=", number)
    for a, b, others in _pairs(rest):
        for choice in columns[:2]:
            plan = Plan(
                "diff", Rows((a.condition, *others)), choice.column, Rows((b.condition, *others)), inner="sum",
                unsigned=True, check=check,
            )  # fmt: skip
            yield gen.make(plan, "claim_diff", conditions, {"target": choice}, spent, rest)
        plan = Plan(
            "diff", Rows((a.condition, *others)), None, Rows((b.condition, *others)), inner="count", unsigned=True,
            check=check,
        )  # fmt: skip
        yield gen.make(plan, "claim_diff_count", conditions, {}, spent, rest)


def _pairs(items: tuple[Linked, ...]) -> Iterator[tuple[Linked, Linked, tuple[Condition, ...]]]:
    """Two values of one column, in the order said, with the other conditions."""
    ordered = sorted(items, key=lambda i: i.start)
    for i, a in enumerate(ordered):
        for b in ordered[i + 1 :]:
            ca, cb = a.condition, b.condition
            if ca.column == cb.column and ca.op == cb.op == "in" and not set(ca.values) & set(cb.values):
                yield a, b, tuple(o.condition for o in items if o is not a and o is not b)


def _extremes(gen: Generator, conditions: ConditionSet) -> Iterator[Candidate]:
    """``X is the tallest Y``: the row at the extreme is X's."""
    for sup in gen.superlatives:
        spent = frozenset(range(sup.start, sup.end))
        orders: list[tuple[Order, dict[str, Choice]]] = [
            (replace(gen.order(sup, gen.table.columns[choice.column]), take=0), {"order": choice})
            for choice in gen.orders(sup)
        ]
        if sup.positional:
            orders.append((Order(None, sup.high, sup.nth), {}))
        for item in conditions.items:
            if item.condition.op != "in":
                continue
            rest = tuple(i.condition for i in conditions.items if i is not item)
            check = Check("=", texts=item.condition.values, column=item.condition.column)
            for order, roles in orders:
                if order.column == item.condition.column:
                    continue
                shape = "claim_superlative" if order.column is not None else "claim_position"
                plan = Plan("values", Rows(rest, order=order), item.condition.column, distinct=True, check=check)
                yield gen.make(plan, shape, conditions, roles, spent)
            if gen.table.columns[item.condition.column].uniqueness < 0.999:
                plan = Plan("group", Rows(rest), group=item.condition.column, high=sup.high, nth=sup.nth, check=check)
                yield gen.make(plan, "claim_group", conditions, {}, spent)


def _comparisons(gen: Generator, conditions: ConditionSet) -> Iterator[Candidate]:
    """``A is taller than B``; ``there are more A than B``; ``A was before B``."""
    comparative = gen.analysis.comparative
    if comparative is None:
        return
    place, high, about = comparative
    for a, b, others in _pairs(conditions.items):
        left, right = Rows((a.condition, *others)), Rows((b.condition, *others))
        for choice in gen.orders(Superlative(place, place + 1, high, about)):
            column = gen.table.columns[choice.column]
            if (
                column.measure not in ("number", "inner", "clock", "spelled", "date", "time")
                or choice.column == a.condition.column
            ):
                continue
            upward = gen.order(Superlative(place, place + 1, high, about), column).high
            several = max(len(select(left, gen.table)), len(select(right, gen.table))) > 1
            if several and (about or column.measure != "number" or column.datelike):
                continue  # which of its rows is meant is not said
            inner: PlanKind = "sum" if several else "max"
            plan = Plan("diff", left, choice.column, right, inner=inner, check=Check(">" if upward else "<", 0.0))
            yield gen.make(plan, "claim_more", conditions, {"order": choice}, frozenset({place}))
        plan = Plan("diff", left, None, right, inner="count", check=Check(">" if high else "<", 0.0))
        yield gen.make(plan, "claim_more_count", conditions, {}, frozenset({place}))


def _is_subject(item: Linked, quantifiers: frozenset[int]) -> bool:
    """Whether a quantifier stands right before a condition: ``all tools …`` says nothing yet."""
    return any(item.start - place in (1, 2) and item.how != "bound" for place in quantifiers)


def _quantified(gen: Generator, conditions: ConditionSet) -> Iterator[Candidate]:
    norms = set(gen.analysis.norms)
    for words, op, number, shape in (
        (_ALL, "=", 100.0, "claim_all"),
        (_NONE, "=", 0.0, "claim_none"),
        (_MOST, ">", 50.0, "claim_most"),
    ):
        if not norms & words:
            continue
        spent = frozenset(i for i, w in enumerate(gen.analysis.norms) if w in words)
        last = max((item.start for item in conditions.items), default=0)
        for item in conditions.items:
            if _is_subject(item, spent) or (shape == "claim_all" and item.start < last):
                continue  # what is said comes after whom it is said of
            positive = replace(item.condition, op="in") if item.condition.op == "not in" else item.condition
            rest = tuple(i.condition for i in conditions.items if i is not item)
            plan = Plan(
                "share", Rows((positive, *rest)), other=Rows(rest), inner="count", check=Check(op, number)  # type: ignore[arg-type]
            )  # fmt: skip
            yield gen.make(plan, shape, conditions, {}, spent)


def _order(gen: Generator, conditions: ConditionSet) -> Iterator[Candidate]:
    """``A came before B`` in the table's order or by date."""
    for near in gen.analysis.neighbours:
        for a, b, others in _pairs(conditions.items):
            for column in gen.table.columns:
                if not column.datelike or column.measure not in ("number", "date"):
                    continue
                plan = Plan(
                    "diff", Rows((a.condition, *others)), column.index, Rows((b.condition, *others)), inner="min",
                    check=Check(">" if near.shift > 0 else "<", 0.0),
                )  # fmt: skip
                yield gen.make(plan, "claim_before", conditions, {}, frozenset({near.start}))
                break
