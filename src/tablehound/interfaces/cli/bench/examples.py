"""``tablehound bench examples``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from tablehound.interfaces.cli.common import json_option, opened, settings_options
from tablehound.settings import Settings


@click.command("examples")
@click.argument("source", default="examples/lake")
@click.option(
    "--questions", type=click.Path(path_type=Path, dir_okay=False), default=Path("examples/questions.jsonl"),
    show_default=True, help="JSON lines of questions with answers.",
)  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Print every question, not only those that went wrong.")
@json_option
@settings_options("mode", "strategy", "max_steps", "rank", "model", "base_url", "privacy")
def command(source: str, questions: Path, verbose: bool, as_json: bool, settings: Settings) -> int:
    """Answer the questions of an example lake and count the right ones.

    \b
    Example:
      tablehound bench examples examples/lake
    """
    from tablehound.evaluation import read_questions, run_examples, wilson_interval
    from tablehound.interfaces.terminal import emit, emit_json, printable

    asked = read_questions(questions)
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    seconds = 0.0
    steps = 0
    made_up = 0
    with opened(source, settings) as lake:
        for outcome in run_examples(lake, asked, settings):
            question = outcome.question
            total[question.kind] += 1
            right[question.kind] += outcome.right
            made_up += outcome.answered and not question.answer
            seconds += outcome.seconds
            steps += outcome.steps
            if as_json:
                emit_json(
                    {
                        "id": question.id, "kind": question.kind, "question": question.question,
                        "gold": list(question.answer), "given": list(outcome.given), "answered": outcome.answered,
                        "right": outcome.right, "steps": outcome.steps, "seconds": round(outcome.seconds, 3),
                        "failed": outcome.failed,
                    }
                )  # fmt: skip
            elif verbose or not outcome.right:
                given = (
                    "; ".join(map(str, outcome.given))
                    if outcome.answered
                    else outcome.failed or "the tables do not say"
                )
                emit(
                    printable(
                        f"{'right' if outcome.right else 'WRONG'} {question.id} {question.question} → {given}"
                        + ("" if outcome.right else f" (expected: {'; '.join(question.answer) or 'no answer'})")
                    )
                )
    hits, count = sum(right.values()), sum(total.values())
    low, high = wilson_interval(hits, count)
    summary = {
        "right": hits, "questions": count, "interval": [round(low, 3), round(high, 3)],
        "by_kind": {kind: [right[kind], total[kind]] for kind in sorted(total)}, "made_up": made_up,
        "seconds_per_question": round(seconds / max(count, 1), 3),
        "steps_per_question": round(steps / max(count, 1), 2),
    }  # fmt: skip
    if as_json:
        emit_json({"summary": summary})
    else:
        kinds = ", ".join(f"{kind} {right[kind]}/{total[kind]}" for kind in sorted(total))
        emit(f"{hits} of {count} right (95% interval {low:.2f} to {high:.2f}): {kinds}; {made_up} made up")
        emit(f"{seconds / max(count, 1):.3f} s and {steps / max(count, 1):.1f} steps a question")
    return 0
