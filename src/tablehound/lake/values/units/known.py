"""Units and scales: in cells (``12 km``, ``$3.2 million``), in headers (``Revenue ($ millions)``, ``area_km2``).

A unit has a name, a dimension, and a factor to the dimension's base; cells in another unit of the same dimension are
converted to the column's. Currencies are dimensions of their own: no rates are known here.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure, a currency, or a counted noun (``factor`` 0: not convertible)."""

    name: str
    dimension: str
    factor: Decimal = Decimal(0)


_SQUARE = re.compile(r"^(?:sq|square)\.? ")
_MONEY_ONLY = frozenset({"m", "mm", "b", "mil", "cr"})
"""Magnitudes that are read as such only beside a currency: ``$3m`` but ``3 m`` (metres)."""


@lru_cache(maxsize=1)
def unit_words() -> dict[str, Any]:
    """The contents of ``units.toml``."""
    return tomllib.loads(Path(__file__).with_name("units.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, Unit], dict[str, Unit], dict[str, int]]:
    """Units by exact name, units by folded name, powers of ten by folded scale word."""
    words = unit_words()
    exact: dict[str, Unit] = {}
    folded: dict[str, Unit] = {}
    for dimension, units in words["measures"].items():
        for name, (factor, *aliases) in units.items():
            exact[name] = unit = Unit(name, dimension, Decimal(factor))
            for alias in (name, *aliases):
                if alias == "K":
                    continue  # a small k is a thousand
                folded.setdefault(alias.casefold(), unit)
                if len(alias) > 2 and alias.isalpha():
                    folded.setdefault(alias.casefold() + "s", unit)
    for code, aliases in words["currencies"].items():
        exact[code] = unit = Unit(code, f"currency {code}", Decimal(1))
        for alias in (code, *aliases):
            folded.setdefault(alias.casefold(), unit)
            if len(alias) > 2 and alias[-1].isalpha() and alias != code:
                folded.setdefault(alias.casefold() + "s", unit)
    scales = {word: int(power) for power, names in words["scales"].items() for word in names.split()}
    return exact, folded, scales


def currency_words() -> frozenset[str]:
    """Symbols, short words and three-letter codes of currencies that may precede an amount."""
    _, folded, _ = _tables()
    codes = {unit.name for unit in folded.values() if unit.dimension.startswith("currency")}
    symbols = {alias for alias, unit in folded.items() if unit.dimension.startswith("currency") and len(alias) <= 4}
    return frozenset({*codes, *symbols, *(s.upper() for s in symbols), "Rs", "Rs."})


@lru_cache(maxsize=1)
def currency_pattern() -> str:
    """A regular expression of what may precede an amount: symbols, and three-letter codes."""
    words = sorted(currency_words(), key=lambda s: (-len(s), s))
    # Letters must end there; two letters glued to digits (``RS125``) are a model's name rather than money.
    return "|".join(
        re.escape(word) + ("" if not word[-1].isalpha() else r"(?=\s)" if len(word) < 3 else r"(?![A-Za-z])")
        for word in words
    )


@lru_cache(maxsize=4096)
def unit_of(text: str) -> Unit | None:
    """The known unit that a text names, or None. Short symbols are taken in their own case first."""
    exact, folded, _ = _tables()
    bare = text.strip()
    if bare in exact:
        return exact[bare]
    folded_text = " ".join(bare.casefold().split())
    folded_text = _SQUARE.sub("sq.", folded_text)
    found = folded.get(folded_text) or folded.get(folded_text.rstrip("."))
    if found is None and folded_text.startswith("sq."):
        inner = folded.get(folded_text[3:])
        found = folded.get(f"{inner.name}2") if inner else None
    return found


def magnitude_of(text: str, *, money: bool) -> int | None:
    """The power of ten of a scale word (``million`` → 6), or None. One-letter forms other than ``k`` need ``money``."""
    _, _, magnitudes = _tables()
    word = text.casefold()
    if word in _MONEY_ONLY and not money:
        return None
    return magnitudes.get(word) if word[:1].isalpha() else None


def scale_word(text: str, *, money: bool) -> int | None:
    """The power of ten of a word in a header, which may also be zeros (``000s``)."""
    _, _, magnitudes = _tables()
    word = text.casefold().replace("’", "'")
    return magnitudes.get(word) if money or word not in _MONEY_ONLY else None


def is_money(unit: Unit | None) -> bool:
    """Whether a unit is a currency."""
    return unit is not None and unit.dimension.startswith("currency")
