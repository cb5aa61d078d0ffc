"""What trigrams a text must have for a regex to match it: a lossless prefilter.

The method is Russ Cox's ("Regular Expression Matching with a Trigram Index", 2012), with sets of bytes instead of
single characters, so that ``19\\d\\d`` and ``[ck]at`` ask for trigrams too, and with marks before and after each text,
so that ``^ab``, ``ab$`` and two-letter words do. Trigrams are of the bytes of the case-folded text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tablehound.retrieval.patterns.regex_syntax import (
    ANY_CHAR,
    ASCII,
    END,
    NOTHING,
    OTHER,
    START,
    Boundary,
    Choice,
    Concat,
    Either,
    Element,
    Node,
    Opaque,
    Repeat,
    mask_of,
    parse,
)

MAX_SEQUENCES = 32
MAX_LENGTH = 40
MAX_COPIES = 6
_BEGIN, _FINISH = 1 << START, 1 << END
_ANY_BYTE = (1 << 256) - 1
_WORD = mask_of("0123456789_abcdefghijklmnopqrstuvwxyz")
_NOT_WORD = (ASCII & ~_WORD) | _BEGIN | _FINISH | OTHER

Sequence = tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """One of the trigrams that three neighbouring elements allow."""

    elements: tuple[Element, Element, Element]


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple[Query, ...]


Query = Window | AllOf | AnyOf
"""What a text must have; where there is None instead, nothing is known."""


def required(expression: str) -> Query | None:
    """What every text that the regex matches has; None when nothing is known, and all must be judged."""
    try:
        return _inexact(_info(_with_edges(parse(expression)))).need
    except Opaque:
        return None


@dataclass(frozen=True, slots=True)
class _Info:
    """What is known of the texts that a node matches."""

    exact: tuple[Sequence, ...] | None
    """All of them; None when they are not few."""
    prefix: tuple[Sequence, ...] = ((),)
    """Each starts with one of these …"""
    suffix: tuple[Sequence, ...] = ((),)
    """… and ends with one of these (only when not exact)."""
    need: Query | None = None


def _with_edges(node: Node) -> Node:
    """Word boundaries at the outer edges of a pattern, next to a word character, as an element that is no word's."""
    if isinstance(node, Either):
        return Either(tuple(_with_edges(part) for part in node.parts))
    if not isinstance(node, Concat):
        return node
    parts = list(node.parts)
    if isinstance(parts[0], Boundary):
        first = _inexact(_info(Concat(tuple(parts[1:])))).prefix
        if all(sequence and not sequence[0] & ~_WORD for sequence in first):
            parts[0] = Choice(((_NOT_WORD,),))
    if isinstance(parts[-1], Boundary):
        last = _inexact(_info(Concat(tuple(parts[:-1])))).suffix
        if all(sequence and not sequence[-1] & ~_WORD for sequence in last):
            parts[-1] = Choice(((_NOT_WORD,),))
    return Concat(tuple(parts))


def _info(node: Node) -> _Info:
    if isinstance(node, Choice):
        return _Info(node.sequences)
    if isinstance(node, Boundary):
        return _Info(NOTHING.sequences)
    if isinstance(node, Concat):
        joined = _Info(((),))
        for part in node.parts:
            joined = _then(joined, _info(part))
        return joined
    if isinstance(node, Either):
        either = _info(node.parts[0])
        for part in node.parts[1:]:
            either = _or(either, _info(part))
        return either
    return _repeated(node)


def _repeated(node: Repeat) -> _Info:
    if node.high == 0:
        return _Info(((),))
    once = _info(node.part)
    if node.low == 0:
        return _or(once, _Info(((),))) if node.high == 1 else _Info(None)
    copies = once
    for _ in range(min(node.low, MAX_COPIES) - 1):
        copies = _then(copies, once)
    return copies if node.high == node.low <= MAX_COPIES else _inexact(copies)


