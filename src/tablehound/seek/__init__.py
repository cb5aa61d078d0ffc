"""The evidence-seeking loop (TableSeek): patterns, refine, answerability, fallback.

Others use ``seek`` (the loop), ``over_all_parts`` (an answer from one of several parts of a table), ``Plan`` and
``resolve_plan``, ``with_preset`` and ``with_ablations`` (settings by the papers' names).
"""

from tablehound.seek.loop import seek
from tablehound.seek.parts import over_all_parts
from tablehound.seek.strategies import ABLATIONS, PRESETS, STRATEGIES, Plan, resolve_plan, with_ablations, with_preset

__all__ = [
    "ABLATIONS",
    "PRESETS",
    "STRATEGIES",
    "Plan",
    "over_all_parts",
    "resolve_plan",
    "seek",
    "with_ablations",
    "with_preset",
]
