"""The blocks of a Markdown file: which lines are pipe tables, headings, HTML, and which are code or comments.

A CommonMark parser decides what a block is and where it ends; one more rule finds pipe tables, in quotes and lists too.
 Source of the syntax: CommonMark Spec 0.31; GitHub Flavored Markdown Spec, "Tables (extension)".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Any

from tablehound.lake.read.markdown.cells import CODE, starts_table, visible

MAX_NESTING = 100
"""Quotes and lists within one another that are looked into."""
_TABLE = "pipe_table"
_FRONT = re.compile(r"\A(---|\+\+\+)[ \t]*\n((?:[^\n]*\n)*?)(?:\1|\.\.\.)[ \t]*(?:\n|\Z)")
_FRONT_NAME = re.compile(r"^[\w-]+[ \t]*[:=]", re.MULTILINE)
_MAY_START_BLOCK = re.compile(r"[#>*+\-_`~<]|\d{1,9}[.)]")
_CONTAINER = re.compile(r"(?:\s*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))+\s*")
_DASHES = re.compile(r"^[ \t>|:-]+$", re.MULTILINE)
_CAPTION = re.compile(r"\s*(?:Table:|:)\s+(.+)", re.DOTALL)
_NO_ROW = re.compile(r"Table:\s[^|]*|\{:?[^|]*\}\s*")
"""A caption or a list of attributes directly below the rows, as Pandoc and kramdown write them."""
_BOX = re.compile(r"^[ \t]*(?:!!!|\?\?\?\+?) \w|^[ \t]*===[!+]? [\"']", re.MULTILINE)
_BOX_INDENT = 4
_FOOTNOTE = re.compile(r"^[ \t>]*\[\^([^\]\s]+)\]:[ \t]*(.*)$", re.MULTILINE)
_RAW_HTML = re.compile(r"<(?:!|\?|script|pre|style|textarea|code|table)", re.IGNORECASE)


@dataclass(slots=True)
class PipeTable:
    """The lines of a pipe table: header, row of dashes, rows."""

    lines: list[tuple[int, str]]
    """With 1-based numbers; marks of quotes and lists are taken off."""
    heading: str | None = None
    caption: str | None = None
    in_html: bool = False
    """It is in a block of HTML without a blank line around it, where pages show it as text."""
    ended_by: tuple[int, str] | None = None
    """A line right below the rows that has pipes too, but begins a quote, a list or the like."""


@dataclass(slots=True)
class Blocks:
    """The blocks of a file."""

    tables: list[PipeTable] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    """All that is neither a pipe table nor code, as HTML: for the tables that are written as such."""
    links: dict[str, Any] = field(default_factory=dict)
    footnotes: dict[str, str] = field(default_factory=dict)
    too_deep: bool = False


def blocks(text: str) -> Blocks:
    """Find the blocks of a text whose lines end in line feeds."""
    if not _may_have_table(text):
        return Blocks()
    text = _opened(_without_front_matter(text))
    found = Blocks(footnotes={mark: words.strip() for mark, words in _FOOTNOTE.findall(text)})
    tokens: list[Any] = []
    parser = _parser()
    parser.block.parse(text, parser, found.links, tokens)
    references = found.links.get("references", {})
    for label in [label for label in references if label.startswith("^")]:
        del references[label]  # a footnote, not a link
    heading: str | None = None
    for at, token in enumerate(tokens):
        found.too_deep |= token.level >= MAX_NESTING
        if token.type == _TABLE:
            table = PipeTable(token.meta["lines"], heading, _caption(tokens, at), ended_by=token.meta["ended_by"])
            found.tables.append(table)
        elif token.type == "html_block":
            _add_html(token, found, heading)
        elif token.type == "inline":
            opening = tokens[at - 1]
            if opening.type == "heading_open":
                heading = " ".join(visible(token.content, found.links).split()) or heading
                found.html.append(f"<{opening.tag}>{escape(heading or '')}</{opening.tag}>")
            else:
                found.html.append(CODE.sub(lambda match: escape(match.group()), token.content))
    return found


def _may_have_table(text: str) -> bool:
    """Whether it is worth a look: most pages have no table."""
    if "<table" in text.lower():
        return True
    return "|" in text and any("-" in line.group() for line in _DASHES.finditer(text))


def _without_front_matter(text: str) -> str:
    """The text with blank lines in place of the properties of the page at its top."""
    front = _FRONT.match(text)
    if front is None or not _FRONT_NAME.search(front.group(2)):
        return text
    return "\n" * front.group().count("\n") + text[front.end() :]


def _opened(text: str) -> str:
    """The text with the contents of the boxes and tabs of MkDocs, which are indented by four, out at the margin."""
    if not _BOX.search(text):
        return text
    lines = text.split("\n")
    indent = 0
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        while indent and not line.startswith(" " * indent):
            indent -= _BOX_INDENT
        lines[index] = line[indent:]
        if _BOX.match(lines[index]):
            lines[index] = ""
            indent += _BOX_INDENT
    return "\n".join(lines)


def _caption(tokens: list[Any], at: int) -> str | None:
    """The caption in the paragraph below a table."""
    if at + 2 >= len(tokens) or tokens[at + 1].type != "paragraph_open":
        return None
    if tokens[at + 1].map[0] > tokens[at].map[1] + 1:
        return None
    found = _CAPTION.fullmatch(tokens[at + 2].content)
    return " ".join(found.group(1).split()) if found else None


def _add_html(token: Any, found: Blocks, heading: str | None) -> None:
    """Take pipe tables out of a block of HTML, and keep the rest of it."""
    lines = token.content.split("\n")
    at = 0
    while at < len(lines):
        if _RAW_HTML.search(lines[at]):
            found.html.extend(lines[at:])
            return
        if at + 1 < len(lines) and starts_table(lines[at], lines[at + 1]):
            end = at + 2
            while end < len(lines) and lines[end].strip() and not lines[end].lstrip().startswith("<"):
                end += 1
            numbered = [(token.map[0] + index + 1, lines[index].strip()) for index in range(at, end)]
            found.tables.append(PipeTable(numbered, heading, in_html=True))
            at = end
        else:
            found.html.append(lines[at])
            at += 1


@lru_cache(maxsize=1)
def _parser() -> Any:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
    parser.block.ruler.at("table", _pipe_table, {"alt": ["paragraph", "reference", "blockquote"]})
    return parser.enable("table")


def _pipe_table(state: Any, start: int, end: int, silent: bool) -> bool:
    """A rule of the block parser: a pipe table at a line; ``silent`` asks only whether there is one."""
    under = start + 1
    if under >= end:
        return False
    # Below an item of a list and left of its text, a table ends the item: it is not the rest of its paragraph.
    indent = min(state.blkIndent, max(state.sCount[start], 0))
    if state.sCount[under] < indent or max(state.sCount[start], state.sCount[under]) - indent > 3:
        return False
    head, rule = _line(state, start), _line(state, under)
    if not starts_table(head, rule):
        return False
    if state.sCount[under] - state.sCount[start] > 1 and _CONTAINER.match(head):
        return False  # the item of a list, with a table in it
    if silent:
        return True
    lines = [(start + 1, head), (start + 2, rule)]
    ended_by: tuple[int, str] | None = None
    line = start + 2
    while line < end:
        row = _line(state, line)
        if not row.strip():
            break
        if _ends_table(state, line, end, row):
            bare = _CONTAINER.sub("", row)
            below = _CONTAINER.sub("", _line(state, line + 1)) if line + 1 < end else ""
            if "|" in row and not starts_table(bare, below):
                ended_by = (line + 1, row)
            break
        lines.append((line + 1, row))
        line += 1
    state.line = line
    token = state.push(_TABLE, "", 0)
    token.map = [start, line]
    token.meta = {"lines": lines, "ended_by": ended_by}
    return True


def _line(state: Any, line: int) -> str:
    """A line without the marks and the indent of the quotes and lists around it."""
    text: str = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    return text


def _ends_table(state: Any, line: int, end: int, row: str) -> bool:
    if state.sCount[line] < state.blkIndent:
        # Below the quote, and without its mark: a row by its pipes, as if it were the rest of a paragraph.
        return state.sCount[line] >= 0 or "|" not in row
    if state.is_code_block(line) or _NO_ROW.fullmatch(row):
        return True
    if not _MAY_START_BLOCK.match(row):
        return False
    rules = state.md.block.ruler.getRules("blockquote")
    return any(rule is not _pipe_table and rule(state, line, end, True) for rule in rules)
