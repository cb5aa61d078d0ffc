"""What an answer and its trail, or an error, say as the outcome of a system."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from tablehound.errors import TablehoundError
from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.systems.base import Outcome

if TYPE_CHECKING:
    from tablehound.answer import Answer
    from tablehound.trail import Trail

logger = logging.getLogger(__name__)


def guarded(question: BenchQuestion, run: Callable[[], Outcome]) -> Outcome:
    """What ``run`` returns. A fault of one question must not end a long run: it is counted and named."""
    started = time.perf_counter()
    try:
        return run()
    except Exception as error:
        logger.debug("question %s failed", question.id, exc_info=True)
        text = str(error) if isinstance(error, TablehoundError) else f"{type(error).__name__}: {error}"
        return Outcome(error=text, seconds=time.perf_counter() - started)


def outcome_of(answer: Answer, seconds: float, *, keep_trail: bool) -> Outcome:
    """What an answer and its trail say, as the outcome of a system."""
    trail = answer.trail
    final = tuple(table.table_id for table in answer.evidence)
    if not final and answer.program is not None:
        final = tuple(dict.fromkeys(i for view in answer.program.tables.values() for i in view.table_ids))
    return Outcome(
        ranked=_last_ranking(trail),
        tried=answer.tried,
        final=final or answer.tried[-1:],
        first_by_round=_first_by_round(trail),
        answered=answer.answered,
        values=tuple(str(value) for value in answer.values),
        verdict=answer.verdict,
        counts=trail.counts() if trail else {},
        actions=_actions(trail),
        stage_seconds=_stage_seconds(trail),
        steps=trail.backbone_steps if trail else 0,
        calls=sum(step.calls for step in trail.steps) if trail else 0,
        tokens=trail.tokens if trail else 0,
        seconds=seconds,
        trail=trail.to_json() if trail and keep_trail else None,
    )


def _searches(trail: Trail | None) -> list[list[str]]:
    """The rankings of all searches of a trail."""
    found = [step.decided.get("tables", ()) for step in (trail.steps if trail else []) if step.kind == "search"]
    return [[table["id"] for table in tables] for tables in found if tables]


def _last_ranking(trail: Trail | None) -> tuple[str, ...]:
    found = _searches(trail)
    return tuple(found[-1]) if found else ()


def _first_by_round(trail: Trail | None) -> tuple[str, ...]:
    return tuple(ranking[0] for ranking in _searches(trail))


def _actions(trail: Trail | None) -> dict[str, int]:
    steps = trail.steps if trail else []
    return dict(sorted(Counter(str(step.decided.get("action")) for step in steps if step.kind == "refine").items()))


def _stage_seconds(trail: Trail | None) -> dict[str, float]:
    seconds: dict[str, float] = {}
    for step in trail.steps if trail else []:
        seconds[step.kind] = seconds.get(step.kind, 0.0) + step.seconds
    return dict(sorted(seconds.items()))
