"""The one written form of a value, in which values are compared."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

Value = str | bool | int | float | Decimal | dt.date | dt.datetime | dt.time
"""What a cell means. Numbers are ``int`` when integral, ``Decimal`` with over 15 digits, else ``float``; dates with
a time are ``datetime`` (naive)."""


def canonical(value: Value) -> str:
    """The one written form of a value: ``1014``, ``0.5``, ``2014-06-10``, ``2014-06-10T13:45:00``, ``true``, or the
    text itself. Floats keep 15 significant digits (integers and decimals all), so that computed values compare equal;
    midnight is the date alone."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dt.datetime):
        if value.time() == dt.time():
            return value.date().isoformat()
        return value.isoformat()
    if isinstance(value, Decimal):
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value


def _number(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    text = format(Decimal(f"{value:.15g}"), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
