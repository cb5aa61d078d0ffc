"""Features of a candidate: what is linked and how well, what is left over, and what trying it gives."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from tablehound.backbone.rules.candidates import Candidate, Generator
from tablehound.backbone.rules.plan import Result, run, select
from tablehound.language.lexicon import is_function, lexicon
from tablehound.language.words import word_list
from tablehound.linking.schema_links import about_tokens

Features = dict[str, float]
NEEDLESS = frozenset(("about", "light", "class", "carrier", "subject", "relation"))
"""Kinds of words that may stay unlinked: said around the table, or they only say what the rows are."""
SIGNAL_WORDS = frozenset(
    word_list(
        "total times only or and than each per different between difference consecutive average all same other besides "
        "both"
    )
)
TIME_WORDS = frozenset(word_list("year years date dates day month season time decade"))
LEADS = frozenset(word_list("who when where which what name list is was did does are were in")) | frozenset(
    ("how many", "how much", "how long")
)


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate that was tried on its table. ``uncovered`` are tokens of content that it leaves unlinked."""

    candidate: Candidate
    features: Features
    result: Result
    uncovered: tuple[int, ...]
    score: float = 0.0
    share: float = 0.0
    """Probability among all readings, of all that give the same result; 0 to 1."""


def covered_tokens(gen: Generator, candidate: Candidate) -> set[int]:
    """Tokens that the candidate makes use of, or that need no link."""
    covered = set(candidate.spent)
    for item in candidate.conditions:
        covered.update(range(item.start, item.end))
    named = {choice.column for _, choice in candidate.roles} | {i.condition.column for i in candidate.conditions}
    asked = set(range(*gen.analysis.target)) if gen.analysis.target and candidate.plan.kind == "values" else set()
    for header in gen.links.headers:
        place = set(range(header.start, header.end))
        joined = header.column in gen.table.keys and not place & asked
        if (header.column in named or joined) and header.how != "generic":
            covered.update(range(header.start, header.end))
    for role, choice in candidate.roles:
        if not choice.how.endswith("generic"):
            covered |= choice.tokens
        if role == "target" and gen.table.columns[choice.column].datelike and gen.analysis.target:
            span = range(*gen.analysis.target)
            covered.update(i for i in span if gen.analysis.tokens[i].norm in TIME_WORDS)
    return covered


def describe(gen: Generator, candidate: Candidate) -> Scored:
    """Try a candidate and describe it."""
    analysis, table = gen.analysis, gen.table
    result = run(candidate.plan, table)
    f: Features = {}
    shape = candidate.shape
    f[f"shape={shape}"] = 1.0
    f[f"intent={analysis.intent}&shape={shape}"] = 1.0
    covered = covered_tokens(gen, candidate)
    uncovered = _uncovered(gen, candidate, covered, f)
    _links(gen, candidate, f)
    _spending(gen, candidate, f)
    _result(gen, candidate, result, f)
    if analysis.intent == "claim" and result:
        f[f"shape={shape}&{bool(result[0])}"] = 1.0
    return Scored(candidate, f, result, tuple(uncovered))


