"""What text above ASCII is made of, by language, and the encodings of old files; read on first use."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LATIN_SHARES = (0.14, 0.05, 0.013, 0.003)
"""About what share of a language's letters above 127 one letter of each group makes up: Latin with marks. Counted as
the groups were, and rounded."""
ALPHABET_SHARES = (0.085, 0.04, 0.015, 0.004)
"""The same for alphabets of which every letter is above 127."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An encoding, how often files are in it, and what text in it is made of."""

    name: str
    share: float
    """Of all files that are not in Unicode, about how many are in this encoding; only the order of size matters."""
    script: str
    languages: tuple[str, ...]
    minor: tuple[str, ...]
    """Those of them that are mostly written in another encoding."""


@dataclass(frozen=True, slots=True)
class Languages:
    """The contents of ``languages.toml``."""

    latin: Mapping[str, str]
    alphabets: Mapping[str, str]
    shares: Mapping[str, float]
    candidates: tuple[Candidate, ...]
    hangul: frozenset[str]
    han_simple: frozenset[str]
    han_full: frozenset[str]
    han_japanese: frozenset[str]
    cjk_marks: frozenset[str]


@cache
def languages() -> Languages:
    """Letters by language, common characters, and the candidates."""
    data: dict[str, Any] = tomllib.loads(Path(__file__).with_name("languages.toml").read_text(encoding="utf-8"))
    candidates = (
        Candidate(
            name,
            entry["share"],
            entry["script"],
            tuple(entry.get("languages", "").split()),
            tuple(entry.get("minor", "de et").split()),
        )
        for name, entry in data["encodings"].items()
    )
    characters = {name: frozenset(text) for name, text in data["characters"].items()}
    return Languages(data["latin"], data["alphabets"], data["language_shares"], tuple(candidates), **characters)
