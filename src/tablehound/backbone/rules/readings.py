"""The readings of a question: from its intent, conditions and superlatives to plans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tablehound.backbone.rules.candidates import Candidate, Choice, Generator
from tablehound.backbone.rules.claims import claim_readings
from tablehound.backbone.rules.conditions import ConditionSet, Linked, condition_sets
from tablehound.backbone.rules.plan import Condition, Order, Plan, PlanKind, Rows, select
from tablehound.language.question import Superlative

MAX_CANDIDATES = 160


def candidates(gen: Generator) -> list[Candidate]:
    """All readings of a question over a table, without repeats, in a fixed order."""
    found: dict[Plan, Candidate] = {}
    for conditions in condition_sets(gen.analysis, gen.table, gen.links):
        for candidate in all_readings(gen, conditions):
            found.setdefault(candidate.plan, candidate)
            if len(found) >= MAX_CANDIDATES:
                return list(found.values())
    return list(found.values())


def all_readings(gen: Generator, conditions: ConditionSet) -> Iterator[Candidate]:
    """Candidates of every shape that the intent allows, the likelier shapes first."""
    intent = gen.analysis.intent
    if intent == "claim":
        yield from claim_readings(gen, conditions)
        return
    columns = {item.condition.column for item in conditions.items}
    targets = gen.targets(columns)
    pairs = _pairs(conditions)
    if intent == "yesno":
        yield from _yes_no(gen, conditions, pairs)
    per = list(_per(gen, conditions, targets))
    if per:
        yield from per
        return
    if pairs and (gen.analysis.comparative or gen.superlatives or "or" in gen.analysis.norms):
        yield from _choices(gen, conditions, pairs)
    if intent in ("diff", "ratio"):
        yield from _differences(gen, conditions, pairs, targets)
    if intent == "share":
        yield from _shares(gen, conditions)
    if gen.analysis.same is not None:
        yield from _same(gen, conditions, targets)
    if gen.analysis.neighbours:
        yield from _neighbours(gen, conditions, targets)
    if gen.superlatives:
        yield from _superlatives(gen, conditions, targets)
    if intent == "count" and gen.analysis.negations and len(gen.table.aliases) == 2:
        yield from _absent(gen, conditions, targets)
        return
    if intent in ("count", "sum", "avg", "median", "diff"):
        yield from _aggregates(gen, conditions, targets, pairs)
    if intent not in ("avg", "median", "ratio", "share", "yesno"):
        yield from _lookups(gen, conditions, targets, pairs)


def _pairs(conditions: ConditionSet) -> list[tuple[Linked, Linked]]:
    """Two values of one column: alternatives, or things to compare."""
    items = conditions.items
    return [
        (a, b)
        for i, a in enumerate(items)
        for b in items[i + 1 :]
        if a.condition.column == b.condition.column
        and a.condition.op == b.condition.op == "in"
        and a.condition.values != b.condition.values
    ]


def _without(conditions: ConditionSet, *items: Linked) -> tuple[Linked, ...]:
    return tuple(item for item in conditions.items if item not in items)


def _merged(conditions: ConditionSet) -> tuple[Condition, ...]:
    """Conditions with two values of one column taken as alternatives."""
    out: dict[tuple[int, str], Condition] = {}
    rest: list[Condition] = []
    for item in conditions.items:
        c = item.condition
        if c.op != "in":
            rest.append(c)
            continue
        known = out.get((c.column, c.op))
        if known is None:
            out[(c.column, c.op)] = c
        else:
            values = tuple(sorted(set(known.values) | set(c.values)))
            out[(c.column, c.op)] = replace(known, values=values, phrase="")
    return (*out.values(), *rest)


def _rows(conditions: ConditionSet, **more: object) -> Rows:
    return Rows(_merged(conditions), **more)  # type: ignore[arg-type]


def _lookups(
    gen: Generator, conditions: ConditionSet, targets: list[Choice], pairs: list[tuple[Linked, Linked]]
) -> Iterator[Candidate]:
    if not conditions.items:
        if gen.table.n_rows == 1 or gen.analysis.question.lower().startswith(("list", "name", "what are", "which")):
            for target in targets:
                plan = Plan("values", Rows(), target.column, distinct=True)
                yield gen.make(plan, "list", conditions, {"target": target})
        return
    asked = {item.condition.column for item in conditions.items if item.condition.op == "in"}
    for target in targets:
        if gen.analysis.intent in ("count", "sum") and gen.table.columns[target.column].identifier:
            continue
        if target.column in asked and len(asked) == 1 and not gen.analysis.quoted and len(conditions.items) == 1:
            continue
        piece = _piece(gen, gen.table.columns[target.column].spans)
        if piece:
            plan = Plan("values", _rows(conditions), target.column, piece=piece[0])
            yield gen.make(plan, "lookup", conditions, {"target": target}, piece[1])
        scale = gen.scale(gen.table.columns[target.column])
        plan = Plan("values", _rows(conditions), target.column, distinct=True, scale=scale)
        yield gen.make(plan, "lookup", conditions, {"target": target})


def _piece(gen: Generator, spans: bool) -> tuple[int, frozenset[int]] | None:
    """Which of two years is asked for, with the word that says so."""
    if not spans:
        return None
    for piece, words in ((1, _BEGINNINGS), (2, _ENDS)):
        said = frozenset(i for i, t in enumerate(gen.analysis.tokens) if t.stem in words)
        if said:
            return piece, said
    return None


_BEGINNINGS = frozenset(("birth", "begin", "began", "start", "open", "found"))
_ENDS = frozenset(("death", "end", "finish", "close", "stop"))


def _aggregates(
    gen: Generator, conditions: ConditionSet, targets: list[Choice], pairs: list[tuple[Linked, Linked]]
) -> Iterator[Candidate]:
    intent = gen.analysis.intent
    rows = _rows(conditions)
    if intent in ("count", "sum"):
        for unit in gen.units():
            yield gen.make(Plan("count", rows, unit=unit), "count", conditions, _counted(gen, targets, unit))
        for target in targets:
            column = gen.table.columns[target.column]
            if target.column in {c.column for c in rows.conditions}:
                continue
            if target.how in ("name", "part", "synonym") and column.measure in ("none", "inner", "date"):
                plan = Plan("count", rows, target.column, distinct=True)
                yield gen.make(plan, "count_distinct", conditions, {"target": target})
                filled = Rows((*rows.conditions, Condition(target.column, "filled")))
                if any(not t for t in column.folded):
                    yield gen.make(Plan("count", filled), "count_filled", conditions, {"target": target})
    kinds: tuple[PlanKind, ...] = {
        "count": ("sum",), "sum": ("sum",), "avg": ("avg",), "median": ("median",), "diff": (),
    }.get(intent, ())  # type: ignore[assignment]  # fmt: skip
    for kind in kinds:
        for target in targets:
            column = gen.table.columns[target.column]
            if column.measure not in ("number", "inner", "clock", "spelled") or column.identifier:
                continue
            for sup in gen.superlatives:  # the average of the three largest …
                if sup.take:
                    for choice in gen.orders(sup)[:2]:
                        order = gen.order(sup, gen.table.columns[choice.column])
                        plan = Plan(kind, _rows(conditions, order=order), target.column)
                        spent = frozenset(range(sup.start, sup.end))
                        yield gen.make(plan, f"{kind}_top", conditions, {"target": target, "order": choice}, spent)
            unit = column.alias if len(gen.table.aliases) > 1 else ""
            plan = Plan(kind, rows, target.column, scale=gen.scale(column), unit=unit)
            yield gen.make(plan, kind, conditions, {"target": target})


def _per(gen: Generator, conditions: ConditionSet, targets: list[Choice]) -> Iterator[Candidate]:
    """``the average Y per X``: computed for every X."""
    intent = gen.analysis.intent
    norms = gen.analysis.norms
    if intent not in ("count", "sum", "avg", "median") or gen.superlatives:
        return
    values = {i for item in conditions.items for i in range(item.start, item.end)}
    for place, word in enumerate(norms[:-1]):
        if word not in ("per", "each", "by"):
            continue
        start = place + 1 + (norms[place + 1] in ("the", "each") and place + 2 < len(norms))
        headers = [h for h in gen.links.header_at(start, start + 3) if h.start == start and h.start not in values]
        if word == "by":
            headers = [h for h in headers if h.how == "name"]
        for header in headers[:1]:
            if gen.table.columns[header.column].uniqueness >= 0.999 and len(gen.table.aliases) == 1:
                continue  # one row each: nothing to put together
            group = Choice(header.column, header.how, header.score, frozenset(range(header.start, header.end)))
            spent = frozenset(range(place, start))
            if intent == "count":
                plan = Plan("per", _rows(conditions), group=header.column)
                yield gen.make(plan, "count", conditions, {"group": group, **_counted(gen, targets)}, spent)
                continue
            for target in targets:
                column = gen.table.columns[target.column]
                if column.measure != "number" or column.identifier or target.column == header.column:
                    continue
                kind: PlanKind = intent
                plan = Plan("per", _rows(conditions), target.column, group=header.column, inner=kind)
                yield gen.make(plan, kind, conditions, {"target": target, "group": group}, spent)
            return


def _absent(gen: Generator, conditions: ConditionSet, targets: list[Choice]) -> Iterator[Candidate]:
    """``how many X have no Y``: rows of X without a partner among the rows of Y that satisfy the conditions."""
    spent = frozenset(gen.analysis.negations)
    positive = tuple(replace(c, op="in") if c.op == "not in" else c for c in _merged(conditions))
    for unit in gen.units():
        plan = Plan("count", Rows(positive), unit=unit, without=True)
        yield gen.make(plan, "count_absent", conditions, _counted(gen, targets, unit), spent)


def _counted(gen: Generator, targets: list[Choice], unit: str = "") -> dict[str, Choice]:
    """What is counted: a column that the target phrase names, so that its words count as linked."""
    if unit:
        targets = [t for t in targets if gen.table.columns[t.column].alias == unit]
    named = [t for t in targets if t.how in ("name", "part", "synonym") and gen.table.columns[t.column].kind == "text"]
    return {"counted": named[0]} if named else {}


def _superlatives(gen: Generator, conditions: ConditionSet, targets: list[Choice]) -> Iterator[Candidate]:
    intent = gen.analysis.intent
    for sup in gen.superlatives:
        spent = frozenset(range(sup.start, sup.end))
        orders: list[tuple[Order, dict[str, Choice]]] = []
        for choice in gen.orders(sup):
            orders.append((gen.order(sup, gen.table.columns[choice.column]), {"order": choice}))
        if sup.positional and not _dated(gen, sup, orders):
            orders.append((Order(None, sup.high if _word(gen, sup) not in {"top", "bottom"} else
                                 _word(gen, sup) == "bottom", sup.nth, sup.take), {}))  # fmt: skip
        for order, roles in orders:
            if intent == "count" and order.column is not None:
                for unit in gen.units():
                    plan = Plan("count", _rows(conditions, order=order), unit=unit)
                    counted = _counted(gen, targets, unit)
                    yield gen.make(plan, "count_top", conditions, {**roles, **counted}, spent)
            shape = "superlative" if order.column is not None else "position"
            for target in targets:
                if order.column == target.column and intent == "lookup":
                    continue
                plan = Plan("values", _rows(conditions, order=order), target.column, distinct=True)
                yield gen.make(plan, shape, conditions, {**roles, "target": target}, spent)
            if order.column is not None and sup.nth == 1 and not sup.take:
                kind: PlanKind = "max" if order.high else "min"
                column = gen.table.columns[order.column]
                if column.measure in ("number", "time"):
                    yield gen.make(Plan(kind, _rows(conditions), order.column), "extreme", conditions, roles, spent)
                else:
                    plan = Plan("values", _rows(conditions, order=order), order.column, distinct=True)
                    yield gen.make(plan, "extreme", conditions, roles, spent)
        if not sup.positional or sup.nth == 1:
            yield from _groups(gen, conditions, targets, spent, sup.high, sup.nth)


def _dated(gen: Generator, sup: Superlative, orders: list[tuple[Order, dict[str, Choice]]]) -> bool:
    """Whether first and last are told by a date: then the order of the rows is not asked for."""
    if sup.about != "when" or {"listed", "list", "table", "chart", "row", "entry"} & set(gen.analysis.norms):
        return False
    return any(order.column is not None and gen.table.columns[order.column].ordered_in_time for order, _ in orders)


def _word(gen: Generator, sup: Superlative) -> str:
    return gen.analysis.tokens[sup.end - 1].norm


def _groups(
    gen: Generator, conditions: ConditionSet, targets: list[Choice], spent: frozenset[int], high: bool, nth: int
) -> Iterator[Candidate]:
    """``which X has the most Y``: rows counted (or numbers added up) per value of X."""
    for target in targets[:3]:
        column = gen.table.columns[target.column]
        if column.uniqueness >= 0.999 or column.kind == "empty":
            continue
        plan = Plan("group", _rows(conditions), group=target.column, high=high, nth=nth)
        yield gen.make(plan, "group_count", conditions, {"target": target}, spent)
        inner: PlanKind = "avg" if {"average", "mean", "avg"} & set(gen.analysis.norms) else "sum"
        for sup in gen.superlatives[:1]:
            for choice in gen.orders(sup)[:2]:
                if choice.column != target.column and gen.table.columns[choice.column].measure == "number":
                    summed = Plan(
                        "group", _rows(conditions), choice.column, group=target.column, inner=inner, high=high, nth=nth
                    )
                    roles = {"target": target, "order": choice}
                    yield gen.make(summed, "group_sum", conditions, roles, spent)


def _neighbours(gen: Generator, conditions: ConditionSet, targets: list[Choice]) -> Iterator[Candidate]:
    if not conditions.items and not gen.superlatives:
        return
    for near in gen.analysis.neighbours:
        spent = frozenset({near.start})
        along = [None, *(c.index for c in gen.table.columns if c.datelike)][:2]
        for target in targets:
            for axis in along:
                rows = _rows(conditions, shift=near.shift, along=axis)
                plan = Plan("values", rows, target.column, distinct=True)
                shape = "neighbour" if axis is None else "neighbour_date"
                yield gen.make(plan, shape, conditions, {"target": target}, spent)
        if gen.analysis.intent == "count" and conditions.items:
            yield from _beyond(gen, conditions, near.shift, spent, targets)


def _beyond(
    gen: Generator, conditions: ConditionSet, shift: int, spent: frozenset[int], targets: list[Choice]
) -> Iterator[Candidate]:
    """``how many … after X``: rows whose date or number lies beyond X's."""
    anchor = select(_rows(conditions), gen.table)
    for column in gen.table.columns:
        if not column.datelike and column.measure != "number":
            continue
        known = [n for r in anchor if (n := column.numbers[r]) is not None]
        if not known:
            continue
        edge = max(known) if shift > 0 else min(known)
        bound = Condition(column.index, ">" if shift > 0 else "<", low=edge if shift > 0 else None,
                          high=None if shift > 0 else edge)  # fmt: skip
        yield gen.make(Plan("count", Rows((bound,))), "count_beyond", conditions, _counted(gen, targets), spent)
        return


