"""Cells of pipe tables, and inline pieces of Markdown as the text that a person sees."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

DELIMITER_ROW = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_KEPT = re.compile("\x00(\\d+)\x00")
_MARKED = re.compile(r"[`*_\[\]<>&\\!~]")


def starts_table(head: str, rule: str) -> bool:
    """Whether two lines are the header of a pipe table and the row of dashes under it."""
    if "-" not in rule or "|" not in head + rule or not DELIMITER_ROW.fullmatch(rule):
        return False
    if not head.strip() or DELIMITER_ROW.fullmatch(head):
        return False
    width = len(split_cells(rule))
    return len(split_cells(head)) == width or len(split_cells(head, keep_code=True)) == width


def split_cells(line: str, *, keep_code: bool = False) -> list[str]:
    """Cells of a line: pipes divide unless escaped, and unless in code if ``keep_code``."""
    inner = line.strip()
    kept: list[str] = []
    if keep_code and "`" in inner:

        def keep(match: re.Match[str]) -> str:
            kept.append(match.group())
            return f"\x00{len(kept) - 1}\x00"

        inner = CODE.sub(keep, inner)
    inner = inner.removeprefix("|")
    if inner.endswith("|") and not re.search(r"(?<!\\)(?:\\\\)*\\\|$", inner):
        inner = inner[:-1]
    cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]
    return [_KEPT.sub(lambda match: kept[int(match.group(1))], cell) for cell in cells] if kept else cells


def visible(text: str, links: dict[str, Any]) -> str:
    """The text of inline Markdown as it is seen.

    Args:
        links: what the file's definitions of links are, as the parser collected them.
    """
    if not _MARKED.search(text):
        return text
    pieces = []
    for token in _parser().parseInline(text, links)[0].children or ():
        if token.type in ("text", "code_inline", "text_special"):
            pieces.append(token.content)
        elif token.type in ("softbreak", "hardbreak") or (
            token.type == "html_inline" and token.content[:3].lower() == "<br"
        ):
            pieces.append("\n")
        elif token.type == "image":
            pieces.append(token.content)
    return "\n".join(" ".join(line.split()) for line in "".join(pieces).split("\n")).strip()


@lru_cache(maxsize=1)
def _parser() -> Any:
    from markdown_it import MarkdownIt

    # Line ends are one kind already, and a NUL is kept as it is.
    return MarkdownIt("commonmark").enable("strikethrough").disable("normalize")
