"""A plan tried on a profile gives what its SQL gives through the gate: the rules judge readings by the former."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablehound.backbone.rules.plan import Condition, Order, Plan, Rows, run
from tablehound.backbone.rules.sql import NotExpressible, plan_sql
from tablehound.execution import run_program
from tablehound.lake import Lake
from tablehound.language.words import fold
from tablehound.linking import Profiles
from tablehound.linking.table_profile import TableProfile
from tablehound.program import Program, View
from tablehound.settings import Settings
from tests.rules.conftest import lake_of, show

TABLE = """name,team,points,day,best
Ann,Red,3,2020-01-05,12.5 m
Bo,Blue,7,2021-02-06,11.0 m
Cy,Red,,2019-03-07,13.2 m
Di,Green,7,2020-04-08,
Ed,,1,2022-05-09,9.9 m
Flo,Blue,4,2020-06-10,12.5 m
"""
TEAMS = "team,city\nRed,Lyra\nBlue,Nova\nGreen,Nova\n"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with lake_of(tmp_path_factory.mktemp("plans"), {"things": TABLE, "teams": TEAMS}) as lake:
        yield lake


def profile(lake: Lake) -> tuple[TableProfile, View]:
    shown = show(lake, "things")
    return Profiles(lake).get("T1", shown.view), shown.view


conditions = st.one_of(
    st.builds(
        lambda team, op: Condition(1, op, (team,), phrase=team),
        st.sampled_from(["red", "blue", "green"]),
        st.sampled_from(["in", "not in"]),
    ),
    st.builds(
        lambda n, op: Condition(2, op, (), n if op in (">", ">=") else None, None if op in (">", ">=") else n),
        st.floats(0, 8).map(round).map(float),
        st.sampled_from([">", ">=", "<", "<="]),
    ),
    st.builds(lambda y: Condition(3, "year", (), float(y), float(y)), st.sampled_from([2019, 2020, 2022])),
    st.just(Condition(1, "filled")),
    st.just(Condition(1, "same", of=Condition(0, "in", ("ann",)))),
)
orders = st.one_of(
    st.none(),
    st.builds(Order, st.sampled_from([None, 2, 3, 4]), st.booleans(), st.integers(1, 3)),
    st.builds(lambda c, high, take: Order(c, high, 1, take), st.sampled_from([2, 3]), st.booleans(), st.just(2)),
)
rows = st.builds(
    lambda c, order, shift, along: Rows(tuple(c), order, shift, along if shift else None),
    st.lists(conditions, max_size=2),
    orders,
    st.sampled_from([0, 0, 0, 1, -1, 2]),
    st.sampled_from([None, 3]),
)
plans = st.one_of(
    st.builds(lambda r, c: Plan("values", r, c, distinct=True), rows, st.integers(0, 3)),
    st.builds(lambda r: Plan("count", r), rows),
    st.builds(lambda r, k: Plan(k, r, 2), rows, st.sampled_from(["sum", "avg", "min", "max", "median"])),
    st.builds(lambda r: Plan("exists", r), rows),
    st.builds(
        lambda c, high, nth: Plan("group", Rows(tuple(c)), group=1, high=high, nth=nth),
        st.lists(conditions, max_size=1),
        st.booleans(),
        st.integers(1, 2),
    ),
    st.builds(lambda a, b: Plan("diff", a, 2, b, inner="sum"), rows, rows),
    st.builds(lambda a, b: Plan("diff", a, None, b, inner="count", unsigned=True), rows, rows),
    st.builds(lambda a: Plan("share", a, other=Rows(), inner="count"), rows),
)


def plain(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return round(float(value), 6)
    return fold(str(value))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=plans)
def test_a_plan_gives_what_its_program_gives(lake: Lake, plan: Plan) -> None:
    table, view = profile(lake)
    try:
        text = plan_sql(plan, table)
    except NotExpressible:
        return
    result = run_program(lake, Program(text, {"T1": view}), Settings())
    assert result.ok, (text, result.error)
    program = sorted((plain(c) for row in result.rows for c in row if c is not None), key=str)
    tried = sorted((plain(v) for v in run(plan, table)), key=str)
    if plan.kind in ("sum", "avg", "min", "max", "median", "diff") and not tried:
        assert program == []
    else:
        assert program == tried, text


def test_a_join_is_tried_as_it_is_run(lake: Lake) -> None:
    from tablehound.linking.joined import join_profiles

    things, teams = show(lake, "things"), show(lake, "teams", "T2")
    profiles = Profiles(lake)
    joined = join_profiles(
        [profiles.get("T1", things.view), profiles.get("T2", teams.view)], ('T1."team" = T2."team"',)
    )
    assert joined is not None
    city = next(c for c in joined.columns if c.name == "city")
    nova = Condition(city.index, "in", ("nova",), phrase="Nova")
    for plan in (
        Plan("count", Rows((nova,))),
        Plan("count", Rows((nova,)), unit="T2"),
        Plan("sum", Rows((nova,)), 2, unit="T1"),
        Plan("values", Rows((nova,)), 0, distinct=True),
    ):
        result = run_program(lake, Program(plan_sql(plan, joined), dict(joined.views)), Settings())
        assert result.ok, result.error
        assert sorted(plain(c) for row in result.rows for c in row) == sorted(plain(v) for v in run(plan, joined))


def test_paths_are_not_needed(tmp_path: Path) -> None:
    """A profile of a lake that is closed again stays usable."""
    with lake_of(tmp_path, {"things": TABLE}) as lake:
        table, _ = profile(lake)
    assert run(Plan("count", Rows()), table) == [6.0]
