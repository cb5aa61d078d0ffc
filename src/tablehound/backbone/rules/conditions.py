"""Conditions from linked values and comparisons: the sets of conditions that a question may mean."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from tablehound.backbone.rules.plan import Condition
from tablehound.language.bounds import Comparison
from tablehound.language.lexicon import is_function, lexicon
from tablehound.language.literals import Literal
from tablehound.language.question import Analysis
from tablehound.linking import in_column
from tablehound.linking.schema_links import Links, ValueLink, header_core
from tablehound.linking.table_profile import ColumnProfile, TableProfile

MAX_SETS = 16
_TIME_WORDS = frozenset(("before", "after", "since", "until", "till", "earlier", "later"))
"""A bound with one of these is about a date or year, where a column has one."""
_JOINS = frozenset(("and", "but"))
OPTIONS_PER_SPAN = 3


@dataclass(frozen=True, slots=True)
class Linked:
    """A condition with the link or comparison that it came from."""

    condition: Condition
    start: int
    end: int
    score: float
    how: str
    column_named: bool = False
    """The question also names the column."""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class ConditionSet:
    """Conditions that hold together; ``skipped`` tokens are of value links left out."""

    items: tuple[Linked, ...]
    skipped: frozenset[int] = frozenset()


def condition_sets(analysis: Analysis, table: TableProfile, links: Links) -> list[ConditionSet]:
    """The likely sets of conditions, best first."""
    spans = _spans(analysis, links, table)
    choices: list[list[Linked | None]] = []
    for options in spans:
        linked: list[Linked | None] = [_from_value(option, analysis, links) for option in options]
        if options[0].score < 0.75:
            linked.append(None)
        choices.append(linked)
    for comparison in analysis.comparisons:
        bounds = _from_comparison(comparison, analysis, table, links)
        if bounds:
            choices.append(list(bounds))
    sets: list[tuple[float, ConditionSet]] = []
    for combination in itertools.islice(itertools.product(*choices), 256):
        items = tuple(item for item in combination if item is not None)
        if _parted(items, analysis):
            continue
        chosen = {i for item in items for i in range(item.start, item.end)}
        skipped = {i for options in spans for i in range(options[0].start, options[0].end) if i not in chosen}
        score = sum(item.score + 0.3 * item.column_named for item in items)
        sets.append((score, ConditionSet(items, frozenset(skipped))))
    sets.sort(key=lambda pair: -pair[0])
    return [found for _, found in sets[:MAX_SETS]]


def _parted(items: Sequence[Linked], analysis: Analysis) -> bool:
    """Whether ``more than 5 and less than 12 units`` is taken to bound two columns."""
    bounds = sorted((item for item in items if item.how == "bound"), key=lambda item: item.start)
    return any(
        after.start - before.end == 1
        and analysis.tokens[before.end].norm in _JOINS
        and before.condition.column != after.condition.column
        for before, after in itertools.pairwise(bounds)
    )


def _spans(analysis: Analysis, links: Links, table: TableProfile) -> list[list[ValueLink]]:
    """Value links that do not overlap, longest and best first, with their alternatives in other columns."""
    taken: set[int] = {i for c in analysis.comparisons for i in range(c.start, c.end)}
    quoted = {i for start, end in analysis.quoted for i in range(start, end)}
    named = {i: link.score for link in links.headers for i in range(link.start, link.end) if link.how == "name"}
    chosen: list[list[ValueLink]] = []
    ranked = sorted(links.values, key=lambda v: (-_weight(v), v.start, v.column))
    for link in ranked:
        span = set(range(link.start, link.end))
        if span & taken:
            continue
        content = [i for i in span if not is_function(analysis.tokens[i].norm)]
        whole = link.how == "exact" and (len(span) > 1 or (analysis.tokens[link.start].capital and link.start > 0))
        if not content and not span & quoted and not whole:
            continue
        if span <= analysis.triggers:
            continue
        if all(i in named for i in content) and link.how != "exact" and content:
            continue
        if content and all(i in named for i in content) and _is_target(analysis, span) and not span & quoted:
            continue
        if link.how in ("stem", "fuzzy", "inside") and span == {_head(analysis)} and not span & quoted:
            continue  # the thing asked for is no condition
        options = [v for v in ranked if (v.start, v.end) == (link.start, link.end)]
        best = _dedupe(options)[:OPTIONS_PER_SPAN]
        chosen.append(best)
        taken |= span
    chosen.sort(key=lambda options: options[0].start)
    return chosen


def _head(analysis: Analysis) -> int:
    """The last token of the target phrase; -1 without one, and for names."""
    if analysis.target is None or analysis.target[1] <= analysis.target[0]:
        return -1
    last = analysis.target[1] - 1
    return -1 if last in analysis.names or analysis.intent == "claim" else last


def _is_target(analysis: Analysis, span: set[int]) -> bool:
    return analysis.target is not None and span <= set(range(*analysis.target))


def _weight(link: ValueLink) -> float:
    return link.length * (1.0 if link.how in ("exact", "number", "date") else 0.8) + link.score * 0.9


def _dedupe(options: Sequence[ValueLink]) -> list[ValueLink]:
    """One link per column, the best (a whole cell before words inside cells)."""
    best: dict[int, ValueLink] = {}
    for option in options:
        known = best.get(option.column)
        if known is None or option.score > known.score:
            best[option.column] = option
    return sorted(best.values(), key=lambda v: (-v.score, v.column))


def _from_value(link: ValueLink, analysis: Analysis, links: Links) -> Linked:
    negated = any(
        n < link.start
        and link.start - n <= 5
        and not _between_values(n, link, links)
        and not _negates_a_noun(n, link, analysis, links)
        for n in analysis.negations
    )
    phrase = analysis.question[analysis.tokens[link.start].start : analysis.tokens[link.end - 1].end]
    near = {i for i in range(link.start - 3, link.end + 3) if not link.start <= i < link.end}
    named = any(
        h.column == link.column and h.how != "synonym" and near & set(range(h.start, h.end)) for h in links.headers
    )
    condition = Condition(link.column, "not in" if negated else "in", link.values, phrase=phrase)
    return Linked(condition, link.start, link.end, link.score, link.how, named, negated)


def _negates_a_noun(place: int, link: ValueLink, analysis: Analysis, links: Links) -> bool:
    """``no visits in January``: there are none of what the column says; January is not excluded."""
    return analysis.norms[place] in ("no", "without") and any(
        h.start == place + 1 and h.end <= link.start and h.column != link.column for h in links.headers
    )


def _between_values(place: int, link: ValueLink, links: Links) -> bool:
    return any(place < v.start and v.end <= link.start and v.how == "exact" for v in links.values)


def _from_comparison(comparison: Comparison, analysis: Analysis, table: TableProfile, links: Links) -> list[Linked]:
    """A bound as a condition on each column that it may be about, the likeliest first."""
    value = comparison.low or comparison.high
    assert value is not None
    words = analysis.norms
    ranked: list[tuple[float, int, Linked]] = []
    timed = words[comparison.start] in _TIME_WORDS and any(
        column.datelike and _bounds(comparison, column)[:2] != (None, None) for column in table.columns
    )
    for column in table.columns:
        low, high, op = _bounds(comparison, column)
        if (low is None and high is None) or column.identifier or (timed and not column.datelike):
            continue
        closeness, reach = 0.0, range(comparison.start, comparison.end)
        for header in links.headers:
            if header.column != column.index:
                continue
            distance = min(
                abs(header.start - comparison.end), abs(comparison.start - header.end), abs(header.start - value.end)
            )
            inside = header.start in reach
            weight = 1.0 if inside or distance <= 1 else 0.7 if distance <= 3 else 0.4 if distance <= 6 else 0.2
            closeness = max(closeness, weight * header.score)
        if not closeness:
            closeness = _about(comparison, column, words)
        if not closeness and column.datelike and _says_a_measure(comparison, words):
            continue  # "longer than 150" is no year
        if column.datelike and value.date is not None:
            closeness += 0.45
        elif column.datelike and value.date is None and column.kind != "number":
            continue
        numbers = [n for n in column.numbers if n is not None] if op != "year" else []
        if numbers and closeness < 0.4:
            edge = low if low is not None else high
            assert edge is not None
            if min(numbers) <= edge <= max(numbers):
                closeness += 0.1
        phrase = " ".join(words[comparison.start : comparison.end])
        condition = Condition(column.index, op, (), low, high, phrase)  # type: ignore[arg-type]
        item = Linked(condition, comparison.start, comparison.end, min(1.0, closeness), "bound", closeness >= 0.5)
        ranked.append((-closeness, column.index, item))
    ranked.sort(key=lambda entry: entry[:2])
    return [item for _, _, item in ranked[:OPTIONS_PER_SPAN] if item.score > 0.05 or len(ranked) == 1]


def _says_a_measure(comparison: Comparison, words: Sequence[str]) -> bool:
    said = [lexicon().comparatives.get(word, ("", ""))[1] for word in words[comparison.start : comparison.end]]
    return any(about and about not in ("when", "old") for about in said)


def _about(comparison: Comparison, column: ColumnProfile, words: Sequence[str]) -> float:
    """``older than``, ``longer than`` name a measure themselves."""
    known = lexicon()
    for word in words[comparison.start : comparison.end]:
        about = known.comparatives.get(word, ("", ""))[1]
        if about and set(known.synonyms.get(about, ())) & header_core(column):
            return 0.6
    return 0.0


def _bounds(comparison: Comparison, column: ColumnProfile) -> tuple[float | None, float | None, str]:
    if column.measure == "none" and not column.datelike:
        return None, None, comparison.op
    ends = (comparison.low, comparison.high)
    values = [v for v in ends if v is not None]
    years = all(v.year is not None for v in values)
    if column.datelike and column.kind != "number":
        if years and (column.kind == "date" or column.measure != "number"):
            low = float(comparison.low.year) if comparison.low and comparison.low.year else None
            high = float(comparison.high.year) if comparison.high and comparison.high.year else None
            if comparison.op == ">" and low is not None:
                low += 1
            elif comparison.op == "<" and high is not None:
                high -= 1
            return low, high, "year"
        if column.kind != "date":
            return None, None, comparison.op
        bounds = [_day(v) if v is not None else None for v in (comparison.low, comparison.high)]
        return bounds[0], bounds[1], "between" if comparison.op == "=" else comparison.op
    numbers = [in_column(v, column) if v is not None else None for v in ends]
    if any(v is not None and v.number is not None and n is None for v, n in zip(ends, numbers, strict=True)):
        return None, None, comparison.op  # a unit that excludes the column's
    return numbers[0], numbers[1], "between" if comparison.op == "=" else comparison.op


def _day(value: Literal) -> float | None:
    year, month, day = value.date or (None, None, None)
    if year is None:
        return None
    try:
        return float(dt.date(year, month or 1, day or 1).toordinal())
    except ValueError:
        return None
