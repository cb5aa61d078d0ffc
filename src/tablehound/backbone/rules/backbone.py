"""The built-in backbone: question analysis, schema linking, and programs from linked parts. Deterministic, offline."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from tablehound.answer import Missing
from tablehound.backbone import protocol as p
from tablehound.backbone.rules import patterns as clues
from tablehound.backbone.rules.deciding import Verdict, assumptions, decide, unit_of
from tablehound.backbone.rules.features import Scored
from tablehound.backbone.rules.scoring import Reading, read
from tablehound.backbone.rules.wording import left_over_words, subquestion
from tablehound.language.question import Analysis, analyse
from tablehound.linking.joined import join_profiles
from tablehound.linking.profile import Profiles, TableProfile
from tablehound.program import Program

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.settings import Settings

KEPT_VERDICTS = 256
Made = TypeVar("Made")


class RulesBackbone:
    """Decides by rules. It says *insufficient*, with the words that nothing covers, rather than guess."""

    def __init__(self, lake: Lake, settings: Settings) -> None:
        self._profiles = Profiles(lake, blind=settings.backbone.blind)
        self._settings = settings
        self._verdicts: OrderedDict[tuple[object, ...], tuple[TableProfile, Verdict]] = OrderedDict()
        self._readings: OrderedDict[tuple[object, ...], Reading] = OrderedDict()

    @property
    def name(self) -> str:
        return "rules"

    @property
    def usage(self) -> p.Usage:
        return p.Usage()

    def close(self) -> None:
        """Let go of what was kept of the lake's tables."""
        self._verdicts.clear()
        self._readings.clear()
        self._profiles.clear()

    def patterns(self, request: p.PatternsRequest) -> p.PatternsDecision:
        """Clues from the words of the question, in all their writings, and from the lake's own vocabulary."""
        return p.PatternsDecision(tuple(clues.first_patterns(analyse(request.question, request.task), request)))

    def refine(self, request: p.RefineRequest) -> p.RefineDecision:
        """Select the tables that an answer can be computed from; else look again by what is still not linked."""
        analysis = analyse(request.question, request.task)
        judged = [(self._judge(analysis, shown)[1], shown) for shown in request.shown]
        ranked = sorted(enumerate(judged), key=lambda e: (not e[1][0].sufficient, -round(e[1][0].merit, 6), e[0]))
        order = tuple(shown.alias for _, (_, shown) in ranked)
        if request.rerank:
            return p.RefineDecision("rerank", order, reason="by what is linked")
        good = tuple(shown.alias for _, (verdict, shown) in ranked if verdict.sufficient)
        if request.may_select and good:
            return p.RefineDecision("select", good[: request.max_select], reason="every part is linked")
        missing = [part.text for part in judged[0][0].missing] if judged else []
        if request.may_regenerate:
            again = clues.next_patterns(analysis, request, missing)
            if again:
                return p.RefineDecision("regenerate", patterns=tuple(again), reason=f"not linked: {', '.join(missing)}")
        return p.RefineDecision("stop", reason=f"not linked: {', '.join(missing)}")

    def answer(self, request: p.AnswerRequest) -> p.AnswerDecision:
        """A program over the shown table (or over several joined ones) that covers the question best."""
        analysis = analyse(request.question, request.task)
        best: tuple[TableProfile, Verdict] | None = None
        for shown in request.shown:
            best = _better(best, self._judge(analysis, shown))
        if request.joins and len(request.shown) > 1 and not (best and best[1].sufficient):
            best = _better(best, self._judge_join(analysis, request.shown, request.joins))
        if best is None or not best[1].sufficient:
            return p.AnswerDecision(False, missing=best[1].missing if best else (Missing("need", request.question),))
        return _decision(analysis, *best)

    def infer_headers(self, request: p.InferHeadersRequest) -> p.InferHeadersDecision:
        """A header is carried over from the columns of the group that have one; the commonest, then the first."""
        named = [name for name in request.names if name]
        best = max(named, key=lambda name: (named.count(name), -named.index(name))) if named else None
        return p.InferHeadersDecision(tuple(name or best for name in request.names))

    def subquestions(self, request: p.SubquestionsRequest) -> p.SubquestionsDecision:
        return p.SubquestionsDecision(tuple(subquestion(request.question, group) for group in request.groups))

    def residual(self, request: p.ResidualRequest) -> p.ResidualDecision:
        phrase = left_over_words(request.question, request.covered)
        return p.ResidualDecision(f"What about {phrase}?" if phrase else None, phrase)

    def program(self, request: p.ProgramRequest) -> p.ProgramDecision:
        """One program over the shown tables joined by the given conditions."""
        analysis = analyse(request.question, request.task)
        if len(request.shown) == 1:
            judged = self._judge(analysis, request.shown[0])
        else:
            judged = self._judge_join(analysis, request.shown, request.joins)
        if not judged[1].sufficient:
            return p.ProgramDecision(None, missing=judged[1].missing)
        decision = _decision(analysis, *judged)
        return p.ProgramDecision(decision.program, decision.sentence, decision.unit, decision.assumptions)

    def repair(self, request: p.RepairRequest) -> p.ProgramDecision:
        """The next best reading whose program has not failed yet."""
        analysis = analyse(request.question, request.task)
        failed = {text.strip() for text in (*request.failed, request.program.text)}
        aliases = set(request.program.tables)
        shown = [s for s in request.shown if s.alias in aliases]
        if not shown:
            return p.ProgramDecision(None, missing=(Missing("result", request.error),))
        table = (
            self._profiles.get(shown[0].alias, shown[0].view)
            if len(shown) == 1
            else join_profiles([self._profiles.get(s.alias, s.view) for s in shown], request.joins)
        )
        if table is None:
            return p.ProgramDecision(None, missing=(Missing("result", request.error),))
        reading = read(analysis, table)
        rest = tuple(s for s in reading.best if decide(analysis, table, _only(s)).sql.strip() not in failed)
        for scored in rest[:8]:
            verdict = decide(analysis, table, _only(scored))
            if verdict.sufficient:
                decision = _decision(analysis, table, verdict)
                return p.ProgramDecision(decision.program, decision.sentence, decision.unit, decision.assumptions)
        return p.ProgramDecision(None, missing=(Missing("result", request.error),))

    # --- judging ----------------------------------------------------------------------------------------------------

    def _judge(self, analysis: Analysis, shown: p.ShownTable) -> tuple[TableProfile, Verdict]:
        view = shown.view
        asked = (analysis.question, analysis.task, view.table_ids, view.header, view.alignment)

        def judge() -> tuple[TableProfile, Verdict]:
            table = self._profiles.get(shown.alias, view)
            # A reading names columns by their places: it is the same under any alias, the program is not.
            reading = _remember(self._readings, asked, lambda: read(analysis, table))
            return table, decide(analysis, table, reading)

        return _remember(self._verdicts, (shown.alias, *asked), judge)

    def _judge_join(
        self, analysis: Analysis, shown: tuple[p.ShownTable, ...], joins: tuple[str, ...]
    ) -> tuple[TableProfile, Verdict]:
        profiles = [self._profiles.get(s.alias, s.view) for s in shown]
        table = join_profiles(profiles, joins)
        if table is None:
            return profiles[0], Verdict(False, -1.0, missing=(Missing("join", "a join between the tables"),))
        return table, decide(analysis, table, read(analysis, table))


def _remember(known: OrderedDict[tuple[object, ...], Made], key: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """What was made for the key before, or is made now; the last ``KEPT_VERDICTS`` are kept."""
    if key not in known:
        known[key] = make()
        while len(known) > KEPT_VERDICTS:
            known.popitem(last=False)
    return known[key]


def _only(scored: Scored) -> Reading:
    return Reading((scored,), 0.0)


def _better(
    best: tuple[TableProfile, Verdict] | None, new: tuple[TableProfile, Verdict]
) -> tuple[TableProfile, Verdict]:
    if best is None:
        return new
    return new if (new[1].sufficient, new[1].merit) > (best[1].sufficient, best[1].merit) else best


def _decision(analysis: Analysis, table: TableProfile, verdict: Verdict) -> p.AnswerDecision:
    scored = verdict.scored
    assert scored is not None
    return p.AnswerDecision(
        True,
        Program(verdict.sql, dict(table.views)),
        unit=unit_of(analysis, scored.candidate.plan, table),
        assumptions=tuple(assumptions(analysis, table, scored)),
    )
