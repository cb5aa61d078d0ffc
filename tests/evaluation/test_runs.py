"""Runs: resumable, the same for the same seed, scored and reported; the page opened in a real browser."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tablehound.errors import MissingExtraError, TablehoundError, UsageError
from tablehound.evaluation import run_papers
from tablehound.evaluation.datasets import BenchQuestion, Collection, data_set
from tablehound.evaluation.metrics import compare
from tablehound.evaluation.reports import compare_runs, html_report, load_report, markdown_report, rate_of
from tablehound.evaluation.runs import Record, RunPlan, read_records, read_run, run
from tablehound.evaluation.scores import score
from tablehound.evaluation.systems import Outcome
from tablehound.lake import index_sources
from tablehound.settings import Settings

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def collection() -> Collection:
    return data_set("own").load(EXAMPLES)


@pytest.fixture(scope="module")
def lake_path(collection: Collection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lake") / "lake"
    index_sources(collection.sources, path, Settings(workers=1))
    return path


def question(name: str = "q", **gold: object) -> BenchQuestion:
    return dataclasses.replace(BenchQuestion(name, "?"), **gold)  # type: ignore[arg-type]


def test_a_run_that_was_cut_off_goes_on_without_asking_again(
    collection: Collection, lake_path: Path, tmp_path: Path
) -> None:
    plan = RunPlan("bm25", Settings(), lake_path)
    whole = run(collection, collection.questions, plan, tmp_path / "whole")
    shutil.copytree(tmp_path / "whole", tmp_path / "cut")
    path = tmp_path / "cut" / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:10]) + lines[10][:50])  # killed while it wrote the eleventh record
    told: list[tuple[int, Record | None]] = []
    again = run(
        collection, collection.questions, plan, tmp_path / "cut",
        progress=lambda done, total, record: told.append((done, record)),
    )  # fmt: skip
    assert path.read_bytes().splitlines(keepends=True)[:10] == lines[:10]
    assert told[0] == (10, None)
    assert len(told) == 31
    assert [r.question.id for r in again] == [r.question.id for r in whole] == [q.id for q in collection.questions]
    assert [r.outcome.ranked for r in again] == [r.outcome.ranked for r in whole]


def test_two_processes_give_the_same_records(collection: Collection, lake_path: Path, tmp_path: Path) -> None:
    plan = RunPlan("bm25", Settings(), lake_path)
    one = run(collection, collection.questions, plan, tmp_path / "one")
    two = run(collection, collection.questions, plan, tmp_path / "two", workers=2)
    timeless = [[dataclasses.replace(r.outcome, seconds=0) for r in records] for records in (one, two)]
    assert timeless[0] == timeless[1]


def test_a_system_that_cannot_start_says_why_on_any_number_of_processes(
    collection: Collection, lake_path: Path, tmp_path: Path
) -> None:
    if importlib.util.find_spec("sentence_transformers"):
        pytest.skip("the extra models is installed")
    missing = Settings().with_values(**{"search.embedder": "no-such-model"})
    for workers in (1, 2):
        with pytest.raises(TablehoundError, match=r"installed|package"):
            plan = RunPlan("splade", missing, lake_path)
            run(collection, collection.questions[:3], plan, tmp_path / str(workers), workers=workers)


def test_tables_of_a_run_are_named_by_key(collection: Collection, lake_path: Path, tmp_path: Path) -> None:
    records = run(collection, collection.questions[:1], RunPlan("bm25", Settings(), lake_path), tmp_path)
    assert "geography/countries.csv" in records[0].outcome.ranked


def test_a_folder_with_another_run_is_refused(collection: Collection, lake_path: Path, tmp_path: Path) -> None:
    run(collection, collection.questions[:2], RunPlan("bm25", Settings(), lake_path), tmp_path)
    with pytest.raises(UsageError, match="differs in system"):
        run(collection, collection.questions[:2], RunPlan("no-table", Settings(), lake_path), tmp_path)
    with pytest.raises(UsageError, match="data_hash"):
        run(collection, collection.questions[:3], RunPlan("bm25", Settings(), lake_path), tmp_path)


def test_a_budget_ends_a_run_and_a_larger_one_goes_on(collection: Collection, lake_path: Path, tmp_path: Path) -> None:
    small = RunPlan("bm25", Settings(), lake_path, max_seconds=1e-9)
    assert len(run(collection, collection.questions, small, tmp_path)) == 1
    assert len(run(collection, collection.questions, dataclasses.replace(small, max_seconds=0), tmp_path)) == 40


def test_unknown_systems_and_folders_are_refused(collection: Collection, lake_path: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no system"):
        run(collection, collection.questions, RunPlan("nonsense", Settings(), lake_path), tmp_path)
    with pytest.raises(UsageError, match="is no run"):
        read_run(tmp_path / "nothing")
    (tmp_path / "records.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="records of a run"):
        read_records(tmp_path / "records.jsonl")


def test_a_record_survives_writing_and_reading() -> None:
    record = Record(
        question("x", tables=("a",), answers=("1",), group=("a", "b")),
        Outcome(ranked=("a", "b"), tried=("a",), answered=True, values=("1",), counts={"answer": 1}),
    )
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record


def test_scores_of_a_worked_example() -> None:
    answering = Outcome(counts={"answer": 1}, steps=2)
    right = dataclasses.replace(
        answering, ranked=("a", "b"), tried=("a",), final=("a",), first_by_round=("b", "a"), answered=True,
        values=("5.0",), actions={"select": 1},
    )  # fmt: skip
    wrong = dataclasses.replace(
        answering, ranked=("b", "a"), tried=("b", "a", "c"), final=("c",), first_by_round=("b",), answered=True,
        values=("6",),
    )  # fmt: skip
    silent = dataclasses.replace(answering, ranked=("b",), tried=("b",))
    records = [
        Record(question("1", tables=("a",), answers=("5",)), right),
        Record(question("2", tables=("a",), answers=("5",)), wrong),
        Record(question("3", tables=("a",), answers=("5",)), silent),
        Record(question("4", verdict="refuted"), dataclasses.replace(answering, answered=True, verdict="refuted")),
    ]
    scores = score("own", records)
    expected = {
        "R@1 ranked": 1 / 3, "R@5 ranked": 2 / 3, "R@1": 1 / 3, "R@all": 2 / 3, "R@final": 1 / 3, "answer F1": 1 / 3,
        "denotation": 1 / 3, "answered": 2 / 3, "precision of answers": 1 / 2, "Acc": 1, "Acc-Ref": 1, "steps": 2,
        "Eff": 1 / 2,
    }  # fmt: skip
    assert {name: scores.get(name) for name in expected} == pytest.approx(expected)
    assert scores.hits_by_round == pytest.approx((0, 1 / 2))
    assert scores.actions == {"select": 1}
    assert scores.get("Acc-Sup") is None


def test_numeric_sets_are_scored_by_arithmetic_match() -> None:
    records = [
        Record(question("1", answers=("3.14159",), difficulty="easy"), Outcome(answered=True, values=("3.14",))),
        Record(question("2", answers=("7",), difficulty="easy"), Outcome(answered=True, values=("7.5",))),
    ]
    scores = score("wild", records)
    assert scores.get("EM") == 1 / 2
    assert scores.by_difficulty == {"easy": (2, 0.0)}


def test_comparison_needs_the_same_questions(tmp_path: Path) -> None:
    for name, hits in (("a", "aab"), ("b", "bbb")):
        (tmp_path / name).mkdir()
        manifest = {"data_set": "own", "tables": 2}
        (tmp_path / name / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        records = [
            Record(question(str(i), tables=("a",)), Outcome(ranked=(hit,), tried=(hit,))) for i, hit in enumerate(hits)
        ]
        text = "".join(json.dumps(record.to_json()) + "\n" for record in records)
        (tmp_path / name / "records.jsonl").write_text(text, encoding="utf-8")
    result = compare_runs(load_report(tmp_path / "a"), load_report(tmp_path / "b"))["R@1 ranked"]
    assert (result.count, result.mean_b) == (3, 0)
    assert result.mean_a == pytest.approx(2 / 3)


@pytest.fixture(scope="module")
def report_page(collection: Collection, lake_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    for system in ("bm25", "seek"):
        run(collection, collection.questions[:6], RunPlan(system, Settings(), lake_path), folder / system)
    reports = [load_report(folder / system) for system in ("bm25", "seek")]
    page = folder / "report.html"
    page.write_text(html_report(reports), encoding="utf-8")
    assert html_report(reports) == page.read_text(encoding="utf-8")
    assert "| metric | bm25 | seek |" in markdown_report(reports)
    return page


def test_the_page_needs_nothing_from_elsewhere(report_page: Path) -> None:
    text = report_page.read_text(encoding="utf-8")
    assert "<svg" in text
    links = re.findall(r'(?:src|href)="(?!#|data:)([^"]+)"', text)
    assert links == []


@pytest.mark.skipif(shutil.which("chromium") is None, reason="Chromium is not installed (apt-get install chromium)")
def test_the_page_in_a_browser_at_a_phones_width(report_page: Path, tmp_path: Path) -> None:
    # The page measures itself and writes what it finds into its title; --dump-dom prints it.
    probe = (
        "<script>window.errors=[];addEventListener('error',e=>errors.push(e.message));"
        "addEventListener('load',()=>{document.title=JSON.stringify({errors,charts:document.querySelectorAll('svg').length,"
        "overflow:document.documentElement.scrollWidth-innerWidth,width:innerWidth,"
        "drawn:[...document.querySelectorAll('svg')].every(s=>s.getBoundingClientRect().height>50)})})</script></head>"
    )
    page = tmp_path / "probe.html"
    page.write_text(report_page.read_text(encoding="utf-8").replace("</head>", probe), encoding="utf-8")
    frame = tmp_path / "phone.html"
    frame.write_text(
        "<!doctype html><iframe src='probe.html' style='width:390px;height:800px;border:0' "
        "onload='document.title=this.contentDocument.title'></iframe>",
        encoding="utf-8",
    )
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--allow-file-access-from-files", f"--user-data-dir={tmp_path / 'profile'}", "--enable-logging=stderr",
         "--virtual-time-budget=4000", "--dump-dom", frame.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    match = re.search(r"<title>(\{.*?\})</title>", done.stdout)
    assert match is not None, done.stdout[:500]
    seen = json.loads(match[1].replace("&quot;", '"').replace("&amp;", "&"))
    assert seen["errors"] == []
    assert seen["charts"] >= 2
    assert seen["drawn"]
    assert seen["width"] == 390
    assert seen["overflow"] <= 0
    assert "CONSOLE" not in done.stderr


def test_two_commands_do_not_write_one_run(collection: Collection, lake_path: Path, tmp_path: Path) -> None:
    plan = RunPlan("bm25", Settings(), lake_path)
    refused: list[str] = []

    def meanwhile(done: int, total: int, record: Record | None) -> None:
        if record is None:
            with pytest.raises(UsageError, match="another process is writing"):
                run(collection, collection.questions, plan, tmp_path)
            refused.append("twice")

    records = run(collection, collection.questions, plan, tmp_path, progress=meanwhile)
    assert refused == ["twice"]
    assert len(read_records(tmp_path / "records.jsonl")) == len(records) == len(collection.questions)


def test_a_missing_extra_is_named_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("matplotlib", "scipy"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"tablehound\[bench\]"):
        run_papers(tmp_path, tmp_path / "out", Settings())
    assert not (tmp_path / "out").exists()
    with pytest.raises(MissingExtraError, match=r"tablehound\[bench\]"):
        compare([1.0, 0.0], [0.0, 1.0])


def test_every_rate_by_class_has_its_interval() -> None:
    assert rate_of(0.125, 8) == "0.125 (0.022–0.471, n=8)"