def _uncovered(gen: Generator, candidate: Candidate, covered: set[int], f: Features) -> list[int]:
    """Tokens of content that are not made use of; counted by kind in the features ``left=…``."""
    analysis = gen.analysis
    lex = lexicon()
    units = lex.units
    in_header = {i for h in gen.links.headers for i in range(h.start, h.end) if h.how not in ("synonym", "generic")}
    subject = {
        i
        for h in gen.links.headers
        for i in range(h.start, h.end)
        if h.column in gen.table.subjects and h.how == "name"
    }
    keyed = {
        i
        for h in gen.links.headers
        for i in range(h.start, h.end)
        if h.how in ("name", "part") and gen.table.columns[h.column].identifier
    }
    in_value = {i for v in gen.links.values for i in range(v.start, v.end) if v.score >= 0.8}
    quoted = {i for start, end in analysis.quoted for i in range(start, end)}
    numeric = {i for n in analysis.numbers for i in range(n.start, n.end)}
    about = about_tokens(analysis, gen.table)
    target = set(range(*analysis.target)) if analysis.target else set()
    left: list[int] = []
    content = 0
    for i, token in enumerate(analysis.tokens):
        if not token.norm[:1].isalnum():
            continue
        light = is_function(token.norm) and i not in quoted
        content += not light
        if i in covered or i in analysis.triggers:
            continue
        if light and i not in candidate.skipped and i not in numeric:
            continue
        if token.stem in units and i not in quoted and i not in target:
            continue
        if i in about and i not in quoted:
            kind = "about"
        elif i in numeric:
            kind = "number"
        elif i in quoted:
            kind = "quoted"
        elif i in analysis.names:
            kind = "class" if _class_word(gen, i, covered | about) else "name"
        elif (i in subject and (i not in target or analysis.intent == "claim")) or (
            i in keyed and (i not in target or analysis.intent in ("count", "claim"))
        ):
            kind = "subject"
        elif i in in_header:
            kind = "header"
        elif i in in_value:
            kind = "value"
        elif token.norm in lex.carrier_words and (i not in target or analysis.intent == "count"):
            kind = "carrier"
        elif len(gen.table.aliases) > 1 and token.norm in lex.relation_words and i not in target:
            kind = "relation"
        else:
            kind = "word"
        if light and kind in ("value", "header"):
            kind = "light"
        f[f"left={kind}"] = f.get(f"left={kind}", 0.0) + 1.0
        if kind in NEEDLESS:
            continue
        left.append(i)
        if i in target:
            f["left_target"] = f.get("left_target", 0.0) + 1.0
    f["left_share"] = len(left) / max(1, content)
    return left


def _class_word(gen: Generator, place: int, known: set[int]) -> bool:
    """The last word of a name whose other words are all linked says only what kind of thing it is (``Nobel Prize``)."""
    names = gen.analysis.names
    if place + 1 in names or place - 1 not in names:
        return False
    if gen.analysis.tokens[place].norm not in lexicon().class_words:
        return False
    before = place - 1
    while before in names:
        if before not in known:
            return False
        before -= 1
    return True


def _links(gen: Generator, candidate: Candidate, f: Features) -> None:
    analysis = gen.analysis
    used: set[int] = set()
    for item in candidate.conditions:
        f[f"cond={item.how}"] = f.get(f"cond={item.how}", 0.0) + 1.0
        f["cond_loss"] = f.get("cond_loss", 0.0) + 1.0 - item.score
        place = range(item.start, item.end)
        if item.how in ("inside", "stem") and not any(i in analysis.names for i in place) and item.score < 0.8:
            f["cond_common_word"] = f.get("cond_common_word", 0.0) + 1.0
        if item.column_named:
            f["cond_named"] = f.get("cond_named", 0.0) + 1.0
        if item.negated:
            f["negated"] = 1.0
        used.add(item.condition.column)
    ordered = sorted(candidate.conditions, key=lambda item: item.start)
    for before, after in itertools.pairwise(ordered):  # one name taken for two things
        adjacent = before.end == after.start and {before.start, after.start} <= analysis.names | {0}
        if adjacent and {before.how, after.how} & {"inside", "stem", "fuzzy"}:
            f["split_name"] = 1.0
    shape = candidate.shape
    for role, choice in candidate.roles:
        f[f"{role}={choice.how}"] = 1.0
        f[f"{role}_score"] = choice.score
        if role == "target":
            f[f"shape={shape}&target={choice.how}"] = 1.0
            column = gen.table.columns[choice.column]
            if choice.column in used:
                f["target_is_condition"] = 1.0
            f[f"type={analysis.answer_type}&kind={'date' if column.datelike else column.measure}"] = 1.0
            if choice.column == 0:
                f["target_first"] = 1.0
    f["n_conditions"] = float(len(candidate.conditions))
    f[f"shape={shape}&conditions={min(2, len(candidate.conditions))}"] = 1.0