def _choices(gen: Generator, conditions: ConditionSet, pairs: list[tuple[Linked, Linked]]) -> Iterator[Candidate]:
    """``which is larger, A or B``: the one of the two whose number is larger, or that has more rows."""
    if gen.analysis.intent not in ("lookup", "count", "sum", "yesno") or "or" not in gen.analysis.norms:
        return
    for a, b in pairs:
        entity = a.condition.column
        rest = tuple(item.condition for item in _without(conditions, a, b))
        both = Condition(entity, "in", tuple(sorted({*a.condition.values, *b.condition.values})))
        rows = Rows((both, *rest))
        sups = list(gen.superlatives)
        comparative = gen.analysis.comparative
        spent = frozenset({comparative[0]} if comparative else ())
        if comparative and not sups:
            place, high, about = comparative
            sups = [Superlative(place, place + 1, high, about)]
        for sup in sups:
            spent |= frozenset(range(sup.start, sup.end))
            for choice in gen.orders(sup):
                if choice.column == entity:
                    continue
                order = replace(gen.order(sup, gen.table.columns[choice.column]), nth=1, take=0)
                plan = Plan("values", replace(rows, order=order), entity, distinct=True)
                yield gen.make(plan, "choice", conditions, {"order": choice}, spent)
            if sup.positional:
                plan = Plan("values", replace(rows, order=Order(None, sup.high)), entity, distinct=True)
                yield gen.make(plan, "choice_position", conditions, {}, spent)
            group = Plan("group", rows, group=entity, high=sup.high)
            yield gen.make(group, "choice_count", conditions, {}, spent)
        if not sups:
            for near in gen.analysis.neighbours:
                plan = Plan("values", replace(rows, order=Order(None, near.shift > 0)), entity, distinct=True)
                yield gen.make(plan, "choice_position", conditions, {}, spent | {near.start})
            plan = Plan("values", rows, entity, distinct=True)
            yield gen.make(plan, "choice_exists", conditions, {}, spent)


