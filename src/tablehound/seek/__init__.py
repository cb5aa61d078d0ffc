"""The evidence-seeking loop (TableSeek): patterns, refine, answerability, fallback.

Others use ``seek`` (the loop), ``show_table`` (how a backbone may see a table), ``judge`` and ``build_answer`` (what a
program's result says), ``Plan``/``resolve_plan``, ``with_preset`` and ``with_ablations`` (settings by the papers'
names), and ``decide_task``.
"""

from tablehound.seek.answering import build_answer, unanswered
from tablehound.seek.budget import StepBudget
from tablehound.seek.judging import Judgement, judge
from tablehound.seek.lacking import lacking
from tablehound.seek.loop import seek
from tablehound.seek.parts import over_all_parts
from tablehound.seek.showing import blind_info, show_table, show_view
from tablehound.seek.strategies import ABLATIONS, PRESETS, STRATEGIES, Plan, resolve_plan, with_ablations, with_preset
from tablehound.seek.task import decide_task

__all__ = [
    "ABLATIONS",
    "PRESETS",
    "STRATEGIES",
    "Judgement",
    "Plan",
    "StepBudget",
    "blind_info",
    "build_answer",
    "decide_task",
    "judge",
    "lacking",
    "over_all_parts",
    "resolve_plan",
    "seek",
    "show_table",
    "show_view",
    "unanswered",
    "with_ablations",
    "with_preset",
]
