"""Numbers as people and benchmarks write them: the form of one text, before its column decides how it is read.

A text with separators often reads in two ways (``1,234``); a :class:`NumberForm` keeps them all as *ways*, pairs of
decimal and thousands separator. The column chooses.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from tablehound.lake.values.missing import bare
from tablehound.lake.values.numbers.ambiguous_suffixes import FLAGS, POWERS, SIDES, is_unit
from tablehound.lake.values.numbers.roman import fits_among_numbers, parse_roman
from tablehound.lake.values.numbers.spelled import parse_spelled, starts_spelled
from tablehound.lake.values.numbers.suffixes import parse_suffix
from tablehound.lake.values.styles import DEBIT_CREDIT, FLAGGED, SHORT_MAGNITUDE
from tablehound.lake.values.units.known import Unit, currency_pattern, is_money, unit_of

Way = tuple[str | None, str | None]
"""Decimal and thousands separator that a writing uses; None where it does not show."""

DOUBTFUL_POINT: tuple[Way, ...] = ((None, "."), (".", None))
"""``1.234``"""
DOUBTFUL_COMMA: tuple[Way, ...] = ((None, ","), (",", None))
"""``1,234``"""

MAX_DIGITS = 18
"""Longer runs of digits without separators are codes, not amounts."""

_TRANSLATE = str.maketrans(
    {"−": "-", "‐": "-", "‑": "-", "–": "-", "﹣": "-", "－": "-", "＋": "+", "’": "'", "ʼ": "'", "‘": "'", "´": "'"}
    | {
        "\u00a0": " ",
        "\u2009": " ",
        "\u202f": " ",
        "\u2007": " ",
        "\t": " ",
        "\n": " ",
        "\u207b": "-",
        "＄": "$",
        "％": "%",
        "．": ".",
    }
    | {"，": ","}
    | {"٫": ".", "٬": ","}
    | {chr(0xFF10 + d): str(d) for d in range(10)}
    | {chr(0x0660 + d): str(d) for d in range(10)}
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPER_RUN = re.compile(r"(?<=10)[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_TIED = re.compile(r"(?:[tT]-?|=)(\d{1,3})|(\d{1,3})\s?(?:=|[tT])")
_PLAIN = re.compile(r"[-+]?\d+")
_GROUPS = {
    separator: re.compile(rf"[1-9]\d{{0,2}}(?:{re.escape(separator)}\d{{3}})+")
    for separator in (",", ".", "'", " ", "_")
}
_INDIAN = re.compile(r"[1-9]\d?(?:,\d{2})+,\d{3}")
_MONEY_PARENTHESIS = re.compile(r"[^\d(]{1,5}\(.*\)")
FRACTIONS = {
    "½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "0.333333333333333", "⅔": "0.666666666666667", "⅕": "0.2", "⅖": "0.4",
    "⅗": "0.6", "⅘": "0.8", "⅙": "0.166666666666667", "⅚": "0.833333333333333", "⅛": "0.125", "⅜": "0.375",
    "⅝": "0.625", "⅞": "0.875",
}  # fmt: skip
"""Fractions that are one character."""
_FRACTION = re.compile(rf"([-+]?)(\d{{1,9}})?\s?([{''.join(FRACTIONS)}])")
_FRACTION_WAYS: tuple[Way, ...] = ((None, None),)
_SECOND = re.compile(r"\(\s*(\d{1,4})\s*\)$")
_EXPONENT_CODE = re.compile(r"(\d+)[eE](\d+)")
_ERA = re.compile(
    r"(?:(?:ca?\.|ca?|~|≈|circa|about)\s*)?(?:(A\.?D\.?)\s*)?(\d{1,4})\s*(B\.?C\.?(?:E\.?)?|A\.?D\.?|C\.?E\.?)?"
)
"""A year with its era, in capitals: ``490 BC``, ``AD 79``."""
_EXPONENT = re.compile(r"(?:[eE]|\s?[×xX*·⋅]\s?10\s?(?:\^|\*\*)?)\s?(?:\(([-+]?\d{1,4})\)|([-+]?\d{1,4}))")


@lru_cache(maxsize=1)
def _prefix_and_digits() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<about>[~≈]|ca?\.|approx\.|about)?\s?(?P<sign>[-+±])?\s?(?P<money>{currency_pattern()})?\s?(?P<sign2>[-+])?"
        r"(?P<digits>\d(?:[\d.,'_]|\s(?=\d))*(?<=\d)|[.,]\d+)",
        re.I,
    )


@dataclass(frozen=True, slots=True)
class NumberForm:
    """One text as a number. Either ``value`` is known (words, Roman), or ``digits`` are, to be read in one of the
    ``ways``. The number is then multiplied by ``factor`` and 10 to the ``power``."""

    digits: str = ""
    ways: tuple[Way, ...] = ((None, None),)
    value: Decimal | None = None
    power: int = 0
    negative: bool = False
    unit: Unit | None = None
    style: str = "plain"
    scaled: bool = False
    """The cell says its own scale (``3 million``)."""
    parenthesised: bool = False
    paired: bool = False
    """Goals, behinds and the total of an Australian football match (``7.9 (51)``), which are no decimal."""
    code: bool = False
    """Leading zeros, or too many digits: rather a code than an amount."""
    exponent_code: Literal["", "normal", "odd"] = ""
    """Whole digits with a bare exponent, as codes have them; ``odd`` (``32E0134``) as no program writes a number."""
    suffix: str = ""
    """A letter behind the number, a scale in one column and ``unit`` in another (:func:`with_resolved_suffix`)."""
    spaced: bool = False
    """The suffix follows a blank."""

    def number(self, decimal: str) -> Decimal | None:
        """The value where ``decimal`` is the column's separator; None where the writing excludes that."""
        if self.value is not None:
            number = self.value
        else:
            way = next((w for w in self.ways if w[0] in (None, decimal) and w[1] != decimal), None)
            if way is None:
                # A writing that shows both separators reads in one way only, whatever the rest of the column does.
                way = next((w for w in self.ways if w[0] and w[1]), None)
            if way is None:
                return None
            text = self.digits.replace(way[1], "") if way[1] else self.digits
            number = Decimal(text.replace(way[0], ".") if way[0] else text)
        number = number.scaleb(self.power) if self.power else number
        return -number if self.negative else number

    @property
    def fraction(self) -> bool:
        """Whether the digits have a fraction, or one that could be grouped digits behind a point."""
        return self.ways[0][0] is not None or self.ways == DOUBTFUL_POINT


