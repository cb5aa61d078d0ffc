"""Prompts from text files: named slots, filled once, with data fenced and escaped.

A slot is ``{{name}}``. A line with an empty slot is left out; a slot filled with ``YES`` leaves no trace, so that it
switches its line. What is filled in is never searched for slots again.
"""

from __future__ import annotations

import importlib.resources
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache

YES = "\0yes"
"""Fills a slot that only switches its line."""
NO = ""

_SLOT = re.compile(r"\{\{(\w+)\}\}")
_FENCE_MARKS = re.compile(r"<{3,}|>{3,}")
_ROLE_MARKS = re.compile(
    r"<(?=[|/]?(?:im_start|im_end|endoftext|eot_id|start_header_id|end_header_id|s>|sys|system|user|assistant"
    r"|start_of_turn|end_of_turn|bos|eos|\|))|\[(?=/?INST\])",
    re.IGNORECASE,
)
"""How chat templates mark roles: a server may read such marks also within a message."""


@cache
def template(name: str) -> str:
    """The text of ``prompts/NAME.txt``."""
    folder = importlib.resources.files(__package__) / "prompts"
    return (folder / f"{name}.txt").read_text(encoding="utf-8")


def fill(name: str, slots: Mapping[str, str]) -> str:
    """The prompt ``name`` with its slots filled.

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


def escape(text: str) -> str:
    """Data without anything that could end its fence, speak for a chat role, or hide: control and format characters
    (line breaks and tabs stay)."""
    text = _FENCE_MARKS.sub(lambda match: ("‹" if match[0][0] == "<" else "›") * len(match[0]), text)
    text = _ROLE_MARKS.sub(lambda match: match[0] + " ", text)
    return "".join(
        char for char in text if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co"}
    )


def fenced(text: str) -> str:
    """Data of several lines between fences."""
    return f"<<<\n{escape(text)}\n>>>" if text.strip() else ""


def listed(texts: Sequence[str], *, most: int, chars: int = 60) -> str:
    """Data words on one line, between fences; empty for none."""
    words = [" ".join(escape(text).split()) for text in texts[:most]]
    cut = [word if len(word) <= chars else word[: chars - 1] + "…" for word in words if word]
    return f"<<<{'; '.join(cut)}>>>" if cut else ""


def lines_of(texts: Sequence[str]) -> str:
    """Statements on one line each; empty for none."""
    return "\n".join(f"- {escape(text)}" for text in texts)
