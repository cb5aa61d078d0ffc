"""Scale and unit in a column's name: ``Revenue ($ millions)``, ``Sales in 000s``, ``area_km2``.

They state what the numbers are counted in; they never change a value.

A number in a name is a scale only where it is written as one: never as part of a larger number (``2,000``), and never
behind words that make it a bound or a base (``per 1,000``, ``under $25,000``, ``out of 100 000``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from tablehound.lake.values.numbers.ambiguous_suffixes import POWERS, alternative
from tablehound.lake.values.units.known import Unit, currency_pattern, is_money, scale_word, unit_of, unit_words
from tablehound.lake.values.units.name_topics import topics_of


@dataclass(frozen=True, slots=True)
class NameScale:
    """What a column's numbers are counted in by its name."""

    factor: Decimal = Decimal(1)
    """How many of the unit a value of 1 is."""
    unit: Unit | None = None
    pct: bool = False
    """The unit is percent by an abbreviation (``win_pct``), which ratios have too."""
    source: str = ""
    alternative: str = ""
    """What else the name could mean."""
    letter_alone: bool = False
    """The scale is one letter alone, such as ``(m)``."""


_NOTHING = NameScale()
_PERCENT_WORD = re.compile(r"(?:[\s_(]|^)(?:percent|percentage|(?P<short>pct|perc))\)?\.?$", re.I)
_BRACKET = re.compile(r"[(\[{]([^()\[\]{}]{1,40})[)\]}]")
_IN = re.compile(r"(?:,|\bin|[-–:/])\s+([^,()\[\]]{1,30})$", re.I)
_ROUND = r"1(?P<sep>[,. '’\u00a0\u202f]?)000(?:(?P=sep)000)?"
_IN_ROUND = re.compile(rf"(?<![\w.,])(?:\bin\s+|[x×*]\s?)({_ROUND}(?:['’]?s)?(?:\s+[^\W\d]\S*)?)\s*(?=$|[)\],;])", re.I)
_THOUSANDS = re.compile(
    r"(?<![\w.])(?<!\d[-–,. '’\u00a0\u2009\u202f])['’]?(?P<zeros>000(?:,000)?)(?:['’]?s)?(?![\w'’]|[,. ]\d)"
    r"|(?<![\w.,])1[,. ]?000['’]?s(?!\w)"
)
_PLURAL = re.compile(
    r"(?<=[^\W\d])[\s_]((?:thousand|million|billion|trillion|crore|lakh)s|(?<=_)(?:thousand|million|billion))$", re.I
)
_BOUND = re.compile(
    r"(?<![^\W\d_])(?:per|under|over|above|below|than|out\s+of|each|every|up\s+to|at\s+(?:least|most)|pro|je|par|por)"
    r"[\s_]*(?:us)?[$€£¥₹(\[{]*[\s_]*$",
    re.I,
)
"""What precedes a number that is a bound or a base."""
_BASE = re.compile(r"(?:[<>≤≥/]|(?<!\w)one|(?<![\w.])1)\s*(?:in\s+)?[$€£¥₹(\[{]*\s*$", re.I)
"""The same before digits."""
_PRICED = re.compile(r"[$€£¥₹]|usd|eur|gbp|jpy|chf|inr|cad|aud|cny", re.I)
_LEAD = re.compile(r"^(?:(?:all\s+)?in|expressed\s+in|figures\s+in|values\s+in|units?:?)\s+", re.I)
_POWER = re.compile(
    r"(?:[x×*]\s?)?(?:10\s?(?:\^|\*\*)?\s?(?P<super>[⁻-]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|10(?:\^|\*\*)(?P<power>-?\d{1,2})"
    rf"|{_ROUND}(?:['’]?s)?)",
    re.I,
)
_LISTED = re.compile("[,;]")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


