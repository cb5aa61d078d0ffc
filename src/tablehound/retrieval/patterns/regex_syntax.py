"""Reads a Rust regex into a small tree, as far as the trigram prefilter needs it.

The tree may match more than the regex does, never less. What is not understood raises :class:`Opaque`: then there is no
prefilter, and every value is judged. Case is folded away throughout.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tablehound.retrieval.patterns.folding import fold_char

MAX_NESTING = 40
MAX_LISTED = 8
"""Characters beyond ASCII that a class may list by name; with more, it is ``OTHER``."""

START, END = 0xFE, 0xFF
"""Bytes that mark the start and the end of every text. UTF-8 has no such bytes."""
OTHER = 1 << 256
"""Bit of an element that also matches any character beyond ASCII."""
ASCII = (1 << 128) - 1
ANY_CHAR = ASCII | OTHER

Element = int
"""What may occur at one place of a text: a set of bytes as a bit mask, and perhaps ``OTHER``."""


class Opaque(Exception):  # noqa: N818 - a signal between the two modules, never seen outside
    """The pattern has something that the tree cannot say."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several element sequences; ``((),)`` is nothing."""

    sequences: tuple[tuple[Element, ...], ...]


@dataclass(frozen=True, slots=True)
class Boundary:
    """A word boundary."""


@dataclass(frozen=True, slots=True)
class Concat:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Either:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    part: Node
    low: int
    high: int | None


Node = Choice | Boundary | Concat | Either | Repeat
NOTHING = Choice(((),))