def _differences(
    gen: Generator, conditions: ConditionSet, pairs: list[tuple[Linked, Linked]], targets: list[Choice]
) -> Iterator[Candidate]:
    analysis = gen.analysis
    kind: PlanKind = "ratio" if analysis.intent == "ratio" else "diff"
    unsigned = kind == "diff"
    spent = frozenset({analysis.comparative[0]} if analysis.comparative else ())
    about: list[Choice] = list(targets)
    if analysis.comparative:
        place, high, word = analysis.comparative
        about = [*gen.orders(Superlative(place, place + 1, high, word)), *targets]
    seen: set[int] = set()
    columns = [c for c in about if not (c.column in seen or seen.add(c.column))]  # type: ignore[func-returns-value]
    for a, b in pairs:
        rest = tuple(item.condition for item in _without(conditions, a, b))
        left, right = Rows((a.condition, *rest)), Rows((b.condition, *rest))
        for choice in columns:
            if gen.table.columns[choice.column].measure not in ("number", "inner", "clock", "spelled"):
                continue
            if choice.column == a.condition.column:
                continue
            plan = Plan(kind, left, choice.column, right, inner="sum", unsigned=unsigned)
            yield gen.make(plan, f"{kind}_values", conditions, {"target": choice}, spent)
        plan = Plan(kind, left, None, right, inner="count", unsigned=unsigned)
        yield gen.make(plan, f"{kind}_counts", conditions, _counted(gen, targets), spent)
    if kind == "diff":
        sups = {s.high: s for s in gen.superlatives}
        for choice in columns:
            column = gen.table.columns[choice.column]
            if column.measure != "number":
                continue
            ends = frozenset(i for s in gen.superlatives for i in range(s.start, s.end))
            if len(sups) == 2:
                plan = Plan("range", _rows(conditions), choice.column)
                yield gen.make(plan, "range", conditions, {"target": choice}, ends)
    named = [c for c in columns if gen.table.columns[c.column].measure == "number" and c.how in ("name", "part")]
    if len(named) >= 2 and conditions.items and kind == "diff":
        pass


