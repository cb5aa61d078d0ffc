"""Tables printed as text by databases and terminals: cells between bars, rules of dashes between rows.

The bars at both ends and the blanks that align columns belong to the drawing, not to the cells. Rules are rows without
a text; they are handed over apart, so that nothing takes them for data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tablehound.lake.read.delimited.dialect import Dialect
from tablehound.lake.read.delimited.records import Parsed, Parser, Record

_BARS = ("|", "│", "║")
_RULE = re.compile(r"[-+=|:_ ─━═│║┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╞╪╡╟╫╢╤╧╒╕╘╛╓╥╖╙╨╜]{3,}")
_DRAWN = re.compile(r"[-=_─━═]{2,}|:-|-:")
_CROSSED = re.compile(r"\s*-{2,}(?:\+-{2,})+\s*")
_MIN_SHARE, _MIN_SHARE_UNRULED = 0.5, 0.9
"""Share of the lines between the first and the last row that are rows, where there are rules and where not. By hand."""
_HEAD_CHARS = 1 << 14


def printed_tables(text: str) -> list[Parsed]:
    """The printed tables of a text, with the texts around them; none where it is not made of such tables."""
    bar = next((bar for bar in _BARS if bar in text[:_HEAD_CHARS]), None)
    if bar is None:
        return []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
    rules = {number for number, line in enumerate(lines) if is_rule(line)}
    boxed = [number for number, line in enumerate(lines) if number not in rules and _is_boxed(line, bar)]
    if boxed:
        return _tables(lines, rules, boxed, bar, outer=True)
    crossed = [number for number in rules if number and _CROSSED.fullmatch(lines[number])]
    if any(lines[number - 1].count(bar) == lines[number].count("+") for number in crossed):
        rows = [number for number, line in enumerate(lines) if number not in rules and bar in line]
        return _tables(lines, rules, rows, bar, outer=False)
    return []


def is_rule_row(fields: Sequence[str]) -> bool:
    """Fields of nothing but dashes, as below the names of some printed tables."""
    texts = [text.strip() for text in fields]
    return max(map(len, texts), default=0) > 2 and all(text and set(text) in ({"-"}, {"="}, {"_"}) for text in texts)


def is_rule(line: str) -> bool:
    """A line that draws and has no text."""
    text = line.strip()
    return _RULE.fullmatch(text) is not None and _DRAWN.search(text) is not None


def _is_boxed(line: str, bar: str) -> bool:
    text = line.strip()
    return len(text) > 2 and text.startswith(bar) and text.endswith(bar)


def _tables(lines: Sequence[str], rules: set[int], rows: Sequence[int], bar: str, *, outer: bool) -> list[Parsed]:
    between = [number for number in range(rows[0], rows[-1] + 1) if lines[number].strip() and number not in rules]
    # With rules there may be several tables, with titles and counts of rows between them.
    share = _MIN_SHARE if rules else _MIN_SHARE_UNRULED
    cells = {number: _cells(lines[number], bar, outer=outer) for number in rows}
    _, count = Counter(map(len, cells.values())).most_common(1)[0]
    if len(rows) < 2 or len(rows) < share * len(between) or (count < share * len(rows) and not rules):
        return []
    tables: list[Parsed] = []
    for start, end in _parts(lines, rules, cells):
        widths = Counter(len(cells[number]) for number in range(start, end) if number in cells)
        width = widths.most_common(1)[0][0] if widths else 1
        records = [
            Record(number + 1, lines[number], cells.get(number, [lines[number].strip()]))
            for number in range(start, end)
            if number not in rules
        ]
        drawn = [Record(number + 1, lines[number], [""]) for number in range(start, end) if number in rules]
        tables.append(Parsed(records, Parser(Dialect(bar, "", width=width)), drawn))
    return tables


def _parts(lines: Sequence[str], rules: set[int], cells: dict[int, list[str]]) -> list[tuple[int, int]]:
    """Where tables start and end: at a blank line, when a rule and a row come before the next one."""
    cuts = [0]
    ruled = filled = False
    for number in range(len(lines) - 1, 0, -1):
        ruled, filled = ruled or number in rules, filled or number in cells
        if not lines[number].strip():
            if ruled and filled:
                cuts.append(number)
            ruled = filled = False
    cuts.sort()
    if len(cuts) > 1 and not any(number in cells for number in range(cuts[1])):
        # A title above the first table.
        del cuts[1]
    return list(zip(cuts, [*cuts[1:], len(lines)], strict=True))


def _cells(line: str, bar: str, *, outer: bool) -> list[str]:
    texts = line.strip().split(bar)[1:-1] if outer else line.split(bar)
    return [text.strip() for text in texts]
