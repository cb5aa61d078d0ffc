"""Columns of digits that are codes: text, since arithmetic and equality of numbers do not apply to them."""

from __future__ import annotations

import re
from functools import lru_cache

from tablehound.lake.values.tally import Tally
from tablehound.lake.values.units.name_topics import topics_of

# When a column of numbers is one of codes. Chosen by hand.
MIN_CODE_SHARE = 0.1
"""Share of the whole numbers that must have leading zeros."""
MIN_PLAIN_SHARE = 0.8
"""Share of plain whole numbers in a column that is one of codes by its name."""
MAX_EXCEPTIONS = 0.05
"""Share of cells that are no numbers, above which a name like ``ticket no`` makes the column one of codes."""
MIN_VERSIONS = 0.8
"""Share of the numbers that must have a fraction for versions."""

_CODE = re.compile(
    r"(?:^|[\W_])(?:zip|post(?:al)?|zipcode|postcode|postalcode|plz|phone|telephone|tel|fax|mobile|isbn|issn|iban)"
    r"(?:[\W_]*(?:numbers?|no|nr|num|codes?))?\W*$"
)
"""Names whose whole numbers are codes: what the name ends in (``phone_id`` counts phones)."""
_CODE_LIKE = re.compile(
    r"(?:^|[\W_])(?:(?:part|ticket|order|invoice|serial|model|item|account|acct|catalog(?:ue)?|case|batch|lot|article|product"
    r"|tracking|po|job|flight|room|plate|registration|reg|bib|policy|claim|member|customer|material|asset|stock|drawing"
    r"|document|doc|patent|license|licence|permit|contract|train|bus|route|gate|seat|unit|well|sample|specimen)"
    r"[\W_]*(?:numbers?|no|nr|num|codes?|ids?|#)|codes?|skus?|ids?|refs?|references?|identifiers?|barcodes?|mpn|ean|upc|vin)\W*$"
)
"""Names of things that are told apart by codes, some of which may be plain numbers."""
_VERSION = re.compile(
    r"(?:^|[\W_])(?:versions?|releases?|ver|rev(?:ision)?s?|builds?|sections?|clauses?|chapters?|paragraphs?|articles?"
    r"|§|outline|headings?|toc)(?:[\W_]*(?:numbers?|no|nr|num|ids?))?\W*$"
)


def code_note(tally: Tally, name: str, exceptions: int) -> str:
    """Why a column that reads as numbers is one of codes; empty where it is none.

    Args:
        exceptions: cells that do not read as numbers.
    """
    plain, numbers = tally.plain_integers, tally.numbers().distinct
    if tally.native:
        return "codes: kept as text" if plain and _matches(_CODE, name) else ""
    if tally.codes and (tally.codes >= MIN_CODE_SHARE * plain or len(tally.integer_lengths) == 1):
        return "codes: kept as text"
    if plain >= MIN_PLAIN_SHARE * numbers and not tally.units() and _matches(_CODE, name):
        return "codes: kept as text"
    if tally.exponent_codes and _has_exponent_codes(tally, name, numbers):
        return "codes such as 1E3: kept as text"
    if exceptions > MAX_EXCEPTIONS * tally.valued.cells and _matches(_CODE_LIKE, name):
        return "codes, some of them digits alone: kept as text"
    if tally.fractions and _are_versions(tally, name, numbers):
        return "versions such as 1.10: kept as text"
    return ""


def _has_exponent_codes(tally: Tally, name: str, numbers: int) -> bool:
    """Whether ``1E3`` is a code: the column has plain numbers too, or exponents such as no program writes."""
    if tally.impossible_exponents or _matches(_CODE_LIKE, name) or _matches(_CODE, name):
        return True
    return tally.exponent_codes < numbers and tally.scientific == tally.exponent_codes


def _are_versions(tally: Tally, name: str, numbers: int) -> bool:
    """Versions by the column's name; else by cells that differ and are one number, where the precision varies and
    nothing shows that the numbers measure something."""
    if tally.units() or numbers != tally.valued.distinct:
        return False
    if _matches(_VERSION, name):
        return len(tally.fractions) > tally.plain_integers
    if topics_of(name) or tally.plain_integers > (1 - MIN_VERSIONS) * numbers:
        return False
    equal = {text.rstrip("0") for text in tally.fractions if text[-1] == "0"} & tally.fractions
    wholes = {text.partition(".")[0] for text in tally.fractions}
    counted = {text.partition(".")[2] for text in tally.fractions}
    return bool(equal) and len(wholes) <= max(1, len(tally.fractions) // 2) and any(len(part) > 1 for part in counted)


@lru_cache(maxsize=4096)
def _matches(pattern: re.Pattern[str], name: str) -> bool:
    return pattern.search(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()) is not None
