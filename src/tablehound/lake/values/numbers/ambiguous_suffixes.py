"""Letters behind numbers that are a scale in one column and a unit in another: ``5.2M`` (millions, metres), ``600K``
(thousands, kelvin), ``3B`` (billions, bytes), ``1.2T`` (trillions, tonnes); or a flag of statistics (``4522.3 b``), or
the side of an account (``500.00 CR``, ``450.00 DR``).

The column decides: by its name, by other units and currencies in it, and by the letters that occur together.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tablehound.lake.values.units.known import Unit, unit_of
from tablehound.lake.values.units.name_topics import Topic, topics_of

POWERS = {"k": 3, "m": 6, "mm": 6, "mil": 6, "cr": 7, "g": 9, "b": 9, "t": 12}
"""The power of ten that a letter means. Of ``t`` and ``g`` only capitals are ever scales."""
_TOPICS: dict[str, Topic] = {"k": "kelvin", "m": "length", "mm": "length", "b": "data", "t": "mass", "g": "mass"}
"""The topic of names under which the letter is a unit."""

SIDES = frozenset({"CR", "DR", "Cr", "Dr", "CR.", "DR."})
FLAGS = frozenset("b c d e f i n p r s u z bd be bp bu cd de dp ep eu".split())  # noqa: SIM905 - reads better
"""Remarks of statistics offices: break, confidential, definition, estimated, forecast, provisional, revised, low …"""

Meaning = Literal["scale", "unit", "text", "flag", "side"]


class SuffixedNumber(NamedTuple):
    """How numbers with such a letter are written."""

    suffix: str
    spaced: bool
    """The letter follows a blank."""
    fraction: bool
    digits: int
    """Digits before the fraction, 4 for more than three."""
    unit: Unit | None
    style: str


@dataclass(frozen=True, slots=True)
class ColumnContext:
    """What else a column says."""

    name: str
    dimensions: Collection[str]
    """Of its other units, in cells and name."""
    powers: Collection[int]
    """Of scales that cells spell out (``million``, ``bn``)."""
    money: bool
    """The cells or the name have a currency."""
    large: bool
    """Some numbers of six digits and more have no letter."""
    bare: bool
    """Some numbers have neither letter nor unit."""


def is_ambiguous_suffix(word: str) -> bool:
    """Whether a word behind a number can be a scale or a unit, a flag or a side of the account."""
    return (word.lower() in POWERS and word not in ("t", "g")) or word in SIDES


def is_unit(unit: Unit | None, column_unit: Unit | None) -> bool:
    """Whether a letter means its unit, by the unit of the column."""
    return unit is not None and column_unit is not None and unit.dimension == column_unit.dimension


def default_meaning(suffix: str, *, spaced: bool, fraction: bool) -> tuple[Meaning, bool]:
    """What a letter means without other evidence, and whether the other meaning is plausible."""
    low = suffix.lower()
    if low == "k":
        return "scale", spaced and suffix == "K"
    if low == "b":
        return ("scale", not fraction) if fraction or suffix == "B" else ("unit", True)
    if suffix == "M":
        return "scale", True
    return "unit", suffix in ("T", "m") and not spaced


def meanings(
    forms: Collection[SuffixedNumber], context: ColumnContext
) -> tuple[dict[str, Meaning], list[str], list[str]]:
    """What each letter (in lower case) of a column means, and notes on those that could mean something else: of
    scales and units, and of letters that are taken for parts of codes."""
    topics = topics_of(context.name)
    counted = context.money or bool(topics & {"money", "count"})
    powers = {POWERS[form.suffix.lower()] for form in forms if len(form.suffix) == 1 and form.suffix.lower() in POWERS}
    mixed = len(powers.union(context.powers)) > 1
    found: dict[str, Meaning] = {}
    alternatives: list[str] = []
    codes: list[str] = []
    lows = sorted({form.suffix.lower() for form in forms})
    for low in lows:
        # Both cases in one column mean the same; the capital is the clearer one.
        own = [form for form in forms if form.suffix.lower() == low]
        suffix = min(form.suffix for form in own)
        unit = next((form.unit for form in own if form.unit is not None and form.unit.factor), None)
        other = _flag_or_side(low, own, lows, context, counted=counted)
        if other is not None:
            found[low] = other
            continue
        meaning, doubtful = _meaning(suffix, own, unit, topics, context, counted=counted, mixed=mixed)
        found[low] = meaning
        if doubtful:
            (codes if meaning == "text" else alternatives).append(alternative(suffix, meaning, unit))
    return found, alternatives, codes


def _flag_or_side(
    low: str, forms: list[SuffixedNumber], lows: Collection[str], context: ColumnContext, *, counted: bool
) -> Meaning | None:
    """Whether a suffix is a flag or a side of the account; None for a scale or a unit.

    Flags are lower-case, follow a blank, and some numbers of the column have none, or other ones; a letter that is a
    unit too only beside flags that are none.
    """
    if low.rstrip(".") == "dr" or (low.rstrip(".") == "cr" and any(other.startswith("dr") for other in lows)):
        return "side"
    if low not in FLAGS or not all(form.spaced and form.suffix == low for form in forms):
        return None
    others = [other for other in lows if other in FLAGS and other not in POWERS and unit_of(other) is None]
    if low in POWERS:
        return "flag" if others or (not counted and context.bare) else None
    if unit_of(low) is None:
        return "flag" if context.bare or len(others) > 1 else "unit"
    return "flag" if others else "unit"


def _meaning(
    suffix: str,
    forms: list[SuffixedNumber],
    unit: Unit | None,
    topics: frozenset[Topic],
    context: ColumnContext,
    *,
    counted: bool,
    mixed: bool,
) -> tuple[Meaning, bool]:
    low = suffix.lower()
    among_units = unit is not None and unit.dimension in context.dimensions
    # A capital K may be kelvin beside degrees, to which it is not converted.
    among_units = among_units or (suffix == "K" and any(d.startswith("temperature") for d in context.dimensions))
    measured = _TOPICS.get(low) in topics
    if low in ("mm", "mil", "cr", "g"):
        scale = mixed if low == "g" else counted if low == "mm" else counted or mixed
        return ("scale" if scale and not among_units and not measured else "unit"), False
    if among_units:
        return "unit", counted and mixed
    if measured:
        # Capitals that occur together are scales, whatever the name.
        against = counted or (mixed and suffix in ("M", "B", "T"))
        return ("scale" if against and suffix != low else "unit"), against
    if counted and (low != "t" or context.money or mixed or "money" in topics):
        return "scale", False
    if mixed:
        # ``5k`` and ``100 m`` may be runs.
        return "scale", suffix == "m" and all(form.spaced and not form.fraction for form in forms)
    # Nobody writes thousands of thousands so.
    long = any(form.digits > 3 and not form.fraction for form in forms)
    if context.large and low in ("m", "b") and not long:
        return "scale", False
    if suffix == "K" and long and all(form.spaced for form in forms):
        return "unit", True
    if low == "b" and not any(form.fraction for form in forms):
        # Whole numbers before a b are rather bases, flats, rooms and other codes.
        if suffix == "b" or long or context.bare or all(form.digits <= 2 for form in forms):
            return "text", True
        return "scale", True
    spaced, fraction = all(form.spaced for form in forms), any(form.fraction for form in forms)
    return default_meaning(suffix, spaced=spaced, fraction=fraction)


_SCALE_NAMES = {3: "thousands", 6: "millions", 7: "crores", 9: "billions", 12: "trillions"}
_UNIT_NAMES = {"K": "kelvin", "m": "metres", "B": "bytes", "t": "tonnes"}


def alternative(suffix: str, meaning: Meaning, unit: Unit | None) -> str:
    """That a letter was read in one way and fits another."""
    scale = _SCALE_NAMES[POWERS[suffix.lower()]]
    if meaning == "text":
        return f"numbers with {suffix} kept as text, as codes have them; it fits as {scale} too"
    other = _UNIT_NAMES.get(unit.name, unit.name) if unit is not None else "a unit"
    if meaning == "scale":
        return f"{suffix} read as {scale}; it fits as {other} too"
    return f"{suffix} read as {other}; it fits as {scale} too"
