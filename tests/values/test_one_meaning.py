"""One table in five writings has one meaning: the same questions have the same answers, whatever asks them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from tablehound.api import ask
from tablehound.backbone import AnswerRequest, ShownTable, make_backbone
from tablehound.execution import run_program
from tablehound.lake import Amount, Lake, Measure, index_sources, measure_of
from tablehound.program import Program, View
from tablehound.retrieval import IndexEngine, Pattern, ScanEngine, segment_builders
from tablehound.settings import Settings

TOWNS = ("Arden", "Brixby", "Corvo", "Delft")
EUROS = (4_200_000, 950_000, 12_500_000, 3_100_000)
PERCENT = ("5", "7.5", "12", "4.8")


def shares() -> list[str]:
    return [str(Decimal(text) / 100) for text in PERCENT]


WRITINGS = {
    "plain": ("Town,Revenue EUR,Growth", [str(n) for n in EUROS], [f"{p}%" for p in PERCENT]),
    "thousands": ("Town,Revenue (EUR thousand),Growth", [f"{n / 1000:g}" for n in EUROS], [f"{p} %" for p in PERCENT]),
    "millions": ("Town,Revenue,Growth", [f"€{n / 1e6:g} million" for n in EUROS], [f"{p}%" for p in PERCENT]),
    "percent": ("Town,Revenue EUR,Growth (%)", [f"{n:_}".replace("_", " ") for n in EUROS], list(PERCENT)),
    "ratio": ("Town,Revenue (million EUR),Growth", [f"{n / 1e6:g}" for n in EUROS], shares()),
}


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Lake]]:
    """A lake of one table per writing, and one of all (``union``)."""
    root = tmp_path_factory.mktemp("writings")
    opened = {}
    for name in (*WRITINGS, "union"):
        source = root / name
        source.mkdir()
        for own, (header, revenue, growth) in WRITINGS.items():
            if name in (own, "union"):
                rows = [f'{town},"{r}",{m}' for town, r, m in zip(TOWNS, revenue, growth, strict=True)]
                (source / f"{own}.csv").write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
        index_sources([str(source)], root / f"{name}.lake", Settings(workers=1), builders=segment_builders())
        opened[name] = Lake.open(root / f"{name}.lake")
    yield opened
    for lake in opened.values():
        lake.close()


def view_of(lake: Lake) -> View:
    ids = tuple(info.id for info in sorted(lake.infos(), key=lambda info: info.provenance.source))
    return View(ids, ("Town", "Revenue", "Growth"), ((0, 1, 2),) * len(ids))


QUESTIONS = {
    "Which towns have a revenue above 4 million?": {"Arden", "Corvo"},
    "Which towns have a revenue below 3.2 million EUR?": {"Brixby", "Delft"},
    "Which towns have a growth above 6%?": {"Brixby", "Corvo"},
    "Which town has the highest growth?": {"Corvo"},
}
CLAIMS = {
    "The revenue of Arden is 4.2 million.": "supported",
    "The revenue of Arden is 4.3 million.": "refuted",
    "The growth of Brixby is 7.5%.": "supported",
    "The growth of Brixby is 8%.": "refuted",
}


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_questions(lakes: dict[str, Lake], writing: str, question: str) -> None:
    answer = ask(question, lakes[writing])
    assert set(answer.values) == QUESTIONS[question]
    assert not answer.doubtful


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("claim", CLAIMS)
def test_claims(lakes: dict[str, Lake], writing: str, claim: str) -> None:
    answer = ask(claim, lakes[writing], Settings(task="fact_verification"))
    assert answer.verdict == CLAIMS[claim]


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_of_a_union(lakes: dict[str, Lake], question: str) -> None:
    lake = lakes["union"]
    view = view_of(lake)
    shown = ShownTable("T1", lake.info(view.table_ids[0]), view, "", whole=True)
    decision = make_backbone(lake, Settings()).answer(AnswerRequest(question, "tableqa", (shown,)))
    assert decision.program is not None
    result = run_program(lake, decision.program, Settings())
    assert {row[0] for row in result.rows} == QUESTIONS[question]


@pytest.mark.parametrize("writing", [*WRITINGS, "union"])
def test_sql(lakes: dict[str, Lake], writing: str) -> None:
    lake = lakes[writing]
    view = view_of(lake)
    columns = lake.info(view.table_ids[0]).columns
    millions = Amount(Decimal(4), Measure(None, 1e6)).within(measure_of(columns[1].reading))
    percent = Amount(Decimal(6), Measure("%")).within(measure_of(columns[2].reading))
    for column, bound, towns in (("Revenue", millions, {"Arden", "Corvo"}), ("Growth", percent, {"Brixby", "Corvo"})):
        program = Program(f'SELECT "Town" FROM T1 WHERE "{column}" > {bound}', {"T1": view})
        result = run_program(lake, program, Settings())
        assert result.ok, result.error
        assert {row[0] for row in result.rows} == towns
    total = run_program(lake, Program('SELECT sum("Revenue") FROM T1', {"T1": view}), Settings())
    euros = Amount(Decimal(str(total.rows[0][0])), Measure(total.units[0], total.scales[0])).within(Measure("EUR"))
    assert euros == sum(EUROS) * len(view.table_ids)


@pytest.mark.parametrize("writing", [*WRITINGS, "union"])
@pytest.mark.parametrize(
    ("pattern", "rows"),
    [
        (Pattern("4.2 million", "value"), {0}),
        (Pattern("4200 thousand EUR", "value"), {0}),
        (Pattern("7.5%", "value"), {1}),
        (Pattern("", "range", low="4 million", low_open=True), {0, 2}),
        (Pattern("", "range", low="6%", high="10%"), {1}),
    ],
)
def test_search_by_value(lakes: dict[str, Lake], writing: str, pattern: Pattern, rows: set[int]) -> None:
    lake = lakes[writing]
    for engine in (IndexEngine(lake), ScanEngine(lake)):
        found = {(cell.table_id, cell.row) for cell in engine.cells([pattern])}
        assert found == {(table_id, row) for table_id in lake.table_ids() for row in rows}


def test_parts_are_converted_where_it_can_be_seen(lakes: dict[str, Lake]) -> None:
    lake = lakes["union"]
    result = run_program(lake, Program('SELECT max("Revenue") FROM T1', {"T1": view_of(lake)}), Settings())
    assert any("CASE _table WHEN" in warning and "* 1000" in warning for warning in result.warnings)
