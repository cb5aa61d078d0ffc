"""The questions of an example lake: JSON lines beside a folder of tables, answered one by one.

Each line has ``id``, ``question``, ``task``, ``kind``, ``answer`` (a list of values, or the verdict of a claim; empty
where the tables do not say) and ``tables`` (files that hold the answer).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tablehound.errors import UsageError
from tablehound.evaluation.metrics import denotation_match

if TYPE_CHECKING:
    from tablehound.answer import Answer
    from tablehound.lake import Lake
    from tablehound.settings import Settings

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """One question with its gold answer."""

    id: str
    kind: str
    task: str
    question: str
    answer: tuple[str, ...]
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExampleOutcome:
    """What came of one question."""

    question: ExampleQuestion
    given: tuple[str, ...]
    answered: bool
    right: bool
    steps: int
    seconds: float
    failed: str = ""
    """Message of an error that ended the question."""


def read_questions(path: Path) -> list[ExampleQuestion]:
    """All questions of a file of JSON lines.

    Raises:
        UsageError: the file is missing or a line is not a question.
    """
    questions = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            questions.append(
                ExampleQuestion(
                    record["id"], record["kind"], record["task"], record["question"],
                    tuple(record["answer"]), tuple(record["tables"]),
                )
            )  # fmt: skip
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise UsageError(f"{path}, line {number}: not a question: {error}") from error
    return questions


def judge(question: ExampleQuestion, answer: Answer) -> bool:
    """Right: the verdict of a claim, the values of a question, or silence where the tables do not say."""
    if not question.answer:
        return not answer.answered
    given = (answer.verdict,) if answer.verdict is not None else answer.values
    return answer.answered and denotation_match([str(value) for value in given], question.answer)


def run_examples(lake: Lake, questions: Sequence[ExampleQuestion], settings: Settings) -> Iterator[ExampleOutcome]:
    """Answer each question; an error counts as not right, with its message."""
    import time

    from tablehound.ask import ask
    from tablehound.errors import TablehoundError

    for question in questions:
        started = time.perf_counter()
        try:
            answer = ask(question.question, lake, settings)
        except Exception as error:  # a fault of one question must not end a long run; it is counted and named
            logger.debug("question %s failed", question.id, exc_info=True)
            said = str(error) if isinstance(error, TablehoundError) else f"{type(error).__name__}: {error}"
            yield ExampleOutcome(question, (), False, False, 0, time.perf_counter() - started, said)
            continue
        given = (answer.verdict,) if answer.verdict is not None else answer.values
        steps = answer.trail.backbone_steps if answer.trail else 0
        yield ExampleOutcome(
            question, given, answer.answered, judge(question, answer), steps, time.perf_counter() - started
        )
