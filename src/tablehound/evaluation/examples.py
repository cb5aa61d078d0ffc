"""The questions of an example lake: JSON lines beside a folder of tables, answered one by one.

Each line has ``id``, ``question``, ``task``, ``kind``, ``answer`` (a list of values, or the verdict of a claim; empty
where the tables do not say) and ``tables`` (files that hold the answer).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tablehound.errors import UsageError
from tablehound.evaluation.datasets import BenchQuestion, TableKeys
from tablehound.evaluation.metrics import denotation_match

if TYPE_CHECKING:
    from tablehound.answer import Answer
    from tablehound.lake import Lake
    from tablehound.settings import Settings


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
    given = (answer.verdict,) if answer.verdict is not None else answer.values
    return _right(question, [str(value) for value in given] if answer.answered else None)


def _right(question: ExampleQuestion, given: Sequence[str] | None) -> bool:
    """``given`` is None where nothing was answered."""
    if not question.answer or given is None:
        return not question.answer and given is None
    return denotation_match(given, question.answer)


def run_examples(lake: Lake, questions: Sequence[ExampleQuestion], settings: Settings) -> Iterator[ExampleOutcome]:
    """Answer each question by the system ``ask``; an error counts as not right, with its message. Whether something is
    a question or a claim is not told."""
    from tablehound.evaluation.systems import make_system
    from tablehound.language import decide_task

    system = make_system("ask", lake, TableKeys(), settings)
    for question in questions:
        task = settings.task or decide_task(question.question)
        outcome = system.run(BenchQuestion(question.id, question.question, task))
        given = (outcome.verdict,) if outcome.verdict is not None else outcome.values
        right = not outcome.error and _right(question, given if outcome.answered else None)
        yield ExampleOutcome(
            question, given, outcome.answered, right, outcome.steps, outcome.seconds, outcome.error
        )  # fmt: skip
