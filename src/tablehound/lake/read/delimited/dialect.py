"""Stage 2, dialect: which delimiter, quote and escape a text uses.

No sniffer is trusted: every candidate reads the text, and its reading is scored by how alike the widths of neighbouring
lines are and by how many cells have a type (numbers, dates) or are plain words. Scoring by patterns and types is the
idea of van den Burg, Nazábal and Sutton, "Wrangling Messy CSV Files by Detecting Row and Type Patterns" (2019).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tablehound.lake.read.contract import DETECT_ALL, Overrides
from tablehound.lake.read.delimited.cell_shapes import kind_of
from tablehound.lake.read.delimited.decode import sample_of

SPACE_RUNS = "  "
"""The delimiter of columns that are aligned with two or more spaces."""
BLANKS = " \t"
"""The delimiter of columns separated by any number of blanks, with some before the first one: figures as scientific
programs print them."""
RUNS = frozenset({SPACE_RUNS, BLANKS})
COMMENT_MARKS = ("#", "//", "%", "!", ";")
MAX_STRAY_QUOTES = 64
"""Quotes within one quoted field that are not escaped."""

_PRIORS = {
    ",": 1.0, "\t": 1.02, ";": 1.0, "|": 0.98, "#": 0.93, "~": 0.93, "^": 0.93, "\x1f": 1.0, "\x01": 1.0, ":": 0.62,
    " ": 0.6,
}  # fmt: skip
"""The candidates, each with the factor of its score. By hand."""
_STRONG = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class Weights:
    """Factors, shares and thresholds of a candidate's score. All were chosen by hand."""

    unlisted_prior: float = 0.95
    """Prior of a delimiter that is not in ``_PRIORS``; the next ones replace priors."""
    quoted_space_prior: float = 0.9
    space_runs_prior: float = 0.7
    blanks_prior: float = 0.65
    longer_everywhere: float = 1.03
    """A delimiter with a space, where its part occurs nowhere without the space."""
    longer_sometimes: float = 0.97
    longer_sequence: float = 1.05
    longer_in_part: float = 0.7
    longer_with_symbol: float = 0.6
    rival_share: float = 0.93
    """Another delimiter with this share of the best score is reported."""
    clear_steadiness: float = 0.97
    """A strong delimiter this steady, over more than ``clear_width`` columns and with fewer stray quotes per line than
    ``clear_stray``, ends the search for weak ones."""
    clear_width: int = 3
    clear_stray: float = 0.01
    same_width_share: float = 0.5
    """Parts of steadiness: lines of the usual width, and lines as wide as a neighbour."""
    neighbour_share: float = 0.5
    core_gain: float = 1.4
    """Lines between the first and the last divided one weigh this much against all lines."""
    min_core_lines: int = 5
    ragged_factor: float = 0.85
    """Steadiness of ragged lines, times the share of them that have the delimiter."""
    untyped_part: float = 0.55
    """What is left of the steadiness of spaces and colons without any typed cell, what typed cells add, and the share
    of them that adds all of it."""
    typed_part: float = 0.45
    enough_typed: float = 0.3
    words_score: float = 0.62
    """Fields are words, and ``words_lead`` columns in front have a type each."""
    words_lead: int = 3
    base: float = 0.45
    """The score's constant part, and those of typed and of plain cells."""
    typed: float = 0.35
    plain: float = 0.2
    narrow: float = 0.9
    """Factor of a table without columns; each column adds ``per_column``, up to 1."""
    per_column: float = 0.03
    unread_quotes: float = 2
    """Stray quotes per field in quotes that a reading without quotes leaves unexplained."""
    quoted_typed: float = 0.7
    """A field in quotes counts as typed and as plain in these parts."""
    quoted_plain: float = 0.3
    one_column: float = 0.30
    """Score of a single column, where no strong delimiter is tight between words, and where one does."""
    one_column_tight: float = 0.18
    one_column_typed: float = 0.65
    """Part of typed lines in the score of a single column, where no delimiter divides the lines, and where one does."""
    one_column_typed_divided: float = 0.2
    listed_names: float = 0.28
    """Score at most of a comma in "Last, First" below one name: less than that of a single column."""


