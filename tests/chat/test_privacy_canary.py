"""Below ``values`` on the privacy dial no cell leaves this machine: in every prompt, with every error of the engine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablehound import ask
from tablehound.backbone import protocol as p
from tablehound.execution import run_program, without_cells
from tablehound.execution.messages import _FAILED
from tablehound.lake import Lake, index_sources
from tablehound.program import Program, View
from tablehound.settings import Settings
from tablehound.steps import show_view
from tests.chat.chat_server import Act, chat_server, tells
from tests.chat.every_prompt import Content, chatting, send_all, templates_without_use

CANARIES = ("Zelda Quirke", "Quirke", "3000000417", "zweifel", "Fjordholm", "1887-11-23", "61.7342")
BELOW = ("schema", "stats")
QUOTING = (
    'SELECT error("Name") FROM T1',
    "SELECT error('Binder Error: column \"' || \"Name\" || '\" was not found') FROM T1",
    'SELECT "Visits"::INTEGER FROM T1',
    'SELECT CAST("Visits" * 1000000 AS UTINYINT) FROM T1',
    'SELECT "Remark"::INTEGER FROM T1',
    'SELECT "Remark"::DATE FROM T1',
    'SELECT CAST("Name" AS BOOLEAN) FROM T1',
    "SELECT strptime(\"Name\", '%Y') FROM T1",
    "SELECT \"Name\"::STRUCT(a INTEGER) FROM T1",
    'SELECT json_extract("Name", \'$.a\') FROM T1',
    "SELECT regexp_matches('a', '(' || \"Name\") FROM T1",
    'SELECT "Name"::UUID FROM T1',
    'SELECT (SELECT "Name" FROM T1) FROM T1',
    'SELECT "Nam" FROM T1',
    'SELECT "Name" FROM T9',
    'SELECT sum("Name") FROM T1',
    "SELECT FROM WHERE",
    'SELECT nofunction("Name") FROM T1',
)  # fmt: skip
"""Programs that fail, most of them with a cell in the engine's message."""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    folder = tmp_path_factory.mktemp("canary")
    text = (
        "Name,Visits,Remark,Born,Level\n"
        "Zelda Quirke,3000000417,it's zweifel,1887-11-23,61.7342\n"
        "Fjordholm,3000000418,it's zweifel too,1887-11-24,61.7343\n"
        "Bo,5,-,1901-01-01,2.5\n"
    )
    (folder / "visits.csv").write_text(text, encoding="utf-8")
    index_sources([str(folder / "visits.csv")], folder / "lake", Settings(workers=1))
    with Lake.open(folder / "lake") as opened:
        yield opened


def shown(lake: Lake) -> tuple[p.ShownTable, ...]:
    return (show_view(lake, View((lake.table_ids()[0],)), "T1", Settings(), rows=(0, 1)),)


def canaries_in(data: Any) -> list[str]:
    text = json.dumps(data, ensure_ascii=False)
    return [word for word in CANARIES if word in text]


@pytest.mark.parametrize("level", BELOW)
def test_no_prompt_has_a_cell(lake: Lake, level: str) -> None:
    error = "Conversion Error: Could not convert string 'Zelda Quirke' to INT32 when casting from it's zweifel"
    content = Content(shown(lake), "Zelda Quirke", "Name", "Visits", error)
    texts = []
    with chat_server(tells({})) as server:
        with chatting(lake, server, privacy=level) as backbone:
            send_all(backbone, server, content)
        texts += [message["content"] for request in server.requests for message in request["messages"]]
        assert canaries_in(server.requests) == []
        with chatting(lake, server, privacy="rows") as backbone:
            send_all(backbone, server, content)
        texts += [message["content"] for request in server.requests for message in request["messages"]]
        assert canaries_in(server.requests) != []
    assert templates_without_use(texts) == [], "give FIELDS what makes these prompts be sent"


