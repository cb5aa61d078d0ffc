"""Units and scales: in cells (``12 km``, ``$3.2 million``), in headers (``Revenue ($ millions)``, ``area_km2``).

A unit has a name, a dimension, and a factor to the dimension's base; cells in another unit of the same dimension are
converted to the column's. Currencies are dimensions of their own: no rates are known here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure, a currency, or a counted noun (``factor`` 0: not convertible)."""

    name: str
    dimension: str
    factor: Decimal = Decimal(0)


_MEASURES = {
    "length": "mm:0.001:millimetre,millimeter cm:0.01:centimetre,centimeter m:1:metre,meter,mtr km:1000:kilometre,"
    "kilometer,kms in:0.0254:inch,inches,″ ft:0.3048:foot,feet,′ yd:0.9144:yard mi:1609.344:mile nmi:1852:",
    "area": "m²:1:m2,sqm,sq.m,sq.m.,sq_m km²:1000000:km2,sqkm,sq.km,sq.km.,sq_km ha:10000:hectare ac:4046.8564224:acre "
    "mi²:2589988.110336:sqmi,mi2,sq.mi,sq.mi.,sq_mi ft²:0.09290304:sqft,ft2,sq.ft,sq_ft",
    "volume": "ml:0.001:millilitre,milliliter cl:0.01: l:1:litre,liter,ltr m³:1000:m3 gal:3.785411784:gallon "
    "cc:0.001:cm3,cm³",
    "mass": "mg:0.000001:milligram g:0.001:gram,gm kg:1:kilogram,kgs,kilo t:1000:tonne lb:0.45359237:lbs,pound "
    "oz:0.028349523125:ounce",
    "time": "ms:0.001:millisecond s:1:sec,second,secs min:60:minute,mins h:3600:hr,hour,hrs d:86400:day wk:604800:week",
    "months": "mo:1:month,mos yr:12:year,yrs",
    "speed": "m/s:1:mps km/h:0.2777777777777777777777777778:kmh,kph,kmph mph:0.44704:mi/h kn:0.5144444444444444444444:"
    "knot,kt,kts",
    "power": "W:1:watt kW:1000:kilowatt MW:1000000:megawatt GW:1000000000:gigawatt hp:745.69987158227022:horsepower,"
    "bhp PS:735.49875:",
    "energy": "J:1:joule kJ:1000: MJ:1000000: kWh:3600000: MWh:3600000000: GWh:3600000000000: cal:4.184:calorie "
    "kcal:4184:",
    "data": "B:1:byte kB:1000:kilobyte MB:1000000:megabyte GB:1000000000:gigabyte TB:1000000000000:terabyte",
    "frequency": "Hz:1:hertz kHz:1000: MHz:1000000: GHz:1000000000:",
    "pressure": "Pa:1: hPa:100:mbar kPa:1000: bar:100000:",
    "voltage": "mV:0.001: V:1:volt kV:1000:",
    "temperature C": "°C:1:degc,℃",
    "temperature F": "°F:1:degf,℉",
    "angle": "°:1:deg,degree",
    "percent": "%:1:percent,pct,percentage,pct. ‰:0.1:permille,promille",
}
_CURRENCIES = (
    "USD:$,us$,dollar,us dollar,u.s. dollar,usd$ EUR:€,euro GBP:£,pound sterling,uk£ JPY:¥,yen INR:₹,rs,rs.,rupee,re "
    "KRW:₩,won RUB:₽,rouble,ruble TRY:₺ UAH:₴ ILS:₪ VND:₫ PHP:₱ NGN:₦ THB:฿,baht CAD:c$,ca$,can$ AUD:a$,au$ NZD:nz$ "
    "HKD:hk$ SGD:s$,sg$ BRL:r$ MXN:mx$ CHF:fr.,sfr,sfr. SEK: NOK: DKK: PLN:zł CZK:kč HUF:ft. CNY:rmb,yuan ZAR: AED: "
    "SAR: IDR:rp MYR:rm TWD:nt$ KZT:₸ GEL:₾ BDT:৳ BTC:₿"
)
_MAGNITUDES = {
    3: "thousand thousands k 000 000s '000 '000s 000's ths thsd tsd tsd.",
    5: "lakh lakhs lac lacs",
    6: "million millions mn mln mio mio. mil mill mill. m mm",
    7: "crore crores cr",
    9: "billion billions bn bln b mrd mrd. milliard milliards",
    12: "trillion trillions tn trn",
}
_MONEY_ONLY = frozenset({"m", "mm", "b", "mil", "cr"})
"""Magnitudes that are read as such only beside a currency: ``$3m`` but ``3 m`` (metres)."""
_COUNTED = "count number no. # total"
_CASED = frozenset({"m", "mm", "b", "B", "t", "g", "h", "d", "s", "l", "in", "V", "W", "J", "C", "F"})


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, Unit], dict[str, Unit], dict[str, int]]:
    exact: dict[str, Unit] = {}
    folded: dict[str, Unit] = {}
    for dimension, text in _MEASURES.items():
        for item in re.split(r"(?<!,) (?=\S+:)", text):
            name, factor, aliases = item.split(":")
            unit = Unit(name, dimension, Decimal(factor))
            exact[name] = unit
            for alias in (name, *filter(None, aliases.split(","))):
                folded.setdefault(alias.casefold(), unit)
                if len(alias) > 2 and alias.isalpha():
                    folded.setdefault(alias.casefold() + "s", unit)
    for item in re.split(r" (?=[A-Z]{3}:)", _CURRENCIES):
        code, _, aliases = item.partition(":")
        unit = Unit(code, f"currency {code}", Decimal(1))
        exact[code] = unit
        for alias in (code, *filter(None, aliases.split(","))):
            folded.setdefault(alias.casefold(), unit)
            if len(alias) > 2 and alias[-1].isalpha() and alias != code:
                folded.setdefault(alias.casefold() + "s", unit)
    magnitudes = {word: power for power, words in _MAGNITUDES.items() for word in words.split()}
    return exact, folded, magnitudes


