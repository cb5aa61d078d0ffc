"""Finding tables: what comes first, what is explained, what is left out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablehound.lake import Lake
from tablehound.retrieval import Pattern, find, open_engine, rank, rank_by_share, vocabulary
from tablehound.settings import SearchSettings, Settings

Named = Callable[[str], str]


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("nicolas terol rides for aprilia", "squad.csv"),
        ("how many clubs remained in the third round?", "cup.csv"),
        ("which town has a population of 1014", "towns.csv"),
        ("cuba won 9 gold medals", "medals.csv"),
        ("ryan thomas lost in nashville", "fights.csv"),
        ("nikolas espargaro born in jun 1991", "squad.csv"),
    ],
)
def test_the_table_that_holds_the_words_comes_first(
    small_lake: Lake, source_of: Named, question: str, table: str
) -> None:
    assert source_of(find(small_lake, question, limit=3)[0].table_id) == table


def test_patterns_alone_a_question_alone_and_both(small_lake: Lake, source_of: Named) -> None:
    patterns = [Pattern("cuba|mexico"), Pattern("jamaica")]
    alone = find(small_lake, "", patterns=patterns)
    both = find(small_lake, "who won most gold", patterns=patterns)
    assert source_of(alone[0].table_id) == source_of(both[0].table_id) == "medals.csv"
    assert alone[0].matched == both[0].matched == (0, 1)
    assert alone[0].rows == (0, 1, 2) or set(alone[0].rows) <= {0, 1, 2}


def test_patterns_without_words_rank_by_their_share(small_lake: Lake, source_of: Named) -> None:
    found = find(small_lake, "", patterns=[Pattern(r"^\d,\d{3}$")])
    assert [source_of(c.table_id) for c in found] == ["towns.csv"]
    assert found[0].score == 1.0


def test_share_is_the_share_of_patterns_that_occur(small_lake: Lake) -> None:
    engine = open_engine(small_lake)
    patterns = [Pattern("gold"), Pattern("round"), Pattern("city"), Pattern("no such text")]
    settings = SearchSettings(rank="share")
    found = rank(small_lake, engine, patterns, "a question changes nothing", settings=settings, limit=10)
    tables = engine.tables(patterns)
    expected = {t: sum(t in one for one in tables) / len(patterns) for t in small_lake.table_ids()}
    assert {c.table_id: c.score for c in found} == {t: score for t, score in expected.items() if score}
    assert [(-c.score, c.table_id) for c in found] == sorted((-c.score, c.table_id) for c in found)
    assert [c.table_id for c in rank_by_share(engine, patterns, limit=2)] == [c.table_id for c in found[:2]]


def test_bm25_can_be_chosen(small_lake: Lake, source_of: Named) -> None:
    found = find(small_lake, "silver medals of cuba", settings=Settings(search=SearchSettings(rank="bm25")))
    assert source_of(found[0].table_id) == "medals.csv"
    assert found[0].explanation == {"bm25": found[0].score}


def test_an_explanation_adds_up_to_the_score(small_lake: Lake) -> None:
    for found in find(small_lake, "gold of old towns", patterns=[Pattern("gold"), Pattern("cuba")]):
        assert sum(found.explanation.values()) == pytest.approx(found.score, abs=1e-4)


def test_nothing_is_found_for_words_that_no_table_holds(small_lake: Lake) -> None:
    assert find(small_lake, "xylophone zzzzzzz") == []
    assert find(small_lake, "") == []
    assert find(small_lake, "?!") == []


def test_titles_and_file_names_count_unless_blind(small_lake: Lake, source_of: Named) -> None:
    seeing = find(small_lake, "squad round")
    blind = find(small_lake, "squad round", settings=Settings().with_values(**{"backbone.blind": True}))
    assert "squad.csv" in {source_of(c.table_id) for c in seeing}
    assert "squad.csv" not in {source_of(c.table_id) for c in blind}
    assert all("titles" not in c.explanation for c in blind)


def test_the_limit_holds_and_the_order_does_not_depend_on_it(small_lake: Lake) -> None:
    every = find(small_lake, "gold round city", limit=10)
    assert [c.table_id for c in find(small_lake, "gold round city", limit=2)] == [c.table_id for c in every[:2]]


def test_the_vocabulary_is_the_lakes_own(small_lake: Lake) -> None:
    words = vocabulary(small_lake, "clubs that remain in the third rounds, and nicolas terrol")
    assert words.headers[0] == "Clubs remaining"
    assert {"Third round", "Nicolás Terol"} <= set(words.values)
    assert len(vocabulary(small_lake, "gold silver round city new", limit=1).values) == 1
    assert vocabulary(small_lake, "xylophone").values == ()
