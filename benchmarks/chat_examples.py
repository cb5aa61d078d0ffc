"""The chat path on the example questions, against a real server.

Prints, for each question, the answer, whether it is right, backbone steps, seconds and replies that could not be read;
then the totals. Questions that are answered already in ``--out`` are not asked again, so a killed run goes on.

    python benchmarks/chat_examples.py --model M --base-url http://127.0.0.1:8000/v1 [--limit N] [--out FILE.jsonl]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import mean, median

from tablehound.api import ask
from tablehound.backbone import make_backbone
from tablehound.errors import TablehoundError
from tablehound.evaluation.examples import ExampleQuestion, judge, read_questions
from tablehound.lake import Lake
from tablehound.opening import open_lake
from tablehound.retrieval import SearchEngine, open_engine
from tablehound.settings import Settings

REPOSITORY = Path(__file__).resolve().parent.parent
Row = dict[str, object]


def answer_one(question: ExampleQuestion, lake: Lake, engine: SearchEngine, settings: Settings) -> Row:
    """Ask one question; an error of any kind is a row too."""
    started = time.perf_counter()
    row: Row = {"id": question.id, "kind": question.kind, "answerable": bool(question.answer)}
    backbone = make_backbone(lake, settings)
    try:
        answer = ask(question.question, lake, settings, backbone=backbone, engine=engine)
        trail = answer.trail
        row |= {
            "answered": answer.answered,
            "values": list(answer.values[:5]),
            "right": judge(question, answer),
            "steps": trail.backbone_steps if trail else 0,
            "counts": trail.counts() if trail else {},
            "program": answer.program.text if answer.program else None,
            "missing": list(answer.missing[:3]),
        }
    except TablehoundError as error:
        row |= {"error": f"{type(error).__name__}: {error}", "right": False, "answered": False, "steps": 0}
    usage = backbone.usage
    row |= {
        "seconds": round(time.perf_counter() - started, 1),
        "calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.reply_tokens,
        "unparsed": usage.unparsed,
    }
    return row


def report(rows: list[Row]) -> None:
    """Totals, as they stand in docs/benchmarks.md."""

    def numbers(name: str) -> list[float]:
        return [float(str(row[name])) for row in rows]

    by_kind: dict[str, list[Row]] = {}
    for row in rows:
        by_kind.setdefault(str(row["kind"]), []).append(row)
    print(f"right: {sum(bool(row['right']) for row in rows)} of {len(rows)}")
    for kind, group in sorted(by_kind.items()):
        print(f"  {kind}: {sum(bool(row['right']) for row in group)} of {len(group)}")
    print(
        f"made-up answers to unanswerable questions: {sum(bool(r['answered']) and not r['answerable'] for r in rows)}"
    )
    print(f"ended by an error: {sum('error' in row for row in rows)}")
    print(f"replies that could not be parsed: {sum(numbers('unparsed')):.0f} of {sum(numbers('calls')):.0f} calls")
    print(f"steps a question: mean {mean(numbers('steps')):.1f}, most {max(numbers('steps')):.0f}")
    print(f"seconds a question: mean {mean(numbers('seconds')):.0f}, median {median(numbers('seconds')):.0f}")
    print(f"tokens a question: prompt {mean(numbers('prompt_tokens')):.0f}, reply {mean(numbers('reply_tokens')):.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url")
    parser.add_argument("--limit", type=int, default=0, help="only the first N questions")
    parser.add_argument("--ids", nargs="*", default=[], help="only these questions")
    parser.add_argument("--out", type=Path, help="JSON lines of the rows; resumed if it exists")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=JSON", help="a setting by dotted name")
    options = parser.parse_args()
    values = {name: json.loads(text) for name, _, text in (item.partition("=") for item in options.set)}
    settings = Settings().with_values(
        **{"backbone.model": options.model, "backbone.base_url": options.base_url, "backbone.cache": False} | values
    )
    questions = read_questions(REPOSITORY / "examples" / "questions.jsonl")
    questions = [q for q in questions if not options.ids or q.id in options.ids]
    if options.limit:
        questions = questions[: options.limit]
    rows: list[Row] = []
    if options.out and options.out.exists():
        rows = [json.loads(line) for line in options.out.read_text(encoding="utf-8").splitlines()]
    done = {row["id"] for row in rows}
    with open_lake(str(REPOSITORY / "examples" / "lake"), settings) as lake:
        engine = open_engine(lake, settings)
        for question in questions:
            if question.id in done:
                continue
            row = answer_one(question, lake, engine, settings)
            rows.append(row)
            print(json.dumps(row, ensure_ascii=False), flush=True)
            if options.out:
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
    report(rows)


if __name__ == "__main__":
    main()
