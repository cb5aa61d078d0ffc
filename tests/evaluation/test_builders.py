"""Builders: what they promise about every table and every answer, and that the same seed gives the same files."""

from __future__ import annotations

import datetime as dt
import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablehound.errors import UsageError
from tablehound.evaluation.builders import (
    SiblingOptions,
    WildOptions,
    build_formats,
    build_siblings,
    build_wild,
    writings,
)
from tablehound.evaluation.builders.database import read_database
from tablehound.evaluation.builders.decompose import decompose
from tablehound.evaluation.builders.rewriting import misspelt, rewrite_headers, rewrite_values, words_of
from tablehound.evaluation.builders.table import PlainTable
from tablehound.evaluation.builders.wild import columns_of
from tablehound.evaluation.datasets import BenchQuestion, data_set


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with one database: 30 customers, 60 orders, keys in Spider's schema record."""
    folder = tmp_path / "databases"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "shop.sqlite")) as connection:
        connection.execute("CREATE TABLE customer (id INT, name TEXT, town TEXT, born TEXT, points INT, level TEXT)")
        connection.execute('CREATE TABLE "Order" (order_id INT, customer_id INT, price REAL)')
        for i in range(30):
            row = (i, f"Customer {chr(65 + i % 26)}{i}", f"Town {i % 5}", f"19{50 + i}-01-02", 100 + i, "gold")
            connection.execute("INSERT INTO customer VALUES (?, ?, ?, ?, ?, ?)", row)
        for i in range(60):
            connection.execute('INSERT INTO "Order" VALUES (?, ?, ?)', (i, i % 30, i + 0.5))
        connection.commit()
    return folder


SCHEMA: dict[str, Any] = {
    "db_id": "shop",
    "table_names_original": ["customer", "Order"],
    "column_names_original": [
        [-1, "*"], [0, "id"], [0, "name"], [0, "town"], [0, "born"], [0, "points"], [0, "level"],
        [1, "order_id"], [1, "customer_id"], [1, "price"],
    ],
    "primary_keys": [1, 7],
    "foreign_keys": [[8, 1]],
}  # fmt: skip

JOIN = "SELECT sum(price) FROM \"Order\" JOIN customer ON customer_id = id WHERE town = 'Town 1'"
POINTS = "SELECT points FROM customer WHERE name = 'Customer C2'"
BOTH = ("shop#customer", "shop#order")
ONE = ("shop#customer",)
QUESTIONS = [
    BenchQuestion("q1", "How much did people of Town 1 spend?", tables=BOTH, sql=JOIN, database="shop"),
    BenchQuestion("q2", "How many points has C2?", tables=ONE, sql=POINTS, database="shop"),
    BenchQuestion("q3", "Which?", tables=ONE, sql="SELECT nonsense FROM customer WHERE", database="shop"),
]


@given(st.integers(0, 10**12))
def test_spelled_numbers_are_read_back(number: int) -> None:
    from tablehound.lake import canonical_of_text

    assert canonical_of_text(writings.spelled_integer(number)) == str(number)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (writings.spelled_integer(14676), "fourteen thousand, six hundred and seventy-six"),
        (writings.spelled_number("72.0"), "seventy-two point zero"),
        (writings.roman(2012), "MMXII"),
        (writings.scientific("64.0"), "6.4×10^+01"),
        (writings.spelled_date(dt.date(2014, 6, 10)), "two thousand and fourteen.six.ten"),
        (writings.roman_date(dt.date(2012, 9, 6)), "MMXII-IX-VI"),
        (writings.american_date(dt.date(2014, 6, 10)), "June 10, 2014"),
    ],
)
def test_writings_of_the_published_benchmarks(written: str, expected: str) -> None:
    assert written == expected


