"""The example lake on the built-in backbone: right often enough, nothing made up, and nothing learned by heart.

The answers must stay when files get other names, rows and columns another order, and column names another style.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tablehound.evaluation import read_questions, run_examples
from tablehound.evaluation.builders.rewriting import camel, snake, upper
from tablehound.evaluation.builders.table import PlainTable, write_table
from tablehound.evaluation.examples import ExampleOutcome
from tablehound.lake import Lake, index_sources
from tablehound.retrieval import segment_builders
from tablehound.settings import Settings

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
QUESTIONS = read_questions(EXAMPLES / "questions.jsonl")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    path = tmp_path_factory.mktemp("lake") / "lake"
    report = index_sources([str(EXAMPLES / "lake")], path, Settings(workers=1), builders=segment_builders())
    assert report.problems == ()
    with Lake.open(path) as lake:
        yield lake


@pytest.fixture(scope="module")
def outcomes(lake: Lake) -> list[ExampleOutcome]:
    return list(run_examples(lake, QUESTIONS, Settings()))


def test_the_lake_is_what_its_description_says(lake: Lake) -> None:
    infos = list(lake.infos())
    assert len(infos) >= 60
    assert len({info.provenance.format for info in infos}) >= 8
    kinds = [question.kind for question in QUESTIONS]
    assert (len(kinds), kinds.count("unanswerable"), kinds.count("claim")) == (40, 5, 5)
    assert kinds.count("multi") + kinds.count("split") == 8
    assert kinds.count("split") == 2


def test_gold_tables_are_there(lake: Lake) -> None:
    sources = {info.provenance.source for info in lake.infos()}
    assert {table for question in QUESTIONS for table in question.tables} <= sources


def test_at_least_thirty_of_forty_are_right(outcomes: list[ExampleOutcome]) -> None:
    wrong = [f"{o.question.question} -> {o.given or o.failed}" for o in outcomes if not o.right]
    assert sum(outcome.right for outcome in outcomes) >= 30, wrong
    several = [outcome for outcome in outcomes if outcome.question.kind in ("multi", "split")]
    assert sum(outcome.right for outcome in several) >= 4


def test_no_answer_is_made_up(outcomes: list[ExampleOutcome]) -> None:
    assert [o.question.question for o in outcomes if o.answered and not o.question.answer] == []
    assert [o.failed for o in outcomes if o.failed] == []


def rewritten(lake: Lake, folder: Path, style: Callable[[str], str]) -> Path:
    """The same tables as CSV files in another order, rows and columns shuffled, headers in another style.

    A file keeps the words of its name, since those are content to a reader ("womens_world_cup"); totals are left out.
    """
    folder.mkdir()
    random_ = random.Random(7)
    ids = lake.table_ids()
    random_.shuffle(ids)
    for number, table_id in enumerate(ids):
        table = lake.table(table_id)
        rollups = set(table.info.rollup_rows)
        rows = [row for place, row in enumerate(table.rows()) if place not in rollups]
        random_.shuffle(rows)
        order = list(range(len(table.header)))
        random_.shuffle(order)
        place = table.info.provenance
        words = [place.member or Path(place.source).name, place.sheet or "", table.info.title or ""]
        name = f"{number:03} {' '.join(words).replace('/', ' ')}"
        plain = PlainTable(name, tuple(style(column) for column in table.header), tuple(rows))
        write_table(plain.project([plain.header[place] for place in order]), folder)
    return folder


@pytest.mark.parametrize("style", [str, snake, camel, upper], ids=["same", "snake", "camel", "upper"])
def test_answers_stay_when_files_rows_columns_and_names_change(
    lake: Lake, outcomes: list[ExampleOutcome], style: Callable[[str], str], tmp_path: Path
) -> None:
    folder = rewritten(lake, tmp_path / "tables", style)
    index_sources([str(folder)], tmp_path / "lake", Settings(workers=1), builders=segment_builders())
    with Lake.open(tmp_path / "lake") as other:
        again = list(run_examples(other, QUESTIONS, Settings()))
    assert [o.question.question for o in again if o.answered and not o.question.answer] == []
    changed = [
        f"{a.question.question}: {a.given} -> {b.given or b.failed}"
        for a, b in zip(outcomes, again, strict=True)
        if a.right and not b.right
    ]
    assert changed == []
