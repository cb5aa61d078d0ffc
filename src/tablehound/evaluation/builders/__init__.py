"""Builders of benchmark data from public data: seeded, each in one call. Same seed, same files."""

from __future__ import annotations

from tablehound.evaluation.builders.formats import build_formats
from tablehound.evaluation.builders.scale import ScaleOptions, build_scale
from tablehound.evaluation.builders.siblings import SiblingOptions, build_siblings
from tablehound.evaluation.builders.wild import WildOptions, WildStatistics, build_wild

__all__ = [
    "ScaleOptions",
    "SiblingOptions",
    "WildOptions",
    "WildStatistics",
    "build_formats",
    "build_scale",
    "build_siblings",
    "build_wild",
]