def with_resolved_suffix(form: NumberForm, column_unit: Unit | None, styles: Collection[str]) -> NumberForm:
    """The form with its letter taken for the unit or the scale that it is in a column with such unit and styles."""
    if DEBIT_CREDIT in styles and form.suffix in SIDES:
        return replace(form, negative=form.negative != (form.suffix[0] == "D"), suffix="")
    if FLAGGED in styles and form.suffix in FLAGS and form.spaced:
        return replace(form, unit=None, suffix="")
    if not form.suffix or is_unit(form.unit, column_unit) or SHORT_MAGNITUDE not in styles:
        return form
    return as_scaled(form)


def as_scaled(form: NumberForm) -> NumberForm:
    """The form with its letter taken for a scale."""
    power = POWERS.get(form.suffix.lower())
    if power is None:
        return form
    unit = form.unit if is_money(form.unit) else None
    return replace(form, power=form.power + power, unit=unit, scaled=True, suffix="")


def clean(text: str) -> str:
    """The text with look-alikes of signs, spaces, apostrophes and digits made plain."""
    stripped = bare(text)
    if stripped.isascii():
        return stripped
    # An exponent in superscript becomes ``^7``; a superscript that follows nothing numeric is a footnote's and stays.
    stripped = _SUPER_RUN.sub(lambda run: "^" + run.group().translate(_SUPERSCRIPTS), stripped)
    return stripped.translate(_TRANSLATE).strip()


