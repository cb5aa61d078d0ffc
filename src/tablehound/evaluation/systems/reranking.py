"""Rerank the first tables of another ranking by the backbone, then answer from the first (TableSeek's rerankers).

The backbone sees previews of the first 3 or 5 tables and orders them, as the loop's strategies ``r3`` and ``r5`` do,
but once, with no new patterns and no fallback. The rules order by what they can link of the question to each table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.systems.answering import Retrieval, show, single_views
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.steps import Recorder


class Rerank:
    """A first ranking, whose first ``depth`` tables the backbone puts in order."""

    def __init__(self, lake: Lake, settings: Settings, first: Callable[[str], list[str]], depth: int) -> None:
        self._lake = lake
        self._settings = settings
        self._first = first
        self._depth = depth

    def retrieve(self, question: BenchQuestion, record: Recorder) -> Retrieval:
        """See :class:`Retriever`."""
        from tablehound.backbone import RefineRequest
        from tablehound.retrieval import question_patterns

        ranked = self._first(question.text)
        top = ranked[: self._depth]
        if len(top) > 1:
            patterns = question_patterns(question.text)
            shown = show(self._lake, Retrieval(tuple(top), single_views(top)), self._settings)
            request = RefineRequest(
                question.text, question.task, tuple(patterns), shown, 1, may_select=False, may_regenerate=False,
                rerank=True,
            )  # fmt: skip
            decision = record.call(
                "refine", lambda: record.asked.backbone.refine(request), decided=lambda d: {"action": d.action}
            )
            named = dict(zip((s.alias for s in shown), top, strict=True))
            order = [named[alias] for alias in decision.aliases if alias in named]
            # What a model forgot to name keeps its place behind what it named.
            top = list(dict.fromkeys([*order, *top]))
        ranked = [*top, *ranked[self._depth :]]
        return Retrieval(tuple(ranked), single_views(top[:1]))
