"""What decides: a chat model, or the built-in rules, behind one protocol."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tablehound.backbone.grounds import fault_of
from tablehound.backbone.protocol import (
    AnswerDecision,
    AnswerRequest,
    Backbone,
    InferHeadersDecision,
    InferHeadersRequest,
    NeedGroup,
    PatternsDecision,
    PatternsRequest,
    ProgramDecision,
    ProgramRequest,
    RefineDecision,
    RefineRequest,
    RepairRequest,
    ResidualDecision,
    ResidualRequest,
    ShownTable,
    SubquestionsDecision,
    SubquestionsRequest,
    Usage,
    views,
)
from tablehound.backbone.words import question_patterns

if TYPE_CHECKING:
    from tablehound.backbone.rules import (
        ASKING_VERBS,
        Analysis,
        Profiles,
        about_tokens,
        analyse,
        is_carrier,
        is_function,
        link,
    )
    from tablehound.lake import Lake
    from tablehound.settings import Settings

__all__ = [
    "ASKING_VERBS",
    "Analysis",
    "AnswerDecision",
    "AnswerRequest",
    "Backbone",
    "InferHeadersDecision",
    "InferHeadersRequest",
    "NeedGroup",
    "PatternsDecision",
    "PatternsRequest",
    "Profiles",
    "ProgramDecision",
    "ProgramRequest",
    "RefineDecision",
    "RefineRequest",
    "RepairRequest",
    "ResidualDecision",
    "ResidualRequest",
    "ShownTable",
    "SubquestionsDecision",
    "SubquestionsRequest",
    "Usage",
    "about_tokens",
    "analyse",
    "fault_of",
    "is_carrier",
    "is_function",
    "link",
    "make_backbone",
    "question_patterns",
    "views",
]


def make_backbone(lake: Lake, settings: Settings) -> Backbone:
    """The backbone that the settings ask for: the chat model of ``settings.backbone``, else the built-in rules.

    Raises:
        MissingExtraError: a chat model is asked for and the ``chat`` extra is not installed.
    """
    if settings.backbone.model or settings.backbone.replay:
        from tablehound.backbone.chat import ChatBackbone

        return ChatBackbone(lake, settings)
    from tablehound.backbone.rules import RulesBackbone

    return RulesBackbone(lake, settings)


def __getattr__(name: str) -> Any:
    """Question analysis and schema linking of the rules, for the method for several tables; loaded when asked for."""
    if name in __all__:
        return getattr(importlib.import_module("tablehound.backbone.rules"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
