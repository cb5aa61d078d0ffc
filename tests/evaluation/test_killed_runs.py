"""A real run that is killed goes on with the same command; the same seed gives the same report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tablehound.evaluation import (
    RunPlan,
    data_set,
    html_report,
    load_report,
    markdown_report,
    run,
    sample_questions,
)
from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.reports import timeless
from tablehound.lake import index_sources
from tablehound.settings import Settings

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
COUNT = 14


def command(out: Path) -> list[str]:
    arguments = ["own", "--data", str(EXAMPLES), "--system", "seek", "--sample", str(COUNT), "--out", str(out)]
    code = "from tablehound.interfaces.cli import main; main()"
    return [sys.executable, "-c", code, "bench", "run", *arguments]


def ids(path: Path) -> list[str]:
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line)["question"]["id"] for line in lines if line]


def test_a_killed_run_repeats_nothing_and_misses_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    records = tmp_path / "runs" / "seek" / "records.jsonl"
    process = subprocess.Popen(
        command(tmp_path / "runs"), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    while len(ids(records)) < 2:
        assert process.poll() is None, (process.stderr.read() if process.stderr else b"").decode()
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    before = ids(records)
    assert 2 <= len(before) < COUNT
    first = records.read_bytes().split(b"\n")[: len(before)]

    done = subprocess.run(command(tmp_path / "runs"), env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    after = ids(records)
    questions = sample_questions(data_set("own").load(EXAMPLES).questions, COUNT, 0)
    assert after == [question.id for question in questions]
    assert records.read_bytes().split(b"\n")[: len(before)] == first


def test_the_same_seed_gives_the_same_report(tmp_path: Path) -> None:
    collection = data_set("own").load(EXAMPLES)
    index_sources(collection.sources, tmp_path / "lake", Settings(workers=1))
    texts = []
    for place in ("one", "two"):
        questions = sample_questions(collection.questions, 4, 3)
        for system in ("seek", "bm25"):
            plan = RunPlan(system, Settings(seed=3), tmp_path / "lake")
            run(collection, questions, plan, tmp_path / place / system)
        reports = [timeless(load_report(tmp_path / place / system)) for system in ("seek", "bm25")]
        texts.append((markdown_report(reports), html_report(reports)))
    assert texts[0] == texts[1]


def test_a_sample_depends_on_the_seed_alone() -> None:
    questions = [BenchQuestion(str(i), "?") for i in range(100)]
    assert sample_questions(questions, 10, 1) == sample_questions(list(questions), 10, 1)
    assert sample_questions(questions, 10, 1) != sample_questions(questions, 10, 2)


@pytest.mark.parametrize("name", ["max_seconds", "max_tokens"])
def test_both_budgets_are_options_of_the_command(name: str) -> None:
    from click.testing import CliRunner

    from tablehound.interfaces.cli import cli

    said = CliRunner().invoke(cli, ["bench", "run", "--help"]).output
    assert f"--{name.replace('_', '-')}" in said