@lru_cache(maxsize=1024)
def ways_of(digits: str) -> tuple[Way, ...]:
    """All ways to read digits with separators; empty where there is none.

    >>> ways_of("1,234"), ways_of("1.234,56"), ways_of("12,34,567"), ways_of("1,2,3")
    (((None, ','), (',', None)), ((',', '.'),), ((None, ','),), ())
    """
    return _ways(digits)


def _ways(digits: str) -> tuple[Way, ...]:
    marks = [c for c in digits if not c.isdigit()]
    kinds = list(dict.fromkeys(marks))
    if not kinds:
        return ((None, None),)
    if len(kinds) > 2:
        return ()
    ways: list[Way] = []
    last = kinds[-1]
    if len(kinds) == 2:
        whole, _, _ = digits.rpartition(last)
        if marks.count(last) == 1 and last in ".," and _grouped(whole, kinds[0]):
            ways.append((last, kinds[0]))
        return tuple(ways)
    if _grouped(digits, last):
        ways.append((None, last))
    if marks.count(last) == 1 and last in ".,":
        ways.append((last, None))
    return tuple(ways)


def _grouped(digits: str, separator: str) -> bool:
    pattern = _GROUPS.get(separator)
    if pattern is None:
        return False
    return pattern.fullmatch(digits) is not None or (separator == "," and _INDIAN.fullmatch(digits) is not None)


Roman = Literal["none", "some", "all"]
"""Whether Roman numerals count: not at all, those that suit a column of other numbers, or all."""


def number_form(text: str, *, roman: Roman = "none", tied: bool = True) -> NumberForm | None:
    """How a text reads as a number, or None. Roman numerals only where asked for, as most of them are words; ``3T`` is
    a place that is shared unless ``tied`` is False."""
    stripped = clean(text)
    if not stripped or len(stripped) > 400:
        return None
    if _PLAIN.fullmatch(stripped):
        return _plain(stripped)
    if stripped[-1] in "CDE." or stripped[0] in "AB":
        era = _ERA.fullmatch(stripped)
        if era is not None and bool(era[1]) != bool(era[3]):
            return NumberForm(era[2], negative=(era[3] or "")[:1] == "B", style="era")
    shared = _TIED.fullmatch(stripped) if tied else None
    if shared:
        suffix = "T" if stripped[-1] == "T" else ""
        return NumberForm(shared[1] or shared[2], style="tied", suffix=suffix)
    if not stripped.isascii() and (fraction := _FRACTION.match(stripped)) is not None:
        return _fractional(stripped, fraction)
    front = _prefix_and_digits().match(stripped.removeprefix("(") if stripped[0] == "(" else stripped)
    if front is None:
        marked = _sign_outside(stripped) if stripped[0] == "%" or stripped[-1] == ")" else None
        return marked or _words(stripped, roman=roman)
    if stripped[0] == "(":
        return _parenthesised(stripped)
    return _written(stripped, front)


def _plain(text: str) -> NumberForm | None:
    digits = text.lstrip("+-")
    # A plus sign before a long number without separators is a telephone's.
    if text[0] == "+" and len(digits) > 6:
        return None
    code = (digits[0] == "0" and len(digits) > 1) or len(digits) > MAX_DIGITS
    return NumberForm(digits, negative=text[0] == "-", code=code)


def _fractional(text: str, found: re.Match[str]) -> NumberForm | None:
    """``½``, ``2½ cups``."""
    rest = parse_suffix(text[found.end() :], "1", None)
    if rest is None or rest.style == "ordinal":
        return None
    value = Decimal(found[2] or 0) + Decimal(FRACTIONS[found[3]])
    return NumberForm(
        "", _FRACTION_WAYS, value, rest.power, (found[1] == "-") or rest.minus, rest.unit, rest.style or "fraction"
    )


def _sign_outside(text: str) -> NumberForm | None:
    """A sign before the amount that is usually written behind it or within: ``% 5``, ``$(6.50)``."""
    if text[0] == "%" and text[1:].strip()[-1:].isdigit():
        return number_form(f"{text[1:].strip()}%")
    if text[-1] == ")" and _MONEY_PARENTHESIS.fullmatch(text):
        mark, _, inner = text.partition("(")
        if is_money(unit_of(mark)):
            return number_form(f"({mark.strip()}{inner}" if inner[:1].isdigit() else "")
    return None