def test_every_decomposition_is_verified_and_key_columns_stay(shop: Path) -> None:
    database = read_database(shop / "shop.sqlite", SCHEMA)
    kinds = set()
    for seed in range(40):
        piece = decompose(database, "customer", random.Random(seed))
        assert piece.verified()
        groups = piece.column_parts()
        kinds.add((len(groups) > 1, len(groups[0]) > 1))
        assert all("id" in part.table.header for part in piece.parts)
        assert sum(len(part.table.rows) for part in groups[0]) == 30
    assert kinds == {(False, False), (False, True), (True, False), (True, True)}


def test_relevant_parts_are_those_with_a_used_column(shop: Path) -> None:
    database = read_database(shop / "shop.sqlite", SCHEMA)
    pieces = (decompose(database, "customer", random.Random(seed)) for seed in range(100))
    piece = next(p for p in pieces if len(p.column_parts()) == 2 and len(p.column_parts()[0]) >= 2)
    (owner,) = [g for g in piece.column_parts() if "points" in g[0].table.header]
    assert piece.relevant({"POINTS", "id"}) == owner
    assert piece.relevant({"id"}) == piece.column_parts()[0]


def test_wild_reproduces_the_gold_answers(shop: Path, tmp_path: Path) -> None:
    schemas = tmp_path / "schemas.json"
    schemas.write_text(json.dumps([SCHEMA]), encoding="utf-8")
    for seed in range(5):
        statistics = build_wild(QUESTIONS, shop, schemas, tmp_path / "wild", WildOptions(seed=seed))
        assert (statistics.questions, statistics.left_out, statistics.reproduced) == (2, 1, 2)
        assert statistics.verified == statistics.originals == 2
    collection = data_set("wild").load(tmp_path / "wild")
    keys = {path.stem for path in (tmp_path / "wild" / "tables").iterdir()}
    assert len(keys) == statistics.tables
    assert all(set(question.tables) <= keys for question in collection.questions)
    assert collection.questions[1].answers == ("102",)


def test_wild_is_the_same_for_the_same_seed(shop: Path, tmp_path: Path) -> None:
    trees = []
    for out, seed in (("a", 1), ("b", 1), ("c", 2)):
        build_wild(QUESTIONS, shop, None, tmp_path / out, WildOptions(seed=seed))
        files = sorted(path for path in (tmp_path / out).rglob("*") if path.is_file())
        trees.append({str(path.relative_to(tmp_path / out)): path.read_bytes() for path in files})
    assert trees[0] == trees[1] != trees[2]


def test_siblings_have_one_gold_table_that_alone_gives_the_answer(shop: Path, tmp_path: Path) -> None:
    options = SiblingOptions(groups=5, rewritten_columns=0.0)
    statistics = build_siblings(QUESTIONS, shop, tmp_path / "s", options)
    assert statistics["groups"] == 1
    (question,) = data_set("siblings").load(tmp_path / "s").questions
    assert question.tables[0] in question.group
    assert question.answers == ("102",)
    texts = {key: (tmp_path / "s" / "tables" / f"{key}.csv").read_text(encoding="utf-8") for key in question.group}
    holding = [key for key, text in texts.items() if "Customer C2" in text and ",102," in text]
    assert holding == [question.tables[0]]


def test_scaled_columns_say_so_in_their_header() -> None:
    table = PlainTable("t", ("a", "b"), (("12", "x"), ("30", "y")))
    seen = set()
    for seed in range(30):
        changed = rewrite_values(table, 1.0, random.Random(seed))
        seen.add((changed.header[0], changed.rows[0][0]))
        assert changed.column(1) == ["x", "y"]
    assert {("a_div10", "1.2"), ("a_sub10", "2"), ("a", "XII"), ("a", "twelve")} <= seen


def test_header_styles_keep_names_apart() -> None:
    table = PlainTable("t", ("first name", "First_Name", "population"), ())
    for seed in range(20):
        changed = rewrite_headers(table, random.Random(seed))
        assert len({name.casefold() for name in changed.header}) == len({name.casefold() for name in table.header})
    assert words_of("songReleaseYear") == words_of("Song_release_year") == ["song", "release", "year"]