@pytest.mark.parametrize("text", QUOTING)
def test_an_engines_message_carries_no_cell_into_the_repair(lake: Lake, text: str) -> None:
    program = Program(text, p.views(shown(lake)))
    result = run_program(lake, program, Settings())
    assert result.error
    with chat_server(tells({})) as server:
        for level in BELOW:
            with chatting(lake, server, privacy=level) as backbone:
                backbone.repair(p.RepairRequest("q", "tableqa", program, result.error, shown(lake)))
        assert canaries_in(server.requests) == []


def test_every_kind_of_error_of_the_engine_has_a_fixed_text() -> None:
    import duckdb

    def kinds(base: type[Exception]) -> Iterator[str]:
        for inner in base.__subclasses__():
            yield inner.__name__
            yield from kinds(inner)

    names: list[str] = sorted(set(kinds(duckdb.Error)))
    for kind in names:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.removesuffix("Exception").removesuffix("Error"))
        for message in (f"{words} Error: Quirke", f"the program failed: {words} Error: it's zweifel", "Quirke"):
            assert canaries_in(without_cells(message, "SELECT 1", {"T1": ["Name"]})) == []


@given(st.sampled_from(["Invalid Input", "Binder", "Conversion", "Out of Range", "Catalog", "Other"]), st.text())
def test_nothing_of_an_engines_message_is_passed_on_but_its_kind(kind: str, quoted: str) -> None:
    columns = {"T1": ["Name"]}
    assert without_cells(f"{kind} Error: {quoted}", quoted, {}) == without_cells(f"{kind} Error: ", "", {})
    assert f"#{quoted}#" not in without_cells(f"{kind} Error: #{quoted}#", "SELECT 1", columns)


def test_what_is_needed_for_the_repair_is_still_said() -> None:
    columns = {"T1": ["Name", "Visits"], "T2": ["City"]}
    for message, words in (
        ('there is no column "Nam"; nearest: T1."Name"; T1 has "Name"', ['"Nam"', 'T1 has "Name"']),
        ("there is no table 'T9' (read only from T1)", ["T9", "T1, T2"]),
        ("Conversion Error: Could not convert string 'Quirke'", ["TRY_CAST"]),
        ("the program ran and returned nothing", ["returned nothing"]),
        ('the join of T1."a" and T2."b" exploded to 12 rows', ["a join repeats rows"]),
        ("999 is written in the program, not read from a table", ["is written in the program"]),
    ):
        told = without_cells(message, 'SELECT "Nam" FROM T9', columns)
        assert all(word in told for word in words), told
        assert not told.startswith(_FAILED)


@pytest.mark.parametrize("level", BELOW)
@pytest.mark.parametrize("mode", ["seek", "multitable"])
def test_a_model_that_asks_for_cells_by_errors_gets_none(lake: Lake, level: str, mode: str) -> None:
    """A model's programs fail on purpose, one after the other, through a whole question."""
    programs = iter(QUOTING * 4)

    def reply(request: dict[str, Any]) -> Act:
        wanted = request["response_format"]["json_schema"]["schema"]["properties"]
        data: dict[str, Any] = {"sufficient": True, "sql": next(programs), "unit": "", "missing": ""}
        data |= {"action": "select", "tables": ["T1"], "patterns": ["Name", "Visits"], "residual": ""}
        data |= {"names": [], "subquestions": ["What is the name?"]}
        return tells({name: value for name, value in data.items() if name in wanted})

    with chat_server(reply) as server:
        settings = Settings().with_values(
            **{
                "mode": mode,
                "seek.max_steps": 20,
                "backbone.model": "m",
                "backbone.base_url": server.url,
                "backbone.cache": False,
                "backbone.privacy": level,
            }
        )
        ask("What is the name of the level with the most visits?", lake, settings)
        assert server.requests
        assert canaries_in(server.requests) == []


def test_a_field_without_an_example_is_noticed() -> None:
    from tests.chat import every_prompt

    kept = every_prompt.FIELDS.pop("grounded")
    try:
        with pytest.raises(AssertionError, match="grounded of ProgramRequest"):
            every_prompt.requests(Content((), "", "", "", ""))
    finally:
        every_prompt.FIELDS["grounded"] = kept
