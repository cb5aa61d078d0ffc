"""The grid of the papers' experiments on a small copy of the data's layout, and what its report says."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tablehound.errors import UsageError
from tablehound.evaluation import experiments, papers_html, papers_markdown, run_papers
from tablehound.evaluation.metrics import header_bert_f1, header_similarity
from tablehound.evaluation.papers.grid import Row
from tablehound.evaluation.papers.headers import HeaderScores, infer_wild_headers
from tablehound.evaluation.papers.results import header_table
from tablehound.evaluation.systems import SYSTEMS
from tablehound.lake import index_sources
from tablehound.settings import Settings


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TabFact's layout with three tables and Spider's with one database; no WikiTableQuestions, no distractors."""
    folder = tmp_path_factory.mktemp("data")
    tables = folder / "tabfact_val" / "tables"
    tables.mkdir(parents=True)
    texts = {
        "planets.csv": "planet,moons\nMars,2\nSaturn,82\n",
        "rivers.csv": "river,length\nGlomma,621\nTorne,522\n",
        "cities.csv": "city,country\nOslo,Norway\nMalmo,Sweden\n",
    }
    for name, text in texts.items():
        (tables / name).write_text(text, encoding="utf-8")
    claims = [
        {"claim": "saturn has 82 moons", "table": "planets.csv", "label": 1},
        {"claim": "the length of the glomma is 100", "table": "rivers.csv", "label": 0},
    ]
    (folder / "tabfact_val" / "claims.jsonl").write_text("".join(json.dumps(c) + "\n" for c in claims), "utf-8")
    spider = folder / "spider"
    (spider / "databases").mkdir(parents=True)
    with closing(sqlite3.connect(spider / "databases" / "shop.sqlite")) as connection:
        connection.execute("CREATE TABLE customer (id INT, name TEXT, town TEXT, points INT)")
        for i in range(20):
            connection.execute("INSERT INTO customer VALUES (?, ?, ?, ?)", (i, f"Person {i}", f"Town {i % 4}", 100 + i))
        connection.commit()
    sql = "SELECT points FROM customer WHERE name = 'Person 3'"
    record = {"question": "How many points has Person 3?", "db": "shop", "sql": sql}
    for name in ("train_spider.jsonl", "numeric_multitable.jsonl"):
        (spider / name).write_text(json.dumps({**record, "answer": [103]}) + "\n", encoding="utf-8")
    return folder


ONLY = ("tabfact-retrieval", "siblings", "formats", "wtq-seeking", "spider", "wild", "headers", "scale")


def test_the_grid_runs_what_the_data_allows_and_says_what_it_left_out(data: Path, tmp_path: Path) -> None:
    settings = Settings(workers=1)
    said: list[str] = []
    report = run_papers(data, tmp_path, settings, only=ONLY, questions=2, told=said.append)
    text = papers_markdown(report)
    left_out = dict(report.left_out)
    assert any("WikiTableQuestions" in what for what in left_out)
    assert any("wtq" in why for why in left_out.values())
    assert any("SPLADE" in what or "splade" in what for what in left_out) or "| splade |" in text
    assert "built-in rules decide" in text
    by_id = {result.experiment.id: result for result in report.experiments}
    assert [r.row.label for r in by_id["tabfact-retrieval"].rows if r.row.system in ("bm25", "find")] == [
        "bm25",
        "find",
    ]
    assert {r.row.label for r in by_id["formats"].rows} == {"csv", "markdown", "html", "mixed", "transposed"}
    assert "WCD" in text
    assert "| bm25, 1 corpus | 3 |" in text
    assert re.search(r"\| find \| \d\.\d{3} \(\d\.\d{3}–\d\.\d{3}, n=2\)", text)
    page = papers_html(report)
    assert page.count("<svg") >= 3
    assert not re.findall(r'(?:src|href)="(?!#|data:)([^"]+)"', page)

    # The second time nothing is asked again, and the report is the same.
    records = {path: path.read_bytes() for path in tmp_path.rglob("records.jsonl")}
    again = run_papers(data, tmp_path, settings, only=ONLY, questions=2, told=said.append)
    assert {path: path.read_bytes() for path in tmp_path.rglob("records.jsonl")} == records
    assert papers_markdown(again) == text
    assert papers_html(again) == page
    assert sum(line.startswith("building siblings") for line in said) == 5


def test_an_unknown_experiment_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no experiment"):
        run_papers(data, tmp_path, Settings(), only=["nonsense"])


def test_the_grid_names_only_systems_and_settings_that_exist() -> None:
    rows = [row for experiment in experiments() for row in experiment.rows]
    assert {row.system for row in rows} <= set(SYSTEMS)
    for row in rows:
        Settings().with_values(**row.settings)
    for experiment in experiments():
        assert len({row.label for row in experiment.rows}) == len(experiment.rows)
        assert set(experiment.robust) <= set(experiment.metrics)


def test_rows_that_are_the_same_run_share_a_folder() -> None:
    one = Row("whole", "seek", "siblings", {"seek.max_steps": 5, "seek.strategy": "r3"})
    other = Row("r3", "seek", "siblings", {"seek.strategy": "r3", "seek.max_steps": 5})
    assert one.slug == other.slug != Row("r3", "seek", "siblings").slug


def test_masked_headers_are_carried_over_and_scored(tmp_path: Path) -> None:
    wild = tmp_path / "wild"
    (wild / "tables").mkdir(parents=True)
    names = [f"Person {i}" for i in range(12)]
    tables: dict[str, list[list[Any]]] = {
        "a": [["name", "points"], *([name, i * 7] for i, name in enumerate(names))],
        "b": [["", "level"], *([name, f"level {i % 3}"] for i, name in enumerate(names))],
        "c": [["", "planet"], *([f"Odd thing {i}", f"planet {i}"] for i in range(12))],
    }
    true = {"a": ["name", "points"], "b": ["name", "level"], "c": ["thing", "planet"]}
    lines = []
    for key, rows in tables.items():
        with (wild / "tables" / f"{key}.csv").open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(rows)
        lines.append(json.dumps({"key": key, "header": true[key]}))
    (wild / "tables.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    index_sources([str(wild / "tables")], tmp_path / "lake", Settings(workers=1))
    scores = infer_wild_headers(tmp_path / "lake", wild, Settings())
    assert (scores.masked, scores.inferred, scores.hits) == (2, 1, 1)
    assert (scores.exact, scores.exact_of_inferred) == (0.5, 1.0)
    assert scores.similarity == pytest.approx(0.5, abs=1e-3)


def test_headers_by_meaning() -> None:
    same = header_similarity(["release_year", "country"], ["release year", "nation"])
    other = header_similarity(["release_year", None], ["release year", "nation"])
    assert 0.49 < other < same < 1.0
    assert header_similarity([None], ["a"]) == 0.0
    assert "bert-score is missing" in header_table(HeaderScores(2, 1, 0.5, 1.0, 0.5, None, 1, 0.0))[1]


def test_bert_f1_where_it_is_installed() -> None:
    pytest.importorskip("bert_score", reason="bert-score is not installed")
    assert header_bert_f1([None], ["a"]) == 0.0
