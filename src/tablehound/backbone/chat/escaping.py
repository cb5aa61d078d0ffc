"""Table content made safe for a prompt: hidden characters removed, marks of chat templates and of fences broken up.

Servers read the marks of their chat template also within a message, so a cell that holds one could speak for another
role. Marks are recognized by their form, not by a list of names, since every model family has its own. Hidden
characters go first: a mark with a zero-width character inside reads as the mark to many models.
"""

from __future__ import annotations

import re
import unicodedata

_JOINERS = "\u200c\u200d"
_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""Characters that show nothing though Unicode counts them as letters, marks or symbols (default ignorable ones)."""
_VARIATIONS = re.compile("[\ufe00-\ufe0f]")
_SEPARATORS = re.compile("[\u2028\u2029]")
_PLAIN = re.compile(r"[ -~\n\t]*")

_OPEN = "<\uff1c\ufe64"
_CLOSE = ">\uff1e\ufe65"
_BARS = "|\uff5c\uffe8\u00a6\u01c0\u2223\u2502\u2503\u2758"
_OPEN_BRACKET = "\\[\uff3b"
_CLOSE_BRACKET = "\\]\uff3d"
_SLASH = "/\uff0f"
_MARKUP = r"(?:table|thead|tbody|tr|th|td|p|br)\b"
"""Tags of tables that are shown as HTML; no chat template has them as marks."""
_FENCES = re.compile(rf"[{_OPEN}]{{3,}}|[{_CLOSE}]{{3,}}")
_NAME = r"[^\W\d][\w:.\u200c\u200d-]*"
_FORMS = (
    # <|im_end|>, <｜User｜>, [|user|]
    (f"[{_OPEN}{_OPEN_BRACKET}]", f"(?=[{_BARS}])"),
    # |> and |] that close them
    (f"[{_BARS}]", f"(?=[{_CLOSE}{_CLOSE_BRACKET}])"),
    # <s>, </answer>, <system role="x">, <0x0A>
    (
        f"[{_OPEN}]",
        rf"(?![{_SLASH}]?{_MARKUP})"
        rf"(?=[{_SLASH}]?(?:{_NAME}|0x\w+)(?:[\s{_SLASH}][^{_OPEN}{_CLOSE}]*)?[{_CLOSE}])",
    ),
    # [INST], [SYSTEM_PROMPT], [gMASK], [/INST], [/user]
    (
        f"[{_OPEN_BRACKET}]",
        rf"(?=[a-z]?[A-Z][A-Z0-9_]{{2,}}[{_CLOSE_BRACKET}]|[{_SLASH}]{_NAME}[{_CLOSE_BRACKET}]"
        rf"|(?i:inst|sys|system|user|assistant)[{_CLOSE_BRACKET}])",
    ),
)
"""Marks of chat templates: the character that a space is put behind, and what follows it."""
_MARKS = re.compile("|".join(head + rest for head, rest in _FORMS))
_BROKEN = re.compile("|".join(f"{head} {rest}" for head, rest in _FORMS))
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")


def escape(text: str) -> str:
    """Data without anything that could end its fence, speak for a chat role, or hide. Line breaks and tabs stay, and
    joiners between letters or emoji that need them (Persian, Indic scripts)."""
    text = visible(text)
    text = _FENCES.sub(lambda match: ("‹" if match[0][0] in _OPEN else "›") * len(match[0]), text)
    return _MARKS.sub(lambda match: match[0] + " ", text)


def one_line(text: str) -> str:
    """Escaped data on one line."""
    return " ".join(escape(text).split())


def quoted_name(name: str) -> str:
    """A column's name as prompts have it: an SQL identifier, escaped as all data."""
    return '"' + one_line(name).replace('"', '""') + '"'


def restored(sql: str) -> str:
    """SQL that was written from escaped data: within quotes, the marks that :func:`escape` broke up are whole again, so
    that it names the columns and cells as they are."""
    return _QUOTED.sub(lambda quoted: _BROKEN.sub(lambda mark: mark[0][0], quoted[0]), sql)


def visible(text: str) -> str:
    """Text without control characters (line breaks and tabs stay), format characters and others that show nothing."""
    if _PLAIN.fullmatch(text):
        return text
    text = _HIDDEN.sub("", _SEPARATORS.sub("\n", text))
    kept: list[str] = []
    for place, char in enumerate(text):
        if char in _JOINERS:
            if kept and _joins(kept[-1]) and _joins(text[place + 1 : place + 2]):
                kept.append(char)
        elif _VARIATIONS.match(char):
            if kept and _varies(kept[-1]):
                kept.append(char)
        elif char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co"}:
            kept.append(char)
    return "".join(kept)


def _joins(char: str) -> bool:
    """Whether a joiner beside it has a meaning: letters and marks of scripts whose letters join, and emoji."""
    if not char or ord(char) < 0x590 or 0xFF00 <= ord(char) <= 0xFFEF:
        return False
    return unicodedata.category(char)[0] in "LM" or _varies(char)


def _varies(char: str) -> bool:
    """Whether a character may have a variant, as emoji and ideographs have."""
    return (
        unicodedata.category(char) == "So"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or (ord(char) > 0x3000 and unicodedata.category(char) == "Lo" and not 0xFF00 <= ord(char) <= 0xFFEF)
    )