def currency_words() -> frozenset[str]:
    """Symbols, short words and three-letter codes of currencies that may stand before an amount."""
    _, folded, _ = _tables()
    codes = {unit.name for unit in folded.values() if unit.dimension.startswith("currency")}
    symbols = {alias for alias, unit in folded.items() if unit.dimension.startswith("currency") and len(alias) <= 4}
    return frozenset({*codes, *symbols, *(s.upper() for s in symbols), "Rs", "Rs."})


@lru_cache(maxsize=1)
def currency_pattern() -> str:
    """A regular expression of what may stand before an amount: symbols, and three-letter codes."""
    words = sorted(currency_words(), key=lambda s: (-len(s), s))
    # Letters must end there; two letters glued to digits (``RS125``) are a model's name rather than money.
    return "|".join(
        re.escape(word) + ("" if not word[-1].isalpha() else r"(?=\s)" if len(word) < 3 else r"(?![A-Za-z])")
        for word in words
    )


@lru_cache(maxsize=4096)
def unit_of(text: str) -> Unit | None:
    """The known unit that a text names, or None. Short symbols are taken in their own case first."""
    exact, folded, _ = _tables()
    bare = text.strip()
    if bare in exact:
        return exact[bare]
    folded_text = " ".join(bare.casefold().split())
    folded_text = _SQUARE.sub("sq.", folded_text)
    found = folded.get(folded_text) or folded.get(folded_text.rstrip("."))
    if found is None and folded_text.startswith("sq."):
        inner = folded.get(folded_text[3:])
        found = folded.get(f"{inner.name}2") if inner else None
    return found


def magnitude_of(text: str, *, money: bool) -> int | None:
    """The power of ten of a scale word (``million`` → 6), or None. One-letter forms other than ``k`` need ``money``."""
    _, _, magnitudes = _tables()
    word = text.casefold()
    if word in _MONEY_ONLY and not money:
        return None
    return magnitudes.get(word) if word[:1].isalpha() else None


@dataclass(frozen=True, slots=True)
class HeaderScale:
    """What a header says of its column's numbers: ``value = number * factor + offset``, and their unit."""

    factor: Decimal = Decimal(1)
    offset: int = 0
    unit: Unit | None = None
    percent_suffix: bool = False
    """The name ends in ``_pct``: numbers above one are hundredths."""
    said: str = ""


