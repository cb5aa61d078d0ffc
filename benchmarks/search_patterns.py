"""Patterns as a backbone writes them for public claims: names, numbers, word bounds, alternatives, a few hostile."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

from tablehound.retrieval import Pattern

_WORD = re.compile(r"[a-z][a-z']{2,}")
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_COMMON = frozenset(
    [
        "the",
        "and",
        "was",
        "were",
        "with",
        "that",
        "has",
        "have",
        "had",
        "for",
        "from",
        "are",
        "its",
        "his",
        "her",
        "they",
    ]
)
HOSTILE = (
    r"\d{5}",
    r"\w+",
    r"(a+)+$",
    r"[a-z]+ [a-z]+ [a-z]+",
    r"^\d+$",
    r"(x|y)*z",
    r".*a.*b.*c",
    r"\p{Lu}\d",
    r"^.{30,}$",
)


def claims(data: Path) -> list[str]:
    """Claims of the public validation set, in a fixed order."""
    lines = (data / "tabfact_val" / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line) for line in lines]
    ordered = sorted({str(item.get("claim") or item.get("statement") or item.get("text")) for item in texts})
    random.Random(0).shuffle(ordered)
    return ordered


def patterns_of(claim: str, rng: random.Random, count: int) -> list[Pattern]:
    """``count`` patterns for a claim, some of them of several words."""
    words = [word for word in _WORD.findall(claim.lower()) if word not in _COMMON] or ["total"]
    numbers = _NUMBER.findall(claim) or ["1"]
    made = []
    for _ in range(count):
        one, two = rng.choice(words), rng.choice(words)
        place = rng.randrange(len(words))
        phrase = " ".join(words[place : place + 2])
        kind = rng.random()
        if kind < 0.35:
            text = one
        elif kind < 0.5:
            text = phrase
        elif kind < 0.62:
            text = re.escape(rng.choice(numbers))
        elif kind < 0.72:
            text = rf"\b{one}\b"
        elif kind < 0.82:
            text = rf"{one}|{two}"
        elif kind < 0.88:
            text = rf"{one}.*{two}"
        elif kind < 0.92:
            text = rf"\b{re.escape(rng.choice(numbers))}\b"
        elif kind < 0.95:
            text = rf"^{one}$"
        elif kind < 0.975:
            text = rng.choice(
                [r"19\d\d", r"200\d", r"\d+ - \d+", r"\d{1,2}:\d\d", rf"{one}s?\s+\w+", rf"[{one[0]}]{one[1:]}"]
            )
        else:
            text = rng.choice(HOSTILE)
        made.append(Pattern(text))
    return made


def claim_patterns(data: Path, count: int, seed: int = 0) -> list[Pattern]:
    """Distinct patterns of many claims, one or two of each."""
    rng = random.Random(seed)
    found: dict[Pattern, None] = {}
    for claim in claims(data):
        found.update(dict.fromkeys(patterns_of(claim, rng, 2)))
        if len(found) >= count:
            break
    return list(found)[:count]


def questions(data: Path, count: int, size: int = 20, seed: int = 1) -> list[list[Pattern]]:
    """``size`` patterns each for ``count`` claims."""
    rng = random.Random(seed)
    chosen = claims(data)[-count:]
    return [patterns_of(claim, rng, size) for claim in chosen]
