"""Search patterns from a question: its names, numbers, dates and words in all their writings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tablehound.backbone.protocol import PatternsRequest, RefineRequest
from tablehound.language.lexicon import is_function, lexicon
from tablehound.language.literals import Literal
from tablehound.language.question import Analysis
from tablehound.language.words import fold, identifier_words, stem, tokens
from tablehound.retrieval.lake_vocabulary import Vocabulary
from tablehound.retrieval.patterns.types import Pattern

MAX_FIRST = 24
MAX_VOCABULARY = 6


def first_patterns(analysis: Analysis, request: PatternsRequest) -> list[Pattern]:
    """Clues of the first round."""
    found = [*_spans(analysis), *_numbers(analysis), *_words(analysis), *_from_vocabulary(analysis, request.vocabulary)]
    return _distinct(found)[:MAX_FIRST]


def next_patterns(analysis: Analysis, request: RefineRequest, missing: Sequence[str]) -> list[Pattern]:
    """Clues with other writings for what is still not linked; empty when there is nothing new to try."""
    synonyms = lexicon().synonyms
    fresh: list[Pattern] = []
    for phrase in missing:
        for token in tokens(phrase):
            if is_function(token.norm):
                continue
            others = synonyms.get(token.stem, ())[:4]
            if others:
                fresh.append(Pattern("|".join(rf"\b{re.escape(o)}" for o in (token.stem, *others))))
            elif len(token.norm) > 5:
                fresh.append(Pattern(rf"\b{re.escape(token.stem[: max(4, len(token.stem) - 2)])}"))
    fresh += _from_vocabulary(analysis, request.vocabulary)
    if request.refused:
        fresh = [Pattern(pattern.text, "literal") for pattern in fresh]
    known = set(request.patterns)
    new = [pattern for pattern in _distinct(fresh) if pattern not in known]
    if not new:
        return []
    return _distinct([*request.patterns, *new])[: MAX_FIRST + len(new)]


def _distinct(patterns: Iterable[Pattern]) -> list[Pattern]:
    return list(dict.fromkeys(patterns))


def _spans(analysis: Analysis) -> Iterator[Pattern]:
    """Quoted spans, and runs of capitalised words."""
    for start, end in analysis.quoted:
        yield Pattern(_text(analysis, start, end), "literal")
    place, toks = 1, analysis.tokens
    while place < len(toks):
        if not toks[place].capital:
            place += 1
            continue
        end = place + 1
        while end < len(toks) and (
            toks[end].capital
            or (toks[end].norm in {"of", "the", "de", "la", "von", "van", "and", "-", "&"} and end + 1 < len(toks)
                and toks[end + 1].capital)
        ):  # fmt: skip
            end += 1
        if end - place > 1:
            yield Pattern(_text(analysis, place, end), "literal")
        place = end


def _text(analysis: Analysis, start: int, end: int) -> str:
    text = analysis.question[analysis.tokens[start].start : analysis.tokens[end - 1].end]
    return text.removesuffix("'s").removesuffix("’s")


def _numbers(analysis: Analysis) -> Iterator[Pattern]:
    bounds = {i for c in analysis.comparisons for i in range(c.start, c.end)}
    for literal in analysis.numbers:
        if literal.start in bounds:
            continue
        yield from number_patterns(literal, _text(analysis, literal.start, literal.end))


def number_patterns(literal: Literal, text: str) -> list[Pattern]:
    """A number or date by value, and a year also inside longer dates."""
    if literal.ordinal:
        return []
    if literal.date is not None:
        year, month, day = literal.date
        if year and month and day:
            return [Pattern(f"{year:04d}-{month:02d}-{day:02d}", "value")]
        if year and month:
            return [Pattern(rf"\b{year}-{month:02d}\b|{re.escape(text)}")]
        if year:
            return [Pattern(rf"\b{year}\b")]
        return [Pattern(re.escape(text))]
    if literal.number is not None and literal.end - literal.start == 1:
        return [Pattern(text.strip(), "value")]
    return [Pattern(f"{literal.number:.15g}", "value")] if literal.number is not None else []


def _words(analysis: Analysis) -> Iterator[Pattern]:
    """Content words by their stems, with the abbreviations that headers write them by."""
    numeric = {i for n in analysis.numbers for i in range(n.start, n.end)}
    short: dict[str, list[str]] = {}
    for abbreviation, full in lexicon().abbreviations.items():
        if len(full) == 1 and len(abbreviation) > 1:
            short.setdefault(stem(full[0]), []).append(abbreviation)
    for place, token in enumerate(analysis.tokens):
        if place in numeric or is_function(token.norm) or len(token.norm) < 2:
            continue
        root = token.stem if token.stem and fold(token.norm).startswith(token.stem) else token.norm
        root = root if len(root) > 3 else token.norm
        text = rf"\b{re.escape(root)}" if len(root) > 3 else rf"\b{re.escape(root)}\b"
        for abbreviation in sorted(short.get(token.stem, ()))[:2]:
            text += rf"|\b{re.escape(abbreviation)}\b"
        yield Pattern(text)


def _from_vocabulary(analysis: Analysis, vocabulary: Vocabulary) -> list[Pattern]:
    """The lake's own headers and values that share a content word with the question."""
    asked = {t.stem for t in analysis.tokens if not is_function(t.norm)}
    near = [
        text
        for text in (*vocabulary.headers, *vocabulary.values)
        if len(text) <= 60 and asked & {stem(w) for w in identifier_words(text)} and len(identifier_words(text)) > 1
        and {stem(w) for w in identifier_words(text) if not is_function(w)} <= asked
    ]  # fmt: skip
    return [Pattern(text, "literal") for text in near[:MAX_VOCABULARY]]
