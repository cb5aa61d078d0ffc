"""The built-in backbone: deterministic rules, offline, no model. Its question analysis and schema linking serve the
method for several tables too."""

from tablehound.backbone.rules.backbone import RulesBackbone
from tablehound.backbone.rules.lexicon import is_function
from tablehound.backbone.rules.linking import HeaderLink, Links, ValueLink, link
from tablehound.backbone.rules.profile import Profiles, TableProfile
from tablehound.backbone.rules.question import Analysis, analyse

__all__ = [
    "Analysis",
    "HeaderLink",
    "Links",
    "Profiles",
    "RulesBackbone",
    "TableProfile",
    "ValueLink",
    "analyse",
    "is_function",
    "link",
]