def _shares(gen: Generator, conditions: ConditionSet) -> Iterator[Candidate]:
    items = conditions.items
    if not items:
        return
    for item in items:
        rest = tuple(i.condition for i in items if i is not item)
        plan = Plan("share", Rows((item.condition, *rest)), other=Rows(rest), inner="count")
        yield gen.make(plan, "share", conditions)


def _same(gen: Generator, conditions: ConditionSet, targets: list[Choice]) -> Iterator[Candidate]:
    place = gen.analysis.same
    assert place is not None
    headers = gen.links.header_at(place + 1, min(len(gen.analysis.tokens), place + 4))
    for item in conditions.items:
        for header in headers[:2]:
            rest = tuple(i.condition for i in _without(conditions, item))
            same = Condition(header.column, "same", of=item.condition)
            excluded = replace(item.condition, op="not in")
            rows = Rows((same, excluded, *rest))
            role = Choice(header.column, header.how, header.score, frozenset(range(header.start, header.end)))
            spent = frozenset({place})
            target_column = item.condition.column
            plan = Plan("values", rows, target_column, distinct=True)
            yield gen.make(plan, "same", conditions, {"order": role}, spent)
            yield gen.make(Plan("count", rows), "same_count", conditions, {"order": role}, spent)


def _yes_no(gen: Generator, conditions: ConditionSet, pairs: list[tuple[Linked, Linked]]) -> Iterator[Candidate]:
    if conditions.items:
        yield gen.make(Plan("exists", _rows(conditions)), "exists", conditions)
