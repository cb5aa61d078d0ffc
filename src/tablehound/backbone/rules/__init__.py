"""The built-in backbone: deterministic rules, offline, no model. Its question analysis and schema linking serve the
method for several tables too."""

from tablehound.backbone.rules.backbone import RulesBackbone
from tablehound.backbone.rules.lexicon import is_carrier, is_function
from tablehound.backbone.rules.linking import HeaderLink, Links, ValueLink, about_tokens, link
from tablehound.backbone.rules.profile import Profiles, TableProfile
from tablehound.backbone.rules.question import ASKING_VERBS, Analysis, analyse

__all__ = [
    "ASKING_VERBS",
    "Analysis",
    "HeaderLink",
    "Links",
    "Profiles",
    "RulesBackbone",
    "TableProfile",
    "ValueLink",
    "about_tokens",
    "analyse",
    "is_carrier",
    "is_function",
    "link",
]
