"""Which delimiter, quote and escape a text uses.

No sniffer is trusted: every candidate reads the text, and what it reads is scored by how alike the widths of
neighbouring lines are and by how many cells look like something (numbers, dates, plain words). The idea of scoring by
patterns and types is that of van den Burg, Nazábal and Sutton, "Wrangling Messy CSV Files by Detecting Row and Type
Patterns" (2019).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tablehound.lake.read.delimited.cell_shapes import kind_of

_PRIORS: dict[str, float] = {
    ",": 1.0,
    "\t": 1.02,
    ";": 1.0,
    "|": 0.98,
    "#": 0.93,
    "~": 0.93,
    "^": 0.93,
    "\x1f": 1.0,
    "\x01": 1.0,
    ":": 0.62,
    " ": 0.6,
}
_STRONG = (",", ";", "\t", "|")
_WORDLIKE = re.compile(r"[\w(\"'“*+$€£<\[@&.\-/%].*[\w)\"'”.!?%*\]>+\-/:]|\w", re.DOTALL)
_SEQUENCE = re.compile(r"[^\w\s\"'()./\-+]{2,5}|\t{2,3}|(?<=\S) ?[|;~^#,:] (?=\S)")
_SPACES = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
SPACE_RUNS = "  "
"""The delimiter of columns that are lined up with two or more spaces."""
BLANKS = " \t"
"""The delimiter of columns between which any number of blanks stands, also before the first one: figures as programs of
science print them."""
RUNS = frozenset({SPACE_RUNS, BLANKS})
_MARK = "\x02"
"""Stands for a quoted field while widths are counted."""
SHOWN: dict[str, str] = {
    "": "none",
    "\t": "tab",
    " ": "space",
    SPACE_RUNS: "spaces",
    BLANKS: "blanks",
    "\x1f": "unit separator",
}
"""How delimiters that cannot be seen are shown."""


COMMENT_MARKS = ("#", "//", "%", "!", ";")
MAX_STRAY_QUOTES = 64
"""Quotes within one quoted field that nobody escaped."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How fields are told apart."""

    delimiter: str = ","
    """One or more characters; empty for a text of one column; two spaces for any run of two or more."""
    quote: str = '"'
    """Empty for none."""
    backslash: bool = False
    """A backslash before a quote or delimiter takes its meaning away (doubled quotes are read as well)."""
    confidence: float = 1.0
    rivals: tuple[str, ...] = field(default=(), compare=False)
    """Other delimiters that score nearly as well."""
    width: int = 1
    """The usual number of fields, as far as detection saw."""
    words: bool = False
    """Fields are words and run over: the width is that of the first line, not the usual one."""

    def describe(self) -> dict[str, str]:
        return {
            "delimiter": SHOWN.get(self.delimiter, self.delimiter),
            "quote": self.quote or "none",
            "escape": "backslash" if self.backslash else ("doubled" if self.quote else "none"),
            "confidence": f"{self.confidence:.2f}",
        }


@dataclass(frozen=True, slots=True)
class _Scored:
    dialect: Dialect
    score: float
    width: int
    steady: float = 0.0
    stray: float = 0.0


def detect(text: str, *, delimiter: str | None = None, quote: str | None = None, escape: str | None = None) -> Dialect:
    """The dialect that reads a text best. What is given is taken as given."""
    names = [delimiter] if delimiter is not None else _delimiters(text)
    scored: list[_Scored] = []
    steady = ""
    for name in names:
        if steady and name not in ("", *_STRONG) and steady not in name:
            # Nothing divides lines so evenly by chance: weak delimiters need no look any more.
            continue
        for mark in [quote] if quote is not None else _quotes(text, name):
            backslash = _backslash(text, mark) if escape is None else escape == "\\"
            if backslash and delimiter is None and "\\" in name:
                # What escapes does not divide: each quote after such a delimiter would be an escaped one as well.
                continue
            one = _score(text, Dialect(name, mark, backslash))
            scored.append(one)
            if name in _STRONG and one.steady >= 0.97 and one.width > 3 and one.stray < 0.01:
                steady = name
    scored.sort(key=lambda one: -one.score)
    best = scored[0]
    others = [one for one in scored if one.dialect.delimiter != best.dialect.delimiter]
    second = others[0].score if others else 0.0
    confidence = best.score / (best.score + second) if best.score > 0 else 0.0
    if delimiter is not None:
        confidence = 1.0
    rivals = tuple(
        SHOWN.get(one.dialect.delimiter, one.dialect.delimiter) for one in others if one.score > 0.93 * best.score
    )
    return replace(best.dialect, confidence=confidence, rivals=rivals, width=best.width)