def _spending(gen: Generator, candidate: Candidate, f: Features) -> None:
    """Words that say how to compute, and whether the plan does."""
    analysis, spent, plan = gen.analysis, candidate.spent, candidate.plan
    for sup in gen.superlatives:
        if not set(range(sup.start, sup.end)) & spent:
            word = analysis.tokens[sup.end - 1].norm
            f["lost_superlative"] = f.get("lost_superlative", 0.0) + 1.0
            if word in {"first", "last", "most", "least"}:
                f["lost_superlative_light"] = 1.0
        elif plan.rows.order is not None:
            axis = "place" if plan.rows.order.column is None else "column"
            f[f"word={analysis.tokens[sup.end - 1].norm}&order={axis}"] = 1.0
    lost_bounds = len(analysis.comparisons) - sum(item.how == "bound" for item in candidate.conditions)
    if lost_bounds:
        f["lost_comparison"] = float(lost_bounds)
    if analysis.neighbours and not candidate.shape.startswith(("neighbour", "count_beyond", "choice")):
        f["lost_neighbour"] = 1.0
    if analysis.negations and not any(item.negated for item in candidate.conditions):
        f["lost_negation"] = 1.0
    if analysis.same is not None and not candidate.shape.startswith("same"):
        f["lost_same"] = 1.0
    if analysis.comparative and analysis.comparative[0] not in spent and not any(
        item.start <= analysis.comparative[0] < item.end for item in candidate.conditions
    ):  # fmt: skip
        f["lost_comparative"] = 1.0
    if analysis.distinct and not plan.distinct:
        f["lost_distinct"] = 1.0
    norms = set(analysis.norms)
    for word in sorted(norms & SIGNAL_WORDS):
        f[f"word={word}&shape={candidate.shape}"] = 1.0
    first = analysis.tokens[0].norm if analysis.tokens else ""
    second = analysis.tokens[1].norm if len(analysis.tokens) > 1 else ""
    lead = f"{first} {second}" if first == "how" else first
    if lead in LEADS:
        f[f"lead={lead}&shape={candidate.shape}"] = 1.0


def _result(gen: Generator, candidate: Candidate, result: Result, f: Features) -> None:
    analysis = gen.analysis
    if candidate.plan.kind == "per":
        result = result[1:2]
    if not result:
        f["empty"] = 1.0
        return
    if len(result) > 1:
        plural = _plural(gen)
        f["many&plural" if plural else "many&singular"] = 1.0
        if len(result) > 3:
            f["very_many"] = 1.0
    elif _plural(gen):
        f["one&plural"] = 1.0
    value = result[0]
    if value == 0 and isinstance(value, float):
        f["zero"] = 1.0
    if analysis.answer_type == "number" and isinstance(value, str):
        f["text_for_number"] = 1.0 if not value[:1].isdigit() else 0.3
    if analysis.answer_type == "text" and not isinstance(value, str):
        f["number_for_text"] = 1.0
    if isinstance(value, str) and len(result) == 1:
        asked = " ".join(analysis.norms)
        f["echo"] = 1.0 if value in asked else 0.0
    rows = select(candidate.plan.rows, gen.table) if candidate.plan.rows.conditions else gen.table.rows
    if len(rows) > 1 and candidate.plan.kind == "values":
        f["many_rows"] = 1.0
    if len(rows) == len(gen.table.rows) and candidate.plan.rows.conditions and len(rows) > 1:
        f["conditions_idle"] = 1.0


def _plural(gen: Generator) -> bool:
    span = gen.analysis.target
    if span is None or span[1] <= span[0]:
        return False
    last = gen.analysis.tokens[span[1] - 1].norm
    return last.endswith("s") and not last.endswith(("ss", "us", "is"))
