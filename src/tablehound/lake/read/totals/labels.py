"""Labels that call a row a sum or an average of other rows: ``Total``, ``Subtotal``, ``合计``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from tablehound.lake.read.cell_kinds import number_in

MAX_LABEL_CHARS = 80
"""Characters of the longest label. By hand: longer texts are sentences that mention a total."""
MAX_ALONE_CHARS = 40
"""Characters of a text that consists of the word alone, with signs around it. By hand."""

Column = Sequence[str | None]
_ASIDE = re.compile(r"[(（\[].*?[)）\]]")
_ALONE_STEM = re.compile("total|[计計]", re.IGNORECASE)
_ALONE_BYTES = ("计".encode(), "計".encode())
_ALONE_LEAD = _ALONE_BYTES[0][0]
"""The byte that both begin with: few texts have it, and a single byte is found at once."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of ``words.toml``, in the forms in which they are looked for."""

    sum: re.Pattern[str]
    mean: re.Pattern[str]
    alone: re.Pattern[str]
    stems: tuple[str, ...]
    ascii_stems: tuple[str, ...]
    hints: tuple[str, ...]
    bare: tuple[str, ...]
    """Stems wherever they are in a text, and the characters that texts of one word end with."""
    bare_ascii: tuple[str, ...]
    encoded: tuple[bytes, ...]


@cache
def _words() -> _Words:
    data: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
    stems = tuple(data["stems"])
    bare = tuple(dict.fromkeys([*map(str.strip, stems), "计", "計"]))
    patterns = [re.compile("|".join(data[name]), re.IGNORECASE) for name in ("sum", "mean", "alone")]
    return _Words(
        sum=patterns[0],
        mean=patterns[1],
        alone=patterns[2],
        stems=stems,
        ascii_stems=tuple(filter(str.isascii, stems)),
        hints=tuple(data["hints"]),
        bare=bare,
        bare_ascii=tuple(filter(str.isascii, bare)),
        encoded=tuple(stem.strip().encode() for stem in stems),
    )


def is_total_label(text: str) -> bool:
    """Whether a label names a sum or an average."""
    words = _words()
    return words.mean.search(text) is not None or words.sum.search(_ASIDE.sub("", text)) is not None


def labelled_rows(columns: Sequence[Column]) -> dict[int, bool]:
    """Rows with a label of a total: their first text is one, or some cell is nothing else. True for averages."""
    words = _words()
    rows: dict[int, bool] = {}
    if columns and all(columns[0]):
        # The first texts of all rows are in the first column: elsewhere a label has to fill its cell.
        rest = "\n".join([text for column in columns[1:] for text in column if text])
        if rest.isascii() and "total" not in rest.lower():
            columns = columns[:1]
    for place, column in enumerate(columns):
        for index in rows_with_stems(column):
            text = column[index]
            if not text or len(text) > MAX_LABEL_CHARS or index in rows or not is_total_label(text):
                continue
            first = not any(other[index] and other[index] != text for other in columns[:place])
            if (first and number_in(text) is None) or words.alone.fullmatch(text):
                rows[index] = words.mean.search(text) is not None
    return dict(sorted(rows.items()))


# -- quick looks: most tables have no such label --


def may_hold_subtotals(data: bytes) -> bool:
    """Whether the bytes of a source contain any word for a total."""
    lowered = data.lower()
    return any(map(lowered.__contains__, _words().encoded)) or b"\0" in data[:4]


def may_label_subtotals(firsts: Sequence[str], cells: Sequence[str], start: int, data: bytes) -> bool:
    """Whether a small table has a label of a total, by the first texts of its rows, its cells, and its bytes.

    Only first texts may name a total among other words; elsewhere the word has to fill its cell. The first line of the
    bytes is the header's; ``start`` is the place of the first cell below it.
    """
    if _has_stem(("\n" + "\n".join(firsts)).lower()):
        return True
    if not may_be_alone(data, data.find(b"\n")):
        return False
    alone = _words().alone
    return any(_ALONE_STEM.search(cell) and alone.fullmatch(cell) for cell in islice(cells, start, None))


def rows_with_stems(column: Column) -> list[int]:
    """Rows whose text contains a part of a word for a total; one look at all texts together where none does."""
    joined = ("\n" + "\n".join([text or "" for text in column])).lower()
    if not _has_stem(joined):
        return []
    words = _words()
    stems = [stem for stem in (words.bare_ascii if joined.isascii() else words.bare) if stem in joined]
    return [row for row, text in enumerate(column) if text and any(map(text.lower().__contains__, stems))]


def rows_with_word_alone(column: Column) -> list[int]:
    """Rows whose text may be nothing but a word for a total."""
    return [
        row for row, text in enumerate(column) if text and len(text) <= MAX_ALONE_CHARS and _ALONE_STEM.search(text)
    ]


def may_be_alone(data: bytes, start: int = 0) -> bool:
    """Whether bytes, from a place on, contain a word that labels a row also where it fills a later cell."""
    return data.lower().find(b"total", start) >= 0 or (
        _ALONE_LEAD in data and any(map(data.__contains__, _ALONE_BYTES))
    )


def _has_stem(lowered: str) -> bool:
    """Whether texts in lower case, each after a line feed, contain a stem of a word for a total."""
    words = _words()
    if not lowered.isascii():
        return any(map(lowered.__contains__, words.stems))
    # A text in lower case that is not "lower" has no letters: years, ranks and dates are what many tables begin with.
    return (
        lowered.islower()
        and any(map(lowered.__contains__, words.hints))
        and any(map(lowered.__contains__, words.ascii_stems))
    )
