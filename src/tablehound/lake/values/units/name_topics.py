"""What a column's name speaks of, where that decides how its numbers read: money, counts, lengths, temperatures …

``5.2M`` is millions in a column of views and metres in one of depths; the words are general ones of tables.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Topic = Literal["money", "count", "length", "data", "kelvin", "mass"]

_WORDS: dict[Topic, str] = {
    "money": (
        "amount asset balance billing bonus box budget capex capital capitalisation capitalization cash cost"
        " debt donation earning ebit ebitda endowment equity expenditure expense fee fortune fund funding gdp"
        " gnp gni gross grossed income investment invoice liability loan loss market mcap money opex payment"
        " payroll pledge premium price prize proceed profit purse receipt revenue royalty salary sale spend"
        " spending tax takings turnover valuation value wage wealth worth umsatz gewinn erlös kosten preis"
        " einnahmen ausgaben einkommen gehalt verlust chiffre revenu prix coût dépense bénéfice salaire ventas"
        " ingreso precio costo coste gasto beneficio salario fatturato ricavi costi prezzo omzet winst prijs"
        " receita preço custo lucro omsättning przychód"
    ),
    "count": (
        "active audience arrival attendance birth case click count circulation citizen copy customer death"
        " download employee fan follower footfall household immigrant impression inhabitant install job like"
        " listener member migrant passenger patient people person play player pop population post rating"
        " reader resident shipment speaker stream student sub subscriber ticket tourist trip tweet user"
        " vehicle view viewer viewership visit visitor vote voter worker einwohner bevölkerung anzahl"
        " zuschauer besucher nutzer mitarbeiter habitant spectateur población poblacion habitante popolazione"
        " abitanti inwoner população ludność befolkning invånare"
    ),
    "length": (
        "altitude beam breadth bore caliber calibre circumference clearance depth diameter dist distance"
        " draft draught drop elevation event discipline focal footprint gauge haat heat height jump layer"
        " length long leap mark perimeter pool prominence race radius range rise runway span stroke swim tall"
        " thickness throw vault wavelength wheelbase wide width wingspan höhe länge breite tiefe durchmesser"
        " strecke entfernung hauteur longueur largeur profondeur altura longitud anchura profundidad altezza"
        " lunghezza larghezza hoogte lengte breedte diepte"
    ),
    "data": ("bandwidth byte cache data disk file filesize memory payload ram rom size storage traffic"),
    "kelvin": (
        "kelvin temp temperature temperatures tmp tmin tmax tmean tavg teff tc tm tb tg t melting boiling"
        " freezing thermal temperatur temperatura température temperaturen curie debye néel critical"
    ),
    "mass": ("cargo load mass payload tonnage weight gewicht masse poids peso displacement"),
}
_CAMEL = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])|(?<=Δ)")
_WORD = re.compile(r"[^\W\d_Δ]+")


@lru_cache(maxsize=1)
def _topics() -> dict[str, frozenset[Topic]]:
    found: dict[str, frozenset[Topic]] = {}
    for topic, words in _WORDS.items():
        for word in words.split():
            for form in (word, word + "s", word[:-1] + "ies" if word.endswith("y") else word + "es"):
                found[form] = found.get(form, frozenset()) | {topic}
    return found


@lru_cache(maxsize=4096)
def topics_of(name: str) -> frozenset[Topic]:
    """What a name speaks of; empty where it says nothing of these.

    >>> sorted(topics_of("totalViews")), sorted(topics_of("Depth (m)")), sorted(topics_of("channel"))
    (['count'], ['length'], [])
    """
    topics = _topics()
    found: set[Topic] = set()
    for word in _WORD.findall(_CAMEL.sub(" ", name)):
        found |= topics.get(word.casefold(), frozenset())
    return frozenset(found)
