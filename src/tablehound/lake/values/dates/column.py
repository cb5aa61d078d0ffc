"""How a column of dates reads: the order of day and month, and what shortened forms mean."""

from __future__ import annotations

import re
from functools import lru_cache

from tablehound.lake.table import Reading
from tablehound.lake.values.column_rules import MIN_SHARE, by_frequency, has_majority, rounded_share, text_reading
from tablehound.lake.values.dates.forms import ORDERS, Order
from tablehound.lake.values.styles import SERIAL
from tablehound.lake.values.tally import Count, Tally

# How a column of dates reads. Chosen by hand.
SERIAL_DIGITS = 5
"""Digits of the days from 1927 to 2173, as spreadsheets count them."""
MIN_COMPACT = 5
"""Texts of eight digits, and nothing else, that are dates without a name that says so."""
MANY_SHORT_YEARS = 0.5
"""Share of two-digit years from which on a column must be one of dates almost throughout:"""
MIN_SHARE_OF_SHORT = 0.9

_DATE_NAME = re.compile(
    r"(?:^|[\W_])(?:date|day|dates|dob|datum|timestamp|birth(?:day|date)?|born|died)(?:$|[\W_])|Date$"
)


@lru_cache(maxsize=4096)
def _names_date(name: str) -> bool:
    return _DATE_NAME.search(name) is not None or _DATE_NAME.search(name.lower()) is not None


def read_dates(tally: Tally, name: str) -> Reading | None:
    """The reading as dates, or None where too few texts are any."""
    full, loose = tally.dates, tally.compact
    if not (full.distinct or loose.distinct):
        return _serials(tally) if tally.integer_lengths == {SERIAL_DIGITS} and _names_date(name) else None
    dated = _names_date(name)
    # Eight digits are dates in a column of nothing but dates where the name or their number confirms it.
    compact = (
        loose.distinct
        and loose.distinct + full.distinct == tally.valued.distinct
        and (dated or full.distinct or loose.distinct >= MIN_COMPACT)
    )
    counted = Count(full.distinct, full.cells)
    if compact or full.distinct > loose.distinct:
        counted.add(loose.distinct, loose.cells)
    # Bare years read as dates only where full dates are the rule.
    if full.distinct > tally.years.distinct:
        counted.add(tally.years.distinct, tally.years.cells)
    # Two-digit years look like other things written in three parts: those must be dates throughout.
    share = MIN_SHARE if tally.short_years < MANY_SHORT_YEARS * counted.distinct else MIN_SHARE_OF_SHORT
    if not has_majority(tally, counted, share) or not (full.distinct or compact):
        return None
    if tally.seasons and tally.seasons >= tally.months_only / 2 and tally.months_only == full.distinct:
        return text_reading(tally.blanks, tally.nulls, "spans of years, such as 2004-05")
    order, ambiguous, note = _order(tally)
    for orders, count in tally.orders.items():
        if len(orders) > 1 and order not in orders:
            counted.add(-count.distinct, -count.cells)
    styles = dict(tally.date_styles)
    if tally.months_only:
        styles["month"] = tally.months_only
    if counted.distinct > full.distinct:
        if tally.years.distinct and full.distinct > tally.years.distinct:
            styles["year"] = tally.years.cells
        if loose.distinct:
            styles["compact"] = loose.cells
    if tally.timed:
        styles["time"] = tally.timed
    if tally.short_years:
        styles["two-digit year"] = tally.short_years
    notes = [note] if note else []
    if tally.bare_short and tally.bare_short == full.distinct and not dated:
        ambiguous = True
        notes.append("three times two digits read as dates; they fit as codes too")
    if "year" in styles:
        notes.append("bare years read as their first of January")
    if "month" in styles:
        notes.append("months read as their first day")
    return Reading(
        kind="date",
        date_order=order,
        styles=by_frequency(styles),
        ambiguous=ambiguous,
        confidence=rounded_share(counted.distinct, tally.valued.distinct),
        exceptions=tally.valued.cells - counted.cells,
        note="; ".join(notes),
        blanks=tally.blanks,
        nulls=tally.nulls + tally.placeholders.cells,
    )


def _serials(tally: Tally) -> Reading | None:
    """Whole numbers under a name of dates as the days of a spreadsheet."""
    if tally.plain_integers != tally.valued.distinct or tally.codes:
        return None
    return Reading(
        kind="date",
        styles=(SERIAL,),
        ambiguous=True,
        note="whole numbers read as the days of a spreadsheet, which begin at 1899-12-30",
        blanks=tally.blanks,
        nulls=tally.nulls + tally.placeholders.cells,
    )


def _order(tally: Tally) -> tuple[Order, bool, str]:
    """The order that fits most texts; where several fit all, the writing's habit, marked as ambiguous."""
    counted = {order: sum(n.distinct for orders, n in tally.orders.items() if order in orders) for order in ORDERS}
    open_choice = {
        order: sum(n.distinct for orders, n in tally.orders.items() if order in orders and len(orders) > 1)
        for order in ORDERS
    }
    if not any(open_choice.values()):
        return max(ORDERS, key=lambda order: counted[order]), False, ""
    # Texts that leave a choice are read in the order of those that leave none.
    decided = {
        order: sum(n.distinct for orders, n in tally.orders.items() if orders == frozenset({order}))
        if open_choice[order]
        else -1
        for order in ORDERS
    }
    habit: tuple[Order, ...] = (
        ("dmy", "mdy", "ymd") if tally.slashed_dates < tally.dotted_dates else ("mdy", "dmy", "ymd")
    )
    if tally.slashed_dates == 0 and tally.dotted_dates == 0:
        habit = ("dmy", "mdy", "ymd")
    # A four-digit year in front decides nothing about two-digit ones or about day and month behind.
    rivals = [order for order in habit if open_choice[order]]
    if decided.get("ymd", -1) > 0 and open_choice["ymd"] and not tally.short_years:
        decided["ymd"] = 0
    best = max(rivals, key=lambda order: (counted[order], decided[order], -rivals.index(order)))
    equal = [order for order in rivals if counted[order] == counted[best] and decided[order] == decided[best]]
    if len(equal) == 1:
        mixed = sum(decided[order] > 0 for order in rivals) > 1
        if mixed:
            return best, False, f"orders are mixed; doubtful dates read as {best}"
        return best, *_other_marks(tally, best)
    return best, True, f"dates fit {' and '.join(sorted(equal))}; read as {best}"


def _other_marks(tally: Tally, order: Order) -> tuple[bool, str]:
    """Doubtful dates that are written with another mark than those which decide: ``5.6.2020`` beside ``5/13/2020``."""
    deciding = {mark for mark, orders in tally.marks if orders == frozenset({order})}
    doubtful = {mark for mark, orders in tally.marks if len(orders) > 1 and order in orders}
    odd = sorted(doubtful - deciding)
    if not deciding or not odd:
        return False, ""
    return True, f"dates with {' and '.join(map(repr, odd))} read as {order} like the others; another order fits too"
