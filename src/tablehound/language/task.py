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
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|isn't|aren't|wasn't|weren't|didn't|won|lost|beat|beats|led"
    r"|leads|got|took|held|holds|made|makes|came|comes|became|began|grew|grows|fell|rose|ran|runs|sold|cost|costs|met"
    r"|wrote|built|lies|lives|plays|scores|wins|loses|contains|belongs|exceeds|equals|weighs|flows|covers|produces"
    r"|ranks|starts|ends|speaks|uses"
    # "Berlin opened its metro" states, "buildings completed after 2010" names: a participle has a preposition after it.
    r"|[a-z]{3,}ed(?!\s+(?:by|in|on|at|after|before|between|from|since|during|for|with|to|under|over|above|below|as)\b))\b"
)
_MEASURE = re.compile(
    r"(?:the\s+)?(?:average|mean|median|total|sum|number|count|amount|share|percentage)\b", re.IGNORECASE
)
_LINKING = re.compile(r"\b(?:is|are|was|were|equals|exceeds|has|have|had)\b", re.IGNORECASE)


def decide_task(text: str) -> Task:
    """``fact_verification`` for a statement or a yes/no question, ``tableqa`` for all else.

    A statement neither asks nor orders, and ends with a full stop or has a common verb; a bare phrase (``population of
    Oslo``, ``average height of buildings completed after 2010``) is a question.
    """
    asked = text.strip()
    if _ASKING.match(asked) or _ORDERS.match(asked):
        return "tableqa"
    if _YES_NO.match(asked):
        return "fact_verification"
    if asked.endswith("?"):
        return "tableqa"
    if _MEASURE.match(asked) and not _LINKING.search(asked):
        return "tableqa"
    states = asked.endswith(".") or _VERB.search(asked)
    return "fact_verification" if len(asked.split()) > 2 and states else "tableqa"
