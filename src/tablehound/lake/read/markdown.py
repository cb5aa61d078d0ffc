"""Tables of Markdown files: pipe tables of GitHub's dialect, and HTML tables written into the text.

Source of the syntax: GitHub Flavored Markdown Spec, "Tables (extension)". Cells give the text a person sees: escapes
and entities resolved, emphasis, code and link marks taken off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tablehound.lake.read.document_text import document_text
from tablehound.lake.read.draft import SourceFile, TableDraft
from tablehound.lake.read.html import read_text
from tablehound.lake.read.region_draft import draft_of_rows
from tablehound.lake.table import Provenance

_DELIMITER_ROW = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_QUOTE = re.compile(r"(?:\s{0,3}>\s?)+")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*")
_BLOCK_START = re.compile(
    r"\s{0,3}(?:#{1,6}\s|>|(?:[-*_]\s*){3,}$|`{3,}|~{3,}|<(?:table|div|p|h\d|ul|ol|pre|!--))", re.I
)
_CAPTION = re.compile(r"\s*(?:Table:|:)\s+(.+)")
_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_MARKED = re.compile(r"[`*_\[\]<>&\\!~]")


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read every table of a file.

    Raises:
        BrokenSourceError: the file is beyond the limit for documents.
    """
    text = document_text(source)
    lines = re.split(r"\r\n|\r|\n", text)
    ordinal = 0
    rest = []
    for block in _blocks(lines):
        if isinstance(block, str):
            rest.append(block)
            continue
        draft = _draft(block, source, ordinal)
        if draft is not None:
            yield draft
            ordinal += 1
    if any("<table" in line.lower() for line in rest):
        yield from read_text("\n".join(rest), source, ordinal)


@dataclass(slots=True)
class _Block:
    """A pipe table: its lines with their 1-based numbers."""

    heading: str | None
    lines: list[tuple[int, str]] = field(default_factory=list)
    caption: str | None = None


def _blocks(lines: list[str]) -> Iterator[_Block | str]:
    """Pipe tables, and every line outside of them and of code."""
    heading: str | None = None
    fence: str | None = None
    at = 0
    while at < len(lines):
        line = _QUOTE.sub("", lines[at], count=1) if lines[at].lstrip().startswith(">") else lines[at]
        mark = _FENCE.match(line)
        if fence is not None:
            fence = None if mark and mark.group(1).startswith(fence) else fence
        elif mark:
            fence = mark.group(1)
        elif (block := _table_at(lines, at, heading)) is not None:
            at = block.lines[-1][0]
            after = next((text for text in lines[at : at + 2] if text.strip()), "")
            caption = _CAPTION.fullmatch(after)
            block.caption = caption.group(1).strip() if caption else None
            yield block
            continue
        else:
            if (found := _HEADING.fullmatch(line)) is not None:
                heading = visible(found.group(1)) or heading
            yield line
        at += 1


def _table_at(lines: list[str], at: int, heading: str | None) -> _Block | None:
    if at + 1 >= len(lines) or "|" not in lines[at] + lines[at + 1]:
        return None
    head, rule = _bare(lines[at]), _bare(lines[at + 1])
    if "-" not in rule or not _DELIMITER_ROW.fullmatch(rule) or not head.strip() or _DELIMITER_ROW.fullmatch(head):
        return None
    if len(_split(head)) != len(_split(rule)) and len(_split(head, keep_code=True)) != len(_split(rule)):
        return None
    block = _Block(heading, [(at + 1, head), (at + 2, rule)])
    for number in range(at + 2, len(lines)):
        line = _bare(lines[number])
        if not line.strip() or _BLOCK_START.match(line):
            break
        block.lines.append((number + 1, line))
    return block


def _bare(line: str) -> str:
    return _QUOTE.sub("", line, count=1) if line.lstrip().startswith(">") else line


def _split(line: str, *, keep_code: bool = False) -> list[str]:
    """Cells of a line: pipes divide unless escaped, and unless in code if ``keep_code``."""
    inner = line.strip()
    held: list[str] = []
    if keep_code:

        def hold(match: re.Match[str]) -> str:
            held.append(match.group())
            return f"\x00{len(held) - 1}\x00"

        inner = _CODE.sub(hold, inner)
    inner = inner.removeprefix("|")
    if inner.endswith("|") and not re.search(r"(?<!\\)(?:\\\\)*\\\|$", inner):
        inner = inner[:-1]
    cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]
    return (
        [re.sub("\x00(\\d+)\x00", lambda match: held[int(match.group(1))], cell) for cell in cells] if held else cells
    )


def _draft(block: _Block, source: SourceFile, ordinal: int) -> TableDraft | None:
    width = len(_split(block.lines[1][1]))
    rows: list[list[str | None]] = []
    short = long = 0
    cut = source.settings.max_cell_chars
    for number, line in (block.lines[0], *block.lines[2:]):
        cells = _split(line)
        if len(cells) > width:
            kept = _split(line, keep_code=True)
            cells = kept if len(kept) <= width or len(kept) < len(cells) else cells
        short += len(cells) < width and number > block.lines[0][0]
        long += len(cells) > width
        rows.append([visible(cell)[:cut] or None for cell in cells])
    provenance = Provenance(source.name, "markdown", source.member, ordinal=ordinal)
    numbers = [block.lines[0][0], *(number for number, _ in block.lines[2:])]
    draft = draft_of_rows(
        rows,
        provenance,
        title=block.caption or block.heading,
        row_numbers=numbers,
        batch_rows=source.settings.batch_rows,
    )
    if draft is None:
        return None
    if block.caption and block.heading:
        draft.notes = (block.heading,)
    if short:
        draft.account.repairs.append(f"{short} rows have fewer cells than the header")
    if long:
        draft.account.repairs.append(f"{long} rows have more cells than the header; the table was widened")
    return draft


@lru_cache(maxsize=1)
def _parser() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("strikethrough")


def visible(text: str) -> str:
    """The text of an inline piece of Markdown as it is seen."""
    if not _MARKED.search(text):
        return text
    pieces = []
    for token in _parser().parseInline(text)[0].children or ():
        if token.type in ("text", "code_inline", "text_special"):
            pieces.append(token.content)
        elif token.type in ("softbreak", "hardbreak") or (
            token.type == "html_inline" and token.content[:3].lower() == "<br"
        ):
            pieces.append("\n")
        elif token.type == "image":
            pieces.append(token.content)
    return "\n".join(" ".join(line.split()) for line in "".join(pieces).split("\n")).strip()
