"""The backbone that the settings choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablehound.backbone.protocol import Backbone

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.settings import Settings


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
