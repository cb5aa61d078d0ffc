"""The looks of a cell's text: its kind and its shape. Cheap, and only used to decide the layout of a file.

Values are derived elsewhere, from whole columns. Here a kind is a guess from one text, good enough to distinguish a
header from data and a cell that fits its column from one that does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

CellKind = Literal["empty", "int", "number", "money", "time", "date", "link", "text"]
NUMERIC: frozenset[str] = frozenset({"int", "number", "money"})

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:\s?[ap]\.?m\.?)?"
_ZONE = r"(?:\s?(?:z|utc|gmt|[+-]\d{2}:?\d{2}))?"
_NUMBER = r"(?:\d{1,3}(?:[,.'\u00a0\u202f ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)"
_KIND = re.compile(
    rf"""\s*(?:
      (?P<int>[+\-\u2212]?\d{{1,18}})
    | (?P<number>[+\-\u2212]?{_NUMBER}(?:e[+-]?\d{{1,3}})? | \({_NUMBER}\))
    | (?P<money>[+\-\u2212(]?\s?[$€£¥₹₽]\s?-?{_NUMBER}\s?[kmb]?\)? | [+\-\u2212]?{_NUMBER}\s?(?:%|[$€£¥₹₽]))
    | (?P<time>{_CLOCK})
    | (?P<date>(?:\d{{4}}(?P<s1>[-/.])\d{{1,2}}(?P=s1)\d{{1,2}}
        | \d{{1,2}}(?P<s2>[-/.])\d{{1,2}}(?P=s2)(?:\d{{4}}|\d{{2}})
        | \d{{4}}-\d{{2}} | \d{{1,2}}[ \-./]?{_MONTH}[ \-./,]*\d{{2,4}} | {_MONTH}\ \d{{1,2}}(?:st|nd|rd|th)?,?\ \d{{4}}
        | {_MONTH}[ \-]\d{{1,4}} | \d{{1,2}}[ \-]{_MONTH} | \d{{4}}[ \-]{_MONTH}[ \-]\d{{1,2}})
        (?:[t\ ]\ ?{_CLOCK})?{_ZONE})
    | (?P<link>(?:https?|ftp)://\S+ | www\.\S+\.\S+ | [\w.+-]+@[\w-]+\.[\w.-]+)
    )\s*\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_TELLING = re.compile(r"[\d@:.]")
"""What every kind but plain text has at least one of."""
_LEADS = frozenset("jan feb mar apr may jun jul aug sep oct nov dec htt ftp www".split())  # noqa: SIM905 - reads better
"""How a text that begins with a letter begins, if it is more than text; addresses of mail apart."""
_ASCII_DIGIT = re.compile(r"[0-9]")
_KIND_GROUPS: tuple[CellKind, ...] = ("int", "number", "money", "time", "date", "link")
_TO_SHAPE = str.maketrans(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "9" * 10 + "A" * 26 + "a" * 26
)
SHAPE_CHARS = 40
"""Shapes of longer texts are all alike."""


@dataclass(frozen=True, slots=True)
class Weights:
    """When a column is of a kind, and how badly a text fits it. All were chosen by hand."""

    kind_share: float = 0.8
    """Share of the filled cells of one kind that makes it the column's."""
    code_share: float = 0.9
    """Share of the filled cells of one outline that makes it the column's code, and the share that may lack a digit."""
    code_spare: float = 0.1
    empty_misfit: float = 0.8
    """An empty text where all others are filled, and a text where none is."""
    lone_misfit: float = 1.0
    shape_misfit: float = 0.3
    """A text of a shape, and of an outline, that no other has."""
    outline_misfit: float = 0.2
    new_kind_misfit: float = 2.5
    """Another kind than the column's: one that no cell has, and one that some have."""
    rare_kind_misfit: float = 1.0
    code_misfit: float = 2.0
    """A text unlike the column's code."""
    long_misfit: float = 1.0
    """A text much longer than all others."""
    text_misfit: float = 0.1
    """Words among words, and a typed text among them."""
    typed_misfit: float = 0.8


WEIGHTS = Weights()


def kind_of(text: str) -> CellKind:
    """The kind of one cell's text."""
    return _short_kind(text) if len(text) <= SHAPE_CHARS else _kind(text)


def _kind(text: str) -> CellKind:
    if text.isdecimal() and len(text) <= 18:
        return "int"
    if text[:1].isalpha() and text[:3].casefold() not in _LEADS and "@" not in text:
        return "text"
    found = _KIND.match(text) if _TELLING.search(text) is not None else None
    if found is None:
        return "text" if text and not text.isspace() else "empty"
    for name in _KIND_GROUPS:
        if found[name] is not None:
            return name
    return "text"


_short_kind = lru_cache(maxsize=1 << 15)(_kind)
"""Tables repeat each other's years, ranks and names."""


def shape_of(text: str) -> str:
    """Digits become ``9``, letters ``A`` and ``a``, the rest stays: ``MG-8769`` has the shape ``AA-9999``."""
    return text.translate(_TO_SHAPE) if len(text) <= SHAPE_CHARS else "long"


def outline_of(shape: str) -> str:
    """A shape with runs made single: ``AA-9999`` has the outline ``A-9``."""
    for double, single in (("99", "9"), ("aa", "a"), ("AA", "A")):
        while double in shape:
            shape = shape.replace(double, single)
    return shape


def alike(one: CellKind, other: CellKind) -> bool:
    """Two kinds that occur in one column."""
    return one == other or (one in NUMERIC and other in NUMERIC)


@dataclass(slots=True)
class Looks:
    """Kind, shape and outline of one text."""

    kind: CellKind
    shape: str
    outline: str
    length: int


def look(text: str) -> Looks:
    """What a text looks like."""
    shape = shape_of(text)
    return Looks(kind_of(text), shape, outline_of(shape), len(text))


@dataclass(slots=True)
class ColumnShape:
    """What the cells of one column look like, from a sample of its rows."""

    size: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    texts: dict[str, int] = field(default_factory=dict)
    """Filled texts, each with its count."""
    longest: int = 0
    _shapes: Counter[str] | None = None
    _outlines: Counter[str] | None = None
    _dominant: CellKind | None = None
    _code: str | None = None
    _code_known: bool = False

    @property
    def filled(self) -> int:
        return self.size - self.kinds["empty"]

    @property
    def shapes(self) -> Counter[str]:
        """Counts of shapes."""
        if self._shapes is None:
            self._shapes = Counter()
            for text, count in self.texts.items():
                self._shapes[shape_of(text)] += count
        return self._shapes

    @property
    def outlines(self) -> Counter[str]:
        """Counts of outlines."""
        if self._outlines is None:
            self._outlines = Counter()
            for shape, count in self.shapes.items():
                self._outlines[outline_of(shape)] += count
        return self._outlines

    def dominant(self) -> CellKind:
        """The kind of at least four fifths of the filled cells, else ``text``; ``empty`` without any."""
        if self._dominant is None:
            self._dominant = self._decide()
        return self._dominant

    def _decide(self) -> CellKind:
        filled, counted = self.filled, self.kinds.get
        if not filled:
            return "empty"
        numeric = counted("int", 0) + counted("number", 0) + counted("money", 0)
        if numeric >= WEIGHTS.kind_share * filled:
            return "number"
        for kind in _KIND_GROUPS:
            if counted(kind, 0) >= WEIGHTS.kind_share * filled:
                return kind
        return "text"

    def code(self) -> str | None:
        """The outline that nearly all cells share, such as ``A-9``, where it has more than letters."""
        if not self._code_known:
            self._code, self._code_known = self._find_code(), True
        return self._code

    def _find_code(self) -> str | None:
        filled = self.filled
        if filled < 3:
            return None
        # Most columns of text show soon that too many of their cells have no digit, before any outline is drawn.
        spare = WEIGHTS.code_spare * filled
        for text, count in self.texts.items():
            if len(text) > SHAPE_CHARS or _ASCII_DIGIT.search(text) is None:
                spare -= count
                if spare < -0.001:
                    return None
        outline, count = self.outlines.most_common(1)[0]
        return outline if count >= WEIGHTS.code_share * filled and ("9" in outline) else None

    def misfit(self, text: str) -> float:
        """How badly a text fits the column: 0 (as the others) to 3."""
        return self.misfit_of(look(text))

    def misfit_of(self, looks: Looks) -> float:
        """The same for a text that was looked at before."""
        kind, shape, outline = looks.kind, looks.shape, looks.outline
        if kind == "empty":
            return 0.0 if self.kinds["empty"] or not self.size else WEIGHTS.empty_misfit
        filled = self.filled
        if not filled:
            return WEIGHTS.lone_misfit
        own = self.dominant()
        # Of two texts that fit, the one whose shape is usual in the column fits better: this is what splits
        # `9CC-9259` into `9` and `CC-9259`.
        unusual = WEIGHTS.shape_misfit * (1 - self.shapes[shape] / filled)
        unusual += WEIGHTS.outline_misfit * (1 - self.outlines[outline] / filled)
        if own != "text":
            if kind == own or (own == "number" and kind in NUMERIC):
                return unusual
            return WEIGHTS.new_kind_misfit if not self.kinds[kind] else WEIGHTS.rare_kind_misfit
        if self.code() is not None:
            return unusual if self.outlines[outline] else WEIGHTS.code_misfit
        if looks.length > 3 * self.longest + 20:
            return WEIGHTS.long_misfit
        return WEIGHTS.text_misfit if kind == "text" or self.kinds[kind] else WEIGHTS.typed_misfit


def profile(rows: Iterable[Sequence[str | None]], width: int) -> list[ColumnShape]:
    """The shapes of the columns of some rows, each with ``width`` cells."""
    return [_column(texts) for texts in zip_longest(*(row[:width] for row in rows))] or [
        ColumnShape() for _ in range(width)
    ]


def _column(texts: Sequence[str | None]) -> ColumnShape:
    counted = dict.fromkeys(texts, 1)
    if len(counted) < len(texts):
        # Samples are short: counting them one by one takes less time than setting up a counter that does it.
        counted = dict.fromkeys(counted, 0)
        for text in texts:
            counted[text] += 1
    kinds: Counter[str] = Counter()
    filled: dict[str, int] = {}
    alike = _kind_of_all(counted)
    for text, count in counted.items():
        kind = (alike or kind_of(text)) if text and not text.isspace() else "empty"
        kinds[kind] = kinds.get(kind, 0) + count
        if text and kind != "empty":
            filled[text] = count
    return ColumnShape(len(texts), kinds, filled, max(map(len, filled), default=0))


def _kind_of_all(texts: Iterable[str | None]) -> CellKind | None:
    """The kind of all texts that are not blank, where one look at them together shows it."""
    filled = list(filter(None, texts))
    if _TELLING.search("\n".join(filled)) is None:
        return "text"
    return "int" if "".join(filled).isdecimal() and max(map(len, filled)) <= 18 else None
