"""The chat backbone: any server that speaks the OpenAI chat wire, through the ``openai`` package (extra ``chat``)."""

from tablehound.backbone.chat.backbone import ChatBackbone

__all__ = ["ChatBackbone"]