def _delimiters(text: str) -> list[str]:
    doubled = [name for name in (",", ";") if name in text and text.count(name) == 2 * text.count(name + name)]
    found = [name + name if name in doubled else name for name in _PRIORS if name in text]
    lines = [line for line in text[:20_000].split("\n") if line.strip()][:40]
    sequences: Counter[str] = Counter()
    for line in lines:
        sequences.update(set(_SEQUENCE.findall(line)))
    for sequence, count in sequences.most_common(8):
        if count >= 0.5 * len(lines) and not (set(sequence) <= {","} or set(sequence) <= {";"} or '"' in sequence):
            found.append(sequence)
    for name in (",", ";", "|"):
        if f"{name} " in text and f"{name} " not in found and text.count(f"{name} ") >= 0.5 * text.count(name):
            found.append(f"{name} ")
    if sum(_SPACES.search(line) is not None for line in lines) > 0.6 * len(lines):
        found.append(SPACE_RUNS)
    if _is_lined_up(lines):
        found.append(BLANKS)
    return ["", *found]


def _is_lined_up(lines: list[str]) -> bool:
    """Lines of as many words each, comments apart, with more blanks between them than words need."""
    lines = [line for line in lines if not line.lstrip().startswith(COMMENT_MARKS)]
    if sum(line[:1] in (" ", "\t") or _SPACES.search(line) is not None for line in lines) < 0.3 * len(lines):
        return False
    counted = Counter(len(line.split()) for line in lines)
    width, count = max(counted.items(), key=lambda pair: pair[1], default=(1, 0))
    return width > 1 and count >= 0.9 * len(lines) and len(lines) > 2


def _quotes(text: str, delimiter: str) -> Iterator[str]:
    if '"' in text:
        yield '"'
    if "'" in text:
        edge = re.escape(delimiter) if delimiter else "\n"
        opened = len(re.findall(rf"(?:^|{edge})'", text, re.MULTILINE))
        closed = len(re.findall(rf"'(?:{edge}|\r?$)", text, re.MULTILINE))
        if min(opened, closed) >= 2 and min(opened, closed) >= 0.7 * max(opened, closed):
            yield "'"
    yield ""


def _backslash(text: str, quote: str) -> bool:
    if not quote or f"\\{quote}" not in text:
        return False
    escaped = len(re.findall(rf"(?<!\\)\\{quote}(?!\s*[,;\t|\r\n])", text))
    doubled = len(re.findall(rf"(?<=[^{quote},;\t|\n]){quote}{quote}(?=[^{quote},;\t|\r\n])", text))
    bare = len(re.findall(rf"(?<=[^\W_]){quote}(?=[\w ])", text))
    ending = len(re.findall(rf"\\{quote}{quote}\s*[,;\t|\r\n]", text))
    return escaped + ending > max(doubled, bare)


def closing_blanks(delimiter: str) -> str:
    """A pattern for what may stand between a closing quote and the delimiter."""
    return "" if " " in delimiter else " *+"


def without_line_quotes(text: str) -> str | None:
    """A text each line of which stands in quotes as a whole, without them; none of another text."""
    lines = [line.strip() for line in text.replace("\r\n", "\n").split("\n")]
    filled = [line for line in lines if line]
    if len(filled) < 2 or not all(len(line) > 2 and line[0] == line[-1] == '"' for line in filled):
        return None
    if any('"' in line[1:-1].replace('""', "") for line in filled):
        return None
    return "\n".join(line[1:-1].replace('""', '"') for line in lines)


