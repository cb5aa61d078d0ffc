"""Facts of the sheets of an ODS file: merges, formats, odd values, hidden rows, true extent."""

from __future__ import annotations

import re
import zipfile
from typing import Any

from tablehound.lake.read.layout.grid import Box
from tablehound.lake.read.workbook.facts import SheetFacts
from tablehound.lake.read.workbook.number_formats import NumberFormat

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
_NUMBER = "{urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_ERROR = re.compile(r"#[A-Z][A-Z0-9/]+[!?]?|Err:\d{3}")
_DURATION = re.compile(r"(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d+))?S)?)?")
_PERCENT = NumberFormat("percent", "%")
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "¥", "INR": "₹", "KRW": "₩", "RUB": "₽"}
MAX_REPEAT = 10_000
"""A repeated cell carries its merge or format to at most this many copies."""


def ods_facts(archive: zipfile.ZipFile) -> dict[str, SheetFacts]:
    """Facts by sheet name, read as a stream.

    Raises:
        lxml.etree.XMLSyntaxError: the content is not XML.
    """
    from lxml import etree

    sheets: dict[str, SheetFacts] = {}
    current = SheetFacts()
    column_styles: list[tuple[int, str]] = []
    # Up to which column a style is that of cells without one.
    row = 0
    depth = 0
    patterns: dict[str, NumberFormat] = {}
    codes: dict[str, NumberFormat] = {}
    with archive.open("content.xml") as stream:
        events = etree.iterparse(
            stream,
            events=("start", "end"),
            tag=[
                *(f"{_TABLE}{name}" for name in ("table", "table-row", "table-column")),
                *(f"{_NUMBER}number-style", f"{_STYLE}style"),
            ],
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
        )
        for event, element in events:
            if element.tag == f"{_TABLE}table":
                depth += 1 if event == "start" else -1
                if event == "start" and depth == 1:
                    current, column_styles, row = SheetFacts(), [], 0
                    sheets[element.get(f"{_TABLE}name") or ""] = current
                elif event == "end":
                    element.clear()
            elif event == "end" and not depth:
                _note_style(element, patterns, codes)
            elif event == "end" and depth == 1 and element.tag == f"{_TABLE}table-column":
                last = column_styles[-1][0] if column_styles else -1
                style = element.get(f"{_TABLE}default-cell-style-name") or ""
                column_styles.append((last + _count(element, "number-columns-repeated"), style))
            elif event == "end" and depth == 1:
                row = _row(element, row, current, column_styles if codes else [], codes)
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
    return sheets


def _note_style(element: Any, patterns: dict[str, NumberFormat], codes: dict[str, NumberFormat]) -> None:
    """Note a number format that fills up with zeros, or a style of cells that uses one."""
    name = element.get(f"{_STYLE}name") or ""
    if element.tag == f"{_STYLE}style":
        if (known := patterns.get(element.get(f"{_STYLE}data-style-name") or "")) is not None:
            codes[name] = known
        return
    numbers = [each for each in element if each.tag == f"{_NUMBER}number"]
    if len(numbers) != 1 or len(element) != 1 or numbers[0].get(f"{_NUMBER}grouping") == "true":
        return
    digits = numbers[0].get(f"{_NUMBER}min-integer-digits") or ""
    if digits.isdecimal() and 2 <= int(digits) <= 30 and (numbers[0].get(f"{_NUMBER}decimal-places") or "0") == "0":
        patterns[name] = NumberFormat("code", "0" * int(digits))


def _row(
    element: Any, row: int, sheet: SheetFacts, column_styles: list[tuple[int, str]], codes: dict[str, NumberFormat]
) -> int:
    """Note the facts of a row; the number of the next one."""
    repeat = _count(element, "number-rows-repeated")
    if element.get(f"{_TABLE}visibility") in ("collapse", "filter") and repeat <= MAX_REPEAT:
        sheet.hidden_rows.extend(range(row, row + repeat))
    column = 0
    for cell in element.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
        times = _count(cell, "number-columns-repeated")
        kind = cell.get(f"{_OFFICE}value-type")
        if kind is not None:
            sheet.extend(row + repeat - 1, column + times - 1)
        if (kind == "time" or cell.get(f"{_TABLE}formula") is not None) and repeat * times <= MAX_REPEAT:
            _note_odd(cell, kind, Box(row, column, row + repeat - 1, column + times - 1), sheet)
        known = None
        if kind == "percentage":
            known = _PERCENT
        elif kind == "currency":
            code = cell.get(f"{_OFFICE}currency") or ""
            known = NumberFormat("currency", _SYMBOLS.get(code, code)) if code else None
        elif kind == "float" and codes:
            own = cell.get(f"{_TABLE}style-name")
            known = codes.get(own or next((style for last, style in column_styles if column <= last), ""))
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


def _note_odd(cell: Any, kind: str | None, box: Box, sheet: SheetFacts) -> None:
    """Note an error, a formula that was never computed, a time of a day or longer, in all cells that repeat it."""
    places = [(row, column) for row in range(box.top, box.bottom + 1) for column in range(box.left, box.right + 1)]
    formula = cell.get(f"{_TABLE}formula")
    if formula is not None:
        shown = "".join("".join(each.itertext()) for each in cell.iterchildren(f"{_TEXT}p")).strip()
        if cell.get(f"{_CALC}value-type") == "error" or _ERROR.fullmatch(shown):
            sheet.errors.update(dict.fromkeys(places, shown or "#ERROR!"))
        elif kind is None and not shown:
            sheet.uncached.update(dict.fromkeys(places, formula))
    if kind == "time" and (text := _duration(cell.get(f"{_OFFICE}time-value") or "")) is not None:
        sheet.exact.update(dict.fromkeys(places, text))


def _duration(text: str) -> str | None:
    """``PT27H03M00S`` as ``27:03:00``; none for a time of day, which any reader knows."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    sign, days, hours, minutes, seconds, fraction = match.groups()
    whole = int(days or 0) * 86_400 + int(hours or 0) * 3_600 + int(minutes or 0) * 60 + int(seconds or 0)
    if whole < 86_400 and not sign:
        return None
    rest = f".{fraction.rstrip('0')}" if fraction and fraction.strip("0") else ""
    return f"{sign}{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}{rest}"
