"""Question analysis: what is asked, before any table is looked at."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tablehound.language.bounds import Comparison, comparisons_of
from tablehound.language.lexicon import AnswerType, lexicon
from tablehound.language.literals import SCALES, literals
from tablehound.language.literals import Literal as Value
from tablehound.language.words import Token, tokens
from tablehound.settings import Task

Intent = Literal["lookup", "count", "sum", "avg", "median", "min", "max", "diff", "ratio", "share", "yesno", "claim"]
Span = tuple[int, int]


_NEGATIONS = frozenset(("not", "no", "never", "without", "except", "excluding", "outside"))
_MOST_CAPITAL = 0.7
"""Share of capitalised words beyond which capitals are no sign of a name. By hand."""
_NUMBER_OF = frozenset(("number", "amount", "count", "total"))


@dataclass(frozen=True, slots=True)
class Superlative:
    """``high``: the largest is asked for; ``about``: the word that names what is measured, '' for the words after."""

    start: int
    end: int
    high: bool
    about: str
    nth: int = 1
    take: int = 0
    positional: bool = False
    """``first``, ``last``, ``top``, ``bottom``: may mean the table's order."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The row after or before another one."""

    start: int
    end: int
    shift: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is asked."""

    question: str
    task: Task
    tokens: tuple[Token, ...]
    intent: Intent
    answer_type: AnswerType
    target: Span | None
    """Tokens that name what is asked for."""
    numbers: tuple[Value, ...]
    comparisons: tuple[Comparison, ...] = ()
    superlatives: tuple[Superlative, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    comparative: tuple[int, bool, str] | None = None
    """A comparative with ``than``, or in a choice: token, high, about."""
    negations: tuple[int, ...] = ()
    quoted: tuple[Span, ...] = ()
    distinct: bool = False
    same: int | None = None
    """Place of ``same … as``."""
    group: Span | None = None
    """``per X``, ``each X``: tokens that name the group."""
    names: frozenset[int] = frozenset()
    """Capitalised tokens, where the question writes small letters too."""
    scale: float = 1.0
    """``in millions``: results are divided by it."""
    triggers: frozenset[int] = frozenset()
    """Tokens that express the intent: they need no link."""

    @property
    def lead(self) -> str:
        """The word that asks: the first of ``who``, ``which``, ``how`` …, or ''."""
        return next((word for word in self.norms if word in lexicon().question_leads), "")

    @property
    def norms(self) -> list[str]:
        return [t.norm for t in self.tokens]


def analyse(question: str, task: Task) -> Analysis:
    """Read a question or claim."""
    toks = tuple(tokens(question))
    w = [t.norm for t in toks]
    numbers = literals(toks)
    triggers: set[int] = set()
    comparisons = comparisons_of(w, numbers, triggers)
    superlatives = _superlatives(w, numbers, triggers)
    neighbours = _neighbours(w, comparisons, triggers)
    comparative = _comparative(w, triggers)
    intent = "claim" if task == "fact_verification" else _intent(w, comparative, triggers)
    target, answer_type = _target(w, intent, triggers)
    negations = tuple(i for i, word in enumerate(w) if word in _NEGATIONS or word.endswith("n't"))
    same = next((i for i, word in enumerate(w) if word == "same"), None)
    group = None
    for i, word in enumerate(w[:-1]):
        if word in {"per", "each", "every"}:
            group = (i + 1, min(len(w), i + 3))
            triggers.add(i)
            break
    scale = 1.0
    for i, word in enumerate(w[:-1]):
        if word == "in" and w[i + 1].rstrip("s") in SCALES and w[i + 1].endswith("s"):
            scale = SCALES[w[i + 1].rstrip("s")]
            triggers.update((i, i + 1))
    return Analysis(
        question,
        task,
        toks,
        intent,
        answer_type,
        target,
        tuple(numbers),
        tuple(comparisons),
        tuple(superlatives),
        tuple(neighbours),
        comparative,
        negations,
        _quoted(question, toks),
        any(word in {"different", "distinct", "unique", "various"} for word in w),
        same,
        group,
        _names(toks, task),
        scale,
        frozenset(triggers),
    )


def _names(toks: Sequence[Token], task: Task) -> frozenset[int]:
    """Capitalised tokens; the first one only of a claim, and when it is no common word."""
    if not _mixed_case(toks):
        return frozenset()
    lex = lexicon()
    names = {i for i, t in enumerate(toks) if t.capital and i}
    if task == "fact_verification" and toks and toks[0].capital:
        word = toks[0].norm
        if word not in lex.function_words and word not in lex.carrier_words and not _plural(word):
            names.add(0)
    return frozenset(names)


def _plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("is", "us", "as", "os", "ss"))


def _mixed_case(toks: Sequence[Token]) -> bool:
    """Whether capitals say anything: not in titles and shouting."""
    words = [t for t in toks[1:] if t.text[:1].isalpha()]
    return sum(t.capital for t in words) <= _MOST_CAPITAL * len(words)


def _quoted(question: str, toks: Sequence[Token]) -> tuple[Span, ...]:
    spans = []
    for match in re.finditer(r"[\"“”«](.+?)[\"“”»]|(?<!\w)['‘](.+?)['’](?!\w)", question):
        inside = [i for i, t in enumerate(toks) if t.start >= match.start() and t.end <= match.end()]
        if inside:
            spans.append((inside[0], inside[-1] + 1))
    return tuple(spans)


def _superlatives(w: Sequence[str], numbers: Sequence[Value], triggers: set[int]) -> list[Superlative]:
    lex = lexicon()
    counts = {v.start: v for v in numbers if v.number is not None and not v.ordinal and v.date is None}
    found: list[Superlative] = []
    for i, word in enumerate(w):
        high = word in lex.high
        if not high and word not in lex.low:
            continue
        previous = w[i - 1] if i else ""
        if previous == "at" and word in {"least", "most", "first", "last"}:
            continue
        following = w[i + 1] if i + 1 < len(w) else ""
        if word in {"first", "last", "min", "max"} and following in {"name", "names", "year's"}:
            continue
        start, nth, take = i, 1, 0
        if previous in lex.ordinals:
            start, nth = i - 1, lex.ordinals[previous]
        elif i > 1 and previous == "-" and w[i - 2] in lex.ordinals:
            start, nth = i - 2, lex.ordinals[w[i - 2]]
        if i + 1 in counts and (counts[i + 1].number or 0) <= 100:
            take = int(counts[i + 1].number or 0)
        end = counts[i + 1].end if take else i + 1
        about = lex.high[word] if high else lex.low[word]
        if word in {"oldest", "youngest", "eldest"}:
            about = word
        positional = word in {"first", "last", "top", "bottom", "earliest", "latest"}
        if word in {"most", "least"} and following in {"of", "recent", "recently"}:
            if following == "of":
                continue
            end, about, positional = end + 1, "when", True
        found.append(Superlative(start, end, high, about, nth, take, positional))
        triggers.update(range(start, end))
    return found


def _neighbours(w: Sequence[str], comparisons: Sequence[Comparison], triggers: set[int]) -> list[Neighbour]:
    taken = {i for c in comparisons for i in range(c.start, c.end)}
    found = []
    for i, word in enumerate(w):
        if i in taken:
            continue
        shift = 0
        if word in {"after", "next", "following", "below", "succeeded", "followed", "beneath", "later"}:
            shift = 1
        elif word in {"before", "previous", "prior", "preceding", "above", "preceded", "ahead"}:
            shift = -1
        if shift:
            found.append(Neighbour(i, i + 1, shift))
            triggers.add(i)
    return found


def _comparative(w: Sequence[str], triggers: set[int]) -> tuple[int, bool, str] | None:
    known = lexicon().comparatives
    for i, word in enumerate(w):
        if word in known and not (i and w[i - 1] in {"or", "no"}):
            way, about = known[word]
            triggers.add(i)
            return i, way == "high", about
    return None


def _counts(w: Sequence[str], place: int) -> bool:
    """``number of`` counts, ``phone number of`` does not; ``count`` as a verb or noun does."""
    if w[place] == "count":
        return True
    before = w[place - 1] if place else ""
    plain = not before or before in lexicon().function_words or before in lexicon().grammar_words
    return plain and place + 1 < len(w) and w[place + 1] == "of"


def _asks_for_extreme(w: Sequence[str]) -> bool:
    """``which X has the most Y``, ``who had the highest number of Y``: a thing is asked for, not its number."""
    lex = lexicon()
    lead = next((i for i, word in enumerate(w) if word in {"which", "who", "whose", "what"}), None)
    if (
        lead is None
        or "how" in w
        or (w[lead] == "what" and lead + 1 < len(w) and w[lead + 1] in {*lex.auxiliaries, "'s"})
    ):
        return False
    place = next((i for i in range(lead, len(w)) if w[i] in lex.high or w[i] in lex.low), None)
    return place is not None and any(
        word in {"number", "amount", "total", "count", "average", "mean", "combined", "overall"} for word in w[place:]
    )


def _intent(w: Sequence[str], comparative: tuple[int, bool, str] | None, triggers: set[int]) -> Intent:
    text = " ".join(w)
    lex = lexicon()
    if _asks_for_extreme(w):
        triggers.update(i for i, x in enumerate(w) if x in {"number", "amount", "total"})
        return "lookup"
    how = next((i for i, word in enumerate(w[:-1]) if word == "how" and w[i + 1] in {"many", "much"}), None)
    if "difference" in w or "differ" in w or "margin" in w:
        triggers.update(i for i, x in enumerate(w) if x in {"difference", "between", "differ", "margin"})
        return "diff"
    if comparative and "how" in w[: comparative[0]] and ("than" in w or "compared" in w):
        place = comparative[0]
        if place and w[place - 1] in {"many", "much", "how"}:
            return "diff"
    if re.search(
        r"\b(percent|percentage|proportion|share|fraction) of\b|\bwhat %|\bpercent\b.*\b(?:are|were|is)\b", text
    ):
        return "share"
    if re.search(r"\bratio\b|\bhow many times (?:as|more|larger|bigger)\b", text):
        triggers.update(i for i, x in enumerate(w) if x == "ratio")
        return "ratio"
    if any(x in w for x in ("average", "mean", "avg")) and not re.search(
        r"\b(above|below|than) (the )?average\b", text
    ):
        triggers.update(i for i, x in enumerate(w) if x in {"average", "mean", "avg"})
        return "avg"
    if "median" in w:
        triggers.add(w.index("median"))
        return "median"
    totals = {"total", "combined", "sum", "altogether", "together", "overall", "cumulative", "totals"}
    counted = any(_counts(w, i) for i, word in enumerate(w) if word in {"number", "count"})
    if (how is not None and w[how + 1] == "many") or counted or "how often" in text:
        triggers.update(i for i, x in enumerate(w) if x in totals | {"number", "count", "many", "how"})
        return "count"
    if any(x in totals for x in w):
        triggers.update(i for i, x in enumerate(w) if x in totals)
        return "sum"
    if w and w[0] in lex.auxiliaries and " or " not in text and w[0] not in {"have"}:
        return "yesno"
    if how is not None or any(x == "how" and y in lex.measures for x, y in itertools.pairwise(w)):
        return "lookup"
    return "lookup"


def _target(w: Sequence[str], intent: Intent, triggers: set[int]) -> tuple[Span | None, AnswerType]:
    """The tokens that name what is asked for, and the type of the answer."""
    lex = lexicon()
    numeric = intent in {"count", "sum", "avg", "median", "diff", "ratio", "share"}
    for i, word in enumerate(w):
        following = w[i + 1] if i + 1 < len(w) else ""
        if word == "how" and following in {"many", "much"}:
            triggers.update((i, i + 1))
            start = i + 2
            while start < len(w) and w[start] in lex.grammar_words:
                start += 1
            return (start, _noun_end(w, start)), "number"
        if word == "how" and following in lex.measures:
            triggers.add(i)
            return (i + 1, i + 2), "number"
        if word in {"which", "what", "whose"}:
            triggers.add(i)
            start = i + 1
            if following in {"is", "are", "was", "were", "'s"}:
                start += 1
            while start < len(w) and w[start] in {"the", "a", "an", "name", "names", "of", "all", "list", "were"}:
                start += 1
            counted = next((j for j in range(start, min(len(w) - 1, start + 5)) if w[j] in _NUMBER_OF and
                            w[j + 1] == "of"), None)  # fmt: skip
            if counted is not None and numeric:
                start = counted + 2
                while start < len(w) and w[start] in lex.grammar_words:
                    start += 1
            end = _noun_end(w, start)
            if end == start and start < len(w):
                return None, "number" if numeric else "any"
            if any(x in {"year", "date", "day", "month", "decade"} for x in w[start:end]):
                return (start, end), "date" if not numeric else "number"
            return (start, end), "number" if numeric else "any"
        if word == "who" or word == "whom":
            return (i, i + 1), "number" if numeric else "text"
        if word == "when":
            return (i, i + 1), "number" if numeric else "date"
        if word == "where":
            return (i, i + 1), "number" if numeric else "text"
        if word == "number" and following == "of" and numeric:
            return (i + 2, _noun_end(w, i + 2)), "number"
    verbs = {"name", "list", "give", "show", "find", "tell", "identify", "state"}
    start = 0
    while start < len(w) and (w[start] in verbs or w[start] in lex.grammar_words or w[start] in {"me", "us", "all"}):
        start += 1
    return (start, _noun_end(w, start)) if start < len(w) else None, "number" if numeric else "any"


def _noun_end(w: Sequence[str], start: int) -> int:
    lex = lexicon()
    end = start
    while end < len(w) and end - start < 6:
        word = w[end]
        if word in lex.noun_ends or (end > start and (word in lex.asking_verbs or word in lex.high or word in lex.low)):
            break
        end += 1
    return end