def _then(left: _Info, right: _Info) -> _Info:
    if left.exact is not None and right.exact is not None:
        both = _cross(left.exact, right.exact)
        if both is not None and max(map(len, both)) <= MAX_LENGTH:
            return _Info(both)
        left, right = _inexact(left), _inexact(right)
    need = _all(left.need, right.need)
    prefix, suffix = left.prefix, right.suffix
    if left.exact is not None:
        crossed = _cross(left.exact, right.prefix)
        if crossed is None:
            left = _inexact(left)
            need, prefix = _all(need, left.need), left.prefix
        else:
            prefix = crossed
    elif right.exact is not None:
        crossed = _cross(left.suffix, right.exact)
        if crossed is None:
            right = _inexact(right)
            need, suffix = _all(need, right.need), right.suffix
        else:
            suffix = crossed
    if left.exact is None and right.exact is None:
        crossed = _cross(left.suffix, right.prefix)
        need = _all(need, _one_of(crossed) if crossed is not None else None)
    return _shortened(prefix, suffix, need)


def _or(left: _Info, right: _Info) -> _Info:
    if left.exact is not None and right.exact is not None:
        both = _distinct((*left.exact, *right.exact))
        if len(both) <= MAX_SEQUENCES:
            return _Info(both)
    left, right = _inexact(left), _inexact(right)
    need = None if left.need is None or right.need is None else AnyOf((left.need, right.need))
    return _shortened((*left.prefix, *right.prefix), (*left.suffix, *right.suffix), need)


def _inexact(info: _Info) -> _Info:
    if info.exact is None:
        return info
    return _shortened(info.exact, info.exact, _one_of(info.exact, padded=True))


def _shortened(prefix: Iterable[Sequence], suffix: Iterable[Sequence], need: Query | None) -> _Info:
    """Prefixes and suffixes cut to the two elements that neighbours need, after asking for what is longer."""
    prefix, suffix = tuple(prefix), tuple(suffix)
    need = _all(need, _one_of(prefix), _one_of(suffix))
    heads = _few(_distinct(sequence[:2] for sequence in prefix), slice(0, 1))
    tails = _few(_distinct(sequence[-2:] for sequence in suffix), slice(-1, None))
    return _Info(None, heads, tails, need)


def _few(sequences: tuple[Sequence, ...], cut: slice) -> tuple[Sequence, ...]:
    if () in sequences:
        return ((),)
    if len(sequences) > MAX_SEQUENCES:
        sequences = _distinct(sequence[cut] for sequence in sequences)
    return sequences if len(sequences) <= MAX_SEQUENCES else ((),)


def _cross(left: tuple[Sequence, ...], right: tuple[Sequence, ...]) -> tuple[Sequence, ...] | None:
    if len(left) * len(right) > MAX_SEQUENCES:
        return None
    return _distinct(_join(a, b) for a in left for b in right)


def _join(left: Sequence, right: Sequence) -> Sequence:
    if left and right and (left[-1] == _FINISH or right[0] == _BEGIN):
        # An anchor takes no room; two in a row are one. An anchor within a text is left to the engine.
        if left[-1] != right[0]:
            raise Opaque
        return left + right[1:]
    return left + right


def _distinct(sequences: Iterable[Sequence]) -> tuple[Sequence, ...]:
    return tuple(dict.fromkeys(sequences))


def _one_of(sequences: tuple[Sequence, ...], *, padded: bool = False) -> Query | None:
    parts: list[Query] = []
    for sequence in sequences:
        part = _windows(sequence, padded=padded)
        if part is None:
            return None
        if part not in parts:
            parts.append(part)
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def _windows(sequence: Sequence, *, padded: bool) -> Query | None:
    if padded:
        if sequence == (_BEGIN, _FINISH):
            # The empty text has a trigram of its own.
            return Window((_BEGIN, _FINISH, _FINISH))
        if len(sequence) == 2:
            # At least a mark is on either side, unless it is one of the two.
            left, right = sequence
            if not left & _BEGIN:
                sequence = (_ANY_BYTE, left, right)
            elif not right & _FINISH:
                sequence = (left, right, _ANY_BYTE)
    windows: list[Query] = []
    for a, b, c in zip(sequence, sequence[1:], sequence[2:], strict=False):
        wide = sum(element & ANY_CHAR == ANY_CHAR or element == _ANY_BYTE for element in (a, b, c))
        window = Window((a, b, c))
        if wide < 2 and window not in windows:
            windows.append(window)
    return _all(*windows)


def _all(*queries: Query | None) -> Query | None:
    parts: list[Query] = []
    for query in queries:
        if query is None:
            continue
        for part in query.parts if isinstance(query, AllOf) else (query,):
            if part not in parts:
                parts.append(part)
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))