WEIGHTS = Weights()
_SEQUENCE_SHARE, _SPACED_SHARE, _ALIGNED_SHARE = 0.5, 0.5, 0.6
"""Shares of lines, or of delimiters, that make a candidate of a sequence, of one with a space, of runs of spaces. By
hand."""
_INDENTED_SHARE, _SAME_WORDS_SHARE = 0.3, 0.9
"""Shares of lines that are aligned with blanks, and that have as many words each. By hand."""
_WORDLIKE = re.compile(r"[\w(\"'“*+$€£<\[@&.\-/%].*[\w)\"'”.!?%*\]>+\-/:]|\w", re.DOTALL)
_SEQUENCE = re.compile(r"[^\w\s\"'()./\-+]{2,5}|\t{2,3}|(?<=\S) ?[|;~^#,:] (?=\S)")
_SPACES = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
_DELIMITER_LINE = re.compile(r"\"?sep=(.)\"?\r?(?:\n|\r|\Z)", re.IGNORECASE)
_MARK = "\x02"
"""Replaces a quoted field while widths are counted."""
_SHOWN = {
    "": "none", "\t": "tab", " ": "space", SPACE_RUNS: "spaces", BLANKS: "blanks", "\x1f": "unit separator",
}  # fmt: skip
"""Names of delimiters that cannot be seen."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How fields are separated."""

    delimiter: str = ","
    """One or more characters; empty for a text of one column; two spaces for any run of two or more."""
    quote: str = '"'
    """Empty for none."""
    backslash: bool = False
    """A backslash escapes a quote or delimiter (doubled quotes are read as well)."""
    confidence: float = 1.0
    rivals: tuple[str, ...] = field(default=(), compare=False)
    """Other delimiters that score nearly as well."""
    width: int = 1
    """The usual number of fields in the sample."""
    words: bool = False
    """Fields are words and run over: the width is that of the first line, not the usual one."""

    def describe(self) -> dict[str, str]:
        return {
            "delimiter": _SHOWN.get(self.delimiter, self.delimiter),
            "quote": self.quote or "none",
            "escape": "backslash" if self.backslash else ("doubled" if self.quote else "none"),
            "confidence": f"{self.confidence:.2f}",
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """The dialect of a text, and the text to be read in it."""

    dialect: Dialect
    text: str
    repairs: tuple[str, ...] = ()
    """What was changed in the text, for the account."""


@dataclass(frozen=True, slots=True)
class _Scored:
    dialect: Dialect
    score: float
    width: int
    steady: float = 0.0
    stray: float = 0.0


def choice_for(text: str, pinned: Overrides) -> Choice:
    """The dialect of a whole text; quotes around every line as a whole are taken off where columns then appear."""
    dialect = dialect_of(sample_of(text), pinned)
    if dialect.width == 1 and pinned == DETECT_ALL:
        inner = _without_line_quotes(text)
        if inner is not None and (within := dialect_of(sample_of(inner), pinned)).width > 1:
            return Choice(within, inner, ("every line stood in quotes as a whole: taken off",))
    return Choice(dialect, text)


def dialect_of(sample: str, pinned: Overrides) -> Dialect:
    """The dialect of a sample; its first line may name the delimiter (``sep=;``), as spreadsheets write it."""
    line = _DELIMITER_LINE.match(sample)
    if line is None:
        return _detected(sample, pinned.delimiter, pinned.quote, pinned.escape)
    delimiter = line[1] if pinned.delimiter is None else pinned.delimiter
    return _detected(sample[line.end() :], delimiter, pinned.quote, pinned.escape)


def names_delimiter(text: str) -> bool:
    """Whether the first line of a text does nothing but name the delimiter."""
    return _DELIMITER_LINE.match(text) is not None


def _detected(text: str, delimiter: str | None, quote: str | None, escape: str | None) -> Dialect:
    names = [delimiter] if delimiter is not None else _delimiters(text)
    scored: list[_Scored] = []
    steady = ""
    for name in names:
        if steady and name not in ("", *_STRONG) and steady not in name:
            # Nothing divides lines so evenly by chance: weak delimiters are not tried any more.
            continue
        for mark in [quote] if quote is not None else _quotes(text, name):
            backslash = _backslash(text, mark) if escape is None else escape == "\\"
            if backslash and delimiter is None and "\\" in name:
                # An escape does not divide: each quote after such a delimiter would be an escaped one as well.
                continue
            one = _score(text, Dialect(name, mark, backslash))
            scored.append(one)
            clear = one.steady >= WEIGHTS.clear_steadiness and one.stray < WEIGHTS.clear_stray
            if name in _STRONG and clear and one.width > WEIGHTS.clear_width:
                steady = name
    scored.sort(key=lambda one: -one.score)
    best = scored[0]
    others = [one for one in scored if one.dialect.delimiter != best.dialect.delimiter]
    second = others[0].score if others else 0.0
    confidence = best.score / (best.score + second) if best.score > 0 else 0.0
    if delimiter is not None:
        confidence = 1.0
    near = [one.dialect.delimiter for one in others if one.score > WEIGHTS.rival_share * best.score]
    rivals = tuple(_SHOWN.get(name, name) for name in near)
    return replace(best.dialect, confidence=confidence, rivals=rivals, width=best.width)


def _delimiters(text: str) -> list[str]:
    doubled = [name for name in (",", ";") if name in text and text.count(name) == 2 * text.count(name + name)]
    found = [name + name if name in doubled else name for name in _PRIORS if name in text]
    lines = [line for line in text[:20_000].split("\n") if line.strip()][:40]
    sequences: Counter[str] = Counter()
    for line in lines:
        sequences.update(set(_SEQUENCE.findall(line)))
    for sequence, count in sequences.most_common(8):
        common = count >= _SEQUENCE_SHARE * len(lines)
        if common and not (set(sequence) <= {","} or set(sequence) <= {";"} or '"' in sequence):
            found.append(sequence)
    for name in (",", ";", "|"):
        spaced = f"{name} "
        if spaced in text and spaced not in found and text.count(spaced) >= _SPACED_SHARE * text.count(name):
            found.append(spaced)
    if sum(_SPACES.search(line) is not None for line in lines) > _ALIGNED_SHARE * len(lines):
        found.append(SPACE_RUNS)
    if _is_aligned(lines):
        found.append(BLANKS)
    return ["", *found]


def _is_aligned(lines: list[str]) -> bool:
    """Lines of as many words each, comments apart, with more blanks between them than words need."""
    lines = [line for line in lines if not line.lstrip().startswith(COMMENT_MARKS)]
    indented = sum(line[:1] in (" ", "\t") or _SPACES.search(line) is not None for line in lines)
    if indented < _INDENTED_SHARE * len(lines):
        return False
    counted = Counter(len(line.split()) for line in lines)
    width, count = max(counted.items(), key=lambda pair: pair[1], default=(1, 0))
    return width > 1 and count >= _SAME_WORDS_SHARE * len(lines) and len(lines) > 2


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
    """A pattern for what may be between a closing quote and the delimiter."""
    return "" if " " in delimiter else " *+"


def quoted_text(mark: str, *, backslash: bool) -> str:
    """A pattern for the text between two quotes; ``mark`` is escaped already."""
    if backslash:
        return rf"[^{mark}\\]*+(?:(?:\\.|{mark}{mark}|\\)[^{mark}\\]*+)*+"
    return rf"[^{mark}]*+(?:{mark}{mark}[^{mark}]*+)*+"


def _without_line_quotes(text: str) -> str | None:
    """A text each line of which is in quotes as a whole, without them; none of another text."""
    lines = [line.strip() for line in text.replace("\r\n", "\n").split("\n")]
    filled = [line for line in lines if line]
    if len(filled) < 2 or not all(len(line) > 2 and line[0] == line[-1] == '"' for line in filled):
        return None
    if any('"' in line[1:-1].replace('""', "") for line in filled):
        return None
    return "\n".join(line[1:-1].replace('""', '"') for line in lines)


def _quoted_field(dialect: Dialect) -> re.Pattern[str]:
    """Matches a quoted field that starts and ends where a field does."""
    mark, edge = re.escape(dialect.quote), re.escape(dialect.delimiter) or r"\n"
    inner = quoted_text(mark, backslash=dialect.backslash)
    # A blank after the closing quote is padding, where blanks do not divide.
    end = rf"{closing_blanks(dialect.delimiter)}(?={edge}|\r|\n|\Z)"
    # Second choice: unescaped quotes within, as long as no field could end there. Only so many: each quote at a field's
    # start may be tried, and a long line full of them would be searched once for each.
    sloppy = rf"[^{mark}\r\n]*+(?:{mark}(?!{edge}|\r|\n|\Z)[^{mark}\r\n]*+){{0,{MAX_STRAY_QUOTES}}}+"
    choice = rf"{inner}{mark}{end}|{sloppy}{mark}{end}" if dialect.delimiter else rf"{inner}{mark}{end}"
    return re.compile(rf"(?:(?<={edge})|(?<=[\n\r])|\A){mark}(?:{choice})", re.DOTALL)


def _score(text: str, dialect: Dialect) -> _Scored:
    bare = _quoted_field(dialect).sub(_MARK, text) if dialect.quote else text
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
    typed, plain = _types(lines, widths, usual, name)
    if not name or usual == 1:
        return _Scored(dialect, 0.0 if name else _one_column_score(lines, typed), 1)
    if name == " " and share < 0.8 * len(widths) and _typed_lead(lines, widths[0]) >= WEIGHTS.words_lead:
        # Words of a last column or two run over: the columns in front are aligned all the same.
        return _Scored(replace(dialect, words=True), WEIGHTS.words_score, widths[0])
    steady = _steadiness(lines, widths, share, bare, name)
    if name in (" ", ":", *RUNS):
        # Words have spaces and clocks have colons: these need types to be believed.
        steady *= WEIGHTS.untyped_part + WEIGHTS.typed_part * min(1.0, typed / WEIGHTS.enough_typed)
    if dialect.quote:
        stray = bare.count(dialect.quote) / (len(lines) * usual)
    elif '"' in text:
        # Without quotes, fields between quotes are left unexplained.
        fields = _quoted_field(replace(dialect, quote='"')).findall(text)
        stray = WEIGHTS.unread_quotes * len(fields) / len(lines)
    else:
        stray = 0.0
    looks = WEIGHTS.base + WEIGHTS.typed * typed + WEIGHTS.plain * plain
    score = steady**2 * looks * _prior(bare, dialect, len(lines)) / (1 + min(stray, 1.0))
    score *= min(1.0, WEIGHTS.narrow + WEIGHTS.per_column * usual)
    if name.strip() == "," and not typed and _lists_under_a_name(lines):
        score = min(score, WEIGHTS.listed_names)
    return _Scored(dialect, score, usual, steady, stray)


def _one_column_score(lines: Sequence[str], typed: float) -> float:
    """What a text is when nothing else is convincing; typed lines make it so."""
    divided = any(strong in lines[0] and all(strong in line for line in lines) for strong in _STRONG)
    tight = any(_is_tight(lines, strong) for strong in _STRONG)
    part = WEIGHTS.one_column_typed_divided if divided or tight else WEIGHTS.one_column_typed
    return (WEIGHTS.one_column_tight if tight else WEIGHTS.one_column) + part * typed


def _steadiness(lines: Sequence[str], widths: Sequence[int], share: int, bare: str, name: str) -> float:
    """How alike lines are in their widths, ``share`` of them having the usual one: 0 to 1."""
    last = len(widths) - 1
    near = sum(
        width > 1 and ((i > 0 and widths[i - 1] == width) or (i < last and widths[i + 1] == width))
        for i, width in enumerate(widths)
    )
    # Titles above and notes below do not count against a delimiter, as long as most lines lie between them.
    inside = [i for i, width in enumerate(widths) if width > 1]
    weak = len(lines) < WEIGHTS.min_core_lines or name.strip() in ("", ":")
    core = len(lines) if weak else inside[-1] - inside[0] + 1
    neighbours = near / core if len(widths) > 1 else 1.0
    steady = WEIGHTS.same_width_share * share / core + WEIGHTS.neighbour_share * neighbours
    steady *= min(1.0, WEIGHTS.core_gain * core / len(widths))
    if name in _STRONG and name in lines[0] and bare.count(f"{name} ") < 0.5 * bare.count(name):
        # Ragged lines still are lines of this delimiter when nearly all have it.
        steady = max(steady, WEIGHTS.ragged_factor * len(inside) / len(widths))
    return steady


def _prior(bare: str, dialect: Dialect, n_lines: int) -> float:
    name = dialect.delimiter
    if name in RUNS:
        return WEIGHTS.space_runs_prior if name == SPACE_RUNS else WEIGHTS.blanks_prior
    quoted = name == " " and dialect.quote and dialect.quote not in bare
    if quoted and bare.count(_MARK) >= 0.5 * n_lines:
        # Texts in quotes between spaces are cells, as R writes them, not words.
        return WEIGHTS.quoted_space_prior
    prior = _PRIORS.get(name, _PRIORS.get(name.strip(" \t") or "\t", WEIGHTS.unlisted_prior))
    return _longer_prior(bare, name, prior) if len(name) > 1 else prior


def _longer_prior(bare: str, name: str, prior: float) -> float:
    """A longer delimiter wins over a part of it only where that part occurs nowhere else."""
    core = name.strip(" ") or name
    if len(core) == 1:
        whole = bare.count(core) == bare.count(name)
        return prior * (WEIGHTS.longer_everywhere if whole else WEIGHTS.longer_sometimes)
    if len(set(core)) > 1 and any(char > "~" or char == "$" for char in core):
        # A currency sign or a bullet at the start of every cell is a part of the cell.
        return WEIGHTS.longer_with_symbol
    char = Counter(core).most_common(1)[0][0]
    whole = bare.count(char) <= 1.02 * core.count(char) * bare.count(name)
    return WEIGHTS.longer_sequence if whole else WEIGHTS.longer_in_part


def _lists_under_a_name(lines: Sequence[str]) -> bool:
    """One word, and below it texts with a comma and a space: "Last, First" in a column of its own."""
    first, rest = lines[0].strip(), lines[1:]
    return first.isidentifier() and all(", " in line and line.count(",") == line.count(", ") for line in rest)


def _is_tight(lines: Sequence[str], name: str) -> bool:
    """A delimiter in most lines that no space follows, and that is no decimal comma."""
    having = [line for line in lines if name in line]
    if name in lines[0]:
        return f"{name} " not in lines[0]
    bare = sum(f"{name} " not in line for line in having)
    decimal = name == "," and all(kind_of(line) != "text" for line in having)
    return bare >= 0.5 * len(lines) and not decimal


def _typed_lead(lines: Sequence[str], width: int) -> int:
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


def _types(lines: Sequence[str], widths: Sequence[int], usual: int, name: str) -> tuple[float, float]:
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
                # Nothing but a field is between quotes and delimiters like that.
                typed, plain = typed + WEIGHTS.quoted_typed, plain + WEIGHTS.quoted_plain
                continue
            kind = kind_of(cell)
            if kind not in ("text", "empty"):
                typed += 1
            elif kind == "empty" or _WORDLIKE.fullmatch(cell.strip()) is not None:
                plain += 1
    return typed / max(total, 1), plain / max(total, 1)