_COUNT = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_FLAGS = re.compile(r"\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
_NAME = re.compile(r"\?P?<[^>]*>")
_HEX = re.compile(r"[xuU]\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})")
_PROPERTY = re.compile(r"[pP](?:\{[^}]*\}|.)", re.DOTALL)
_POSIX = re.compile(r"\[:\^?[a-z]+:\]")
_SPECIAL_BOUNDARY = re.compile(r"\{(?:start|end|start-half|end-half)\}")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_CLASSES = {"d": "0123456789", "s": "\t\n\v\f\r ", "w": "0123456789_abcdefghijklmnopqrstuvwxyz"}


def mask_of(chars: str) -> Element:
    """The set of some ASCII characters."""
    mask = 0
    for char in chars:
        mask |= 1 << ord(char)
    return mask


def _letter(char: str) -> tuple[Element, ...]:
    return tuple(1 << byte for byte in fold_char(char).encode("utf-8"))


def parse(pattern: str) -> Node:
    """The tree of a regex that the engine accepted.

    Raises:
        Opaque: what the regex needs is unknown.
    """
    try:
        reader = _Reader(pattern)
        tree = reader.either(0, multiline=False)
    except (IndexError, ValueError, UnicodeError) as error:
        raise Opaque from error
    if reader.at < len(pattern):
        raise Opaque
    return tree


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def take(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        found = expression.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def either(self, depth: int, *, multiline: bool) -> Node:
        """Branches up to the end of the group. Flags set within apply to its end, across branches."""
        if depth > MAX_NESTING:
            raise Opaque
        branches: list[Node] = []
        parts: list[Node] = []
        while self.at < len(self.text):
            char = self.peek()
            if char == ")":
                break
            if char == "|":
                self.at += 1
                branches.append(_concat(parts))
                parts = []
            elif char == "(":
                flags = _FLAGS.match(self.text, self.at + 1)
                if flags and flags[3] == ")":
                    self.at = flags.end()
                    multiline = _multiline(flags, multiline)
                else:
                    parts.append(self.repeated(self.group(depth, multiline)))
            else:
                parts.append(self.repeated(self.atom(multiline)))
        branches.append(_concat(parts))
        return branches[0] if len(branches) == 1 else Either(tuple(branches))

    def group(self, depth: int, multiline: bool) -> Node:
        self.at += 1
        if flags := self.take(_FLAGS):
            multiline = _multiline(flags, multiline)
        elif self.peek() == "?" and not self.take(_NAME):
            raise Opaque
        inside = self.either(depth + 1, multiline=multiline)
        if self.peek() != ")":
            raise Opaque
        self.at += 1
        return inside

    def repeated(self, node: Node) -> Node:
        while (char := self.peek()) and char in "*+?{":
            if char == "{":
                count = self.take(_COUNT)
                if not count:
                    raise Opaque
                low = int(count[1])
                high = low if not count[2] else int(count[3]) if count[3] else None
            else:
                self.at += 1
                low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
            if self.peek() == "?":
                self.at += 1
            node = Repeat(node, low, high)
        return node

    def atom(self, multiline: bool) -> Node:
        char = self.peek()
        if char == "[":
            return self.bracket()
        self.at += 1
        if char == "\\":
            return self.escape()
        if char == ".":
            return Choice(((ANY_CHAR,),))
        if char in "^$":
            return NOTHING if multiline else Choice(((1 << (START if char == "^" else END),),))
        return Choice((_letter(char),))

    def escape(self) -> Node:
        char = self.peek()
        if char in "bB":
            self.at += 1
            special = self.take(_SPECIAL_BOUNDARY)
            return Boundary() if char == "b" and not special else NOTHING
        if char in "<>":
            self.at += 1
            return NOTHING
        if char in "Az":
            self.at += 1
            return Choice(((1 << (START if char == "A" else END),),))
        member = self.member()
        return Choice((_letter(member),)) if isinstance(member, str) else Choice(((member,),))

    def member(self) -> str | Element:
        """What a backslash (already read) means: a character, or a class of characters."""
        char = self.peek()
        if char in "dsw":
            self.at += 1
            return mask_of(_CLASSES[char]) | OTHER
        if char in "DSW":
            self.at += 1
            return ANY_CHAR
        if self.take(_PROPERTY):
            return ANY_CHAR
        if code := self.take(_HEX):
            return chr(int(next(filter(None, code.groups())), 16))
        self.at += 1
        if char in _CONTROLS:
            return _CONTROLS[char]
        if not char or char.isalnum():
            raise Opaque
        return char

    def bracket(self) -> Node:
        """A class. Negated and nested ones count as any character; only their end must be found."""
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        listed: set[str] = set()
        mask = ANY_CHAR if negated else 0
        first = True
        while first or self.peek() != "]":
            char = self.text[self.at]
            if char == "[":
                if not self.take(_POSIX):
                    self.bracket()
                mask |= ANY_CHAR
            elif self.peek(2) in ("&&", "--", "~~"):
                # What follows may be anything, a bracket that closes included, so that nothing is concluded from it.
                self.at += 2
                mask |= ANY_CHAR
            else:
                low = self.single()
                if isinstance(low, int):
                    mask |= low
                elif self.peek() == "-" and self.peek(2) not in ("-]", "--"):
                    self.at += 1
                    high = self.single()
                    if not isinstance(high, str):
                        raise Opaque
                    mask |= _range_mask(ord(low), ord(high), listed)
                else:
                    listed.add(fold_char(low))
            first = False
        self.at += 1
        beyond = sorted(char for char in listed if not char.isascii())
        mask |= mask_of("".join(char for char in listed if char.isascii()))
        if len(beyond) > MAX_LISTED:
            mask |= OTHER
        if mask & OTHER:
            return Choice(((mask,),))
        sequences = [_letter(char) for char in beyond]
        return Choice(((mask,), *sequences) if mask else tuple(sequences))

    def single(self) -> str | Element:
        char = self.text[self.at]
        self.at += 1
        return self.member() if char == "\\" else char


def _range_mask(low: int, high: int, listed: set[str]) -> Element:
    """Folded ASCII members of a range; a few members beyond ASCII are listed, many are ``OTHER``."""
    mask = 0
    for code in range(low, min(high, 127) + 1):
        mask |= 1 << ord(fold_char(chr(code)))
    low = max(low, 128)
    if high < low:
        return mask
    if high - low < MAX_LISTED:
        listed.update(fold_char(chr(code)) for code in range(low, high + 1))
        return mask
    # Long s and the Kelvin sign fold into ASCII.
    return mask | OTHER | mask_of("".join(c for c, code in (("s", 0x17F), ("k", 0x212A)) if low <= code <= high))


def _multiline(flags: re.Match[str], before: bool) -> bool:
    if "x" in flags[1] or "u" in (flags[2] or ""):
        # White space and comments would have to be skipped; classes and boundaries of ASCII alone are another matter.
        raise Opaque
    if "m" in flags[1]:
        return True
    return before and "m" not in (flags[2] or "")


def _concat(parts: list[Node]) -> Node:
    if not parts:
        return NOTHING
    return parts[0] if len(parts) == 1 else Concat(tuple(parts))
