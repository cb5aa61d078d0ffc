"""The grid: every experiment of the two papers that public data allows, each a table of rows (a system with settings
on a data set) and columns (metrics)."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from tablehound.seek import ABLATIONS, STRATEGIES


@dataclass(frozen=True, slots=True)
class Row:
    """One run of an experiment."""

    label: str
    system: str
    data: str
    """Name of the prepared data (see ``preparing``)."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def slug(self) -> str:
        """Folder of the run below the data's; rows of several experiments that are the same run share it."""
        changed = "".join(f",{name.rpartition('.')[2]}={value}" for name, value in sorted(self.settings.items()))
        return f"{self.system}{changed}"


@dataclass(frozen=True, slots=True)
class Experiment:
    """One table of a paper."""

    id: str
    title: str
    about: str
    """What the paper has there, and what differs here."""
    rows: tuple[Row, ...]
    metrics: tuple[str, ...]
    questions: int
    """Sample drawn by the seed; the option ``--questions`` lowers it."""
    robust: tuple[str, ...] = ()
    """Metrics of which WCD and FRS over the rows are given (table formats)."""
    scale: bool = False
    """Rows are lakes of growing size; drawn as a chart."""


def _strategies() -> tuple[Row, ...]:
    rows = [Row(f"{name}, 10 steps", "seek", "siblings", {"seek.strategy": name}) for name in STRATEGIES]
    rows.append(Row("5s1, 5 steps", "seek", "siblings", {"seek.strategy": "5s1", "seek.max_steps": 5}))
    return tuple(rows)


def _ablations() -> tuple[Row, ...]:
    changes: dict[str, dict[str, Any]] = {
        "whole method": {"seek.strategy": "5s1"},
        **{name: {f"seek.{leaf}": v for leaf, v in values.items()} for name, values in ABLATIONS.items()},
        "ranking by share": {"search.rank": "share"},
        "no check by execution": {"seek.check_by_execution": False},
        "no vocabulary": {"seek.offer_vocabulary": False},
    }
    return tuple(Row(name, "seek", "siblings", values) for name, values in changes.items())


_GRIDS = {"strategies": _strategies, "ablations": _ablations}


def _experiment(described: dict[str, Any]) -> Experiment:
    """An experiment as ``experiments.toml`` describes it."""
    grid, rows = described.pop("grid", None), described.pop("rows", ())
    runs = _GRIDS[grid]() if grid else tuple(Row(**{"label": row["system"], **row}) for row in rows)
    lists = {name: tuple(value) for name, value in described.items() if isinstance(value, list)}
    return Experiment(rows=runs, **{**described, **lists})


@functools.cache
def _described() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("experiments.toml").read_text(encoding="utf-8"))


@functools.cache
def experiments() -> tuple[Experiment, ...]:
    """All experiments, in the order of the report."""
    return tuple(_experiment(dict(described)) for described in _described()["experiment"])


def elsewhere() -> tuple[tuple[str, str], ...]:
    """What the papers have and this grid leaves out on any data, and why."""
    return tuple((item["name"], item["why"]) for item in _described()["elsewhere"])