def _parenthesised(text: str) -> NumberForm | None:
    """``(1,234)``: negative, as accountants write it."""
    close = text.rfind(")")
    if close < 0 or text[close + 1 :].strip(" %"):
        return None
    inner = number_form(text[1:close].strip() + text[close + 1 :])
    if inner is None or inner.negative or inner.style in {"spelled", "ordinal", "roman"}:
        return None
    style = "parentheses" if inner.style in {"plain", "separated"} else inner.style
    return replace(inner, negative=True, style=style, parenthesised=True, paired=False, code=False)


def _written(text: str, front: re.Match[str]) -> NumberForm | None:
    digits = front["digits"]
    signs = (front["sign"] or "") + (front["sign2"] or "")
    if len(signs) > 1 or (signs and front["about"]):
        return None
    if signs == "+" and " " in digits.strip():
        return None  # a telephone number
    negative = "-" in signs
    style = "approximate" if front["about"] or signs == "±" else "plain"
    money = unit_of(front["money"]) if front["money"] else None
    tail = text[front.end() :]
    power = 0
    exponent = _EXPONENT.match(tail)
    if exponent:
        power = int(exponent[1] or exponent[2])
        tail, style = tail[exponent.end() :], "scientific"
        if abs(power) > 300:
            return None
    rest = parse_suffix(tail, digits, money)
    if rest is None:
        return None
    minus, tail_style = rest.minus, rest.style
    if minus and (negative or signs):
        return None
    digits = digits if " " not in digits else re.sub(r"\s", " ", digits)
    ways = ways_of(digits)
    if not ways:
        return None
    if money:
        style = "currency"
    elif tail_style:
        style = tail_style
    elif style == "plain" and ways[0][1] and ways != DOUBTFUL_POINT:
        style = "separated"
    code = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    second = _SECOND.search(tail) if tail_style == "note" else None
    paired = second is not None and _is_match_score(digits, int(second[1]))
    if digits[0] in ".,":
        digits = "0" + digits
    return NumberForm(
        digits,
        ways,
        None,
        power + rest.power,
        negative or minus,
        rest.unit,
        style,
        scaled=rest.power != 0,
        paired=paired,
        code=code,
        exponent_code=_exponent_code(text) if exponent is not None else "",
        suffix=rest.suffix,
        spaced=rest.spaced,
    )


def _exponent_code(text: str) -> Literal["", "normal", "odd"]:
    found = _EXPONENT_CODE.fullmatch(text)
    if found is None:
        return ""
    return "odd" if len(found[1]) > 1 or len(found[2]) > 2 else "normal"


def _is_match_score(digits: str, total: int) -> bool:
    goals, point, behinds = digits.partition(".")
    return bool(point) and goals.isdecimal() and behinds.isdecimal() and 6 * int(goals) + int(behinds) == total


def _words(text: str, *, roman: Roman) -> NumberForm | None:
    lowered = text.lower()
    if starts_spelled(lowered):
        spelled = parse_spelled(lowered)
        if spelled is not None:
            return NumberForm(value=spelled[0], style="ordinal" if spelled[1] else "spelled")
        return _spelled_unit(lowered)
    if roman == "all" or (roman == "some" and fits_among_numbers(text)):
        number = parse_roman(text)
        if number is not None:
            return NumberForm(value=Decimal(number), style="roman")
    return None


def _spelled_unit(lowered: str) -> NumberForm | None:
    """``forty-five percent``, ``five dollars``, ``twelve km``: a known unit after the words."""
    head, _, last = lowered.rpartition(" ")
    unit = unit_of(last)
    if not head or unit is None:
        return None
    spelled = parse_spelled(head)
    return NumberForm(value=spelled[0], unit=unit, style="spelled") if spelled and not spelled[1] else None