@given(st.text(min_size=4), st.integers())
def test_a_typing_error_changes_at_most_two_places(text: str, seed: int) -> None:
    wrong = misspelt(text, random.Random(seed))
    assert abs(len(wrong) - len(text)) <= 1


@pytest.mark.parametrize("form", ["csv", "markdown", "html", "mixed"])
def test_formats_hold_the_same_cells(shop: Path, tmp_path: Path, form: Any) -> None:
    from tablehound.lake import Lake, index_sources
    from tablehound.settings import Settings

    build_siblings(QUESTIONS, shop, tmp_path / "s", SiblingOptions(groups=1))
    build_formats(tmp_path / "s", tmp_path / "f", form)
    build_formats(tmp_path / "s", tmp_path / "turned", form, transpose=True)
    cells = []
    for folder in ("s", "f"):
        index_sources([str(tmp_path / folder / "tables")], tmp_path / f"{folder}.lake", Settings(workers=1))
        with Lake.open(tmp_path / f"{folder}.lake") as lake:
            tables = [lake.table(table_id) for table_id in lake.table_ids()]
        cells.append(sorted([table.header, *table.rows()] for table in tables))
    assert cells[0] == cells[1]


def test_a_folder_that_is_no_built_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="build siblings or wild first"):
        build_formats(tmp_path, tmp_path / "out", "csv")


def test_quoted_texts_are_no_columns_and_counting_all_uses_none(shop: Path) -> None:
    database = read_database(shop / "shop.sqlite", SCHEMA)
    assert columns_of('SELECT count(*) FROM customer WHERE town = "Town 1"', database) == {"customer": {"town"}}
    assert columns_of("SELECT * FROM customer", database)["customer"] == set(database.tables["customer"].header)


def test_distractors_are_the_tables_that_bm25_finds_for_each_question(shop: Path, tmp_path: Path) -> None:
    from tablehound.evaluation.systems.bm25 import Bm25
    from tablehound.lake import Lake, index_sources
    from tablehound.settings import Settings

    others = tmp_path / "others"
    others.mkdir()
    topics = {"towns": "town", "people": "customer", "spending": "spend", "planets": "planet", "points": "points"}
    for name, word in topics.items():
        rows = "".join(f"{word} {i},{i}\n" for i in range(4))
        (others / f"{name}.csv").write_text(f"{word},number\n{rows}", encoding="utf-8")
    index_sources([str(others)], tmp_path / "lake", Settings(workers=1))
    out = tmp_path / "wild"
    with Lake.open(tmp_path / "lake") as lake:
        options = WildOptions(distractors_per_question=1)
        statistics = build_wild(QUESTIONS, shop, None, out, options, lake)
        index = Bm25.over(lake)
        kept = [q for q in QUESTIONS if q.id != "q3"]
        wanted = {lake.table(index.rank(q.text, 1)[0]).header for q in kept}
    written = sorted((out / "tables").glob("other-*.csv"))
    headers = {tuple(path.read_text(encoding="utf-8").splitlines()[0].split(",")) for path in written}
    assert headers == wanted
    assert statistics.distractors == len(written) == len(wanted)
    relevant = {key for question in data_set("wild").load(out).questions for key in question.tables}
    assert not any(key.startswith("other-") for key in relevant)


@pytest.mark.slow
def test_wild_on_the_spider_databases(shared_data: Path, tmp_path: Path) -> None:
    spider = shared_data / "spider"
    questions = data_set("spider").load(spider).questions
    statistics = build_wild(questions, spider / "databases", spider / "schemas.json", tmp_path, WildOptions())
    assert statistics.verified == statistics.originals
    assert statistics.questions >= 120
    assert statistics.reproduced >= 0.95 * statistics.questions
