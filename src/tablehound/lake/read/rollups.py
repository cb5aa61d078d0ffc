"""Roll-up rows: rows that add up others, so that sums can leave them out.

A row counts as one when a label says so (``Total``, ``Subtotal``, ``合计`` …) and the arithmetic agrees.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter

from tablehound.lake.read.cell_kinds import decimals_in, number_in
from tablehound.lake.read.draft import TableDraft

_LABEL = re.compile(
    r"\b(?:sub|grand)?[- ]?totals?\b|^\W*(?:overall|sum|summe|summa|all|aggregate|summation)\W*$|\bgesamt|"
    r"insgesamt|zwischensumme|\btotale?s?\b|\bsomme\b|\bsuma\b|\btotaal\b|\byhteensä\b|\brazem\b|\bogółem\b|"
    r"итого|всего|合计|小计|总计|共计|合計|小計|総計|總計|총계|합계|소계",
    re.IGNORECASE,
)
_STEMS = (
    "total", "totaal", "overall", "gesamt", "zwischensumme", "somme", "suma",
    "yhteensä", "razem", "ogółem", "итого", "всего", "合计", "小计", "总计", "共计", "合計", "小計", "総計", "總計",
    "총계", "합계", "소계", "\nsum", "\nall", "\naggregate", "average", "avg", "mean", "durchschnitt", "mittelwert",
    "moyenne", "promedio", "media", "gemiddelde", "среднее", "平均",
)  # fmt: skip
"""What a column in lower case must contain somewhere for ``_LABEL`` to match."""
_ASCII_STEMS = tuple([stem for stem in _STEMS if stem.isascii()])
_ALONE = re.compile(r"\W*(?:sub|grand)?[- ]?totals?\W*|合计|小计|总计|共计|合計|小計|総計|總計", re.IGNORECASE)
_MEAN = re.compile(
    r"^\W*(?:(?:grand |overall )?average|avg|mean|durchschnitt|mittelwert|moyenne|promedio|media|gemiddelde|среднее)\b"
    r"|平均",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"[(（\[].*?[)）\]]")
_COMMA = re.compile(r"\d,\d{1,2}(?:\D|$)|\d\.\d{3},\d")
_POINT = re.compile(r"\d\.(?:\d{1,2}|\d{4,})(?:\D|$)|\d,\d{3}\.\d")
_LESS = re.compile(r"^\s*(?:less|minus|decrease|deduct|減|减)\b\s*[:：]?|^\s*[-−]\s*\D", re.IGNORECASE)
MAX_SECTION_ROWS = 500
"""Rows right above a candidate that are tried as a section of their own."""
MAX_ROLLUP_CANDIDATES = 5_000
"""Rows with such a label that are checked per table; a table with more has a column of that word."""

Column = Sequence[str | None]
_BYTE_STEMS = tuple(stem.strip().encode() for stem in _STEMS)


def may_hold_rollups(data: bytes) -> bool:
    """Whether a text has any word that calls a row a total: a quick look, before rows are looked at one by one."""
    lowered = data.lower()
    return any(map(lowered.__contains__, _BYTE_STEMS)) or b"\0" in data[:4]


def may_label_rollups(rows: Sequence[Sequence[str]], text: str) -> bool:
    """The same for the rows of a small table: only the first texts of rows count, and totals that fill a cell."""
    firsts = list(map(itemgetter(0), rows))
    if "" in firsts:
        firsts = [next(filter(None, row), "") for row in rows]
    labels = "\n" + "\n".join(firsts).lower()
    if any(map(labels.__contains__, _ASCII_STEMS if labels.isascii() else _STEMS)):
        return True
    if "total" not in text.lower() and "计" not in text and "計" not in text:
        return False
    return any(_ALONE.fullmatch(cell) for row in rows for cell in row)


def mark_rollups(draft: TableDraft) -> TableDraft:
    """The draft, its batches read, with its roll-up rows marked. For tables that are held as a whole anyway."""
    batches = list(draft.batches)
    draft.batches = batches
    width = len(draft.header)
    columns = [[text for batch in batches for text in batch.column(place).to_pylist()] for place in range(width)]
    draft.rollup_rows = rollup_rows(columns, sum(batch.num_rows for batch in batches))
    return draft


def is_total_label(text: str) -> bool:
    """Whether a label names a sum or an average."""
    return _MEAN.search(text) is not None or _LABEL.search(_ASIDE.sub("", text)) is not None


def rollup_rows(columns: Sequence[Column], n_rows: int) -> tuple[int, ...]:
    """0-based indices of the roll-up rows of a body given column by column."""
    labels = _labelled(columns, n_rows)
    if not labels or len(labels) > MAX_ROLLUP_CANDIDATES or len(labels) > max(n_rows // 2, 1):
        return ()
    less = _less_rows(columns, n_rows)
    ledgers = [ledger for ledger in (_Ledger(column, less) for column in columns) if ledger.order]
    found: list[int] = []
    for row, end in zip(labels, [*list(labels)[1:], n_rows], strict=True):
        mean = labels[row]
        checks = [ledger.averages(row) if mean else ledger.adds_up(row, end) for ledger in ledgers]
        agreed = sum(check is True for check in checks)
        judged = sum(check is not None for check in checks)
        marked = bool(agreed) and 3 * agreed >= judged
        if marked:
            found.append(row)
        for ledger in ledgers:
            ledger.close(row, marked, mean)
    return tuple(found)


def _labelled(columns: Sequence[Column], n_rows: int) -> dict[int, bool]:
    """Rows that a label calls a total: their first text does, or some cell says nothing else. True for averages."""
    rows: dict[int, bool] = {}
    for place, column in enumerate(columns):
        # A look at the joined column, which is fast, tells whether it is worth going through cell by cell.
        joined = "\n" + "\n".join(filter(None, column)).lower()
        if not any(stem in joined for stem in _STEMS):
            continue
        for index, text in enumerate(column):
            if not text or len(text) > 80 or index in rows:
                continue
            mean = _MEAN.search(text) is not None
            if not mean and not _LABEL.search(_ASIDE.sub("", text)):
                continue
            first = not any(other[index] and other[index] != text for other in columns[:place])
            if (first and number_in(text) is None) or _ALONE.fullmatch(text):
                rows[index] = mean
    return dict(sorted(rows.items()))


def _less_rows(columns: Sequence[Column], n_rows: int) -> frozenset[int]:
    return frozenset(
        index for column in columns[:2] for index in range(n_rows) if (text := column[index]) and _LESS.match(text)
    )


def _with_points(column: Column) -> Column:
    """The column with decimal points, if it has decimal commas: some number says so and none speaks against it."""
    if not any(text and _COMMA.search(text) for text in column) or any(text and _POINT.search(text) for text in column):
        return column
    return [
        text.replace(".", "").replace(",", ".") if text and number_in(text) is not None else text for text in column
    ]


class _Ledger:
    """The numbers of one column, added up while the labelled rows are visited from top to bottom."""

    def __init__(self, column: Column, less: frozenset[int]) -> None:
        column = _with_points(column)
        self.at = {row: value for row, text in enumerate(column) if (value := number_in(text)) is not None}
        self.order = list(self.at)
        self.less = less
        self.decimals = max((decimals_in(column[row]) for row in self.order), default=0)
        self.next = 0
        self.block = _Sum()
        """Rows since the last roll-up."""
        self.above = _Sum()
        """All rows above that are no roll-ups."""
        self.subtotals = _Sum()
        self.running = _Sum()
        """The last labelled row and the rows since."""
        self.since: list[int] = []
        """Rows of the block."""
        self.all = _Sum()
        for row in self.order:
            self.all.add(self.at[row], row in less)

    def _advance(self, row: int) -> None:
        """Take in the rows above a labelled one."""
        while self.next < len(self.order) and self.order[self.next] < row:
            self._take(self.order[self.next])
            self.next += 1

    def averages(self, row: int) -> bool | None:
        """Whether the row's number is the mean of the block above, or of all rows above."""
        self._advance(row)
        if row not in self.at or not self.above.count:
            return None
        means = [each.plain / each.count for each in (self.block, self.above) if each.count]
        slack = max(0.5 * 10**-self.decimals, 1e-9 * abs(self.at[row]), 1e-9)
        return any(abs(mean - self.at[row]) <= slack for mean in means)

    def adds_up(self, row: int, end: int) -> bool | None:
        """Whether the row's number is a sum of others; none when it has no number or there is nothing to add."""
        self._advance(row)
        if row not in self.at:
            return None
        value = self.at[row]
        below = _Sum()
        for other in self.order[self.next + 1 :]:
            if other >= end:
                break
            below.add(self.at[other], other in self.less)
        rest = self.all.without(value).without(self.subtotals)
        sums = [self.block, self.above, self.subtotals, self.running, below, rest]
        if not any(each.count for each in sums):
            return None
        return any(each.count and each.near(value, self.decimals) for each in sums) or self._ends_above(value)

    def _ends_above(self, value: float) -> bool:
        """Whether two or more numbers right above add up: a subtotal of a section that nothing marks."""
        run = _Sum()
        for row in reversed(self.since[-MAX_SECTION_ROWS:]):
            run.add(self.at[row], row in self.less)
            if run.count > 1 and run.near(value, self.decimals):
                return True
        return False

    def _take(self, row: int) -> None:
        self.since.append(row)
        for each in (self.block, self.above, self.running):
            each.add(self.at[row], row in self.less)

    def close(self, row: int, marked: bool, mean: bool) -> None:
        """Go past a labelled row: a roll-up starts a new block, any other is an addend like the rest."""
        if row not in self.at:
            return
        self.next += 1
        value = self.at[row]
        if marked and mean:
            return
        if marked:
            self.subtotals.add(value, False)
            self.block, self.since = _Sum(), []
        else:
            self._take(row)
        self.running = _Sum()
        self.running.add(value, False)


class _Sum:
    """A sum, also with the rows taken away that say so (``Less: …``)."""

    __slots__ = ("count", "plain", "signed")

    def __init__(self) -> None:
        self.count, self.plain, self.signed = 0, 0.0, 0.0

    def add(self, value: float, less: bool) -> None:
        self.count += 1
        self.plain += value
        self.signed += -value if less and value > 0 else value

    def without(self, other: float | _Sum) -> _Sum:
        rest = _Sum()
        count, plain, signed = (
            (1, other, other) if isinstance(other, float) else (other.count, other.plain, other.signed)
        )
        rest.count, rest.plain, rest.signed = self.count - count, self.plain - plain, self.signed - signed
        return rest

    def near(self, value: float, decimals: int) -> bool:
        # Each printed addend may be off by half a unit of its last digit.
        slack = 0.5 * 10**-decimals * min(self.count, 20) if decimals else 0.0
        slack = max(slack, 1e-9 * abs(value), 1e-9)
        return abs(self.plain - value) <= slack or abs(self.signed - value) <= slack
