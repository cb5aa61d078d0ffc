"""The evidence-seeking loop, step by step as published (TableSeek), with answerability by execution added.

1. The backbone writes patterns; all tables are ranked by them.
2. While a step besides the answer remains: it sees previews of the first tables, and selects (or reranks), rewrites the
   patterns, or stops. New patterns rank anew.
3. Without a selection the first ``fallback_tables`` are taken. The answer step decides from the kept tables; when it
   says insufficient, the next ranked tables are tried one by one while steps remain.
"""

from __future__ import annotations

from collections.abc import Sequence

from tablehound.answer import Answer, Missing
from tablehound.backbone.protocol import PatternsRequest, RefineDecision, RefineRequest, ShownTable
from tablehound.errors import BudgetExhaustedError
from tablehound.program import View
from tablehound.retrieval.candidate import Candidate, SearchEngine
from tablehound.retrieval.lake_vocabulary import Vocabulary
from tablehound.retrieval.patterns.question_words import question_patterns
from tablehound.retrieval.patterns.types import Pattern
from tablehound.seek.attempt import Attempt, Attempts
from tablehound.seek.searching import Search
from tablehound.seek.strategies import Plan, resolve_plan
from tablehound.steps.answering import build_answer, unanswered
from tablehound.steps.asked import Asked
from tablehound.steps.recorder import Recorder, describe_patterns
from tablehound.steps.showing import show_view

VOCABULARY_WORDS = 20
"""Headers and values offered to the backbone, of each."""


def seek(asked: Asked, engine: SearchEngine) -> Answer:
    """Answer from single tables of the lake, or say what nothing covers.

    Raises:
        SettingError: a strategy that does not exist, or a number below its least value.
        BackboneUnavailableError: the model's server is down.
    """
    return _Loop(asked, engine).run()


