"""The chat backbone: every method fills a prompt, asks through the one client, and reads the reply as a decision.

A reply that cannot be read is asked for once more with what was wrong; failing that it is counted
(``Usage.unparsed``) and a safe decision takes its place, so that no reply ever ends a question.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tablehound.answer import Missing
from tablehound.backbone import protocol as p
from tablehound.backbone.chat import shapes
from tablehound.backbone.chat.client import ChatClient, PromptTooLongError
from tablehound.backbone.chat.escaping import escape, one_line
from tablehound.backbone.chat.notes import notes_of
from tablehound.backbone.chat.privacy import Discretion
from tablehound.backbone.chat.prompting import NO, YES, conversation, fenced, fill, lines_of, listed
from tablehound.backbone.chat.tolerant import NotJsonError, parse_object
from tablehound.errors import BudgetExhaustedError
from tablehound.retrieval.patterns.question_words import question_patterns
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import Task

if TYPE_CHECKING:
    from tablehound.lake import Lake
    from tablehound.settings import Settings

logger = logging.getLogger(__name__)
Decision = TypeVar("Decision")

NOT_UNDERSTOOD = Missing("reply", "the model's reply could not be understood")
NOT_FITTING = Missing("reply", "the prompt does not fit into the model's context (lower seek.preview_chars)")
_WORDS = 12
"""Words of the lake, patterns and joins that a prompt lists, of each."""
_PREVIEW_SCALES = (1.0, 0.5, 0.25, 0.1)
"""How much of the previews is shown, from one try to the next, when a prompt does not fit."""
_SHOWN_REPLY = 1_000


class ChatBackbone:
    """Decides by a chat model. Its budget (``backbone.max_tokens``, ``backbone.max_seconds``) is for its whole life:
    make one per question.

    Raises:
        UsageError: the file to replay cannot be read.
    """

    def __init__(self, lake: Lake, settings: Settings) -> None:
        from tablehound.opening import cache_folder

        self._blind = settings.backbone.blind
        self._most_program = settings.program.max_program_chars
        self._most_prose = settings.backbone.max_prose_chars
        self._discretion = Discretion(lake, settings.backbone.privacy)
        self._client = ChatClient(settings.backbone, cache_folder() / "replies")

    @property
    def name(self) -> str:
        return self._client.model

    @property
    def usage(self) -> p.Usage:
        return self._client.spending.usage

    def close(self) -> None:
        """Let go of the connections to the server."""
        self._client.close()

    def patterns(self, request: p.PatternsRequest) -> p.PatternsDecision:
        words = self._discretion.vocabulary(request.vocabulary)
        slots = _task_slots(request.task, request.question) | {
            "headers": listed(words.headers, most=_WORDS),
            "values": listed(words.values, most=_WORDS),
        }
        return self._decide(
            "patterns",
            lambda _scale: slots,
            shapes.PATTERNS,
            lambda data: p.PatternsDecision(shapes.read_patterns(data)),
            safe=p.PatternsDecision(question_patterns(request.question)),
            shape='{"patterns": ["...", "..."]}',
        )

    def refine(self, request: p.RefineRequest) -> p.RefineDecision:
        actions = shapes.allowed_actions(request)
        words = self._discretion.vocabulary(request.vocabulary)

        def slots(scale: float) -> Mapping[str, str]:
            return _task_slots(request.task, request.question) | {
                "patterns": listed([_written(pattern) for pattern in request.patterns], most=_WORDS),
                "refused": lines_of(request.refused),
                "headers": listed(words.headers, most=_WORDS) if request.may_regenerate else NO,
                "values": listed(words.values, most=_WORDS) if request.may_regenerate else NO,
                "tables": self._discretion.tables(request.shown, scale=scale, typed=False),
                "max_select": str(request.max_select),
                "select": YES if "select" in actions else NO,
                "rerank": YES if "rerank" in actions else NO,
                "regenerate": YES if "regenerate" in actions else NO,
            }

        return self._decide(
            "refine",
            slots,
            shapes.refine_schema(request),
            lambda data: shapes.read_refine(data, request),
            safe=p.RefineDecision("stop", reason=NOT_UNDERSTOOD.text),
            shape='{"action": "' + actions[0] + '", "tables": ["T1"], "patterns": []}',
        )

    def answer(self, request: p.AnswerRequest) -> p.AnswerDecision:
        def slots(scale: float) -> Mapping[str, str]:
            return self._program_slots(request.task, request.question, request.shown, request.joins, scale) | {
                "subquestions": one_line(" ".join(request.subquestions))
            }

        return self._decide(
            "answer",
            slots,
            shapes.ANSWER,
            lambda data: _noted(
                shapes.read_answer(data, request.shown, request.task, most=self._most_program), request.question
            ),
            safe=p.AnswerDecision(False, missing=(NOT_UNDERSTOOD,)),
            shape='{"sufficient": true, "sql": "SELECT ...", "unit": "", "missing": ""}',
        )

    def infer_headers(self, request: p.InferHeadersRequest) -> p.InferHeadersDecision:
        count = len(request.names)
        unknown = p.InferHeadersDecision(tuple(request.names))
        # Without values there is nothing to tell a name from: no call is better than a guess.
        if not count or not self._discretion.allows("values"):
            return unknown
        lines = []
        for index, name in enumerate(request.names):
            samples = request.samples[index] if index < len(request.samples) else ()
            shown = samples if self._discretion.allows("rows") else sorted(samples)
            title = request.titles[index] if index < len(request.titles) and not self._blind else None
            lines.append(f"{index + 1}. name: {name or '?'}; {f'title: {title}; ' if title else ''}{', '.join(shown)}")
        slots = {"columns": fenced("\n".join(lines)), "count": str(count)}
        return self._decide(
            "infer_headers",
            lambda _scale: slots,
            shapes.NAMES,
            lambda data: p.InferHeadersDecision(shapes.read_names(data, count)),
            safe=unknown,
            shape='{"names": ["..."]}',
        )

    def subquestions(self, request: p.SubquestionsRequest) -> p.SubquestionsDecision:
        groups = [
            f"{number}. {', '.join(group.needs)} (columns: {', '.join(group.columns)})"
            for number, group in enumerate(request.groups, start=1)
        ]
        plain = tuple(f"What is {' and '.join(group.needs)}?" for group in request.groups)
        slots = {
            "question": one_line(request.question),
            "groups": fenced("\n".join(groups)),
            "unmapped": listed(request.unmapped, most=_WORDS),
            "count": str(len(groups)),
        }
        return self._decide(
            "subquestions",
            lambda _scale: slots,
            shapes.SUBQUESTIONS,
            lambda data: p.SubquestionsDecision(shapes.read_subquestions(data, plain)),
            safe=p.SubquestionsDecision(plain),
            shape='{"subquestions": ["...?"]}',
        )

    def residual(self, request: p.ResidualRequest) -> p.ResidualDecision:
        def slots(scale: float) -> Mapping[str, str]:
            return {
                "question": one_line(request.question),
                "covered": one_line(" ".join(request.covered)) or "nothing",
                "tables": self._discretion.tables(request.shown, scale=scale),
            }

        return self._decide(
            "residual",
            slots,
            shapes.RESIDUAL,
            lambda data: p.ResidualDecision(shapes.read_residual(data)),
            safe=p.ResidualDecision(None),
            shape='{"residual": ""}',
        )

    def program(self, request: p.ProgramRequest) -> p.ProgramDecision:
        def slots(scale: float) -> Mapping[str, str]:
            # Grounded facts quote cells.
            known = request.grounded if self._discretion.allows("values") else ()
            return self._program_slots(request.task, request.question, request.shown, request.joins, scale) | {
                "subquestions": one_line(" ".join(request.subquestions)),
                "grounded": listed(known, most=_WORDS, chars=120),
            }

        return self._decide(
            "program",
            slots,
            shapes.PROGRAM,
            lambda data: self._program_in(data, request),
            safe=p.ProgramDecision(None, missing=(NOT_UNDERSTOOD,)),
            shape='{"sql": "SELECT ...", "unit": "", "missing": ""}',
        )

    def repair(self, request: p.RepairRequest) -> p.ProgramDecision:
        def slots(scale: float) -> Mapping[str, str]:
            failed = [text for text in request.failed if text != request.program.text]
            return self._program_slots(request.task, request.question, request.shown, request.joins, scale) | {
                "program": escape(request.program.text),
                "error": fenced(self._discretion.error(request.error, request.program.text, request.shown)),
                "failed": lines_of(failed),
            }

        def read(data: Mapping[str, Any]) -> p.ProgramDecision:
            decision = self._program_in(data, request)
            if decision.program is not None and decision.program.text in (*request.failed, request.program.text):
                raise shapes.UnusableReplyError("that program failed already")
            return decision

        return self._decide(
            "repair",
            slots,
            shapes.PROGRAM,
            read,
            safe=p.ProgramDecision(None, missing=(NOT_UNDERSTOOD,)),
            shape='{"sql": "SELECT ...", "unit": "", "missing": ""}',
        )

    def _program_in(self, data: Mapping[str, Any], request: p.ProgramRequest | p.RepairRequest) -> p.ProgramDecision:
        decision = shapes.read_program_decision(data, request.shown, request.task, most=self._most_program)
        return _noted(decision, request.question)

    def _program_slots(
        self, task: Task, question: str, shown: Sequence[p.ShownTable], joins: Sequence[str], scale: float
    ) -> dict[str, str]:
        return _task_slots(task, question) | {
            "tables": self._discretion.tables(shown, scale=scale),
            "joins": listed(joins, most=_WORDS, chars=200),
            "totals": YES if any(table.info.rollup_rows for table in shown) else NO,
        }

    def _decide(
        self,
        kind: str,
        slots: Callable[[float], Mapping[str, str]],
        schema: Mapping[str, Any],
        read: Callable[[Mapping[str, Any]], Decision],
        *,
        safe: Decision,
        shape: str,
    ) -> Decision:
        spending = self._client.spending
        asked = self._ask_within_context(kind, slots, schema)
        if asked is None:
            spending.unparsed += 1
            if isinstance(safe, p.AnswerDecision | p.ProgramDecision):
                return dataclasses.replace(safe, missing=(NOT_FITTING,))
            return safe
        messages, text = asked
        try:
            decision = self._read(text, read)
            spending.understood += 1
            return decision
        except (NotJsonError, shapes.UnusableReplyError) as error:
            fault = str(error)
        messages += [
            {"role": "assistant", "content": escape(text[:_SHOWN_REPLY]) or "(nothing)"},
            {"role": "user", "content": fill("again", {"fault": one_line(fault), "shape": shape})},
        ]
        try:
            decision = self._read(self._client.complete(kind, messages, schema).text, read)
            spending.understood += 1
            return decision
        except (NotJsonError, shapes.UnusableReplyError, PromptTooLongError, BudgetExhaustedError) as error:
            logger.info("a reply to %s could not be read: %s", kind, error)
        spending.unparsed += 1
        return safe

    def _ask_within_context(
        self, kind: str, slots: Callable[[float], Mapping[str, str]], schema: Mapping[str, Any]
    ) -> tuple[list[dict[str, str]], str] | None:
        """The prompt that fits into the model's context and the reply to it; None when none fits. What was refused as
        too long is not sent again."""
        before: list[dict[str, str]] = []
        for scale in _PREVIEW_SCALES:
            messages = conversation(kind, slots(scale))
            if messages == before:
                continue
            before = messages
            try:
                return messages, self._client.complete(kind, messages, schema).text
            except PromptTooLongError as error:
                logger.info("showing less of the tables: %s", error)
        return None

    def _read(self, text: str, read: Callable[[Mapping[str, Any]], Decision]) -> Decision:
        """The decision in a reply; a SELECT in prose counts as one."""
        try:
            data = parse_object(text)
        except NotJsonError:
            sql = shapes.sql_in_prose(text, most=self._most_prose)
            if sql is None:
                raise
            data = {"sql": sql}
        try:
            return read(data)
        except RecursionError:
            raise NotJsonError("the reply nests too deep") from None


def _task_slots(task: Task, question: str) -> dict[str, str]:
    claim = task == "fact_verification"
    return {
        "what": "Claim" if claim else "Question",
        "what_lower": "claim" if claim else "question",
        "question": one_line(question),
        "checking": YES if claim else NO,
        "asking": NO if claim else YES,
    }


Written = TypeVar("Written", p.AnswerDecision, p.ProgramDecision)


def _noted(decision: Written, question: str) -> Written:
    """The decision, with notes on its program where it and the question name different things."""
    notes: tuple[str, ...] = notes_of(decision.program, question) if decision.program is not None else ()
    return dataclasses.replace(decision, assumptions=(*decision.assumptions, *notes)) if notes else decision


def _written(pattern: Pattern) -> str:
    return pattern.text if pattern.kind != "range" else pattern.describe()
