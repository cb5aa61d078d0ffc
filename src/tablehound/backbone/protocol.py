"""The backbone protocol: typed requests in, typed decisions out; the algorithms do not know which backbone they use.

Every method is one step. A backbone never runs programs for an answer itself: it returns a :class:`Program`, and the
one gate for programs runs it, so that a number in an answer always comes out of a program that ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from tablehound.answer import Missing
from tablehound.lake.table import TableInfo
from tablehound.program import Program, View
from tablehound.retrieval.lake_vocabulary import Vocabulary
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import Task


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table as a backbone sees it. ``alias`` (``T1``, ``T2`` …) is its name in prompts and programs."""

    alias: str
    info: TableInfo
    """Of the table, or of the first table of a union cluster."""
    view: View
    """What the alias stands for in a program."""
    preview: str
    whole: bool
    """The preview holds every row."""
    matched: tuple[Pattern, ...] = ()
    matched_rows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PatternsRequest:
    question: str
    task: Task
    vocabulary: Vocabulary = field(default_factory=Vocabulary)


@dataclass(frozen=True, slots=True)
class PatternsDecision:
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class RefineRequest:
    question: str
    task: Task
    patterns: tuple[Pattern, ...]
    shown: tuple[ShownTable, ...]
    max_select: int
    may_select: bool = True
    may_regenerate: bool = True
    rerank: bool = False
    """Strategy ``rN``: order the shown tables instead of selecting."""
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    refused: tuple[str, ...] = ()
    """Messages about patterns of the last round that the engine refused, to be rewritten."""


@dataclass(frozen=True, slots=True)
class RefineDecision:
    """One of: ``select`` (aliases), ``rerank`` (aliases, best first), ``regenerate`` (new patterns), ``stop``."""

    action: Literal["select", "rerank", "regenerate", "stop"]
    aliases: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    question: str
    task: Task
    shown: tuple[ShownTable, ...]
    subquestions: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    """Join conditions between the shown tables, as SQL, best first."""


@dataclass(frozen=True, slots=True)
class AnswerDecision:
    """``sufficient`` False: these tables do not answer it, ``missing`` says what they lack.

    For ``tableqa`` the values are the program's result. For ``fact_verification`` the program returns one boolean, true
    when the claim is supported.
    """

    sufficient: bool
    program: Program | None = None
    sentence: str = ""
    unit: str | None = None
    assumptions: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, slots=True)
class InferHeadersRequest:
    """One group of columns of like meaning (DMRAL): only these columns and sample rows are shown."""

    names: tuple[str | None, ...]
    samples: tuple[tuple[str, ...], ...]
    titles: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class InferHeadersDecision:
    names: tuple[str | None, ...]
    """One per column, None where it cannot be told."""


@dataclass(frozen=True, slots=True)
class NeedGroup:
    """Information needs that one table (or union cluster) covers, with the columns they were aligned to."""

    needs: tuple[str, ...]
    table_ids: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SubquestionsRequest:
    question: str
    groups: tuple[NeedGroup, ...]
    unmapped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubquestionsDecision:
    subquestions: tuple[str, ...]
    """One per group, in order."""


@dataclass(frozen=True, slots=True)
class ResidualRequest:
    question: str
    covered: tuple[str, ...]
    shown: tuple[ShownTable, ...]


@dataclass(frozen=True, slots=True)
class ResidualDecision:
    residual: str | None
    """The part that nothing shown covers, as a question; None when all is covered."""
    phrase: str = ""
    """The same as nothing but the question's words that are left over, where the backbone makes no others. It follows
    from the request, so it is not recorded."""


@dataclass(frozen=True, slots=True)
class ProgramRequest:
    question: str
    task: Task
    subquestions: tuple[str, ...]
    shown: tuple[ShownTable, ...]
    joins: tuple[str, ...] = ()
    """Join conditions as SQL, such as ``T1."city id" = T2."id"``, best first."""
    grounded: tuple[str, ...] = ()
    """Facts found by looking values up: ``"Paris" is a value of T1."city"``."""


@dataclass(frozen=True, slots=True)
class ProgramDecision:
    program: Program | None
    sentence: str = ""
    unit: str | None = None
    assumptions: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, slots=True)
class RepairRequest:
    question: str
    task: Task
    program: Program
    error: str
    shown: tuple[ShownTable, ...]
    joins: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    """Texts of all programs that failed before; none may come back."""


class Backbone(Protocol):
    """What decides. Implementations: ``backbone.rules`` (no model) and ``backbone.chat``."""

    @property
    def name(self) -> str:
        """``rules``, or the model's name."""
        ...

    @property
    def usage(self) -> Usage:
        """Totals since the backbone was made; the loop takes differences to cost a step."""
        ...

    def patterns(self, request: PatternsRequest) -> PatternsDecision: ...
    def refine(self, request: RefineRequest) -> RefineDecision: ...
    def answer(self, request: AnswerRequest) -> AnswerDecision: ...
    def infer_headers(self, request: InferHeadersRequest) -> InferHeadersDecision: ...
    def subquestions(self, request: SubquestionsRequest) -> SubquestionsDecision: ...
    def residual(self, request: ResidualRequest) -> ResidualDecision: ...
    def program(self, request: ProgramRequest) -> ProgramDecision: ...
    def repair(self, request: RepairRequest) -> ProgramDecision: ...

    def close(self) -> None:
        """Release what it holds (connections, what it knows of tables). It may be called more than once."""
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """What a backbone has cost so far."""

    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    unparsed: int = 0
    """Replies that could not be understood, also after the repair."""
    understood: int = 0
    """Decisions that were read from a model's reply."""

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.calls - other.calls,
            self.prompt_tokens - other.prompt_tokens,
            self.reply_tokens - other.reply_tokens,
            self.unparsed - other.unparsed,
            self.understood - other.understood,
        )


def views(shown: Sequence[ShownTable]) -> dict[str, View]:
    """``Program.tables`` for the shown tables."""
    return {table.alias: table.view for table in shown}