def quoted_field(dialect: Dialect) -> re.Pattern[str]:
    """Matches a quoted field that starts and ends where a field does."""
    mark, edge = re.escape(dialect.quote), re.escape(dialect.delimiter) or r"\n"
    inner = (
        rf"[^{mark}\\]*+(?:(?:\\.|{mark}{mark}|\\)[^{mark}\\]*+)*+"
        if dialect.backslash
        else (rf"[^{mark}]*+(?:{mark}{mark}[^{mark}]*+)*+")
    )
    # A blank after the closing quote is padding, where blanks do not divide.
    end = rf"{closing_blanks(dialect.delimiter)}(?={edge}|\r|\n|\Z)"
    # Second choice: quotes within that nobody escaped, as long as no field could end there. Only so many: each quote at
    # a field's start may be tried, and a long line full of them would be gone through once for each.
    sloppy = rf"[^{mark}\r\n]*+(?:{mark}(?!{edge}|\r|\n|\Z)[^{mark}\r\n]*+){{0,{MAX_STRAY_QUOTES}}}+"
    choice = rf"{inner}{mark}{end}|{sloppy}{mark}{end}" if dialect.delimiter else rf"{inner}{mark}{end}"
    return re.compile(rf"(?:(?<={edge})|(?<=[\n\r])|\A){mark}(?:{choice})", re.DOTALL)


def _score(text: str, dialect: Dialect) -> _Scored:
    bare = quoted_field(dialect).sub(_MARK, text) if dialect.quote else text
    lines = [line for line in bare.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip()]
    name = dialect.delimiter
    if not lines:
        return _Scored(dialect, 0.0, 1)
    if name == SPACE_RUNS:
        widths = [len(_SPACES.findall(line.strip())) + 1 for line in lines]
    elif name == BLANKS:
        widths = [len(line.split()) for line in lines]
    elif name:
        widths = [line.count(name) + 1 for line in lines]
    else:
        widths = [1] * len(lines)
    counted = Counter(widths)
    usual, share = max(counted.items(), key=lambda pair: (pair[1] * (pair[0] > 1), pair[0]))
    last = len(widths) - 1
    near = sum(
        width > 1 and ((i > 0 and widths[i - 1] == width) or (i < last and widths[i + 1] == width))
        for i, width in enumerate(widths)
    )
    typed, plain = _types(lines, widths, usual, name)
    if not name or usual == 1:
        # One column: what the text is when nothing else is convincing. Typed lines make it so.
        if name:
            return _Scored(dialect, 0.0, 1)
        divided = any(strong in lines[0] and all(strong in line for line in lines) for strong in _STRONG)
        tight = any(_is_tight(lines, strong) for strong in _STRONG)
        return _Scored(dialect, (0.18 if tight else 0.30) + (0.2 if divided or tight else 0.65) * typed, 1)
    strong = name in _STRONG
    # Titles above and notes below do not count against a delimiter, as long as most lines lie between them.
    inside = [i for i, width in enumerate(widths) if width > 1]
    weak = len(lines) < 5 or name.strip() in ("", ":")
    core = len(lines) if weak else inside[-1] - inside[0] + 1
    steady = 0.5 * share / core + 0.5 * (near / core if len(widths) > 1 else 1.0)
    steady *= min(1.0, 1.4 * core / len(widths))
    if strong and name in lines[0] and bare.count(f"{name} ") < 0.5 * bare.count(name):
        # Ragged lines still are lines of this delimiter when nearly all have it.
        steady = max(steady, 0.85 * sum(width > 1 for width in widths) / len(widths))
    if name == " " and share < 0.8 * len(widths):
        lead = _typed_lead(lines, widths[0])
        if lead >= 3:
            # Words of a last column or two run over: the columns in front still stand in line.
            return _Scored(replace(dialect, words=True), 0.62, widths[0])
    if name in (" ", ":", *RUNS):
        # Words have spaces and clocks have colons: these need types to be believed.
        steady *= 0.55 + 0.45 * min(1.0, typed / 0.3)
    prior = _PRIORS.get(name, _PRIORS.get(name.strip(" \t") or "\t", 0.95))
    if name == " " and dialect.quote and bare.count(_MARK) >= 0.5 * len(lines) and dialect.quote not in bare:
        # Texts in quotes between spaces are cells, as R writes them, not words.
        prior = 0.9
    if name in RUNS:
        prior = 0.7 if name == SPACE_RUNS else 0.65
    elif len(name) > 1:
        prior = _longer(bare, name, prior)
    if dialect.quote:
        stray = bare.count(dialect.quote) / (len(lines) * usual)
    elif '"' in text:
        # Without quotes, fields that stand between quotes are left unexplained.
        stray = 2 * len(quoted_field(replace(dialect, quote='"')).findall(text)) / len(lines)
    else:
        stray = 0.0
    score = steady**2 * (0.45 + 0.35 * typed + 0.2 * plain) * prior / (1 + min(stray, 1.0))
    score *= min(1.0, 0.9 + 0.03 * usual)
    if name.strip() == "," and not typed and _lists_under_a_name(lines):
        score = min(score, 0.28)
    return _Scored(dialect, score, usual, steady, stray)