_SQUARE = re.compile(r"^(?:sq|square)\.? ")
_SUFFIX = re.compile(r"(?<=[A-Za-z0-9)])[_ ](?P<op>div|mul|mult|sub|add|times|x)_?(?P<n>\d{1,9})$", re.I)
_PERCENT_SUFFIX = re.compile(r"(?<=[A-Za-z0-9])_pct$")
_PERCENT_WORD = re.compile(r"(?:[\s_(]|^)(?:percent|percentage|pct|perc)\)?\.?$", re.I)
_BRACKET = re.compile(r"[(\[{]([^()\[\]{}]{1,40})[)\]}]")
_IN = re.compile(r"(?:,|\bin|[-–:/])\s+([^,()\[\]]{1,30})$", re.I)
_THOUSANDS = re.compile(r"(?<![\w.])['’]?000(?:['’]?s)?(?!\w)")


@lru_cache(maxsize=4096)
def header_scale(name: str) -> HeaderScale:
    """Scale and unit that a column's name gives.

    >>> int(header_scale("price_div10").factor), header_scale("age_sub10").offset
    (10, 10)
    >>> scale = header_scale("Revenue (in $ millions)"); int(scale.factor), scale.unit.name
    (1000000, 'USD')
    """
    suffix = _SUFFIX.search(name)
    if suffix:
        operation, number = suffix["op"].lower(), int(suffix["n"])
        if operation in {"sub", "add"}:
            return HeaderScale(offset=number if operation == "sub" else -number, said=suffix.group())
        if number < 2:
            return HeaderScale()
        factor = Decimal(number) if operation == "div" else Decimal(1) / Decimal(number)
        return HeaderScale(factor, said=suffix.group())
    if _PERCENT_SUFFIX.search(name):
        return HeaderScale(percent_suffix=True, said=name[-4:])
    phrases = [*_BRACKET.findall(name), *_IN.findall(name)]
    if _THOUSANDS.search(name) and not any("000" in phrase for phrase in phrases):
        phrases.append("000s")
    best = HeaderScale()
    for phrase in phrases:
        found = _phrase(phrase)
        if found is not None:
            best = HeaderScale(
                best.factor if best.factor != 1 else found.factor,
                unit=best.unit or found.unit,
                said=", ".join(filter(None, (best.said, phrase))),
            )
    if best.unit is None:
        unit = _trailing_unit(name)
        if unit is not None:
            best = HeaderScale(best.factor, unit=unit, said=best.said or unit.name)
    return best


def _phrase(phrase: str) -> HeaderScale | None:
    """A bracketed phrase such as ``in thousands``, ``$m``, ``000s of USD``, ``km²``; None when it is something else."""
    text = re.sub(r"^(?:in|expressed in|figures in|values in|unit:?)\s+", "", phrase.strip(), flags=re.I)
    unit = unit_of(text)
    if unit is not None:
        return HeaderScale(unit=unit)
    _, _, magnitudes = _tables()
    glued = _glued().fullmatch(text)
    words = list(glued.groups()) if glued else re.split(r"\s+of\s+|\s+", text)
    power, found = 0, None
    money = any(_is_money(unit_of(word)) for word in words)
    for word in words:
        key = word.casefold().replace("’", "'")
        if key in magnitudes and (money or key not in _MONEY_ONLY):
            power += magnitudes[key]
        elif (unit := unit_of(word)) is not None:
            found = found or unit
        else:
            return None if not power else HeaderScale(Decimal(10) ** power, unit=found)
    return HeaderScale(Decimal(10) ** power, unit=found) if power or found else None


@lru_cache(maxsize=1)
def _glued() -> re.Pattern[str]:
    return re.compile(rf"({currency_pattern()})\s?([a-zA-Z]{{1,3}}|'?000'?s?)", re.I)


def _is_money(unit: Unit | None) -> bool:
    return unit is not None and unit.dimension.startswith("currency")


def _trailing_unit(name: str) -> Unit | None:
    """``area_km2``, ``price usd``, ``growth %``: a last word that is a unit of two letters or more, or a symbol."""
    if name.rstrip().endswith("%") or _PERCENT_WORD.search(name.rstrip()):
        return unit_of("%")
    found = re.search(r"(?<=[A-Za-z0-9)])[_ ]([A-Za-z]{2,4}[23²³]?|km/h|m/s|[$€£¥₹])$", name.strip())
    if not found or found[1].casefold() in {"in", "min", "re", "ms", "rs", "no", "d", "cal", "won", "try", "all", "mo"}:
        return None
    unit = unit_of(found[1])
    # Words of time say what is counted from (``birth year``), and bars may be parallel.
    return unit if unit is not None and unit.dimension not in {"percent", "time", "months", "pressure"} else None
