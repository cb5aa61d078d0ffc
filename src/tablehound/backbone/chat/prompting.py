"""Prompts from text files: named slots, filled once, with data fenced and escaped.

A slot is ``{{name}}``. A line with an empty slot is left out; a slot filled with ``YES`` leaves no trace, so that it
switches its line. What is filled in is never searched for slots again.

The fences of a prompt carry a mark that is made from a hash of the prompt and occurs nowhere else in it, so no data can
end its fence, and the same request has the same text whenever it is made.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count

from tablehound.backbone.chat.escaping import escape, one_line

YES = "\0yes"
"""Fills a slot that only switches its line."""
NO = ""

_SLOT = re.compile(r"\{\{(\w+)\}\}")
_MARK = "\0mark"
"""Where the mark goes; data has no such control character, since it is escaped."""
_MARK_CHARS = 6


@cache
def template(name: str) -> str:
    """The text of ``prompts/NAME.txt``."""
    folder = importlib.resources.files(__package__) / "prompts"
    return (folder / f"{name}.txt").read_text(encoding="utf-8")


def fill(name: str, slots: Mapping[str, str]) -> str:
    """The prompt ``name`` with its slots filled; its fences have no mark yet.

    Raises:
        KeyError: a slot of the prompt is not given.
    """
    lines = []
    for line in template(name).splitlines():
        names = _SLOT.findall(line)
        if any(not slots[slot].strip() for slot in names):
            continue
        lines.append(_SLOT.sub(lambda match: "" if slots[match[1]] == YES else slots[match[1]], line))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def conversation(name: str, slots: Mapping[str, str]) -> list[dict[str, str]]:
    """The messages that ask with the prompt ``name``: the system's, which names the mark of the fences, and the user's.

    Raises:
        KeyError: a slot of the prompt is not given.
    """
    text = fill(name, slots)
    mark = fence_mark(text)
    return [
        {"role": "system", "content": fill("system", {"mark": mark})},
        {"role": "user", "content": text.replace(_MARK, mark)},
    ]


def fence_mark(text: str) -> str:
    """A mark for the fences of a prompt: from its hash, and held by nothing in it. It begins with a digit, since marks
    of chat templates look like ``<name …>``."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    marks = (hashlib.sha256(f"{n} {text}".encode("utf-8", "replace")).hexdigest()[:_MARK_CHARS] for n in count())
    return next(mark for mark in marks if mark not in plain and mark[0].isdigit())


def fenced(text: str) -> str:
    """Data of several lines between fences; empty for none."""
    return f"<<<{_MARK}\n{escape(text)}\n{_MARK}>>>" if text.strip() else ""


def fenced_line(text: str) -> str:
    """Data on one line between fences."""
    return f"<<<{_MARK} {one_line(text)} {_MARK}>>>"


def listed(texts: Sequence[str], *, most: int, chars: int = 60) -> str:
    """Data words on one line, between fences; empty for none."""
    words = [one_line(text) for text in texts[:most]]
    cut = [word if len(word) <= chars else word[: chars - 1] + "…" for word in words if word]
    return fenced_line("; ".join(cut)) if cut else ""


def lines_of(texts: Sequence[str]) -> str:
    """Statements on one line each; empty for none."""
    return "\n".join(f"- {one_line(text)}" for text in texts)
