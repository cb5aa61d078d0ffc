"""JSON as values of Python: numbers as they are written, nothing lost of names given twice, depth within a limit."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from tablehound.lake.read.contract import ESCAPES

_SPACE = " \t\r\n\ufeff\x1e"
_ESCAPED_SURROGATE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
TOO_DEEP = "nested too deep"
MAX_LISTED = 20
"""Names that an account lists; of the rest, the number."""


class Raw(str):
    """A number as it is written in the document."""

    __slots__ = ()


def plain_text(value: Any) -> str:
    """The text of a value: strings and numbers as they are, the rest as JSON."""
    if isinstance(value, str):
        return str(value)
    return _dumped(value)


def _dumped(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{json.dumps(str(k), ensure_ascii=False)}: {_dumped(v)}" for k, v in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_dumped, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


class ValueParser:
    """Makes values of the texts of one source, and keeps what its account reports of them.

    A name that is given twice in one object: of plain values the last one counts, as everywhere, and the earlier ones
    are kept under a name of their own; objects and arrays are read as one array, as converters from XML mean them.
    """

    def __init__(self, max_nesting: int) -> None:
        self._max_nesting = max_nesting
        # Line breaks and tabs within a string are a slip of the writer, and no reason to refuse a document.
        self._decoder = json.JSONDecoder(
            parse_float=Raw, parse_int=Raw, parse_constant=Raw, object_pairs_hook=self._object, strict=False
        )
        self._earlier: dict[str, None] = {}
        self._joined: dict[str, None] = {}
        self._surrogates = False

    def values(self, text: str) -> list[Any]:
        """The value of a text, or several after one another, with or without commas between them.

        Raises:
            json.JSONDecodeError: not JSON, or nested too deep.
        """
        if "\\ud" in text or "\\uD" in text:
            text = _ESCAPED_SURROGATE.sub(self._shown, text)
        found = []
        at, end = _skip(text, 0, _SPACE), len(text)
        try:
            while at < end:
                value, ended = self._decoder.raw_decode(text, at)
                found.append(value)
                # What is no object and no array ends at a space: 2024-01-02 is no three numbers, nor is 1,2,3.
                whole = isinstance(value, dict | list)
                at = _skip(text, ended, _SPACE + "," if whole else _SPACE)
                if not whole and at < end and (at == ended or text[at] == ","):
                    raise json.JSONDecodeError("extra data", text, at)
        except RecursionError as error:
            raise json.JSONDecodeError(TOO_DEEP, text, at) from error
        if self._may_be_deep(text) and any(_is_deep(value, self._max_nesting) for value in found):
            raise json.JSONDecodeError(TOO_DEEP, text, 0)
        return found

    def line(self, text: str) -> list[Any]:
        """The value of a line of JSON lines; several only if they are objects or arrays.

        Raises:
            json.JSONDecodeError: not JSON, or nested too deep.
        """
        found = self.values(text)
        if len(found) > 1 and not all(isinstance(value, dict | list) for value in found):
            raise json.JSONDecodeError("several plain values", text, 0)
        return found

    def ambiguities(self) -> list[str]:
        """What was decided of names that are given twice."""
        notes = []
        if self._earlier:
            notes.append(
                f"names given twice in one object: {_listed(self._earlier)}; the last value counts, "
                "earlier ones are kept under the name with '(earlier)'"
            )
        if self._joined:
            notes.append(
                f"names given twice in one object: {_listed(self._joined)}; their values are read as one array"
            )
        return notes

    def repairs(self) -> list[str]:
        """What was repaired in texts."""
        return [f"texts hold half of a surrogate pair, {ESCAPES}"] if self._surrogates else []

    def _shown(self, match: re.Match[str]) -> str:
        alone = match.group(1)
        if alone is None:
            return match.group()
        self._surrogates = True
        return f"\\\\{alone}"

    def _may_be_deep(self, text: str) -> bool:
        return text.count("{") + text.count("[") > self._max_nesting

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        return made if len(made) == len(pairs) else self._repeated(pairs)

    def _repeated(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        given: dict[str, list[Any]] = {}
        for name, value in pairs:
            given.setdefault(name, []).append(value)
        made: dict[str, Any] = {}
        for name, values in given.items():
            made[name] = values[-1]
            if len(values) == 1:
                continue
            if all(isinstance(value, dict | list) for value in values):
                made[name] = [each for value in values for each in (value if isinstance(value, list) else [value])]
                self._joined[name] = None
                continue
            earlier = [value for value in values[:-1] if value is not None and value != values[-1]]
            if earlier:
                made[free_name(f"{name} (earlier)", given)] = earlier[0] if len(earlier) == 1 else earlier
                self._earlier[name] = None
        return made


def free_name(name: str, taken: Any) -> str:
    """The name, with as many underscores before it as it takes to be none of those taken."""
    while name in taken:
        name = f"_{name}"
    return name


def reason_of(error: json.JSONDecodeError) -> str:
    """Why a text is refused, for an account or an error."""
    return error.msg if error.msg == TOO_DEEP else f"not JSON: {error.msg}"


def _skip(text: str, at: int, signs: str) -> int:
    while at < len(text) and text[at] in signs:
        at += 1
    return at


def _listed(names: Sequence[str] | dict[str, None]) -> str:
    shown = ", ".join(repr(name) for name in list(names)[:MAX_LISTED])
    return f"{shown} and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else shown


def _is_deep(value: Any, limit: int) -> bool:
    """Whether there are more levels of objects and arrays than the limit."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limit):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return bool(level)
