"""JSON as models write it: fenced, with prose around it, with trailing commas, quoted like Python, or cut off."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_MAX_CHARS = 200_000
_MAX_LITERAL_CHARS = 20_000
"""A longer text is not read as a Python literal: its parser needs much memory, and a deep stack."""


class NotJsonError(ValueError):
    """No JSON object could be made out."""


def parse_object(text: str) -> dict[str, Any]:
    """The first JSON object in a reply.

    Raises:
        NotJsonError: there is none, also with all tolerance.
    """
    cleaned = _THINKING.sub("", text[:_MAX_CHARS]).strip()
    places = [match.strip() for match in _FENCE.findall(cleaned)] + [cleaned]
    for place in places:
        start = place.find("{")
        while start >= 0:
            body, closers = _balanced(place, start)
            for candidate in (body, *_completions(body, closers)):
                found = _loads(candidate)
                if isinstance(found, dict):
                    return _whole(found)
            start = place.find("{", start + len(body) if not closers else len(place))
    raise NotJsonError("the reply holds no JSON object")


def _whole(data: dict[str, Any]) -> dict[str, Any]:
    """JSON data whose texts can all be encoded: ``\\ud800`` is half a character.

    Raises:
        NotJsonError: it nests too deep to be looked through.
    """
    try:
        return {_encodable(name): _encodable(value) for name, value in data.items()}
    except RecursionError:
        raise NotJsonError("the JSON nests too deep") from None


def _encodable(data: Any) -> Any:
    if isinstance(data, str):
        return data.encode("utf-8", "replace").decode("utf-8")
    if isinstance(data, dict):
        return {_encodable(name): _encodable(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_encodable(value) for value in data]
    return data


def _balanced(text: str, start: int) -> tuple[str, str]:
    """The object that opens at ``start``, and what is missing to close it (empty: it is complete)."""
    stack: list[str] = []
    quote = ""
    i = start
    while i < len(text):
        char = text[i]
        if quote:
            if char == "\\":
                i += 1
            elif char == quote:
                quote = ""
        elif char == '"':
            quote = char
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]":
            if stack:
                stack.pop()
            if not stack:
                return text[start : i + 1], ""
        i += 1
    return text[start:], quote + "".join(reversed(stack))


def _completions(body: str, closers: str) -> list[str]:
    """Ways to close an object that was cut off: as it stands, or without its unfinished last member."""
    if not closers:
        return []
    tails = [body.rstrip("\\") + closers]
    bare = closers.lstrip('"')
    for mark in (",", "["):
        cut = body.rfind(mark)
        if cut > 0:
            kept = body[:cut] if mark == "," else body[: cut + 1]
            tails.append(kept + bare)
            tails.append(kept + _missing(kept))
    return tails


def _missing(body: str) -> str:
    return _balanced(body, 0)[1]


def _loads(text: str) -> Any:
    """JSON, else JSON without trailing commas, else a Python literal; None when it is none of them."""
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    if len(text) > _MAX_LITERAL_CHARS:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
