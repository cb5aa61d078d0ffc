"""What the content of an ODS file says beyond the values: merges, percent and money, hidden rows, true extent."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from typing import Any

from tablehound.lake.read.grid import Box
from tablehound.lake.read.number_formats import NumberFormat

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_PERCENT = NumberFormat("percent", "%")
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "¥", "INR": "₹", "KRW": "₩", "RUB": "₽"}
MAX_REPEAT = 10_000
"""A repeated cell carries its merge or format to at most this many copies."""


@dataclass(slots=True)
class OdsSheet:
    """Facts of one sheet. Positions are 0-based."""

    merges: list[Box] = field(default_factory=list)
    formats: dict[tuple[int, int], NumberFormat] = field(default_factory=dict)
    hidden_rows: list[int] = field(default_factory=list)
    bottom: int = -1
    right: int = -1
    """Last row and column that hold a value."""


def ods_sheets(archive: zipfile.ZipFile) -> dict[str, OdsSheet]:
    """Facts by sheet name, read as a stream.

    Raises:
        lxml.etree.XMLSyntaxError: the content is not XML.
    """
    from lxml import etree

    sheets: dict[str, OdsSheet] = {}
    current = OdsSheet()
    row = 0
    depth = 0
    with archive.open("content.xml") as stream:
        events = etree.iterparse(
            stream,
            events=("start", "end"),
            tag=[f"{_TABLE}table", f"{_TABLE}table-row"],
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
        )
        for event, element in events:
            if element.tag == f"{_TABLE}table":
                depth += 1 if event == "start" else -1
                if event == "start" and depth == 1:
                    current, row = OdsSheet(), 0
                    sheets[element.get(f"{_TABLE}name") or ""] = current
                elif event == "end":
                    element.clear()
            elif event == "end" and depth == 1:
                row = _row(element, row, current)
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
    return sheets


def _row(element: Any, row: int, sheet: OdsSheet) -> int:
    repeat = _count(element, "number-rows-repeated")
    if element.get(f"{_TABLE}visibility") in ("collapse", "filter") and repeat <= MAX_REPEAT:
        sheet.hidden_rows.extend(range(row, row + repeat))
    column = 0
    for cell in element.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
        times = _count(cell, "number-columns-repeated")
        kind = cell.get(f"{_OFFICE}value-type")
        if kind is not None:
            sheet.bottom = max(sheet.bottom, row + repeat - 1)
            sheet.right = max(sheet.right, column + times - 1)
        known = None
        if kind == "percentage":
            known = _PERCENT
        elif kind == "currency":
            code = cell.get(f"{_OFFICE}currency") or ""
            known = NumberFormat("currency", _SYMBOLS.get(code, code)) if code else None
        if known is not None and repeat * times <= MAX_REPEAT:
            for r in range(row, row + repeat):
                for c in range(column, column + times):
                    sheet.formats[r, c] = known
        wide, high = _count(cell, "number-columns-spanned"), _count(cell, "number-rows-spanned")
        if wide > 1 or high > 1:
            sheet.merges.append(Box(row, column, row + high - 1, column + wide - 1))
        column += times
    return row + repeat


def _count(element: Any, name: str) -> int:
    text = element.get(f"{_TABLE}{name}") or "1"
    return int(text) if text.isdecimal() and len(text) < 9 else 1
