"""Data sets: the layouts here, the published layouts, and refusals that say what to get."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablehound.errors import SourceMissingError, UsageError
from tablehound.evaluation.datasets import BenchQuestion, data_set, data_sets, sample_questions
from tablehound.evaluation.datasets.spider import tables_of
from tablehound.interfaces.cli import cli


@pytest.mark.parametrize(
    ("name", "folder", "split", "count"),
    [
        ("tabfact", "tabfact_val", "valid", 12_792),
        ("wtq", "wtq", "valid", 14_152),
        ("ottqa", "ottqa", "valid", None),
        ("spider", "spider", "valid", 128),
        ("spider", "spider", "train", 6_790),
    ],
)
def test_public_sets_are_read_whole(shared_data: Path, name: str, folder: str, split: str, count: int | None) -> None:
    collection = data_set(name).load(shared_data / folder, split)
    assert all(question.text and question.tables for question in collection.questions)
    assert len({question.id for question in collection.questions}) == len(collection.questions)
    assert all(Path(source).exists() for source in collection.sources)
    if count is not None:
        assert len(collection.questions) == count


def test_published_tabfact_layout(tmp_path: Path) -> None:
    (tmp_path / "all_csv").mkdir()
    (tmp_path / "val.json").write_text(json.dumps({"t.csv": [["a is b", "a is c"], [1, 0], "title"]}), encoding="utf-8")
    questions = data_set("tabfact").load(tmp_path).questions
    assert [(q.text, q.tables, q.verdict) for q in questions] == [
        ("a is b", ("t.csv",), "supported"),
        ("a is c", ("t.csv",), "refuted"),
    ]


def test_published_wtq_layout_unescapes_answers(tmp_path: Path) -> None:
    (tmp_path / "csv").mkdir()
    (tmp_path / "data").mkdir()
    lines = ["id\tutterance\tcontext\ttargetValue", "nt-1\twho?\tcsv/1-csv/2.csv\tA\\pB|C"]
    (tmp_path / "data" / "pristine-unseen-tables.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (question,) = data_set("wtq").load(tmp_path, "test").questions
    assert question == BenchQuestion("nt-1", "who?", tables=("csv/1-csv/2.csv",), answers=("A|B", "C"))


def test_published_spider_layout_reads_gold_tables_off_the_sql(tmp_path: Path) -> None:
    (tmp_path / "database").mkdir()
    record = {"db_id": "d", "query": "SELECT count(*) FROM A JOIN b ON a.x = b.x", "question": "how many?"}
    (tmp_path / "dev.json").write_text(json.dumps([record]), encoding="utf-8")
    (question,) = data_set("spider").load(tmp_path).questions
    assert question.tables == ("d#a", "d#b")


def test_fetaqa_tables_are_written_as_files(tmp_path: Path) -> None:
    record = {"feta_id": 7, "question": "q?", "table_array": [["h", "k"], ["1", "2"]]}
    (tmp_path / "fetaQA-v1_dev.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    collection = data_set("fetaqa").load(tmp_path)
    assert (Path(collection.sources[0]) / "7.csv").read_text(encoding="utf-8").split() == ["h,k", "1,2"]
    assert collection.questions[0].tables == ("7",)


def test_common_table_expressions_are_no_tables() -> None:
    assert tables_of("WITH x AS (SELECT * FROM a) SELECT * FROM x, B") == ["a", "b"]


@pytest.mark.parametrize("name", sorted(data_sets()))
def test_a_missing_file_says_what_to_get(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceMissingError, match=r"get |make |put "):
        data_set(name).load(tmp_path)


def test_unknown_sets_and_splits_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no data set"):
        data_set("nonsense")
    with pytest.raises(UsageError, match="no split"):
        data_set("tabfact").load(tmp_path, "nonsense")


def test_a_broken_record_is_named_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "questions.jsonl").write_text('{"question": "q", "table": "t", "group": ["t"]}\n{}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="line 2"):
        data_set("siblings").load(tmp_path)


def test_samples_are_the_same_for_the_same_seed() -> None:
    questions = [BenchQuestion(str(i), "q") for i in range(100)]
    drawn = sample_questions(questions, 10, 3)
    assert drawn == sample_questions(questions, 10, 3)
    assert list(drawn) == sorted(drawn, key=lambda q: int(q.id))
    assert drawn != sample_questions(questions, 10, 4)
    assert sample_questions(questions, None, 0) == tuple(questions)


def own_set(folder: Path, *records: str) -> Path:
    (folder / "lake").mkdir()
    (folder / "questions.jsonl").write_text("".join(record + "\n" for record in records), encoding="utf-8")
    return folder


def test_a_question_without_an_answer_is_named_by_its_line(tmp_path: Path) -> None:
    own_set(tmp_path, '{"question": "a?", "answer": ["1"]}', '{"question": "b?"}')
    with pytest.raises(UsageError, match=r"questions.jsonl, line 2: the record has no 'answer'"):
        data_set("own").load(tmp_path)


def test_a_run_over_no_question_is_misuse(tmp_path: Path) -> None:
    folder = own_set(tmp_path)
    arguments = ["bench", "run", "own", "--data", str(folder), "--out", str(tmp_path / "runs")]
    assert isinstance(CliRunner().invoke(cli, arguments).exception, UsageError)


def test_the_papers_without_any_data_did_not_run(tmp_path: Path) -> None:
    arguments = ["bench", "papers", "--data", str(tmp_path), "--out", str(tmp_path / "out")]
    assert CliRunner().invoke(cli, arguments, standalone_mode=False).return_value == 1
