"""Which values an entry of ``tablehound.toml`` may have."""

from __future__ import annotations

import codecs
import dataclasses
from collections.abc import Callable
from typing import Any

from tablehound.errors import SettingError
from tablehound.lake.read.contract import Overrides

_ALIASES = ("no_header", "sheet")
_KEYS = sorted({field.name for field in dataclasses.fields(Overrides)} | set(_ALIASES))
_GROUPING = (".", ",", "'", "\u2019", " ", "\u00a0", "\u2009", "\u202f", "_", "")


def checked(entry: dict[str, Any]) -> dict[str, Any]:
    """The values of an entry by the names of :class:`Overrides`.

    Raises:
        SettingError: a key that there is not, or a value that would have no effect or an odd one.
    """
    values: dict[str, Any] = {}
    for key, value in entry.items():
        if key not in _KEYS:
            raise SettingError(f"there is no override {key!r}", remedy=f"use {', '.join(_KEYS)}")
        values |= _CHECKS.get(key, _text)(key, value)
    _check_together(values)
    return values


def _misfit(key: str, value: object, remedy: str) -> SettingError:
    return SettingError(f"{key} is {value!r}", remedy=remedy)


def _text(key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, str):
        raise _misfit(key, value, "write a text, in quotes")
    return {key: value}


def _count(key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _misfit(key, value, "use a whole number, 0 or more")
    return {key: value}


def _flag(key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, bool):
        raise _misfit(key, value, "use true or false")
    if key == "no_header":
        return {"header_rows": 0} if value else {}
    return {key: value}


def _sheet(key: str, value: Any) -> dict[str, Any]:
    return {"sheets": (_text(key, value)[key],)}


def _sheets(key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        raise _misfit(key, value, 'name one or more, such as ["Data"]')
    return {key: tuple(value)}


def _encoding(key: str, value: Any) -> dict[str, Any]:
    name = _text(key, value)[key]
    try:
        # Python has codecs that are no encodings of text, such as hex.
        known = getattr(codecs.lookup(name), "_is_text_encoding", True)
    except (LookupError, ValueError):
        known = False
    if not known:
        raise _misfit(key, value, "name an encoding of text that Python knows, such as utf-8, cp1252 or gb18030")
    return {key: name}


def _delimiter(key: str, value: Any) -> dict[str, Any]:
    if not _text(key, value)[key] or any(mark in value for mark in "\r\n\0"):
        raise _misfit(key, value, "use one or more characters that do not end a line")
    return {key: value}


def _quote(key: str, value: Any) -> dict[str, Any]:
    mark = _text(key, value)[key]
    if len(mark) > 1 or mark.isalnum() or mark.isspace() or mark == "\0":
        raise _misfit(key, value, "use one character that is no letter, digit or space, or the empty text for none")
    return {key: value}


def _escape(key: str, value: Any) -> dict[str, Any]:
    if value not in ("", "\\", '"', "'"):
        raise _misfit(key, value, "use a backslash; the empty text, or the quote itself, where quotes are doubled")
    return {key: value}


def _date_order(key: str, value: Any) -> dict[str, Any]:
    if value not in ("ymd", "dmy", "mdy"):
        raise _misfit(key, value, "use ymd, dmy or mdy")
    return {key: value}


def _decimal(key: str, value: Any) -> dict[str, Any]:
    if value not in (".", ","):
        raise _misfit(key, value, "use a point or a comma")
    return {key: value}


def _thousands(key: str, value: Any) -> dict[str, Any]:
    if value not in _GROUPING:
        raise _misfit(key, value, "use a point, a comma, an apostrophe, a space or _, or the empty text for none")
    return {key: value}


_CHECKS: dict[str, Callable[[str, Any], dict[str, Any]]] = {
    "date_order": _date_order,
    "decimal": _decimal,
    "delimiter": _delimiter,
    "encoding": _encoding,
    "escape": _escape,
    "header_rows": _count,
    "no_header": _flag,
    "quote": _quote,
    "sheet": _sheet,
    "sheets": _sheets,
    "skip": _flag,
    "skip_rows": _count,
    "thousands": _thousands,
}


def _check_together(values: dict[str, Any]) -> None:
    delimiter, quote = values.get("delimiter"), values.get("quote")
    if quote and delimiter is not None and quote in delimiter:
        raise SettingError(f"quote {quote!r} is in the delimiter {delimiter!r}", remedy="correct one of them")
    decimal, thousands = values.get("decimal"), values.get("thousands")
    if decimal is not None and decimal == thousands:
        raise SettingError(f"decimal and thousands are both {decimal!r}", remedy="correct one of them")
