"""The one conversion: a number given in one unit and scale, as a number in another.

A *measure* is what the numbers of a column are counted in: thousand EUR, km, %, or nothing known. Values are the
numbers in the cells; nothing but :func:`factor` relates those of one column, or of a question, to those of another.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from tablehound.lake.table import Reading
from tablehound.lake.values.styles import RATIO
from tablehound.lake.values.units.known import Unit, unit_of

_ONE = Decimal(1)
_HUNDRED = Decimal(100)
_SCALE_WORDS = {1e2: "hundred", 1e3: "thousand", 1e5: "lakh", 1e6: "million", 1e7: "crore", 1e9: "billion"} | {
    1e12: "trillion"
}


@dataclass(frozen=True, slots=True)
class Measure:
    """What numbers are counted in."""

    unit: str | None = None
    """Name of a unit, a currency or a counted noun; None where none is known."""
    scale: float = 1.0
    """How many of the unit a value of 1 is: 1000 for thousand EUR."""
    ratio: bool = False
    """Shares of one, which have no unit."""

    def label(self) -> str:
        """For people: ``thousand EUR``, ``%``, or an empty text.

        >>> Measure("EUR", 1e3).label(), Measure("%").label(), Measure(None, 1e6).label()
        ('thousand EUR', '%', 'million')
        """
        scale = "" if self.scale == 1 else _SCALE_WORDS.get(self.scale, f"× {self.scale:g}")
        return " ".join(filter(None, (scale, self.unit or "")))


def measure_of(reading: Reading) -> Measure:
    """What the numbers of a column are counted in."""
    if reading.kind != "number":
        return Measure()
    return Measure(reading.unit, reading.scale, reading.unit is None and RATIO in reading.styles)


@lru_cache(maxsize=4096)
def factor(given: Measure, wanted: Measure) -> Decimal | None:
    """What a number in ``given`` is multiplied by to be in ``wanted``; None where the units exclude each other.

    A unit that is not known is taken for the other's.

    >>> factor(Measure("EUR", 1e6), Measure("EUR", 1e3)), factor(Measure("km"), Measure("m"))
    (Decimal('1000'), Decimal('1000'))
    >>> factor(Measure("%"), Measure(ratio=True)), factor(Measure("EUR"), Measure("USD"))
    (Decimal('0.01'), None)
    """
    one, other = _named(given.unit), _named(wanted.unit)
    by = scale_of(given) / scale_of(wanted)
    if given.ratio != wanted.ratio and (_is_percent(one) or _is_percent(other)):
        return by / _HUNDRED * one.factor if one is not None and wanted.ratio else by * _HUNDRED / _factor(other)
    if one is None or other is None or one.name == other.name:
        return by
    if not (one.factor or other.factor):
        return by  # counts of two things
    if one.dimension != other.dimension or not (one.factor and other.factor):
        return None
    return by * one.factor / other.factor


def scale_of(measure: Measure) -> Decimal:
    """The scale of a measure, exact."""
    return Decimal(repr(measure.scale)) if measure.scale != 1 else _ONE


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as a text writes it, with the unit and the scale that the text gives."""

    number: Decimal
    measure: Measure = Measure()

    def within(self, wanted: Measure) -> Decimal | None:
        """The number in another measure; None where the units exclude each other. A bare number stays as written.

        >>> Amount(Decimal(5), Measure(None, 1e6)).within(Measure("EUR", 1e3)), Amount(Decimal(5)).within(Measure("m"))
        (Decimal('5000'), Decimal('5'))
        """
        if self.measure == _BARE:
            return self.number
        by = factor(self.measure, wanted)
        return None if by is None else self.number * by


_BARE = Measure()


def _factor(unit: Unit | None) -> Decimal:
    return unit.factor if unit is not None and unit.factor else _ONE


def _is_percent(unit: Unit | None) -> bool:
    return unit is not None and unit.dimension == "percent"


@lru_cache(maxsize=1024)
def _named(name: str | None) -> Unit | None:
    """The unit of a name; a noun that is counted where the name is no known unit."""
    if name is None:
        return None
    return unit_of(name) or Unit(name, f"noun {name}")
