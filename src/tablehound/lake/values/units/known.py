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
    "temperature K": "K:1:kelvin,°k",
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
_SQUARE = re.compile(r"^(?:sq|square)\.? ")
_MONEY_ONLY = frozenset({"m", "mm", "b", "mil", "cr"})
"""Magnitudes that are read as such only beside a currency: ``$3m`` but ``3 m`` (metres)."""


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
                if alias == "K":
                    continue  # a small k is a thousand
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


def scale_word(text: str, *, money: bool) -> int | None:
    """The power of ten of a word in a header, which may also be zeros (``000s``)."""
    _, _, magnitudes = _tables()
    word = text.casefold().replace("’", "'")
    return magnitudes.get(word) if money or word not in _MONEY_ONLY else None


def is_money(unit: Unit | None) -> bool:
    """Whether a unit is a currency."""
    return unit is not None and unit.dimension.startswith("currency")