class _Loop:
    """One question's state."""

    def __init__(self, asked: Asked, engine: SearchEngine) -> None:
        self._asked = asked
        self._options = asked.settings.seek
        self._plan: Plan = resolve_plan(self._options)
        self._record = Recorder(asked)
        self._budget = self._record.budget
        self._search = Search(self._record, engine)
        self._vocabulary = Vocabulary()

    def run(self) -> Answer:
        if not self._budget.may_answer():
            return self._unanswered(
                Missing("budget", "no answer was tried: the budget is 0 steps; set max_steps to 1 or more"),
                sentence="No answer was tried: the budget is 0 steps.",
            )
        kept, ranked = self._refine(*self._look())
        if not ranked:
            ranked, _ = self._search.run(question_patterns(self._asked.question))
        if not ranked:
            return self._unanswered(Missing("source", "no table has anything of the question"))
        return self._cover(kept, ranked)

    # find ------------------------------------------------------------------------------------------------------------

    def _look(self) -> tuple[list[Candidate], tuple[Pattern, ...]]:
        """The first patterns and ranking. With a single step left for the answer, the question itself serves."""
        patterns: tuple[Pattern, ...] = ()
        if self._budget.may_explore():
            self._vocabulary = self._search.vocabulary(VOCABULARY_WORDS)
            request = PatternsRequest(self._asked.question, self._asked.task, self._vocabulary)
            try:
                decision = self._record.call(
                    "patterns",
                    lambda: self._asked.backbone.patterns(request),
                    decided=lambda d: describe_patterns(d.patterns),
                )
                patterns = tuple(dict.fromkeys(decision.patterns))
            except BudgetExhaustedError as error:
                self._record.note("check", f"explored no further: {error}")
        found, used = self._search.run(patterns)
        if found or self._search.refused:
            return found, used or question_patterns(self._asked.question)
        return self._search.run(question_patterns(self._asked.question))

    # look and refine --------------------------------------------------------------------------------------------------

    def _refine(
        self, candidates: list[Candidate], patterns: tuple[Pattern, ...]
    ) -> tuple[list[Candidate], list[Candidate]]:
        """The tables that a selection kept (none: the first ones are taken), and the ranking they come from."""
        plan = self._plan
        while self._options.refine and self._budget.may_explore():
            shown = self._show(candidates[: plan.n_candidates], patterns)
            request = RefineRequest(
                question=self._asked.question,
                task=self._asked.task,
                patterns=patterns,
                shown=shown,
                max_select=plan.max_select,
                may_select=plan.may_select and bool(shown),
                may_regenerate=plan.may_regenerate,
                rerank=plan.rerank and plan.may_select and bool(shown),
                vocabulary=self._vocabulary,
                refused=self._search.refused,
            )
            try:
                decision = self._decide(request)
            except BudgetExhaustedError as error:
                self._record.note("check", f"explored no further: {error}")
                break
            by_alias = {table.alias: candidate for table, candidate in zip(shown, candidates, strict=False)}
            chosen = [by_alias[a] for a in dict.fromkeys(decision.aliases) if a in by_alias]
            if decision.action == "rerank" and plan.may_select and chosen:
                rest = [c for c in candidates if c not in chosen]
                return chosen[:1], chosen + rest
            if decision.action == "select" and plan.may_select and chosen:
                return chosen[: plan.max_select], candidates
            if decision.action != "regenerate" or not plan.may_regenerate:
                break
            fresh = tuple(dict.fromkeys(decision.patterns))
            if set(fresh) == set(patterns) and not self._search.refused:
                break  # the same patterns show the same tables: asking again would only burn the budget
            found, used = self._search.run(fresh)
            if found or not candidates:
                candidates, patterns = found, used
        return [], candidates

    def _decide(self, request: RefineRequest) -> RefineDecision:
        def describe(decision: RefineDecision) -> dict[str, object]:
            told: dict[str, object] = {"action": decision.action}
            if decision.aliases:
                ids = {table.alias: table.info.id for table in request.shown}
                told["aliases"] = list(decision.aliases)
                told["tables"] = [ids[alias] for alias in decision.aliases if alias in ids]
            if decision.patterns:
                told |= describe_patterns(decision.patterns)
            if decision.reason:
                told["reason"] = decision.reason
            return told

        return self._record.call(
            "refine",
            lambda: self._asked.backbone.refine(request),
            saw={"tables": [table.info.id for table in request.shown], "refused": list(request.refused)},
            decided=describe,
        )

    def _show(
        self, candidates: Sequence[Candidate], patterns: Sequence[Pattern], *, answering: bool = False
    ) -> tuple[ShownTable, ...]:
        shown = []
        for number, candidate in enumerate(candidates, start=1):
            rows = self._search.rows(candidate.table_id, patterns)
            matched = [patterns[i] for i in candidate.matched if i < len(patterns)]
            shown.append(
                show_view(
                    self._asked.lake,
                    View((candidate.table_id,)),
                    f"T{number}",
                    self._asked.settings,
                    matched=matched,
                    rows=rows[: self._options.max_matched_rows],
                    answering=answering,
                )
            )
        return tuple(shown)

    def _patterns(self) -> tuple[Pattern, ...]:
        """Of the last search that found something; the question's own words where there were none."""
        return self._search.patterns or question_patterns(self._asked.question)

    # cover, compute, check --------------------------------------------------------------------------------------------

    def _cover(self, kept: list[Candidate], ranked: list[Candidate]) -> Answer:
        """Answer from the kept tables, then from the next ones by turns; the first strong answer ends it."""
        group = kept or ranked[: self._options.fallback_tables]
        attempts = Attempts(self._record)
        queue = iter([c for c in ranked if c not in group])
        best: Attempt | None = None
        while group and self._budget.may_answer():
            try:
                attempt = attempts.take(group, self._show(group, self._patterns(), answering=True))
            except BudgetExhaustedError as error:
                self._record.note("check", f"answered no further: {error}")
                attempts.missing.append(Missing("budget", str(error)))
                break
            best = attempts.better(best, attempt)
            if best is not None and (best.judgement.strength == "strong" or not self._options.check_by_execution):
                break
            if not self._options.fallback:
                break
            following = next(queue, None)
            group = [following] if following is not None else []
        if best is None or best.program is None or best.result is None:
            return self._unanswered(*attempts.missing, tried=attempts.tried)
        return build_answer(
            self._asked.lake,
            self._asked.question,
            best.program,
            best.result,
            best.judgement,
            sentence=best.sentence,
            unit=best.unit,
            assumptions=best.assumptions,
            tried=_final_last(attempts.tried, best.table_ids),
            trail=self._record.trail,
        )

    def _unanswered(self, *missing: Missing, tried: Sequence[str] = (), sentence: str = "") -> Answer:
        return unanswered(self._asked.question, missing, tried=tried, trail=self._record.trail, sentence=sentence)


def _final_last(tried: Sequence[str], final: Sequence[str]) -> tuple[str, ...]:
    """All tried tables in order, those of the final answer last."""
    return (*[table for table in tried if table not in final], *[table for table in tried if table in final])
