"""Which rows are subtotals: they have a label (``Total``, ``合计`` …) and the arithmetic agrees."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from tablehound.lake.read.batches import Batch, texts_by_column
from tablehound.lake.read.cell_kinds import decimals_in, number_in
from tablehound.lake.read.contract import TableDraft
from tablehound.lake.read.totals.groups import ends_with_sum, group_heads, group_levels, mean_slack, slack_of
from tablehound.lake.read.totals.labels import Column, labelled_rows

# What decides, all by hand, checked on the labelled workbooks of SSTQA.
AGREEING_ONE_IN = 3
"""A labelled row is a subtotal if one in so many of the columns that can be checked agrees."""
LABELLED_ONE_IN = 2
"""Where more than one in so many rows is labelled, the column is about totals and no row adds up others."""
MAX_CANDIDATES = 5_000
"""Labelled rows that are checked per table; a table with more has a column of that word."""
MAX_SECTION_ROWS = 500
"""Rows right above a candidate that are tried as a section of their own."""
FEW_NUMBERS = 64
"""Numbers that are added up one by one; more are added up as an array."""

_COMMA = re.compile(r"\d,\d{1,2}(?:\D|$)|\d\.\d{3},\d")
_POINT = re.compile(r"\d\.(?:\d{1,2}|\d{4,})(?:\D|$)|\d,\d{3}\.\d")
_LESS = re.compile(r"^\s*(?:less|minus|decrease|deduct|減|减)\b\s*[:：]?|^\s*[-−]\s*\D", re.IGNORECASE)
_LESS_HINTS = ("-", "−", "less", "minus", "decrease", "deduct", "減", "减")
_ANY_LESS = re.compile(_LESS.pattern, re.IGNORECASE | re.MULTILINE)
_PLAIN_NUMBERS = re.compile(r"(?:(?:[0-9]{1,20}(?:\.[0-9]{1,19})?)?+\n)*+(?:[0-9]{1,20}(?:\.[0-9]{1,19})?)?+")


def mark_subtotals(draft: TableDraft) -> TableDraft:
    """The draft, its batches read, with its subtotals marked. For tables that are kept as a whole anyway."""
    batches = list(draft.batches)
    draft.batches = batches
    columns = joined_columns(batches, len(draft.header))
    draft.rollup_rows = subtotal_rows(columns, sum(batch.num_rows for batch in batches))
    return draft


def joined_columns(batches: Iterable[Batch], width: int) -> Sequence[Column]:
    """The texts of all batches, column by column."""
    parts = [texts_by_column(batch) for batch in batches]
    return parts[0] if len(parts) == 1 else [[text for part in parts for text in part[i]] for i in range(width)]


def subtotal_rows(columns: Sequence[Column], n_rows: int) -> tuple[int, ...]:
    """0-based indices of the subtotals of a body given column by column."""
    labels = labelled_rows(columns)
    if not labels or len(labels) > min(MAX_CANDIDATES, max(n_rows // LABELLED_ONE_IN, 1)):
        return ()
    less = _less_rows(columns, n_rows)
    # Only a column with a number in a labelled row can be checked.
    telling = [column for column in columns if any(number_in(column[row]) is not None for row in labels)]
    ledgers: list[_Ledger] = []
    found: list[int] = []
    groups: list[int] = []
    past: list[tuple[int, bool, bool]] = []
    for row, end in zip(labels, [*list(labels)[1:], n_rows], strict=True):
        mean = labels[row]
        agreed = judged = 0
        for place, column in enumerate(telling):
            if AGREEING_ONE_IN * agreed >= len(telling):
                # However the other columns judge, enough of them agree: no need to add them up.
                break
            if AGREEING_ONE_IN * (agreed + len(telling) - place) < judged:
                # However the other columns judge, too few agree.
                break
            if place == len(ledgers):
                ledgers.append(_Ledger(column, less))
            ledger = ledgers[place]
            ledger.catch_up(past)
            check = ledger.averages(row) if mean else ledger.adds_up(row, end)
            agreed += check is True
            judged += check is not None
        marked = bool(agreed) and AGREEING_ONE_IN * agreed >= judged
        if not mean and any(ledger.multiplies(row) for ledger in ledgers):
            ledgers += [_Ledger(column, less) for column in telling[len(ledgers) :]]
            start = found[-1] + 1 if found else 0
            heads = group_heads([ledger.at for ledger in ledgers], range(start, row), row)
            groups += heads
            marked = marked or bool(heads)
        if marked:
            found.append(row)
        past.append((row, marked, mean))
    return tuple(sorted([*found, *groups])) if groups else tuple(found)


def _less_rows(columns: Sequence[Column], n_rows: int) -> frozenset[int]:
    first = columns[:2]
    # One search in all texts at once: most tables have no such row.
    joined = "\n".join(text for column in first for text in column if text).lower()
    if not any(map(joined.__contains__, _LESS_HINTS)) or _ANY_LESS.search(joined) is None:
        return frozenset()
    return frozenset(
        index for column in first for index in range(n_rows) if (text := column[index]) and _LESS.match(text)
    )


def with_points(column: Column) -> Column:
    """The column with decimal points, if it has decimal commas: some number shows it and none contradicts it."""
    with_commas = [text for text in column if text and "," in text]
    if not any(map(_COMMA.search, with_commas)) or any(text and _POINT.search(text) for text in column):
        return column
    return [
        text.replace(".", "").replace(",", ".") if text and number_in(text) is not None else text for text in column
    ]


def numbers_of(column: Column) -> tuple[dict[int, float], int]:
    """The numbers of a column by row, and the most digits that one of them has after its decimal point."""
    joined = "\n".join([text or "" for text in column])
    if _PLAIN_NUMBERS.fullmatch(joined) is not None and joined.count("\n") == len(column) - 1:
        # Nothing but plain numbers and gaps, as in most columns: no need to look at each of them.
        found = {row: float(text) for row, text in enumerate(column) if text}
        pointed = [len(text) - text.index(".") - 1 for text in column if text and "." in text] if "." in joined else []
        return found, max(pointed, default=0)
    column = with_points(column)
    at = {row: value for row, text in enumerate(column) if (value := number_in(text)) is not None}
    return at, max([decimals_in(column[row]) for row in at], default=0)


class _Ledger:
    """The numbers of one column, added up while the labelled rows are visited from top to bottom."""

    def __init__(self, column: Column, less: frozenset[int]) -> None:
        self.at, self.decimals = numbers_of(column)
        self.order = list(self.at)
        self.less = less
        self.next = 0
        self.closed = 0
        """Labelled rows that are decided and passed."""
        self.block = _Sum()
        """Rows since the last subtotal."""
        self.above = _Sum()
        """All rows above that are not subtotals."""
        self.subtotals = _Sum()
        self.running = _Sum()
        """The last labelled row and the rows since."""
        self.since: list[float] = []
        """Numbers of the block."""
        self.since_signed: list[float] = []
        self.all = _Sum()
        self.all.extend(list(self.at.values()), self._signed(self.order))

    def _signed(self, rows: list[int]) -> list[float]:
        """The numbers of some rows, those of rows that are labelled as deductions negated."""
        if not self.less:
            return [self.at[row] for row in rows]
        return [-abs(self.at[row]) if row in self.less else self.at[row] for row in rows]

    def _advance(self, row: int) -> None:
        """Take in the rows above a labelled one."""
        end = bisect_left(self.order, row, self.next)
        self._take(self.order[self.next : end])
        self.next = end

    def averages(self, row: int) -> bool | None:
        """Whether the row's number is the mean of the block above, or of all rows above."""
        self._advance(row)
        if row not in self.at or not self.above.count:
            return None
        means = [each.plain / each.count for each in (self.block, self.above) if each.count]
        slack = mean_slack(self.at[row], self.decimals)
        return any(abs(mean - self.at[row]) <= slack for mean in means)

    def multiplies(self, row: int) -> bool:
        """Whether the block above adds up to twice the row's number or more: groups with their own sums above them."""
        value = self.at.get(row)
        return (
            bool(value) and self.block.count > 2 and group_levels(self.block.plain, value or 0.0, self.block.count) > 1
        )

    def adds_up(self, row: int, end: int) -> bool | None:
        """Whether the row's number is a sum of others; none when it has no number or there is nothing to add."""
        self._advance(row)
        if row not in self.at:
            return None
        value = self.at[row]
        below, following = _Sum(), self.order[self.next + 1 : bisect_left(self.order, end, self.next)]
        below.extend([self.at[other] for other in following], self._signed(following))
        sums = [each for each in (self.block, self.above, self.subtotals, self.running, below) if each.count]
        others = self.all.count - 1 - self.subtotals.count
        if not sums and not others:
            return None
        if any(each.near(value, self.decimals) for each in sums):
            return True
        rest = self.all.without(value).without(self.subtotals)
        return (bool(others) and rest.near(value, self.decimals)) or self._ends_above(value)

    def _ends_above(self, value: float) -> bool:
        """Whether two or more numbers right above add up: a subtotal of a section that nothing marks."""
        plain, signed = self.since[-MAX_SECTION_ROWS:], self.since_signed[-MAX_SECTION_ROWS:]
        if len(plain) > FEW_NUMBERS:
            return ends_with_sum(plain, value, self.decimals) or (
                bool(self.less) and ends_with_sum(signed, value, self.decimals)
            )
        widest = slack_of(MAX_SECTION_ROWS, value, self.decimals)
        sums = zip(accumulate(reversed(plain)), accumulate(reversed(signed)), strict=True)
        for count, (one, other) in enumerate(sums, start=1):
            off = min(abs(one - value), abs(other - value))
            if off <= widest and count > 1 and off <= slack_of(count, value, self.decimals):
                return True
        return False

    def _take(self, rows: list[int]) -> None:
        values, signed = [self.at[row] for row in rows], self._signed(rows)
        self.since += values
        self.since_signed += signed
        for each in (self.block, self.above, self.running):
            each.extend(values, signed)

    def catch_up(self, past: Sequence[tuple[int, bool, bool]]) -> None:
        """Pass the labelled rows that were decided since the last look."""
        for row, marked, mean in past[self.closed :]:
            self._advance(row)
            self._close(row, marked, mean)
        self.closed = len(past)

    def _close(self, row: int, marked: bool, mean: bool) -> None:
        """Pass a labelled row: a subtotal starts a new block, any other is an addend like the rest."""
        if row not in self.at:
            return
        self.next += 1
        value = self.at[row]
        if marked and mean:
            return
        if marked:
            self.subtotals.extend([value], [value])
            self.block, self.since, self.since_signed = _Sum(), [], []
        else:
            self._take([row])
        self.running = _Sum()
        self.running.extend([value], [value])


class _Sum:
    """A sum, and the same sum with deductions (rows labelled ``Less: …``) negated."""

    __slots__ = ("count", "plain", "signed")

    def __init__(self) -> None:
        self.count, self.plain, self.signed = 0, 0.0, 0.0

    def extend(self, values: Sequence[float], signed: Sequence[float]) -> None:
        self.count += len(values)
        self.plain = sum(values, self.plain)
        self.signed = sum(signed, self.signed)

    def without(self, other: float | _Sum) -> _Sum:
        rest = _Sum()
        count, plain, signed = (
            (1, other, other) if isinstance(other, float) else (other.count, other.plain, other.signed)
        )
        rest.count, rest.plain, rest.signed = self.count - count, self.plain - plain, self.signed - signed
        return rest

    def near(self, value: float, decimals: int) -> bool:
        slack = slack_of(self.count, value, decimals)
        return abs(self.plain - value) <= slack or abs(self.signed - value) <= slack