def _lists_under_a_name(lines: list[str]) -> bool:
    """One word, and below it texts with a comma and a space: "Last, First" in a column of its own."""
    first, rest = lines[0].strip(), lines[1:]
    return first.isidentifier() and all(", " in line and line.count(",") == line.count(", ") for line in rest)


def _is_tight(lines: list[str], name: str) -> bool:
    """A delimiter in most lines that no space follows, and that is no decimal comma."""
    having = [line for line in lines if name in line]
    if name in lines[0]:
        return f"{name} " not in lines[0]
    bare = sum(f"{name} " not in line for line in having)
    decimal = name == "," and all(kind_of(line) != "text" for line in having)
    return bare >= 0.5 * len(lines) and not decimal


def _typed_lead(lines: list[str], width: int) -> int:
    """How many leading columns are of one kind each, in lines of at least ``width`` words; 0 when lines are shorter."""
    rows = [line.split(" ") for line in lines[1:200]]
    if width < 4 or len(rows) < 5 or sum(len(row) >= width for row in rows) < 0.9 * len(rows):
        return 0
    lead = 0
    for index in range(width):
        kinds = Counter(kind_of(row[index]) for row in rows if len(row) > index)
        kind, count = kinds.most_common(1)[0]
        if kind in ("text", "empty") or count < 0.9 * len(rows):
            break
        lead += 1
    return lead


def _longer(bare: str, name: str, prior: float) -> float:
    """A longer delimiter wins over a part of it only where that part stands nowhere else."""
    core = name.strip(" ") or name
    if len(core) == 1:
        return prior * (1.03 if bare.count(core) == bare.count(name) else 0.97)
    if len(set(core)) > 1 and any(char > "~" or char == "$" for char in core):
        # A currency sign or a bullet at the start of every cell is a part of the cell.
        return 0.6
    char = Counter(core).most_common(1)[0][0]
    return 1.05 if bare.count(char) <= 1.02 * core.count(char) * bare.count(name) else 0.7


def _types(lines: list[str], widths: list[int], usual: int, name: str) -> tuple[float, float]:
    """Shares of cells with a type, and of cells that look like words."""
    taken = [line for line, width in zip(lines, widths, strict=True) if width == usual]
    step = max(1, len(taken) // 60)
    typed = plain = 0.0
    total = 0
    for line in taken[::step][:60]:
        if name == SPACE_RUNS:
            cells = _SPACES.split(line.strip())
        elif name == BLANKS:
            cells = line.split()
        else:
            cells = line.split(name) if name else [line]
        for cell in cells:
            total += 1
            if cell == _MARK:
                # Nothing but a field stands between quotes and delimiters like that.
                typed, plain = typed + 0.7, plain + 0.3
                continue
            kind = kind_of(cell)
            if kind not in ("text", "empty"):
                typed += 1
            elif kind == "empty" or _WORDLIKE.fullmatch(cell.strip()) is not None:
                plain += 1
    return typed / max(total, 1), plain / max(total, 1)
