"""What ``tablehound.toml`` says of numbers and dates, held against the texts that it is said of."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tablehound.lake.read.contract import Overrides
from tablehound.lake.table import Reading

if TYPE_CHECKING:
    import pyarrow as pa

_DECIMALS = (".", ",")


class Pins:
    """The pins of a source. Collects from every column how many texts each of them would leave without a value."""

    def __init__(self, overrides: Overrides, width: int) -> None:
        self._pinned = overrides
        self._numbers = overrides.decimal is not None or overrides.thousands is not None
        self._dates = overrides.date_order is not None
        self._misfits: list[dict[str, int]] = [{} for _ in range(width)]
        self._forms: list[dict[str, int]] = [{"number": 0, "date": 0} for _ in range(width)]

    def __bool__(self) -> bool:
        return self._numbers or self._dates

    def add(self, index: int, texts: Sequence[str | None] | pa.Array) -> None:
        """Look at a batch of a column."""
        from tablehound.lake.values.dates.forms import ORDERS, date_form
        from tablehound.lake.values.numbers.forms import number_form

        values: Sequence[str | None] = texts if isinstance(texts, (list, tuple)) else _listed(texts)
        for text in filter(None, values):
            number = number_form(text) if self._numbers else None
            if number is not None:
                self._count(index, "number", [mark for mark in self._marks() if number.number(mark) is None])
            date = date_form(text) if self._dates else None
            if date is not None:
                self._count(index, "date", [order for order in ORDERS if date.value(order) is None])

    def _marks(self) -> tuple[str, ...]:
        decimal = self._pinned.decimal
        return _DECIMALS if decimal is None or decimal in _DECIMALS else (*_DECIMALS, decimal)

    def _count(self, index: int, kind: str, misfits: Sequence[str]) -> None:
        self._forms[index][kind] += 1
        for name in misfits:
            self._misfits[index][name] = self._misfits[index].get(name, 0) + 1

    def reading(self, index: int, found: Reading) -> tuple[Reading, str]:
        """The reading of a column as pinned, and what is to be said of it: a pin that fits nothing changes nothing."""
        if found.kind == "date" and self._dates:
            order = self._pinned.date_order
            change: dict[str, Any] = {"date_order": order}
            return self._settled(index, found, change, str(found.date_order), str(order), f"date_order = {order}")
        if found.kind == "number" and self._numbers:
            decimal = self._pinned.decimal or found.decimal
            thousands = self._pinned.thousands if self._pinned.thousands is not None else found.thousands
            if thousands == decimal:
                if self._pinned.decimal is None:
                    decimal = "." if thousands == "," else ","
                else:
                    thousands = "." if decimal == "," else ","
            change = {"decimal": decimal, "thousands": thousands or None}
            pin = f"decimal = {decimal}" if self._pinned.decimal is not None else f"thousands = {thousands}"
            return self._settled(index, found, change, found.decimal, decimal, pin)
        return found, ""

    def _settled(
        self, index: int, found: Reading, change: dict[str, Any], before: str, after: str, pin: str
    ) -> tuple[Reading, str]:
        misfits, total = self._misfits[index].get(after, 0), self._forms[index][found.kind]
        more = misfits - self._misfits[index].get(before, 0)
        if more > 0 and misfits >= total:
            note = f"the pinned {pin} fits none of its {found.kind}s; read as {before}"
            return dataclasses.replace(found, note=_joined(found.note, note)), note
        pinned = dataclasses.replace(found, **change, ambiguous=False, exceptions=max(found.exceptions + more, 0))
        if found.ambiguous:
            # What detection said of its choice does not hold any more.
            pinned = dataclasses.replace(pinned, note="")
        if more <= 0:
            return pinned, ""
        note = f"the pinned {pin} does not fit {misfits} of its {total} {found.kind}s"
        return dataclasses.replace(pinned, note=_joined(pinned.note, note)), note


def _listed(texts: Any) -> list[str | None]:
    values: list[str | None] = texts.to_pylist()
    return values


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
