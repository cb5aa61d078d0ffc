"""The topics of a column's name, where they decide how its numbers read: money, counts, lengths, temperatures …

``5.2M`` is millions in a column of views and metres in one of depths; the words are general ones of tables.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

Topic = Literal["money", "count", "length", "data", "kelvin", "mass"]

_CAMEL = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])|(?<=Δ)")
_WORD = re.compile(r"[^\W\d_Δ]+")


@lru_cache(maxsize=1)
def _topics() -> dict[str, frozenset[Topic]]:
    words: dict[Any, str] = tomllib.loads(Path(__file__).with_name("topics.toml").read_text(encoding="utf-8"))
    found: dict[str, frozenset[Topic]] = {}
    for topic, names in words.items():
        for word in names.split():
            for form in (word, word + "s", word[:-1] + "ies" if word.endswith("y") else word + "es"):
                found[form] = found.get(form, frozenset()) | {topic}
    return found


@lru_cache(maxsize=4096)
def topics_of(name: str) -> frozenset[Topic]:
    """The topics of a name; empty where it has none of these.

    >>> sorted(topics_of("totalViews")), sorted(topics_of("Depth (m)")), sorted(topics_of("channel"))
    (['count'], ['length'], [])
    """
    topics = _topics()
    found: set[Topic] = set()
    for word in _WORD.findall(_CAMEL.sub(" ", name)):
        found |= topics.get(word.casefold(), frozenset())
    return frozenset(found)
