"""A table split by rows: the program that answered runs over all parts, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound.answer import Answer, Missing
from tablehound.backbone import make_backbone
from tablehound.execution import run_program
from tablehound.lake import Lake, index_sources
from tablehound.program import Program, View
from tablehound.retrieval import open_engine
from tablehound.seek import over_all_parts
from tablehound.settings import Settings
from tablehound.steps import Asked, build_answer, judge

A = "city,country,people\nAgra,India,2\nCairo,Egypt,22\nDelhi,India,33\n"
B = "city,country,people\nMumbai,India,21\nOslo,Norway,1\nPune,India,7\n"
NO_STEPS = Settings().with_values(**{"seek.max_steps": 0})
"""The program is not written anew: the same one runs over all parts."""


def asked(question: str, lake: Lake, settings: Settings) -> Asked:
    return Asked(question, "tableqa", lake, make_backbone(lake, settings), settings)


def ask_over(folder: Path, files: dict[str, str], program: str, question: str, **settings: bool) -> Answer:
    """The answer of a program over the first file, then over its parts."""
    (folder / "files").mkdir()
    for name, text in files.items():
        (folder / "files" / name).write_text(text, encoding="utf-8")
    index_sources([str(folder / "files")], folder / "lake", Settings())
    chosen = NO_STEPS.with_values(**{f"backbone.{name}": value for name, value in settings.items()})
    with Lake.open(folder / "lake") as lake:
        first = next(info for info in lake.infos() if info.provenance.source == next(iter(files)))
        written = Program(program, {"T1": View((first.id,))})
        result = run_program(lake, written, chosen)
        single = build_answer(lake, question, written, result, judge(result, "tableqa"), tried=(first.id,))
        return over_all_parts(single, asked(question, lake, chosen), open_engine(lake, chosen))


COUNT = "SELECT count(*) FROM T1 WHERE country = 'India'"
QUESTION = "How many cities are in India?"


def test_a_count_is_over_all_parts(tmp_path: Path) -> None:
    answer = ask_over(tmp_path, {"cities_a.csv": A, "cities_b.csv": B}, COUNT, QUESTION)
    assert answer.values == ("4",)
    assert len(answer.tried) == 2
    assert answer.program is not None
    assert len(answer.program.tables["T1"].table_ids) == 2
    assert "cities_b.csv" in answer.assumptions[-1]


def test_columns_in_another_order_are_aligned(tmp_path: Path) -> None:
    turned = "people,city,country\n21,Mumbai,India\n1,Oslo,Norway\n7,Pune,India\n"
    program = "SELECT sum(people) FROM T1 WHERE country = 'India'"
    answer = ask_over(tmp_path, {"cities_a.csv": A, "cities_b.csv": turned}, program, "People of India?")
    assert answer.values == ("63",)


def test_rows_that_do_not_matter_change_nothing(tmp_path: Path) -> None:
    program = "SELECT people FROM T1 WHERE city = 'Cairo'"
    answer = ask_over(tmp_path, {"cities_a.csv": A, "cities_b.csv": B}, program, "How many people live in Cairo?")
    assert answer.values == ("22",)
    assert len(answer.tried) == 1
    assert answer.assumptions == ()


@pytest.mark.parametrize(("blind", "value"), [(False, "2"), (True, "4")])
def test_a_question_that_names_one_part_means_that_one(tmp_path: Path, blind: bool, value: str) -> None:
    question = "How many cities of the 1970 list are in India?"
    answer = ask_over(tmp_path, {"cities_1970.csv": A, "cities_2020.csv": B}, COUNT, question, blind=blind)
    assert answer.values == (value,)


def test_tables_about_the_same_things_are_no_parts(tmp_path: Path) -> None:
    later = A.replace(",2\n", ",3\n").replace(",33", ",34")
    answer = ask_over(tmp_path, {"cities_a.csv": A, "cities_b.csv": later}, COUNT, QUESTION)
    assert answer.values == ("2",)


def test_values_that_repeat_beside_the_key_do_not_hide_parts(tmp_path: Path) -> None:
    first = "year,host,winner\n1930,Uruguay,Uruguay\n1934,Italy,Italy\n1950,Brazil,Uruguay\n"
    later = "year,host,winner\n1990,Italy,Germany\n2010,South Africa,Spain\n2014,Brazil,Germany\n"
    files = {"cups_a.csv": first, "cups_b.csv": later}
    assert ask_over(tmp_path, files, "SELECT count(*) FROM T1", "How many cups were held?").values == ("6",)


def test_an_unanswered_question_stays_so(tmp_path: Path) -> None:
    answer = Answer("?", False, lacks=(Missing("need", "all"),))
    index_sources([str(tmp_path)], tmp_path / "lake", Settings())
    with Lake.open(tmp_path / "lake") as lake:
        assert over_all_parts(answer, asked("?", lake, NO_STEPS), open_engine(lake)) is answer
