"""Schema linking: spans of a question to columns by their names, and to cells by their values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tablehound.language.lexicon import is_function, lexicon
from tablehound.language.literals import Literal, parts_match
from tablehound.language.question import Analysis
from tablehound.language.words import Token, fold, identifier_words, plain_stem, stem
from tablehound.linking.question_units import in_column
from tablehound.linking.table_profile import ColumnProfile, TableProfile

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_BRACKETS = re.compile(r"[(\[{][^)\]}]*[)\]}]")
GENERIC = frozenset(("name", "titl"))
"""Stems of headers that any kind of thing may have: a word linked to one is not covered by that."""
GENERIC_ASKED = frozenset(("who", "person", "titl", "name"))
MAX_SPAN = 10
"""Tokens of a question that are taken together at most."""


@dataclass(frozen=True, slots=True)
class HeaderScores:
    """How sure a link to a column's name is, 0 to 1. All by hand."""

    base: float = 0.4
    recall: float = 0.6
    """Times the share of the name's words that the question has."""
    whole: float = 0.99
    """Share from which on the whole name is there."""
    synonym: float = 0.35
    synonym_recall: float = 0.25
    """Times the share of the name that the synonym stands for."""
    synonym_place: float = 0.01
    """Off for each synonym that the lexicon lists before it."""


@dataclass(frozen=True, slots=True)
class ValueScores:
    """How sure a link to a cell is, 0 to 1. All by hand."""

    exact: float = 1.0
    exact_weak: float = 0.6
    """The cell is made of function words, or is one short word."""
    number: float = 0.95
    date: float = 0.9
    date_in_text: float = 0.85
    alias: float = 0.8
    stem: float = 0.8
    demonym: float = 0.6
    fuzzy: float = 0.55
    inside: float = 0.55
    inside_share: float = 0.35
    """Times the share of the cell that the words fill."""
    least_ratio: float = 88.0
    """Likeness of spelling, 0 to 100, from which on two words are the same."""


_HEADER = HeaderScores()
_VALUE = ValueScores()


@dataclass(frozen=True, slots=True)
class HeaderLink:
    """Tokens ``start … end`` name a column. ``how``: ``name`` (all of it), ``part``, ``synonym``, ``generic``
    (``driver`` for a header that is just ``name``)."""

    start: int
    end: int
    column: int
    score: float
    how: str


@dataclass(frozen=True, slots=True)
class ValueLink:
    """Tokens ``start … end`` are a value of a column. ``how``: ``exact`` (the cell), ``inside`` (whole words of it),
    ``number``, ``date``, ``alias``, ``stem``, ``fuzzy``."""

    start: int
    end: int
    column: int
    values: tuple[str, ...]
    """Folded cells that match, sorted."""
    score: float
    how: str

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Links:
    """All links of a question to one table."""

    headers: tuple[HeaderLink, ...]
    values: tuple[ValueLink, ...]

    def header_at(self, start: int, end: int) -> list[HeaderLink]:
        """Header links within a span of tokens, best first."""
        found = [link for link in self.headers if start <= link.start and link.end <= end]
        return sorted(found, key=lambda link: (-link.score, -(link.end - link.start), link.column))


def header_core(column: ColumnProfile) -> frozenset[str]:
    """Stems of the header words that say what the column is: no numbers, grammar or units, nothing in brackets."""
    lex = lexicon()
    bare = _BRACKETS.sub(" ", column.name)
    outside = frozenset(identifier_words(bare)) or frozenset(column.words)
    for skipped in (lex.grammar_words | lex.units, lex.grammar_words):
        core = frozenset(
            s
            for word, s in zip(column.words, column.stems, strict=True)
            if not word.isdigit() and word in outside and word not in skipped and s not in skipped
        )
        if core:
            return core
    return frozenset(column.stems)


def link_headers(tokens: Sequence[Token], table: TableProfile) -> list[HeaderLink]:
    """Links to column names: by words (in any writing), abbreviations, and the lexicon's relation words."""
    found: list[HeaderLink] = []
    synonyms = lexicon().synonyms
    grammar = lexicon().grammar_words
    for column in table.columns:
        if not column.words:
            continue
        core = header_core(column)
        hits = [t.stem in column.expanded and t.norm not in grammar for t in tokens]
        place = 0
        while place < len(tokens):
            if not hits[place]:
                place += 1
                continue
            end = place + 1
            while end < len(tokens):
                if hits[end]:
                    end += 1
                elif end + 1 < len(tokens) and tokens[end].norm in grammar | {"-", "/", "&"} and hits[end + 1]:
                    end += 2
                else:
                    break
            seen = {t.stem for t in tokens[place:end] if t.norm not in grammar}
            recall = _recall(seen, column, core)
            how = "name" if recall >= _HEADER.whole else "part"
            found.append(HeaderLink(place, end, column.index, _HEADER.base + _HEADER.recall * recall, how))
            place = end
        for index, token in enumerate(tokens):
            if hits[index]:
                continue
            others = synonyms.get(token.stem)
            if not others:
                continue
            ranks = [rank for rank, other in enumerate(others) if other in column.expanded]
            if ranks:
                recall = 1 / max(1, len(core))
                how = "synonym"
                if others[ranks[0]] in GENERIC and token.stem not in GENERIC_ASKED:
                    how = "generic"
                score = _HEADER.synonym + _HEADER.synonym_recall * recall - _HEADER.synonym_place * ranks[0]
                found.append(HeaderLink(index, index + 1, column.index, score, how))
    return sorted(found, key=lambda link: (link.start, -link.end, -link.score, link.column))


