"""Question or claim: the task, where the settings leave it open."""

from __future__ import annotations

import re

from tablehound.settings import Task

_ASKING = re.compile(
    r"(?:in|on|at|of|from|for|by|to|with|during|among|between|after|before|since|until|under|per|and|so|then)?\s*"
    r"(?:which|what|whats|what's|who|whom|whose|who's|when|where|why|how)\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"(?:please\s+)?(?:list|name|give|show|find|count|calculate|compute|tell|return|get|identify|provide|sort|rank"
    r"|report|select|determine|display|state|sum|add|describe|explain|enumerate)\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|am)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|won|lost|beat|scored|played|finished|received|held"
    r"|\w{3,}ed|\w{3,}s)\b",
    re.IGNORECASE,
)


def decide_task(text: str) -> Task:
    """``fact_verification`` for a statement or a yes/no question, ``tableqa`` for all else.

    A statement has a verb and neither asks nor orders; a bare phrase (``population of Oslo``) is a question.
    """
    asked = text.strip()
    if _ASKING.match(asked) or _ORDERS.match(asked):
        return "tableqa"
    if _YES_NO.match(asked):
        return "fact_verification"
    if asked.endswith("?"):
        return "tableqa"
    return "fact_verification" if len(asked.split()) > 2 and _VERB.search(asked) else "tableqa"
