"""Answers from several tables (DMRAL): needs, alignment, mapping, sub-questions, one program over the join, repair."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tablehound.answer import Answer
from tablehound.backbone import (
    Backbone,
    NeedGroup,
    ProgramDecision,
    ProgramRequest,
    RepairRequest,
    ResidualRequest,
    SubquestionsRequest,
)
from tablehound.errors import BudgetExhaustedError
from tablehound.execution import adds_up_rows, fault_of
from tablehound.linking import Profiles
from tablehound.multitable.alignment import align_needs
from tablehound.multitable.decomposition import NeedMapping, mappings, need_groups
from tablehound.multitable.needs import Need, information_needs
from tablehound.multitable.program import Joined, grounded_facts, show_mapping
from tablehound.multitable.retrieve import candidate_tables
from tablehound.program import Program, ProgramResult
from tablehound.relations import RelationshipGraph, relationship_graph
from tablehound.retrieval.candidate import SearchEngine
from tablehound.settings import Settings, Task
from tablehound.steps import Judgement, StepBudget, build_answer, judge, unanswered
from tablehound.trail import Step, StepKind, Trail

if TYPE_CHECKING:
    from tablehound.lake import Lake

MAX_MAPPINGS = 4
"""Connected sets of tables tried, the best first, while steps remain."""
TRAIL_ROWS = 5

Decision = TypeVar("Decision")


def answer_from_several(
    question: str,
    lake: Lake,
    engine: SearchEngine,
    backbone: Backbone,
    settings: Settings,
    task: Task,
    tried: Sequence[str] = (),
) -> Answer:
    """Answer from tables that are joined or stacked, or say what nothing covers.

    Args:
        question: a question or a claim.
        lake: where the tables are.
        engine: a search engine on the lake.
        backbone: what decides.
        settings: ``multitable`` has the options of the method; ``seek.max_steps`` bounds the backbone's steps.
        task: what is asked.
        tried: tables that an answer was tried from before.

    Raises:
        BackboneUnavailableError: the model's server is down.
    """
    return _Several(question, lake, engine, backbone, settings, task, tuple(tried)).run()


class _Several:
    """One question's state."""

    def __init__(
        self,
        question: str,
        lake: Lake,
        engine: SearchEngine,
        backbone: Backbone,
        settings: Settings,
        task: Task,
        tried: tuple[str, ...],
    ) -> None:
        self._question = question
        self._lake = lake
        self._engine = engine
        self._backbone = backbone
        self._settings = settings
        self._task: Task = task
        self._before = tried
        self._tried: list[str] = []
        self._trail = Trail(question, backbone.name)
        self._budget = StepBudget(settings.seek.max_steps)
        self._failed: list[str] = []
        self._missing: list[str] = []

    def run(self) -> Answer:
        analysis, needs = information_needs(self._question, self._task)
        if not needs:
            return self._unanswered(("the question names nothing to look for",))
        ids = candidate_tables(self._lake, self._engine, self._question, needs, self._settings, self._before)
        started = time.perf_counter()
        graph = relationship_graph(self._lake, self._settings, ids)
        self._note("graph", started, {"tables": len(ids)}, _graph_json(graph))
        started = time.perf_counter()
        profiles = Profiles(self._lake, blind=self._settings.backbone.blind)
        options = self._settings.multitable
        aligned = align_needs(analysis, needs, profiles, ids, options.columns_per_need)
        found = mappings(needs, aligned, graph, options.bridge_hops, MAX_MAPPINGS)
        self._note(
            "align",
            started,
            {"needs": [need.to_json() for need in needs]},
            {"aligned": [a.to_json() for a in aligned[:50]], "mappings": [m.to_json() for m in found]},
        )
        if not found:
            return self._unanswered(tuple(need.text for need in needs))
        for mapping in found:
            if not self._budget.may_answer():
                break
            answer = self._try(needs, mapping, graph)
            if answer is not None:
                return answer
        return self._unanswered(tuple(self._missing) or self._uncovered(needs, found[0]))

    # one connected set of tables --------------------------------------------------------------------------------------

    def _try(self, needs: Sequence[Need], mapping: NeedMapping, graph: RelationshipGraph) -> Answer | None:
        """Word the sub-questions, write a program over the joined tables, run it, check it, repair it."""
        groups = need_groups(needs, mapping, graph)
        joined = show_mapping(self._lake, mapping, graph, self._settings)
        self._tried += [table_id for table_id in joined.table_ids if table_id not in self._tried]
        try:
            subquestions = self._subquestions(needs, mapping, groups)
            residual = self._residual(needs, mapping, groups, joined)
            if residual:
                self._missing.append(residual)
            request = ProgramRequest(
                self._question,
                self._task,
                subquestions,
                joined.shown,
                joined.joins,
                tuple(grounded_facts(mapping, [need.text for need in needs], joined, graph)),
            )
            if not self._budget.may_answer():
                return None
            decision = self._call(
                "program",
                lambda: self._backbone.program(request),
                {"tables": list(joined.table_ids), "joins": list(joined.joins), "subquestions": list(subquestions)},
                _program_json,
            )
        except BudgetExhaustedError as error:
            self._note("check", time.perf_counter(), {}, {}, f"explored no further: {error}")
            return None
        return self._execute_and_repair(decision, joined)

    def _subquestions(
        self, needs: Sequence[Need], mapping: NeedMapping, groups: Sequence[NeedGroup]
    ) -> tuple[str, ...]:
        """One sub-question per group; with one group the question itself."""
        if len(groups) == 1 or not self._budget.may_explore():
            return (self._question,)
        request = SubquestionsRequest(self._question, tuple(groups), tuple(needs[n].text for n in mapping.unmapped))
        decision = self._call(
            "subquestions",
            lambda: self._backbone.subquestions(request),
            {"groups": [{"needs": list(g.needs), "tables": list(g.table_ids), "columns": list(g.columns)}
                        for g in groups]},
            lambda d: {"subquestions": list(d.subquestions)},
        )  # fmt: skip
        return decision.subquestions

    def _residual(
        self, needs: Sequence[Need], mapping: NeedMapping, groups: Sequence[NeedGroup], joined: Joined
    ) -> str | None:
        """The part of the question that the mapping does not cover, when its coverage is below the threshold."""
        if mapping.coverage >= self._settings.multitable.coverage_threshold and not mapping.unmapped:
            return None
        if self._budget.left < 3:  # the program, and one repair, come first
            return None
        covered = tuple(need for group in groups for need in group.needs)
        request = ResidualRequest(self._question, covered, joined.shown)
        decision = self._call(
            "residual",
            lambda: self._backbone.residual(request),
            {"covered": list(covered), "coverage": round(mapping.coverage, 3)},
            lambda d: {"residual": d.residual},
        )
        return decision.residual

    def _execute_and_repair(self, decision: ProgramDecision, joined: Joined) -> Answer | None:
        """Run the program; give it back for repair while it fails, is empty or explodes, never the same one twice."""
        repairs = 0
        while True:
            program = decision.program
            if program is None:
                self._missing += decision.missing
                return None
            if program.text.strip() in self._failed:
                return None
            result = self._execute(program)
            judgement, fault = self._check(program, result)
            if fault is None:
                return build_answer(
                    self._lake,
                    self._question,
                    program,
                    result,
                    judgement,
                    sentence=decision.sentence,
                    unit=decision.unit,
                    assumptions=decision.assumptions,
                    tried=tuple(dict.fromkeys((*self._tried, *joined.table_ids))),
                    trail=self._trail,
                )
            self._failed.append(program.text.strip())
            if repairs >= self._settings.multitable.max_repairs or not self._budget.may_answer():
                return None
            repairs += 1
            request = RepairRequest(
                self._question, self._task, program, fault, joined.shown, joined.joins, tuple(self._failed)
            )
            try:
                decision = self._call(
                    "repair",
                    lambda request=request: self._backbone.repair(request),  # type: ignore[misc]
                    {"program": program.text, "error": fault},
                    _program_json,
                )
            except BudgetExhaustedError:
                return None

    def _execute(self, program: Program) -> ProgramResult:
        from tablehound.execution import run_program

        started = time.perf_counter()
        unfounded = fault_of(program, self._task)  # a number out of a model's head is no result
        result = ProgramResult(error=unfounded) if unfounded else run_program(self._lake, program, self._settings)
        rows = [[None if cell is None else str(cell) for cell in row] for row in result.rows[:TRAIL_ROWS]]
        self._note(
            "execute",
            started,
            {"program": program.text, "tables": {a: list(v.table_ids) for a, v in program.tables.items()}},
            {"columns": list(result.columns), "rows": rows, "n_rows": len(result.rows), "error": result.error},
        )
        return result

    def _check(self, program: Program, result: ProgramResult) -> tuple[Judgement, str | None]:
        """What the result says, and the fault to repair, if any."""
        judgement = judge(result, self._task)
        fault: str | None = None
        if judgement.strength == "none":
            fault = result.error or judgement.reason
        for join in result.joins:
            larger = max(join.left_rows, join.right_rows, 1)
            if join.result_rows > self._settings.multitable.exploded_join * larger:
                fault = f"the join of {join.left} and {join.right} exploded to {join.result_rows} rows"
            elif join.multiplied and adds_up_rows(program.text):
                fault = fault or (
                    f"the join of {join.left} and {join.right} repeats rows of both sides, so that what is counted or "
                    "summed over it is counted several times: join on a key of one side, or count distinct rows"
                )
            elif join.left_rows and join.right_rows and not join.result_rows:
                fault = fault or f"the join of {join.left} and {join.right} matched no rows"
        self._note("check", time.perf_counter(), {}, {"strength": judgement.strength, "fault": fault}, judgement.reason)
        return judgement, fault

    # recording ------------------------------------------------------------------------------------------------------

    def _call(
        self,
        kind: StepKind,
        decide: Callable[[], Decision],
        saw: Mapping[str, Any],
        decided: Callable[[Decision], Mapping[str, Any]],
    ) -> Decision:
        """One step of the backbone: it counts, also when it fails."""
        before, started = self._backbone.usage, time.perf_counter()
        self._budget.spend()
        outcome: Mapping[str, Any] = {}
        note = ""
        try:
            decision = decide()
            outcome = decided(decision)
            return decision
        except BaseException as error:
            note = f"failed: {type(error).__name__}"
            raise
        finally:
            spent = self._backbone.usage - before
            self._trail.add(
                Step(
                    kind,
                    dict(saw),
                    dict(outcome),
                    time.perf_counter() - started,
                    spent.prompt_tokens,
                    spent.reply_tokens,
                    spent.calls,
                    note or ("the reply could not be understood" if spent.unparsed else ""),
                )
            )

    def _note(
        self, kind: StepKind, started: float, saw: Mapping[str, Any], decided: Mapping[str, Any], text: str = ""
    ) -> None:
        self._trail.add(Step(kind, dict(saw), dict(decided), time.perf_counter() - started, note=text))

    def _uncovered(self, needs: Sequence[Need], mapping: NeedMapping) -> tuple[str, ...]:
        return tuple(needs[n].text for n in mapping.unmapped) or ("no program over the tables gave an answer",)

    def _unanswered(self, missing: tuple[str, ...]) -> Answer:
        return unanswered(self._question, missing, tried=tuple(self._tried), trail=self._trail)


def _program_json(decision: ProgramDecision) -> dict[str, Any]:
    return {"program": decision.program.text if decision.program else None, "missing": list(decision.missing)}


def _graph_json(graph: RelationshipGraph) -> dict[str, Any]:
    return {
        "clusters": [{"id": c.id, "tables": list(c.table_ids)} for c in graph.clusters if len(c.table_ids) > 1],
        "n_clusters": len(graph.clusters),
        "n_edges": len(graph.edges),
    }