def _recall(seen: set[str], column: ColumnProfile, core: frozenset[str]) -> float:
    covered = sum(1 for s in core if s in seen)
    if not covered and seen:  # written out in the question, short in the header
        abbreviations = lexicon().abbreviations
        for word in column.words:
            full = abbreviations.get(word)
            if full and any(stem(w) in seen for w in full):
                covered += 1
    return min(1.0, covered / max(1, len(core)))


def link_values(tokens: Sequence[Token], table: TableProfile, numbers: Sequence[Literal]) -> list[ValueLink]:
    """Links to cells: whole cells, whole words within cells, numbers and dates by value, then near spellings."""
    found: list[ValueLink] = []
    words = [_WORD.findall(fold(t.text.removesuffix("'s").removesuffix("’s"))) for t in tokens]
    columns = {column.index: column for column in table.columns}
    for start in range(len(tokens)):
        if not words[start]:
            continue
        flat: list[str] = []
        alive: set[tuple[int, str]] | None = None
        for end in range(start + 1, min(len(tokens), start + MAX_SPAN) + 1):
            flat.extend(words[end - 1])
            for word in words[end - 1]:
                holders = set(table.postings.get(word, ()))
                alive = holders if alive is None else alive & holders
            if not alive:
                break
            if not words[end - 1]:
                continue
            span_tokens = tokens[start:end]
            light = len(span_tokens) < 2 and is_function(span_tokens[0].norm)
            if light and not any(_words_of(v) == flat for _, v in alive):
                continue
            found.extend(_text_links(start, end, flat, alive, span_tokens))
    for literal in numbers:
        for column in columns.values():
            link = _literal_link(literal, column)
            if link:
                found.append(link)
    found.extend(_alias_links(words, table))
    found.extend(_stem_links(tokens, table, found))
    return sorted(set(found), key=lambda v: (-v.length, -v.score, v.start, v.column))


def _alias_links(words: Sequence[Sequence[str]], table: TableProfile) -> list[ValueLink]:
    """Other writings of the same value: ``female``, ``F``; ``United States``, ``USA``."""
    links: list[ValueLink] = []
    for phrase, others in lexicon().value_aliases.items():
        size = len(phrase.split())
        for start in range(len(words) - size + 1):
            if [w for part in words[start : start + size] for w in part] != phrase.split():
                continue
            for column in table.columns:
                values = tuple(sorted(v for v in column.distinct if " ".join(_words_of(v)) in others))
                if values and len(column.distinct) < max(12, column.uniqueness * len(column.texts) + 1):
                    links.append(ValueLink(start, start + size, column.index, values, _VALUE.alias, "alias"))
    return links


def _words_of(value: str) -> list[str]:
    return _WORD.findall(value)


def _text_links(
    start: int, end: int, flat: list[str], alive: set[tuple[int, str]], span: Sequence[Token]
) -> list[ValueLink]:
    by_column: dict[int, tuple[list[str], list[str], float]] = {}
    for column, value in alive:
        cell = _words_of(value)
        if cell == flat:
            by_column.setdefault(column, ([], [], 0.0))[0].append(value)
        elif _contiguous(flat, cell) and not _another_place(flat, cell):
            entry = by_column.setdefault(column, ([], [], 0.0))
            entry[1].append(value)
            share = len(" ".join(flat)) / max(1, len(value))
            by_column[column] = (entry[0], entry[1], max(entry[2], share))
    links = []
    weak = all(is_function(t.norm) for t in span) or (len(flat) == 1 and len(flat[0]) < 3 and not flat[0].isdigit())
    edge = is_function(span[0].norm) or is_function(span[-1].norm)
    for column, (whole, inside, share) in sorted(by_column.items()):
        if whole:
            score = _VALUE.exact_weak if weak else _VALUE.exact
            links.append(ValueLink(start, end, column, tuple(sorted(whole)), score, "exact"))
        if inside and not weak and not edge:
            score = _VALUE.inside + _VALUE.inside_share * min(1.0, share)
            values = tuple(sorted(set(inside) | set(whole)))
            links.append(ValueLink(start, end, column, values, score, "inside"))
    return links


