"""The papers' names for settings: strategies (``5s1``, ``r5``), presets of previews, and ablations."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tablehound.errors import SettingError
from tablehound.settings import SeekSettings

STRATEGIES = ("5s1", "5s3", "10s1", "10s3", "10s5", "r3", "r5", "r10")
"""The papers' strategies; any other ``NsM`` and ``rN`` works too."""

WHOLE_TABLE = 2**31 - 1
"""A limit that no preview reaches."""

PRESETS: dict[str, dict[str, int]] = {
    "small": {"max_matched_rows": 5, "max_rows_per_pattern": 1},
    "medium": {"max_matched_rows": 10, "max_rows_per_pattern": 2},
    "big": {"max_matched_rows": 15, "max_rows_per_pattern": 3},
    "full": {"preview_chars": WHOLE_TABLE},
}
"""How much of a table a preview holds."""

ABLATIONS: dict[str, dict[str, bool]] = {
    "no_refine": {"refine": False},
    "no_regenerate": {"regenerate": False},
    "no_select": {"select": False},
    "no_fallback": {"fallback": False},
    "match_only": {"match_only": True},
    "match_only_qa": {"match_only": True, "match_only_qa": True},
}
"""What each ablation of the paper switches."""

_SELECT = re.compile(r"(\d+)s(\d+)")
_RERANK = re.compile(r"r(\d+)")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a refine round shows and may do."""

    n_candidates: int
    """Tables shown."""
    max_select: int
    """Tables that a select may keep."""
    rerank: bool
    """Order the shown tables instead of selecting."""
    may_select: bool
    """Selecting (or reranking) is allowed."""
    may_regenerate: bool


def resolve_plan(settings: SeekSettings) -> Plan:
    """The plan of a strategy. ``n_candidates`` and ``max_select_tables`` win over it where they are not the default.

    Raises:
        SettingError: no such strategy, or a number below its least value.
    """
    defaults = SeekSettings()
    shown, kept, rerank = _parse(settings.strategy)
    if settings.n_candidates != defaults.n_candidates:
        shown = settings.n_candidates
    if settings.max_select_tables != defaults.max_select_tables:
        kept = settings.max_select_tables
    for name, number, least in (
        ("n_candidates", shown, 1),
        ("max_select_tables", kept, 1),
        ("max_steps", settings.max_steps, 0),
        ("fallback_tables", settings.fallback_tables, 1),
    ):
        if number < least:
            raise SettingError(f"{name} is {number}", remedy=f"use {least} or more")
    return Plan(shown, min(kept, shown), rerank, settings.select, settings.regenerate)


def _parse(strategy: str) -> tuple[int, int, bool]:
    if match := _SELECT.fullmatch(strategy):
        return int(match[1]), int(match[2]), False
    if match := _RERANK.fullmatch(strategy):
        return int(match[1]), 1, True
    raise SettingError(f"strategy is {strategy!r}", remedy=f"use one of {', '.join(STRATEGIES)}, or another NsM or rN")


def with_preset(settings: SeekSettings, preset: str) -> SeekSettings:
    """The settings with the previews of a preset: ``small``, ``medium``, ``big`` or ``full``.

    Raises:
        SettingError: no such preset.
    """
    if preset not in PRESETS:
        raise SettingError(f"preset is {preset!r}", remedy=f"use one of {', '.join(PRESETS)}")
    return dataclasses.replace(settings, **PRESETS[preset])  # type: ignore[arg-type]


def with_ablations(settings: SeekSettings, ablations: Iterable[str]) -> SeekSettings:
    """The settings with parts of the method switched off, by the paper's names (``no_refine`` …).

    Raises:
        SettingError: no such ablation.
    """
    for name in ablations:
        if name not in ABLATIONS:
            raise SettingError(f"ablation is {name!r}", remedy=f"use one of {', '.join(ABLATIONS)}")
        settings = dataclasses.replace(settings, **ABLATIONS[name])  # type: ignore[arg-type]
    return settings
