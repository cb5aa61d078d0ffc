"""Units that a question asks for, and columns that are written in another one: converted where that is certain."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tablehound.linking.table_profile import ColumnProfile

_KINDS: dict[str, dict[str, float]] = {
    "length": {
        "mm millimetre millimetres millimeter millimeters": 0.001,
        "cm centimetre centimetres centimeter centimeters": 0.01,
        "m metre metres meter meters": 1.0,
        "km kilometre kilometres kilometer kilometers": 1000.0,
        "in inch inches": 0.0254,
        "ft foot feet": 0.3048,
        "yd yard yards": 0.9144,
        "mi mile miles": 1609.344,
    },
    "mass": {
        "mg milligram milligrams": 1e-6,
        "g gram grams": 0.001,
        "kg kilogram kilograms kilo kilos": 1.0,
        "t tonne tonnes": 1000.0,
        "oz ounce ounces": 0.028349523125,
        "lb lbs pound pounds": 0.45359237,
    },
    "area": {
        "m2 m² sqm": 1.0,
        "ha hectare hectares": 10_000.0,
        "km2 km² sqkm": 1_000_000.0,
        "acre acres": 4046.8564224,
        "mi2 mi² sqmi": 2_589_988.110336,
        "ft2 ft² sqft": 0.09290304,
    },
    "time": {
        "s sec second seconds": 1.0,
        "min minute minutes": 60.0,
        "h hr hrs hour hours": 3600.0,
        "d day days": 86_400.0,
        "wk week weeks": 604_800.0,
    },
    "density": {"kg/m3 kg/m³": 1.0, "g/cm3 g/cm³": 1000.0, "g/l": 1.0},
    "volume": {"ml millilitre millilitres": 0.001, "l litre litres liter liters": 1.0, "m3 m³": 1000.0},
    "temperature": {"°c celsius": 1.0},
    "temperature (fahrenheit)": {"°f fahrenheit": 1.0},
    "temperature (kelvin)": {"k kelvin": 1.0},
    "dollars": {"usd dollar dollars us$ $": 1.0},
    "euros": {"eur euro euros €": 1.0},
    "pounds sterling": {"gbp £": 1.0},
    "yen": {"jpy yen ¥": 1.0},
}
_KNOWN = {
    name: (kind, size) for kind, units in _KINDS.items() for names, size in units.items() for name in names.split()
}
_ASKED = re.compile(
    r"\b(?:in|measured in|expressed in)\s+((?:square|cubic)\s+[a-z]+|(?:US\s+)?[a-z°$€£¥]+[23²³]?(?:/[a-z]+[23²³]?)?)"
    r"(?=\s*(?:[?.!,]|$|does|do|is|are|was|were|did))",
    re.IGNORECASE,
)
_SHORT = frozenset(("in", "m", "g", "t", "s", "h", "d", "l", "k"))
_SQUARES = {
    "metre": "m2",
    "meter": "m2",
    "kilometre": "km2",
    "kilometer": "km2",
    "mile": "mi2",
    "foot": "ft2",
    "feet": "ft2",
}
_INSIDE = re.compile(r"[(\[]\s*(?:in\s+)?([^)\]]+?)\s*[)\]]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A unit as the question writes it."""

    text: str
    kind: str
    size: float


def asked_unit(question: str) -> Wanted | None:
    """The unit after ``in``: ``in metres``, ``in kg/m3``; None when no known unit is named."""
    for found in _ASKED.finditer(question):
        text = found[1]
        known = unit_named(text)
        if known is not None and text not in _SHORT:
            return Wanted(text, *known)
    return None


def unit_named(text: str) -> tuple[str, float] | None:
    """Kind and size of a unit by any of its names."""
    name = " ".join(text.casefold().split()).removeprefix("us ").rstrip(".")
    if name.startswith("square "):
        name = _SQUARES.get(name.split()[1].rstrip("s"), "")
    return _KNOWN.get(name)


def column_unit(column: ColumnProfile) -> str | None:
    """The unit that a column is written in: of its reading, else in brackets or as the last word of its name."""
    if column.column.reading.unit:
        return column.column.reading.unit
    for inside in _INSIDE.findall(column.name):
        if unit_named(inside):
            return str(inside)
    last = column.name.replace("_", " ").split()[-1:] or [""]
    return last[0] if unit_named(last[0]) and len(column.words) > 1 and last[0].casefold() not in _SHORT else None


def factor(wanted: Wanted, column: ColumnProfile) -> float | None:
    """What the column's numbers are multiplied by to be in the unit; None when that is unknown."""
    written = column_unit(column)
    known = unit_named(written) if written else None
    if known is None or known[0] != wanted.kind:
        return None
    return known[1] / wanted.size
