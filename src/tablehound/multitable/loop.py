"""Answers from several tables (DMRAL): needs, alignment, mapping, sub-questions, one program over the join, repair."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from tablehound.answer import Answer, Missing
from tablehound.backbone import NeedGroup, ProgramRequest, ResidualRequest, SubquestionsRequest
from tablehound.errors import BudgetExhaustedError
from tablehound.linking import Profiles
from tablehound.multitable.alignment import align_needs
from tablehound.multitable.decomposition import NeedMapping, mappings, need_groups
from tablehound.multitable.needs import Need, information_needs
from tablehound.multitable.program import Joined, grounded_facts, show_mapping
from tablehound.multitable.retrieve import candidate_tables
from tablehound.relations import RelationshipGraph, relationship_graph
from tablehound.retrieval.candidate import SearchEngine
from tablehound.steps import (
    NAMES_NOTHING,
    NO_PROGRAM,
    Asked,
    Programs,
    Recorder,
    build_answer,
    describe_program,
    unanswered,
)

MAX_MAPPINGS = 4
"""Connected sets of tables tried, the best first, while steps remain."""


def answer_from_several(asked: Asked, engine: SearchEngine, tried: Sequence[str] = ()) -> Answer:
    """Answer from tables that are joined or stacked, or say what nothing covers.

    Args:
        asked: the question; of its settings ``multitable`` has the options of the method, and ``seek.max_steps``
            bounds the backbone's steps.
        engine: a search engine on the lake.
        tried: tables that an answer was tried from before.

    Raises:
        BackboneUnavailableError: the model's server is down.
    """
    return _Several(asked).run(engine, tried)


class _Several:
    """One question's state."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._options = asked.settings.multitable
        self._record = Recorder(asked)
        self._budget = self._record.budget
        self._programs = Programs(self._record, self._options.max_repairs, checked=True)
        self._tried: list[str] = []
        self._missing: list[Missing] = []

    def run(self, engine: SearchEngine, before: Sequence[str]) -> Answer:
        asked, options = self._asked, self._options
        analysis, needs = information_needs(asked.question, asked.task)
        if not needs:
            return self._unanswered(NAMES_NOTHING)
        ids = candidate_tables(asked, engine, needs, before)
        started = time.perf_counter()
        graph = relationship_graph(asked.lake, asked.settings, ids)
        self._record.note("graph", since=started, saw={"tables": len(ids)}, **_graph_json(graph))
        started = time.perf_counter()
        profiles = Profiles(asked.lake, blind=asked.settings.backbone.blind)
        aligned = align_needs(analysis, needs, profiles, ids, options.columns_per_need)
        found = mappings(needs, aligned, graph, options.bridge_hops, MAX_MAPPINGS)
        self._record.note(
            "align",
            since=started,
            saw={"needs": [need.to_json() for need in needs]},
            aligned=[a.to_json() for a in aligned[:50]],
            mappings=[m.to_json() for m in found],
        )
        if not found:
            return self._unanswered(*_uncovered(needs, range(len(needs))))
        for mapping in found:
            if not self._budget.may_answer():
                break
            answer = self._try(needs, mapping, graph)
            if answer is not None:
                return answer
        return self._unanswered(*(self._missing or _uncovered(needs, found[0].unmapped) or [NO_PROGRAM]))

    # one connected set of tables --------------------------------------------------------------------------------------

    def _try(self, needs: Sequence[Need], mapping: NeedMapping, graph: RelationshipGraph) -> Answer | None:
        """Word the sub-questions, write a program over the joined tables, run it, check it, repair it."""
        asked = self._asked
        groups = need_groups(needs, mapping, graph)
        joined = show_mapping(asked.lake, mapping, graph, asked.settings)
        self._tried += [table_id for table_id in joined.table_ids if table_id not in self._tried]
        try:
            subquestions = self._subquestions(needs, mapping, groups)
            self._missing += self._residual(mapping, groups, joined)
            request = ProgramRequest(
                asked.question,
                asked.task,
                subquestions,
                joined.shown,
                joined.joins,
                tuple(grounded_facts(mapping, [need.text for need in needs], joined, graph)),
            )
            if not self._budget.may_answer():
                return None
            decision = self._record.call(
                "program",
                lambda: asked.backbone.program(request),
                saw={
                    "tables": list(joined.table_ids),
                    "joins": list(joined.joins),
                    "subquestions": list(subquestions),
                },
                decided=describe_program,
            )
        except BudgetExhaustedError as error:
            self._record.note("check", f"explored no further: {error}")
            return None
        try:
            ran, missing = self._programs.run(decision, joined.shown, joined.joins)
        except BudgetExhaustedError:
            return None
        self._missing += missing
        if ran is None or ran.fault is not None:
            return None
        return build_answer(
            asked.lake,
            asked.question,
            ran.program,
            ran.result,
            ran.judgement,
            sentence=ran.decision.sentence,
            unit=ran.decision.unit,
            assumptions=ran.decision.assumptions,
            tried=tuple(dict.fromkeys((*self._tried, *joined.table_ids))),
            trail=self._record.trail,
        )

    def _subquestions(
        self, needs: Sequence[Need], mapping: NeedMapping, groups: Sequence[NeedGroup]
    ) -> tuple[str, ...]:
        """One sub-question per group; with one group the question itself."""
        if len(groups) == 1 or not self._budget.may_explore():
            return (self._asked.question,)
        unmapped = tuple(needs[n].text for n in mapping.unmapped)
        request = SubquestionsRequest(self._asked.question, tuple(groups), unmapped)
        decision = self._record.call(
            "subquestions",
            lambda: self._asked.backbone.subquestions(request),
            saw={"groups": [{"needs": list(g.needs), "tables": list(g.table_ids), "columns": list(g.columns)}
                            for g in groups]},
            decided=lambda d: {"subquestions": list(d.subquestions)},
        )  # fmt: skip
        return decision.subquestions

    def _residual(self, mapping: NeedMapping, groups: Sequence[NeedGroup], joined: Joined) -> tuple[Missing, ...]:
        """The part of the question that the mapping does not cover, when its coverage is below the threshold."""
        if mapping.coverage >= self._options.coverage_threshold and not mapping.unmapped:
            return ()
        if self._budget.left < 3:  # the program, and one repair, come first
            return ()
        covered = tuple(need for group in groups for need in group.needs)
        request = ResidualRequest(self._asked.question, covered, joined.shown)
        decision = self._record.call(
            "residual",
            lambda: self._asked.backbone.residual(request),
            saw={"covered": list(covered), "coverage": round(mapping.coverage, 3)},
            decided=lambda d: {"residual": d.residual},
        )
        if decision.phrase:
            return (Missing("residual", decision.phrase),)
        return (Missing("words", decision.residual),) if decision.residual else ()

    def _unanswered(self, *missing: Missing) -> Answer:
        return unanswered(self._asked.question, missing, tried=tuple(self._tried), trail=self._record.trail)


def _uncovered(needs: Sequence[Need], places: Iterable[int]) -> list[Missing]:
    return [Missing("need", needs[place].text) for place in places]


def _graph_json(graph: RelationshipGraph) -> dict[str, Any]:
    return {
        "clusters": [{"id": c.id, "tables": list(c.table_ids)} for c in graph.clusters if len(c.table_ids) > 1],
        "n_clusters": len(graph.clusters),
        "n_edges": len(graph.edges),
    }
