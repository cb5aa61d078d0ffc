"""The built-in backbone: deterministic rules, offline, no model."""

from tablehound.backbone.rules.backbone import RulesBackbone

__all__ = ["RulesBackbone"]