_PLACED = frozenset(("north", "south", "east", "west", "northern", "southern", "eastern", "western", "central", "new"))


def _another_place(part: list[str], whole: list[str]) -> bool:
    """``Africa`` is not South Africa, ``York`` not New York."""
    n = len(part)
    return any(whole[i : i + n] == part and i and whole[i - 1] in _PLACED for i in range(len(whole) - n + 1))


def _contiguous(part: list[str], whole: list[str]) -> bool:
    n = len(part)
    return any(whole[i : i + n] == part for i in range(len(whole) - n + 1))


def _literal_link(literal: Literal, column: ColumnProfile) -> ValueLink | None:
    if literal.ordinal:
        return None
    span = (literal.start, literal.end)
    if (literal.date is not None and literal.number is None) or (literal.date is not None and column.kind == "date"):
        asked = literal.date
        values = sorted(
            {
                text
                for text, date in zip(column.folded, column.dates, strict=True)
                if date is not None and parts_match(asked, date)
            }
        )
        if values:
            return ValueLink(*span, column.index, tuple(values), _VALUE.date, "date")
        if column.kind != "number" or literal.year is None:
            return None
    if literal.number is not None and column.kind == "number":
        number = in_column(literal, column)
        known = column.exact_numbers
        values = sorted({text for text, n in zip(column.folded, known, strict=True) if n is not None and n == number})
        if values:
            return ValueLink(*span, column.index, tuple(values), _VALUE.number, "number")
    if literal.year is not None and column.kind == "text" and column.datelike:
        asked = literal.date or (None, None, None)
        values = sorted({t for t, d in zip(column.folded, column.dates, strict=True) if d and parts_match(asked, d)})
        if values:
            return ValueLink(*span, column.index, tuple(values), _VALUE.date_in_text, "date")
    return None


def _stem_links(tokens: Sequence[Token], table: TableProfile, found: Sequence[ValueLink]) -> list[ValueLink]:
    """For words that no value link covers: cells whose word has the same stem, a shared beginning (``Canadian``,
    ``Canada``), or a near spelling."""
    from rapidfuzz import fuzz

    covered = {i for link in found for i in range(link.start, link.end)}
    links: list[ValueLink] = []
    for index, token in enumerate(tokens):
        if index in covered or is_function(token.norm) or len(token.norm) < 4 or not token.norm[0].isalpha():
            continue
        near: dict[str, tuple[float, str]] = {}
        for word in table.words_by_letter.get(token.norm[0], ()):
            if abs(len(word) - len(token.norm)) > 4:
                continue
            if plain_stem(word) == plain_stem(token.norm):
                near[word] = (_VALUE.stem, "stem")
            elif _demonym(token.norm, word):
                near[word] = (_VALUE.demonym, "stem")
            elif len(word) > 5 and len(token.norm) > 5 and fuzz.ratio(word, token.norm) >= _VALUE.least_ratio:
                near[word] = (_VALUE.fuzzy, "fuzzy")
        if not near:
            continue
        best = max(near.values())[0]
        by_column: dict[int, set[str]] = {}
        how = "stem"
        for word, (score, kind) in near.items():
            if score == best:
                how = kind
                for column, value in table.postings[word]:
                    if _another_place([word], _words_of(value)):
                        continue
                    by_column.setdefault(column, set()).add(value)
        for column, values in sorted(by_column.items()):
            links.append(ValueLink(index, index + 1, column, tuple(sorted(values)), best, how))
    return links


_DEMONYM = re.compile(r"(?:ian|ean|an|ese|ish|i|ic|er)s?$")


def _demonym(word: str, other: str) -> bool:
    for a, b in ((word, other), (other, word)):
        found = _DEMONYM.search(a)
        if found:
            root = a[: found.start()]
            if len(root) >= 4 and b.startswith(root) and len(b) - len(root) <= 3:
                return True
    return False


def link(tokens: Sequence[Token], table: TableProfile, numbers: Sequence[Literal]) -> Links:
    """All links of a question's tokens to a table."""
    return Links(tuple(link_headers(tokens, table)), tuple(link_values(tokens, table, numbers)))


def about_tokens(analysis: Analysis, table: TableProfile) -> set[int]:
    """Tokens that title, notes or source name of the table say, also by initials (``Formula 1``, ``f1``)."""
    stems, toks = table.about_stems, analysis.tokens
    if not stems:
        return set()
    found = {i for i, t in enumerate(toks) if t.stem in stems}
    for i in range(len(toks)):
        for end in range(i + 2, min(len(toks), i + 5) + 1):
            span = toks[i:end]
            if span[0].capital and all(t.capital or t.norm.isdigit() for t in span):
                initials = "".join(t.norm if t.norm.isdigit() else t.norm[:1] for t in span)
                if initials in stems:
                    found.update(range(i, end))
    return found