@lru_cache(maxsize=4096)
def scale_in_name(name: str) -> NameScale:
    """Scale and unit that a column's name gives.

    >>> scale = scale_in_name("Revenue (in $ millions)"); int(scale.factor), scale.unit.name
    (1000000, 'USD')
    >>> int(scale_in_name("Deaths per 100,000").factor), scale_in_name("Temperature [K]").unit.name
    (1, 'K')
    """
    best = _NOTHING
    for phrase in _phrases(name):
        found = _phrase(phrase, name)
        if found is not None:
            best = NameScale(
                best.factor if best.factor != 1 else found.factor,
                unit=best.unit or found.unit,
                source=", ".join(filter(None, (best.source, phrase.strip()))),
                alternative=best.alternative or found.alternative,
                letter_alone=best.letter_alone or found.letter_alone,
            )
    if best.unit is None:
        unit = _trailing_unit(name)
        if unit is not None:
            best = replace(best, unit=unit, source=best.source or unit.name)
    short = _PERCENT_WORD.search(name.rstrip())
    return replace(best, pct=True) if short is not None and short["short"] else best


def _phrases(name: str) -> list[str]:
    """Parts of a name that may be a scale or a unit."""
    found: dict[str, None] = {}
    for pattern in _patterns(name):
        for part in pattern.finditer(name):
            known = part[1][:1].isdigit() and any(part[1] in phrase for phrase in found)
            if not known and not _is_bound(name[: part.start(1)], part[1]):
                found.setdefault(part[1])
    zeros = _THOUSANDS.search(name) if "000" in name and not any("000" in phrase for phrase in found) else None
    if zeros is not None and not _is_bound(name[: zeros.start()], "000"):
        found.setdefault("000,000" if zeros["zeros"] == "000,000" else "000s")
    return list(found)


def _patterns(name: str) -> list[re.Pattern[str]]:
    """The patterns that can match a name at all."""
    patterns = [_BRACKET] if "(" in name or "[" in name or "{" in name else []
    patterns.append(_IN)
    if "000" in name:
        patterns.append(_IN_ROUND)
    if _PRICED.search(name):
        patterns.append(_money_at_end())
    if name[-1:] in "sSnNdD" and any(word in name.lower() for word in ("thousand", "illion", "crore", "lakh")):
        patterns.append(_PLURAL)
    return patterns


def _is_bound(before: str, phrase: str) -> bool:
    return _BOUND.search(before) is not None or (phrase[:1].isdigit() and _BASE.search(before) is not None)


def _phrase(phrase: str, name: str) -> NameScale | None:
    """A bracketed phrase such as ``in thousands``, ``$m``, ``000s of USD``, ``km²``; None when it is something else."""
    text = _LEAD.sub("", phrase.replace("_", " ").strip())
    if text in ("000,000", "000 000"):
        return NameScale(Decimal(10) ** 6)
    if text.lower() in ("k", "m", "b", "mm") or text == "T":
        return _letter(text, name)
    unit = unit_of(text)
    if unit is not None:
        return NameScale(unit=unit)
    if (glued := _attached_scale().fullmatch(text)) is not None:
        thousands = glued["first"] in ("T", "t")
        words = [word for word in ("k" if thousands else glued["first"], glued["money"], glued["behind"]) if word]
        words += [word for word in (glued["sole"], glued["last"]) if word]
        return _of_words(words)
    power = _POWER.match(text)
    if power:
        return _of_power(power, text[power.end() :].strip(), name)
    found = _of_words(re.split(r"\s+of\s+|[\s,;]+", text))
    # A list of units says which parts there are; a list with a scale says it of all.
    return found if found is None or found.factor != 1 or not _LISTED.search(text) else None


def _of_power(found: re.Match[str], rest: str, name: str) -> NameScale | None:
    """``1000 t``, ``10^6``, ``x 1000``."""
    exponent = found["super"] or found["power"]
    power = int(exponent.translate(_SUPERSCRIPTS)) if exponent else found.group().count("000") * 3
    word = rest.split(" ")[0]
    unit = unit_of(rest) or unit_of(word) if rest else None
    in_thousands = unit_words()["names"]
    thousands_of = unit is not None and (unit.name in in_thousands["by_thousands"].split() or is_money(unit))
    if rest and not thousands_of and word.casefold() not in in_thousands["counted"].split():
        return None
    source = found.group()
    # A round number alone in brackets may be anything.
    bare = f"({source})" in name and source.isdigit() and not rest
    return NameScale(
        Decimal(10) ** power, unit=unit, alternative=f"({source}) in the name taken for a scale" if bare else ""
    )


