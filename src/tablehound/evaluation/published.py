"""Published numbers, cited, that reports show beside ours. Only what a source states for the same data and metric."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Published:
    """One number of a paper."""

    data_set: str
    system: str
    metric: str
    value: float
    source: str


def published_for(data_set: str) -> tuple[Published, ...]:
    """The numbers for a data set."""
    data = tomllib.loads(files(__package__).joinpath("published.toml").read_text(encoding="utf-8"))
    return tuple(Published(data_set, **number) for number in data.get(data_set, ()))
