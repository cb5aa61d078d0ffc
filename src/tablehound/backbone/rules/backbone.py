"""The built-in backbone: rules, no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablehound.backbone import protocol as p
from tablehound.backbone.rules.lexicon import is_function
from tablehound.backbone.rules.profile import Profiles, TableProfile
from tablehound.backbone.rules.words import fold, stem, tokens
from tablehound.execution.program import Program
from tablehound.retrieval.pattern import Pattern

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.settings import Settings


class RulesBackbone:
    """Decides by question analysis and schema linking; deterministic, offline."""

    def __init__(self, lake: Lake, settings: Settings) -> None:
        self._profiles = Profiles(lake)
        self._settings = settings
        self._steps = 0

    @property
    def name(self) -> str:
        return "rules"

    @property
    def usage(self) -> p.Usage:
        return p.Usage()

    def patterns(self, request: p.PatternsRequest) -> p.PatternsDecision:
        words = [t for t in tokens(request.question) if not is_function(t.norm) and len(t.norm) > 1]
        return p.PatternsDecision(tuple(Pattern(t.norm, "literal") for t in words))

    def refine(self, request: p.RefineRequest) -> p.RefineDecision:
        ranked = sorted(
            request.shown, key=lambda s: (-self._coverage(request.question, self._profiles.get(s.info.id)), s.alias)
        )
        order = tuple(s.alias for s in ranked)
        if request.rerank:
            return p.RefineDecision("rerank", order)
        if request.may_select and order:
            return p.RefineDecision("select", order[: request.max_select])
        return p.RefineDecision("stop")

    def _coverage(self, question: str, table: TableProfile) -> float:
        words = [t for t in tokens(question) if not is_function(t.norm)]
        heads = {s for c in table.columns for s in c.stems}
        text = " ".join(v for c in table.columns for v in c.distinct)
        hits = sum(t.stem in heads or t.norm in text for t in words)
        return hits / max(1, len(words))

    def answer(self, request: p.AnswerRequest) -> p.AnswerDecision:
        words = [t for t in tokens(request.question) if not is_function(t.norm)]
        for shown in request.shown:
            table = self._profiles.get(shown.info.id)
            folded = fold(request.question)
            values = [(len(v), c, v) for c in table.columns for v in c.distinct if len(v) > 2 and v in folded]
            stems = {t.stem for t in words} | {stem(t.norm) for t in words}
            target = [c for c in table.columns if c.stems & stems]
            if values and target:
                _, column, value = max(values, key=lambda item: (item[0], -item[1].index))
                rest = [c for c in target if c is not column] or target
                sql = (
                    f'SELECT "{rest[0].name}" FROM {shown.alias} WHERE lower(CAST("{column.name}" AS VARCHAR)) = '
                    f"'{value.replace(chr(39), chr(39) * 2)}' AND NOT _rollup"
                )
                return p.AnswerDecision(True, Program(sql, {shown.alias: shown.view}))
        return p.AnswerDecision(False, missing=tuple(t.text for t in words))

    def infer_headers(self, request: p.InferHeadersRequest) -> p.InferHeadersDecision:
        named = next((name for name in request.names if name), None)
        return p.InferHeadersDecision(tuple(name or named for name in request.names))

    def subquestions(self, request: p.SubquestionsRequest) -> p.SubquestionsDecision:
        return p.SubquestionsDecision(tuple(f"What is {' and '.join(group.needs)}?" for group in request.groups))

    def residual(self, request: p.ResidualRequest) -> p.ResidualDecision:
        return p.ResidualDecision(None)

    def program(self, request: p.ProgramRequest) -> p.ProgramDecision:
        answer = self.answer(p.AnswerRequest(request.question, request.task, request.shown))
        return p.ProgramDecision(answer.program, missing=answer.missing)

    def repair(self, request: p.RepairRequest) -> p.ProgramDecision:
        return p.ProgramDecision(None, missing=(request.error,))