def _of_words(words: list[str]) -> NameScale | None:
    power, found = 0, None
    money = any(is_money(unit_of(word)) for word in words)
    for word in words:
        scale = scale_word(word, money=money)
        if scale is not None:
            power += scale
        elif (unit := unit_of(word)) is not None:
            found = found or unit
        else:
            return None if not power else NameScale(Decimal(10) ** power, unit=found)
    return NameScale(Decimal(10) ** power, unit=found) if power or found else None


def _letter(letter: str, name: str) -> NameScale:
    """A letter alone: the topics of the rest of the name decide whether it is a scale or a unit."""
    low = letter.lower()
    topics = topics_of(_BRACKET.sub(" ", name) if _BRACKET.search(name) else re.sub(r"\W\w+$", " ", name))
    unit = unit_of("K" if low == "k" else letter)
    scaled, plain = NameScale(Decimal(10) ** POWERS[low], letter_alone=True), NameScale(unit=unit)
    counted, measured = bool(topics & {"money", "count"}), bool(topics & {"length", "data"})
    if low == "k":
        if "kelvin" in topics and not topics & {"money", "count"}:
            return plain
        return scaled if counted or letter == "k" else _with_doubt(scaled, letter, unit)
    if low == "mm" or letter == "T":
        return scaled if "money" in topics else plain
    if counted:
        return _with_doubt(scaled if letter != "m" else plain, letter, unit) if measured else scaled
    return plain if measured or letter == "m" else _with_doubt(plain, letter, unit)


def _with_doubt(scale: NameScale, letter: str, unit: Unit | None) -> NameScale:
    return replace(
        scale, alternative=f"the name's {alternative(letter, 'scale' if scale.letter_alone else 'unit', unit)}"
    )


_SCALES = r"thousands?|millions?|billions?|trillions?|tsd\.?|mio\.?|mrd\.?|mn|mln|bn|bln|tn|crores?|cr|lakhs?|mm|k|m|b"


@lru_cache(maxsize=1)
def _attached_scale() -> re.Pattern[str]:
    """``$m``, ``£'000``, ``USD millions``, ``k€``, ``TEUR``."""
    money = rf"(?:{currency_pattern()})"
    return re.compile(
        rf"(?P<first>k|m|mn|mm|mio\.?|mrd\.?|bn|b|t)(?P<money>[$€£¥₹]|eur|usd|gbp|chf)(?P<behind>)"
        rf"|(?P<sole>{money}|usd|eur|gbp|chf)\s?(?P<last>[a-zA-Z]{{1,3}}|'?000'?s?)",
        re.I,
    )


@lru_cache(maxsize=1)
def _money_at_end() -> re.Pattern[str]:
    """A currency with its scale where a name ends."""
    money = r"(?:(?:us|a|c|hk|nz)?[$€£¥₹]|(?<![^\W_])(?:usd|eur|gbp|jpy|chf|inr|cad|aud|cny)(?![a-z](?!$)))"
    scale = rf"(?:{_SCALES}|'?000'?s?)"
    return re.compile(rf"(?:^|(?<=[\s_,]))({money}[\s_]?{scale}|{scale}[\s_]?{money})$", re.I)


def _trailing_unit(name: str) -> Unit | None:
    """``area_km2``, ``price usd``, ``growth %``: a last word that is a unit of two letters or more, or a symbol."""
    if name.rstrip().endswith("%") or _PERCENT_WORD.search(name.rstrip()):
        return unit_of("%")
    found = re.search(r"(?<=[A-Za-z0-9)])[_ ]([A-Za-z]{2,4}[23²³]?|km/h|m/s|[$€£¥₹])$", name.strip())
    if re.search(r"[_ /]K$", name) and "kelvin" in topics_of(name[:-2]):
        return unit_of("K")
    if found and _BOUND.search(name.strip()[: found.start(1)]):
        return None  # mg per kg
    if not found or found[1].casefold() in {"in", "min", "re", "ms", "rs", "no", "d", "cal", "won", "try", "all", "mo"}:
        return None
    unit = unit_of(found[1])
    # Words of time say what is counted from (``birth year``), and bars may be parallel.
    return unit if unit is not None and unit.dimension not in {"percent", "time", "months", "pressure"} else None
